//! Kernels and kernel PCA: their laws, peers' numbers, texts and errors.

mod approximate;
mod auto;
mod denoising;
mod digits;
mod errors;
mod features;
mod golden;
mod laws;
mod leading;
mod negative;
mod pre_image;
mod proof;
mod roads;
mod storage;
mod tables;
mod text;
mod twice;
mod width;

use eigenspan::method::{KernelPca, KernelPcaOptions};
use eigenspan::solve::Keep;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat};

/// Rows of a small table that any language can write down: cell (i, j) is 1.5 + sin(1.7·(i + start)·(j + 2)) + j/4.
fn waves(n: usize, d: usize, start: usize) -> Mat<f64> {
    Mat::from_fn(n, d, |i, j| {
        1.5 + (1.7 * (i + start) as f64 * (j + 2) as f64).sin() + 0.25 * j as f64
    })
}

/// A kernel PCA with so many components.
fn asked(kernel: &str, k: usize) -> KernelPcaOptions {
    KernelPcaOptions {
        n_components: Keep::Count(k),
        kernel: kernel.parse().unwrap_or_else(|e| panic!("{e}")),
        ..Default::default()
    }
}

#[track_caller]
fn fitted(options: &KernelPcaOptions, x: &Mat<f64>) -> KernelPca {
    options
        .fit(&Context::new(), &Dense::new(x.view()))
        .unwrap_or_else(|e| panic!("{}: {e}", options.kernel))
}

/// The scores of its training rows.
#[track_caller]
fn own_scores(model: &KernelPca) -> &Mat<f64> {
    model.scores().expect("an exact fit")
}

#[track_caller]
fn projected(model: &KernelPca, x: &Mat<f64>) -> Mat<f64> {
    model
        .transform(&Context::new(), &Dense::new(x.view()))
        .expect("scores")
}

fn iris() -> Mat<f64> {
    crate::support::table_without("iris/iris.csv", &["species"])
}
