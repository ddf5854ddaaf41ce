//! Allele counts scaled by frequency: z = (x − 2p)/√(2p(1 − p)), the same with every solver.

use eigenspan::prepare::Scale;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Csr, Dense, Sparse};
use eigenspan::{Context, Error, Mat, PcaOptions};

use crate::support::{assert_close, assert_said, fit, with_solver};

/// Counts of alleles whose frequencies differ, and one that everybody has twice.
fn counts(n: usize, d: usize) -> Mat<f64> {
    Mat::from_fn(n, d, |i, j| match j {
        3 => 2.0,
        _ => ((i * i + 7 * i * j + i / (j + 1)) % (j + 3) % 3) as f64,
    })
}

fn standardized(x: &Mat<f64>) -> Mat<f64> {
    let n = x.n_rows() as f64;
    let p: Vec<f64> = (0..x.n_cols())
        .map(|j| x.col(j).iter().sum::<f64>() / (2.0 * n))
        .collect();
    Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| match p[j] {
        1.0 => 0.0,
        p => (x[(i, j)] - 2.0 * p) / (2.0 * p * (1.0 - p)).sqrt(),
    })
}

fn genotype(solver: Solver) -> PcaOptions {
    PcaOptions {
        scale: Scale::Genotype,
        n_components: Keep::Count(3),
        ..with_solver(solver)
    }
}

const SOLVERS: [Solver; 7] = [
    Solver::Full,
    Solver::Qr,
    Solver::Covariance,
    Solver::Partial,
    Solver::Dual,
    Solver::Lanczos,
    Solver::Randomized,
];

#[test]
fn every_solver_gives_the_components_of_the_standardized_counts() {
    for (n, d) in [(60, 9), (12, 30)] {
        let x = counts(n, d);
        let z = standardized(&x);
        for solver in SOLVERS {
            let plain = PcaOptions {
                scale: Scale::None,
                ..genotype(solver)
            };
            let (got, want) = (fit(&genotype(solver), &x), fit(&plain, &z));
            assert_close(&got.explained_variance(), &want.explained_variance(), 1e-9);
            assert_close(
                &[got.spectrum().total_variance()],
                &[want.spectrum().total_variance()],
                1e-12,
            );
            for i in 0..3 {
                let (a, b) = (got.components().row(i), want.components().row(i));
                let cosine: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                assert!(cosine.abs() > 1.0 - 1e-9, "{solver}, {i}: {cosine}");
            }
            let notes: String = got.notes().iter().map(ToString::to_string).collect();
            assert!(notes.contains("4 is constant"), "{solver}: {notes}");
        }
    }
}

#[test]
fn sparse_counts_give_the_same_components_as_dense_ones() {
    let x = counts(40, 8);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.rows() {
        for (j, cell) in row.iter().enumerate().filter(|(_, cell)| **cell != 0.0) {
            indices.push(j as u32);
            values.push(*cell);
        }
        indptr.push(indices.len());
    }
    let sparse = Csr::from_rows(8, indptr, indices, values).expect("a matrix");
    for solver in [Solver::Covariance, Solver::Lanczos] {
        let options = genotype(solver);
        let got = options
            .fit(&Context::new(), &Sparse::new(sparse.view()))
            .expect("a fit");
        assert_close(
            &got.explained_variance(),
            &fit(&options, &x).explained_variance(),
            1e-9,
        );
    }
}

#[test]
fn columns_that_are_no_counts_of_alleles_are_refused() {
    let x = Mat::from_fn(5, 2, |i, j| (i * (1 + 4 * j)) as f64 / 4.0);
    let ctx = Context::new();
    let error = genotype(Solver::Auto);
    let error = PcaOptions {
        n_components: Keep::All,
        ..error
    }
    .fit(&ctx, &Dense::new(x.view()))
    .expect_err("a mean of 2.5");
    assert!(matches!(error, Error::NotGenotypes { col: 1, .. }));
    assert_said(
        &error,
        "column 2 has mean 2.5, but a count of two alleles lies between 0 and 2: these are not genotypes",
        Some("scale = std: divides by the standard deviation instead"),
    );
    let uncentered = PcaOptions {
        center: false,
        ..genotype(Solver::Auto)
    };
    let x = counts(10, 5);
    let error = uncentered
        .fit(&ctx, &Dense::new(x.view()))
        .expect_err("no center");
    assert!(error.to_string().contains("needs centering"));
}
