//! A PCA as tensors and JSON.

use eigenspan::method::{Imputer, PcaParts};
use eigenspan::prepare::Preparation;
use eigenspan::solve::{LeftOut, Plan, Spectrum};
use eigenspan::{Mat, Note, Pca, PcaOptions};
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ModelError;
use super::tensor::{Tensor, Tensors, required, values};

/// What of a PCA is not a tensor.
#[derive(Serialize, Deserialize)]
struct PcaHeader {
    options: PcaOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    weight: f64,
    total_variance: f64,
    frobenius_norm: f64,
    divisor: f64,
    angle: Option<f64>,
    rank: usize,
    /// Absent in files from before it was written, and where the solver did not find all directions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
    plan: Plan,
    notes: Vec<Note>,
    /// σ² of what predicts missing cells; the rest of it are tensors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imputer_noise: Option<f64>,
}

pub(super) fn write(pca: &Pca) -> Result<(Value, Tensors), ModelError> {
    let parts = pca.parts();
    let spectrum = &parts.spectrum;
    let header = PcaHeader {
        options: parts.options.clone(),
        columns: parts.columns.clone(),
        n_rows: parts.n_rows,
        weight: parts.weight,
        total_variance: spectrum.total_variance(),
        frobenius_norm: spectrum.norm,
        divisor: spectrum.divisor,
        angle: spectrum.angle,
        rank: spectrum.rank,
        left_out: spectrum.left_out,
        plan: parts.plan.clone(),
        notes: parts.notes.clone(),
        imputer_noise: parts.imputer.as_ref().map(|imputer| imputer.noise),
    };
    let (k, d) = (pca.n_components(), pca.n_cols());
    let mut tensors = vec![
        (
            "components",
            Tensor::new(vec![k, d], spectrum.vectors.as_slice()),
        ),
        ("mean", Tensor::new(vec![d], &parts.preparation.center)),
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
    if let Some(scale) = &parts.preparation.scale {
        tensors.push(("scale", Tensor::new(vec![d], scale)));
    }
    if let Some(imputer) = &parts.imputer {
        let b = imputer.variances.len();
        let directions = Tensor::new(vec![b, d], imputer.directions.as_slice());
        tensors.extend([
            ("imputer_directions", directions),
            ("imputer_mean", Tensor::new(vec![d], &imputer.mean)),
            ("imputer_scale", Tensor::new(vec![d], &imputer.scale)),
            (
                "imputer_variances",
                Tensor::new(vec![b], &imputer.variances),
            ),
        ]);
        let spread = imputer.spread.as_ref();
        tensors.extend(spread.map(|spread| ("imputer_spread", Tensor::new(vec![d], spread))));
    }
    Ok((
        serde_json::to_value(header).map_err(ModelError::damaged)?,
        tensors,
    ))
}

pub(super) fn read(header: Value, tensors: &SafeTensors<'_>) -> Result<Pca, ModelError> {
    let header: PcaHeader = serde_json::from_value(header).map_err(ModelError::damaged)?;
    let components = required(tensors, "components")?;
    let &[k, d] = components.shape() else {
        return Err(ModelError::damaged("`components` is not a matrix"));
    };
    let vectors =
        Mat::from_vec(k, d, values(&components, "components")?).map_err(ModelError::damaged)?;
    let vector = |name: &'static str| values(&required(tensors, name)?, name);
    let scale = match tensors.tensor("scale") {
        Ok(tensor) => Some(values(&tensor, "scale")?),
        Err(_) => None,
    };
    let mut spectrum = Spectrum {
        singular_values: vector("singular_values")?,
        vectors,
        residuals: vector("residuals")?,
        norm: header.frobenius_norm,
        divisor: header.divisor,
        angle: header.angle,
        rank: header.rank,
        left_out: header.left_out,
    };
    match tensors.tensor("relative_residuals") {
        Ok(tensor) => spectrum.residuals = values(&tensor, "relative_residuals")?,
        Err(_) => spectrum.relate_residuals(),
    }
    let imputer = header
        .imputer_noise
        .map(|noise| read_imputer(noise, tensors));
    Pca::from_parts(PcaParts {
        options: header.options,
        columns: header.columns,
        n_rows: header.n_rows,
        weight: header.weight,
        preparation: Preparation {
            center: vector("mean")?,
            scale,
        },
        spectrum,
        plan: header.plan,
        notes: header.notes,
        imputer: imputer.transpose()?,
    })
    .map_err(ModelError::damaged)
}

fn read_imputer(noise: f64, tensors: &SafeTensors<'_>) -> Result<Imputer, ModelError> {
    let directions = required(tensors, "imputer_directions")?;
    let &[b, d] = directions.shape() else {
        return Err(ModelError::damaged("`imputer_directions` is not a matrix"));
    };
    let cells = values(&directions, "imputer_directions")?;
    let vector = |name: &'static str| values(&required(tensors, name)?, name);
    Ok(Imputer {
        mean: vector("imputer_mean")?,
        scale: vector("imputer_scale")?,
        directions: Mat::from_vec(b, d, cells).map_err(ModelError::damaged)?,
        variances: vector("imputer_variances")?,
        noise,
        spread: match tensors.tensor("imputer_spread") {
            Ok(tensor) => Some(values(&tensor, "imputer_spread")?),
            Err(_) => None,
        },
    })
}
