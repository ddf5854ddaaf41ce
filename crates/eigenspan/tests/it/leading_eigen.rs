//! Eigenpairs of matrices whose spectrum is known: falling, flat, in steps, repeated; all of them and the leading ones.

use eigenspan::linalg::{
    leading_eigen, norm, orthonormalize_rows, product, symmetric_eigen, symmetric_eigenvalues,
    times_transposed,
};
use eigenspan::rng::Rng;
use eigenspan::{Context, Mat};

/// Q·diag(values)·Qᵀ with a random Q.
fn with_spectrum(values: &[f64], seed: u64) -> Mat<f64> {
    let n = values.len();
    let mut rng = Rng::new(seed);
    let mut q = Mat::from_fn(n, n, |_, _| rng.normal());
    orthonormalize_rows(&mut q);
    let scaled = Mat::from_fn(n, n, |i, j| values[i] * q[(i, j)]);
    let a = product(q.view().transposed(), scaled.view());
    Mat::from_fn(n, n, |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}

/// Spectra of n values, largest first.
fn spectra(n: usize) -> Vec<(&'static str, Vec<f64>)> {
    let of = |value: &dyn Fn(usize) -> f64| (0..n).map(value).collect::<Vec<f64>>();
    vec![
        ("falling", of(&|i| 0.8f64.powi(i as i32))),
        (
            "falling far",
            of(&|i| 10f64.powf(-12.0 * i as f64 / n as f64)),
        ),
        (
            "floor",
            of(&|i| {
                if i < 10 {
                    100.0 * 0.8f64.powi(i as i32)
                } else {
                    1.0 + 0.5 * (1.0 - i as f64 / n as f64)
                }
            }),
        ),
        ("step", of(&|i| if i < n / 3 { 1.0 } else { 1e-3 })),
        ("equal", of(&|_| 3.0)),
        ("in threes", of(&|i| 1.0 / (1 + i / 3) as f64)),
        ("rank one", of(&|i| f64::from(i == 0))),
        ("nothing", of(&|_| 0.0)),
        ("both signs", of(&|i| 1.0 - 2.0 * i as f64 / n as f64)),
        ("large", of(&|i| 1e200 / (1 + i) as f64)),
        ("small", of(&|i| 1e-200 / (1 + i) as f64)),
    ]
}

fn check(a: &Mat<f64>, known: &[f64], (values, vectors): (&[f64], &Mat<f64>), case: &str) {
    let size = known.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let n = known.len() as f64;
    let allowed = 1e-15 * n * size;
    for (found, known) in values.iter().zip(known) {
        assert!(
            (found - known).abs() <= allowed,
            "{case}: {found:e} for {known:e}"
        );
    }
    let gram = times_transposed(vectors.view(), vectors.view());
    let images = product(vectors.view(), a.view());
    for i in 0..vectors.n_rows() {
        let pair = images.row(i).iter().zip(vectors.row(i));
        let off: Vec<f64> = pair.map(|(image, v)| image - values[i] * v).collect();
        assert!(
            norm(&off) <= allowed,
            "{case}: residual {:e} of {i}",
            norm(&off) / size
        );
        for j in 0..=i {
            let wanted = f64::from(i == j);
            assert!(
                (gram[(i, j)] - wanted).abs() < 2e-12,
                "{case}: {i} and {j}: {:e}",
                gram[(i, j)]
            );
        }
    }
}

#[test]
fn every_spectrum_is_found_all_of_it_and_its_leading_part() {
    // Below and above what is left to the backend as a whole, and in sizes that fill no block.
    for n in [1, 2, 5, 60, 130, 257] {
        for (name, known) in spectra(n) {
            let a = with_spectrum(&known, 1 + n as u64);
            for k in [1, 3, n / 8, n / 2, n] {
                let k = k.clamp(1, n);
                let (values, vectors) = leading_eigen(&a, k).expect("pairs");
                assert_eq!((values.len(), vectors.n_rows()), (k, k));
                check(
                    &a,
                    &known,
                    (&values, &vectors),
                    &format!("{name}, {k} of {n}"),
                );
            }
            let (values, vectors) = symmetric_eigen(&a).expect("pairs");
            check(
                &a,
                &known,
                (&values, &vectors),
                &format!("{name}, all of {n}"),
            );
            let alone = symmetric_eigenvalues(&a).expect("values");
            check(
                &a,
                &known,
                (&alone, &Mat::zeros(0, n)),
                &format!("{name}, values of {n}"),
            );
        }
    }
}

#[test]
fn matrices_that_need_no_turning_are_left_as_they_are() {
    // Diagonal, tridiagonal, and two blocks: reflectors that have nothing to do.
    let n = 200;
    let diagonal = Mat::from_fn(n, n, |i, j| if i == j { (n - i) as f64 } else { 0.0 });
    let beside = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    let mut blocks = with_spectrum(&(0..n).map(|i| 1.0 / (1 + i) as f64).collect::<Vec<_>>(), 3);
    for i in 0..n {
        for j in 0..n {
            if (i < 90) != (j < 90) {
                blocks[(i, j)] = 0.0;
            }
        }
    }
    let (all, _) = symmetric_eigen(&blocks).expect("pairs");
    let second =
        |i: usize| 2.0 - 2.0 * (std::f64::consts::PI * (n - i) as f64 / (n + 1) as f64).cos();
    for (name, a, known) in [
        (
            "diagonal",
            diagonal,
            (0..n).map(|i| (n - i) as f64).collect::<Vec<_>>(),
        ),
        ("second differences", beside, (0..n).map(second).collect()),
        ("blocks", blocks, all),
    ] {
        for k in [1, 20, 100, n] {
            let (values, vectors) = leading_eigen(&a, k).expect("pairs");
            check(&a, &known, (&values, &vectors), &format!("{name}, {k}"));
        }
    }
}

#[test]
fn only_the_lower_triangle_is_read_and_threads_change_no_bit() {
    let known: Vec<f64> = (0..600).map(|i| 1.0 + 1.0 / (1 + i) as f64).collect();
    let a = with_spectrum(&known, 7);
    let lower = Mat::from_fn(600, 600, |i, j| if i >= j { a[(i, j)] } else { f64::NAN });
    for k in [20, 600] {
        let bits = |threads: usize| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let (values, vectors) = ctx.install(|| leading_eigen(&lower, k)).expect("pairs");
            let cells = values.into_iter().chain(vectors.as_slice().to_vec());
            cells.map(f64::to_bits).collect::<Vec<u64>>()
        };
        let one = bits(1);
        assert!([2, 3, 7].iter().all(|&threads| bits(threads) == one), "{k}");
    }
}
