//! Every product against the backend's.

use super::*;
use crate::linalg::product;
use crate::rng::Rng;

fn random(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(n, d, |_, _| rng.normal())
}

#[track_caller]
fn assert_near(got: &Mat<f64>, want: &Mat<f64>) {
    assert_eq!((got.n_rows(), got.n_cols()), (want.n_rows(), want.n_cols()));
    for (got, want) in got.as_slice().iter().zip(want.as_slice()) {
        assert!(
            (got - want).abs() <= 1e-11 * want.abs().max(1.0),
            "{got} {want}"
        );
    }
}

#[test]
fn every_product_agrees_with_the_backend() {
    for (n, d, b) in [
        (1, 1, 1),
        (7, 5, 3),
        (70, 33, 4),
        (70, 40, 11),
        (150, 300, 13),
        (33, 700, 30),
        (40, 500, 35),
    ] {
        let (p, q) = (random(n, d, 1), random(d, b, 2));
        let columns = Columns::from_mat(&q);
        assert_eq!(columns.to_mat(), q);
        assert_eq!(columns.to_rows(), q.transposed());
        assert_eq!(Columns::from_rows(&q.transposed()).to_mat(), q);
        let pq = product(p.view(), q.view());
        assert_near(&times(&p, &columns).to_mat(), &pq);
        let common = product(p.view().transposed(), pq.view());
        let left = Mat::from_fn(d, b, |i, j| q[(i, j)] - common[(i, j)]);
        let mut got = columns.clone();
        project_out(&p, &mut got);
        assert_near(&got.to_mat(), &left);
        let m = random(b, 3, 5);
        assert_near(&columns.combined(&m).to_mat(), &product(q.view(), m.view()));
        let other = random(d, 6, 7);
        let want = product(q.view().transposed(), other.view());
        assert_near(&columns.inner(&Columns::from_mat(&other)), &want);
    }
}

#[test]
fn weighted_and_sparse_rows_agree_with_the_backend() {
    for (n, d, b) in [(9, 4, 1), (40, 31, 5), (80, 60, 27)] {
        let mut rng = Rng::new(3);
        let x = Mat::from_fn(n, d, |_, _| {
            let x = rng.normal();
            if x > 0.5 { x } else { 0.0 }
        });
        let (q, offset) = (random(d, b, 4), random(1, b, 6));
        let weights: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
        let mut y = product(x.view(), q.view());
        for i in 0..n {
            for j in 0..b {
                y[(i, j)] = (y[(i, j)] - offset[(0, j)]) * weights[i];
            }
        }
        let want = product(x.view().transposed(), y.view());
        let columns = Columns::from_mat(&q);
        let mut padded = offset.as_slice().to_vec();
        padded.resize(columns.width(), 0.0);
        let rows: Vec<(Vec<u32>, Vec<f64>)> = x
            .rows()
            .map(|row| {
                let cells = (0u32..).zip(row).filter(|(_, x)| **x != 0.0);
                cells.map(|(j, x)| (j, *x)).unzip()
            })
            .collect();
        let mut z = Columns::zeros(d, b);
        let mut sums = vec![0.0; columns.width()];
        let sparse = rows
            .iter()
            .zip(&weights)
            .map(|((j, x), w)| (&j[..], &x[..], *w));
        // SAFETY: the columns were counted along a row of x.
        unsafe { add_sparse_gram_times(&mut z, sparse, &columns, &padded, &mut sums) };
        assert_near(&z.to_mat(), &want);
        let total = Mat::from_fn(1, b, |_, j| y.col(j).iter().sum());
        assert_near(&Mat::from_fn(1, b, |_, j| sums[j]), &total);
        // Dense rows, which have no offset.
        let mut z = Columns::zeros(d, b);
        Scratch::default().add_gram_times(&mut z, x.as_slice(), &columns, Some(&weights), None);
        let mut y = product(x.view(), q.view());
        for (i, w) in weights.iter().enumerate() {
            y.row_mut(i).iter_mut().for_each(|y| *y *= w);
        }
        assert_near(&z.to_mat(), &product(x.view().transposed(), y.view()));
    }
}

#[test]
fn rows_in_bands_agree_with_rows_as_they_lie() {
    // Two chunks of rows and two bands of columns; some rows are empty, and some have cells in one band only.
    let (n, d) = (2100, 4200);
    for (b, single) in [(1, true), (8, true), (8, false), (27, false)] {
        let mut rng = Rng::new(11);
        let rows: Vec<(Vec<u32>, Vec<f64>)> = (0..n)
            .map(|i| {
                let from = [0, 2000, 4100][i % 3];
                let columns = (from..d as u32).step_by(17 + i % 7).take(i % 13 * 20);
                let value = |_| match single {
                    true => (2.0 * rng.normal()).round(),
                    false => rng.normal(),
                };
                let columns: Vec<u32> = columns.collect();
                let values = columns.iter().map(value).collect();
                (columns, values)
            })
            .collect();
        let sparse = || {
            let rows = rows.iter().enumerate();
            rows.map(|(i, (j, x))| (&j[..], &x[..], (1 + i % 3) as f64))
        };
        let q = Columns::from_mat(&random(d, b, 4));
        let mut offset = random(1, b, 6).as_slice().to_vec();
        offset.resize(q.width(), 0.0);
        let (mut want, mut want_sums) = (Columns::zeros(d, b), vec![0.0; q.width()]);
        // SAFETY: columns were counted up to d.
        unsafe { add_sparse_gram_times(&mut want, sparse(), &q, &offset, &mut want_sums) };
        let (mut got, mut sums) = (Columns::zeros(d, b), vec![0.0; q.width()]);
        BandedRows::new(d, sparse()).add_gram_times(&mut got, &q, &offset, &mut sums);
        assert_near(&got.to_mat(), &want.to_mat());
        for (got, want) in sums.iter().zip(&want_sums) {
            assert!(
                (got - want).abs() <= 1e-11 * want.abs().max(1.0),
                "{got} {want}"
            );
        }
    }
}

/// The lower half of a matrix that is written out.
struct LowerOf(Mat<f64>);

impl LowerTiles for LowerOf {
    fn len(&self) -> usize {
        self.0.n_rows()
    }

    fn tile<'a>(
        &'a self,
        (row, col): (usize, usize),
        scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], crate::Error> {
        assert!(col <= row, "only the lower half is asked for");
        let run = |at: usize| at * SIDE..((at + 1) * SIDE).min(self.len());
        scratch.clear();
        run(row).for_each(|i| scratch.extend_from_slice(&self.0.row(i)[run(col)]));
        Ok(scratch)
    }
}

#[test]
fn the_lower_half_is_enough_for_a_product_with_a_symmetric_matrix() {
    for (n, b) in [
        (0, 1),
        (1, 1),
        (255, 3),
        (256, 4),
        (257, 13),
        (500, 12),
        (482, 19),
        (1100, 5),
    ] {
        let x = random(n, n, 8);
        let a = Mat::from_fn(n, n, |i, j| x[(i.max(j), i.min(j))]);
        let v = random(n, b, 9);
        let want = product(a.view(), v.view());
        // What lies above the diagonal tiles is never looked at.
        let lower = LowerOf(Mat::from_fn(n, n, |i, j| match j / SIDE <= i / SIDE {
            true => a[(i, j)],
            false => f64::NAN,
        }));
        let got = symmetric_times(&lower, &Columns::from_mat(&v)).expect("a product");
        assert_near(&got.to_mat(), &want);
    }
}
