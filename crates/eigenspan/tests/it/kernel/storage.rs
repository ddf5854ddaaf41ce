//! A kernel matrix stored whole, by its lower half, in f32 or not at all: the same products, up to the precision of each.

use eigenspan::kernel::{CenteredGram, Gram, Kernel, Points, ResolvedKernel};
use eigenspan::linalg::{Columns, LinearMap, symmetric_eigenvalues};
use eigenspan::rng::Rng;
use eigenspan::{Context, Mat};

use crate::support::distance;

const KERNELS: [&str; 7] = [
    "rbf(gamma=0.2)",
    "poly(degree=3, gamma=0.1)",
    "tanh(gamma=0.1, coef0=0.2)",
    "laplacian",
    "matern(nu=1.5, length=2)",
    "cosine + rational_quadratic(alpha=1, length=1)",
    "normalize(exp(0.1*linear))",
];

/// More than one tile, and not a whole number of them.
fn ready(kernel: &str) -> (ResolvedKernel, Points) {
    let mut rng = Rng::new(5);
    let x = Mat::from_fn(700, 5, |i, _| rng.normal() + (i % 3) as f64);
    let kernel: Kernel = kernel.parse().expect("a kernel");
    let settled = ResolvedKernel::new(&kernel, &x).expect("a kernel");
    let points = settled.points(x, 0).expect("points");
    (settled, points)
}

fn vectors(n: usize, count: usize) -> Mat<f64> {
    let mut rng = Rng::new(6);
    Mat::from_fn(n, count, |_, _| rng.normal())
}

fn size(m: &Mat<f64>) -> f64 {
    m.as_slice().iter().fold(0.0, |most, x| x.abs().max(most))
}

#[test]
fn every_way_to_keep_a_kernel_matrix_gives_the_same_products() {
    let ctx = Context::new();
    for kernel in KERNELS {
        let (settled, points) = ready(kernel);
        let v = Columns::from_mat(&vectors(points.len(), 7));
        let times = |gram: &Gram<'_>| gram.times(&v).expect("a product").to_mat();
        let whole = times(&Gram::stored(&ctx, &settled, &points).expect("a matrix"));
        let half = Gram::half(&ctx, &settled, &points).expect("a matrix");
        let single = Gram::single(&ctx, &settled, &points).expect("a matrix");
        let anew = Gram::recomputed(&ctx, &settled, &points);
        for (gram, bound) in [(&half, 1e-13), (&anew, 1e-13), (&single, 6e-8)] {
            let off = distance(times(gram).as_slice(), whole.as_slice());
            assert!(off < bound * size(&whole), "{kernel}: {off:e}");
        }
    }
}

#[test]
fn the_same_bits_come_out_of_every_storage_on_any_number_of_threads() {
    let (settled, points) = ready("rbf(gamma=0.3) + 0.1*laplacian");
    let v = vectors(points.len(), 5);
    let mut first = None;
    for threads in [1, 2, 5] {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let grams = [
            Gram::stored(&ctx, &settled, &points).expect("a matrix"),
            Gram::half(&ctx, &settled, &points).expect("a matrix"),
            Gram::single(&ctx, &settled, &points).expect("a matrix"),
            Gram::recomputed(&ctx, &settled, &points),
        ];
        let product = |gram: &Gram<'_>| {
            let product = ctx.install(|| CenteredGram(gram).times(v.view()));
            let product = product.expect("a product").into_vec();
            product.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
        };
        let all: Vec<_> = grams.iter().map(product).collect();
        assert_eq!(first.get_or_insert_with(|| all.clone()), &all);
    }
}

/// Weyl: eigenvalues move by no more than ‖E‖ ≤ ‖E‖_F ≤ 2⁻²⁴·‖K‖_F.
#[test]
fn rounding_to_f32_moves_eigenvalues_by_less_than_the_bound_and_hardly_at_all() {
    let ctx = Context::new();
    for kernel in KERNELS {
        let (settled, points) = ready(kernel);
        let whole = Gram::stored(&ctx, &settled, &points).expect("a matrix");
        let single = Gram::single(&ctx, &settled, &points).expect("a matrix");
        let n = points.len();
        let unit = Columns::from_mat(&Mat::from_fn(n, n, |i, j| f64::from(i == j)));
        let rounded = single.times(&unit).expect("a product").to_mat();
        let Gram::Stored(matrix) = whole else {
            panic!("not written out")
        };
        let frobenius = matrix.as_slice().iter().map(|x| x * x).sum::<f64>().sqrt();
        let exact = symmetric_eigenvalues(&matrix).expect("eigenvalues");
        let got = symmetric_eigenvalues(&rounded).expect("eigenvalues");
        let off = distance(&got, &exact);
        assert!(off > 0.0 && off < 6e-8 * frobenius, "{kernel}: {off:e}");
    }
}
