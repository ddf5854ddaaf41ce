//! Results as JSON objects, with the names that `docs/json.md` promises.

use eigenspan::solve::Plan;
use eigenspan::{KernelPca, Note, Pca};
use eigenspan_io::model::{FittedRef, Origin};
use serde_json::{Value, json};

use crate::project::Residuals;
use crate::project::denoise::Denoised;
use crate::summary::Summary;
use crate::text::Heading;

/// A fit, as one object.
pub fn fit<'a>(
    fitted: impl Into<FittedRef<'a>>,
    notes: &[Note],
    seconds: f64,
    outputs: &[String],
) -> Value {
    let fitted = fitted.into();
    let (spectrum, plan) = (fitted.spectrum(), fitted.plan());
    let each = |f: &dyn Fn(usize) -> f64| (0..spectrum.len()).map(f).collect::<Vec<_>>();
    let mut object = json!({
        "method": fitted.method(),
        "n_rows": fitted.n_rows(),
        "n_cols": fitted.n_cols(),
        "columns": fitted.column_names(),
        "n_components": fitted.n_components(),
        "component_names": fitted.component_names(),
        "explained_variance": each(&|i| spectrum.variance(i)),
        "explained_variance_ratio": each(&|i| spectrum.share(i)),
        "total_variance": spectrum.total_variance(),
        "singular_values": spectrum.singular_values,
        "residuals": spectrum.residuals,
        "angle": spectrum.angle,
        "solver": plan.solver,
        "reason": plan.reason,
        "seconds": seconds,
        "outputs": outputs,
        "notes": notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if let (FittedRef::KernelPca(kpca), Some(object)) = (fitted, object.as_object_mut()) {
        object.extend(of_kernel(kpca));
    }
    object
}

/// What only a kernel PCA has.
fn of_kernel(kpca: &KernelPca) -> serde_json::Map<String, Value> {
    let kernel = kpca.kernel().kernel();
    let pairs = [
        ("kernel", json!(kernel.to_string())),
        ("verdict", json!(kernel.verdict().to_string())),
        ("eigenvalues", json!(kpca.eigenvalues())),
        ("eigenvalue_errors", json!(kpca.eigenvalue_errors())),
        ("n_basis", json!(kpca.parts().basis.len())),
    ];
    pairs
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}

/// What is in the model of a kernel PCA.
pub fn describe_kernel(kpca: &KernelPca, origin: &Origin) -> Value {
    described(kpca, json!(kpca.parts().options), origin)
}

/// What is in any model.
fn described<'a>(fitted: impl Into<FittedRef<'a>>, options: Value, origin: &Origin) -> Value {
    let fitted = fitted.into();
    let mut object = fit(fitted, fitted.notes(), 0.0, &[]);
    if let Some(object) = object.as_object_mut() {
        object.remove("seconds");
        object.remove("outputs");
        object.insert("options".to_owned(), options);
        object.insert("origin".to_owned(), json!(origin));
    }
    object
}

/// What is in the model of a PCA.
pub fn describe(pca: &Pca, summary: &Summary, origin: &Origin) -> Value {
    let mut object = described(pca, json!(pca.parts().options), origin);
    if let Some(object) = object.as_object_mut() {
        object.insert("mean".to_owned(), json!(pca.mean()));
        object.insert("scale".to_owned(), json!(pca.parts().preparation.scale));
        let rows: Vec<&[f64]> = pca.components().rows().collect();
        object.insert("components".to_owned(), json!(rows));
        let words: Vec<&str> = summary
            .axes
            .iter()
            .map(|axis| axis.words.as_str())
            .collect();
        object.insert("in_words".to_owned(), json!(words));
    }
    object
}

/// What would run.
pub fn plan(method: &str, heading: &Heading, plan: &Plan, data: u64, notes: &[Note]) -> Value {
    json!({
        "method": method,
        "n_rows": heading.n_rows,
        "n_cols": heading.n_cols,
        "solver": plan.solver,
        "reason": plan.reason,
        "passes": plan.passes,
        "bytes": plan.bytes,
        "data_bytes": data,
        "flops": plan.flops,
        "notes": notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// How near rows came on the way back: their distances in feature space from what the scores name.
pub fn residuals(residuals: &Residuals) -> Value {
    json!({
        "each": residuals.all,
        "median": residuals.median,
        "largest": residuals.largest,
        "largest_row": residuals.row + 1,
    })
}

/// What denoising did.
pub fn denoised(done: &Denoised, seconds: f64, output: &str) -> Value {
    let fitted = done.fitted.view();
    let mut object = json!({
        "method": fitted.method(),
        "n_rows": done.table.n_rows(),
        "n_cols": done.n_cols,
        "train": done.train,
        "n_train": fitted.n_rows(),
        "n_components": fitted.n_components(),
        "rms_change": done.change.rms,
        "largest_change": done.change.largest,
        "largest_change_row": done.change.row + 1,
        "seconds": seconds,
        "outputs": [output],
        "notes": done.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if let FittedRef::KernelPca(kpca) = fitted {
        object["kernel"] = json!(kpca.kernel().kernel().to_string());
    }
    if let Some(found) = &done.residuals {
        object["residual"] = residuals(found);
    }
    object
}
