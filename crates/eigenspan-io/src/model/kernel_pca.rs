//! A kernel PCA as tensors and JSON: what projection and the way back need, and nothing else of the training rows.

use eigenspan::kernel::{Fourier, Kernel, Settled};
use eigenspan::method::{Basis, KernelPca, KernelPcaParts, SpectrumError};
use eigenspan::prepare::Preparation;
use eigenspan::solve::{Plan, Road, Spectrum};
use eigenspan::{KernelPcaOptions, Mat, Note};
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ModelError;
use super::tensor::{Tensor, Tensors, matrix, optional, vector};

/// What of a kernel PCA is not a tensor.
#[derive(Serialize, Deserialize)]
struct KernelPcaHeader {
    options: KernelPcaOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    n_cols: usize,
    kernel: Kernel,
    basis: BasisKind,
    total_variance: f64,
    frobenius_norm: f64,
    divisor: f64,
    angle: Option<f64>,
    rank: usize,
    error: Option<SpectrumError>,
    road: Road,
    plan: Plan,
    notes: Vec<Note>,
}

/// What rows are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BasisKind {
    /// Rows: tensor `basis`.
    Rows,
    /// Nothing: the kernel is precomputed.
    Given,
    /// Random frequencies: tensor `frequencies`.
    Frequencies,
}

pub(super) fn write(kpca: &KernelPca) -> Result<(Value, Tensors), ModelError> {
    let parts = kpca.parts();
    let spectrum = &parts.spectrum;
    let (k, d, m) = (kpca.n_components(), kpca.n_cols(), parts.basis.len());
    let mut tensors = vec![
        ("weights", Tensor::new(vec![m, k], parts.weights.as_slice())),
        (
            offset_name(parts.kernel.is_relative()),
            Tensor::new(vec![k], &parts.offset),
        ),
        ("mean", Tensor::new(vec![m], &parts.mean)),
        ("eigenvalues", Tensor::new(vec![k], &parts.eigenvalues)),
        (
            "residuals",
            Tensor::new(vec![k], &spectrum.residuals_of_first()),
        ),
        (
            "relative_residuals",
            Tensor::new(vec![k], &spectrum.residuals),
        ),
        (
            "singular_values",
            Tensor::new(vec![k], &spectrum.singular_values),
        ),
    ];
    let basis = match &parts.basis {
        Basis::Rows(points) => {
            let rows = points.rows().as_slice();
            tensors.push(("basis", Tensor::new(vec![m, d], rows)));
            BasisKind::Rows
        }
        Basis::Given(_) => BasisKind::Given,
        Basis::Frequencies(map) => {
            let frequencies = map.frequencies();
            let shape = vec![frequencies.n_rows(), d];
            tensors.push(("frequencies", Tensor::new(shape, frequencies.as_slice())));
            BasisKind::Frequencies
        }
    };
    tensors.extend(by_column(parts));
    let header = KernelPcaHeader {
        options: parts.options.clone(),
        columns: parts.columns.clone(),
        n_rows: parts.n_rows,
        n_cols: d,
        kernel: parts.kernel.kernel().clone(),
        basis,
        total_variance: spectrum.total_variance(),
        frobenius_norm: spectrum.norm,
        divisor: spectrum.divisor,
        angle: spectrum.angle,
        rank: spectrum.rank,
        error: parts.error.clone(),
        road: parts.road,
        plan: parts.plan.clone(),
        notes: parts.notes.clone(),
    };
    Ok((
        serde_json::to_value(header).map_err(ModelError::damaged)?,
        tensors,
    ))
}

/// The tensor of what the mean in feature space scores. Where the kernel is relative to its origin it has another name, so that
/// a reader that does not know of such kernels refuses the file.
fn offset_name(relative: bool) -> &'static str {
    match relative {
        true => "relative_offset",
        false => "offset",
    }
}

/// What there is of one number per column.
fn by_column(parts: &KernelPcaParts) -> Tensors {
    let preparation = parts.preparation.as_ref();
    let lists = [
        ("origin", parts.kernel.origin()),
        ("fill", parts.fill.as_deref()),
        ("center", preparation.map(|p| p.center.as_slice())),
        ("scale", preparation.and_then(|p| p.scale.as_deref())),
    ];
    let there = lists
        .into_iter()
        .filter_map(|(name, list)| Some((name, list?)));
    let tensor = |list: &[f64]| Tensor::new(vec![list.len()], list);
    there.map(|(name, list)| (name, tensor(list))).collect()
}

pub(super) fn read(header: Value, tensors: &SafeTensors<'_>) -> Result<KernelPca, ModelError> {
    let header: KernelPcaHeader = serde_json::from_value(header).map_err(ModelError::damaged)?;
    let d = header.n_cols;
    let origin = optional(tensors, "origin")?;
    let relative = optional(tensors, offset_name(true))?.is_some();
    let kernel = match (relative, origin) {
        (true, Some(origin)) => Settled::from_parts(header.kernel, d, None)
            .and_then(|kernel| kernel.relative_to(origin)),
        (_, origin) => Settled::from_parts(header.kernel, d, origin),
    };
    let kernel = kernel.map_err(ModelError::damaged)?;
    let weights = matrix(tensors, "weights")?;
    let basis = match header.basis {
        BasisKind::Rows => {
            let rows = matrix(tensors, "basis")?;
            Basis::Rows(kernel.points(rows, 0).map_err(ModelError::damaged)?)
        }
        BasisKind::Given => Basis::Given(weights.n_rows()),
        BasisKind::Frequencies => {
            let frequencies = matrix(tensors, "frequencies")?;
            if frequencies.n_cols() != d {
                return Err(ModelError::damaged(
                    "its frequencies do not fit its columns",
                ));
            }
            Basis::Frequencies(Fourier::from_frequencies(frequencies))
        }
    };
    let mut spectrum = Spectrum {
        singular_values: vector(tensors, "singular_values")?,
        vectors: Mat::default(),
        residuals: vector(tensors, "residuals")?,
        norm: header.frobenius_norm,
        divisor: header.divisor,
        angle: header.angle,
        rank: header.rank,
        left_out: None,
    };
    match optional(tensors, "relative_residuals")? {
        Some(residuals) => spectrum.residuals = residuals,
        None => spectrum.relate_residuals(),
    }
    check(&spectrum, header.columns.as_deref(), header.n_rows, d)?;
    let (center, scale) = (optional(tensors, "center")?, optional(tensors, "scale")?);
    if scale.iter().flatten().any(|x| *x <= 0.0) {
        return Err(ModelError::damaged("a scale is not positive"));
    }
    let kernel_is_relative = kernel.is_relative();
    KernelPca::from_parts(KernelPcaParts {
        options: header.options,
        columns: header.columns,
        n_rows: header.n_rows,
        fill: optional(tensors, "fill")?,
        preparation: center.map(|center| Preparation { center, scale }),
        kernel,
        basis,
        weights,
        offset: vector(tensors, offset_name(kernel_is_relative))?,
        mean: vector(tensors, "mean")?,
        spectrum,
        eigenvalues: vector(tensors, "eigenvalues")?,
        error: header.error,
        scores: None,
        road: header.road,
        plan: header.plan,
        notes: header.notes,
    })
    .map_err(ModelError::damaged)
}

/// Refuses numbers that no fit gives.
fn check(
    spectrum: &Spectrum,
    columns: Option<&[String]>,
    n_rows: usize,
    n_cols: usize,
) -> Result<(), ModelError> {
    let norm = spectrum.norm.is_finite() && spectrum.norm >= 0.0;
    let divisible = spectrum.divisor.is_finite() && spectrum.divisor > 0.0;
    if !(norm && divisible) || n_rows < 2 {
        return Err(ModelError::damaged("its variance is none"));
    }
    if spectrum.singular_values.iter().any(|s| *s < 0.0) {
        return Err(ModelError::damaged("a singular value is negative"));
    }
    match columns {
        Some(columns) if columns.len() != n_cols => {
            let (given, needed) = (columns.len(), n_cols);
            Err(ModelError::damaged(format!(
                "{given} names for {needed} columns"
            )))
        }
        _ => Ok(()),
    }
}
