//! What a fitted PCA means: numbers of other programs, and laws that every number has to satisfy.

mod beside;
mod columns;
mod distribution;
mod edges;
mod outliers;
mod rotate;
mod rows;

use eigenspan::prepare::Scale;
use eigenspan::solve::Convention;
use eigenspan::{Mat, Pca, PcaOptions};

use crate::support::{fit, table_without};

/// The ten events of the decathlon.
pub(crate) fn decathlon() -> Mat<f64> {
    table_without(
        "decathlon/decathlon.csv",
        &["athlete", "Rank", "Points", "Competition"],
    )
}

/// Scaled, divisor n: as FactoMineR does.
pub(crate) fn like_factominer(x: &Mat<f64>) -> Pca {
    let options = PcaOptions {
        scale: Scale::Std,
        convention: Convention::Population,
        ..Default::default()
    };
    fit(&options, x)
}

pub(crate) fn hald() -> Mat<f64> {
    table_without("hald/hald.csv", &[])
}

/// Sum of a column.
pub(crate) fn total(table: &Mat<f64>, c: usize) -> f64 {
    table.col(c).iter().sum()
}
