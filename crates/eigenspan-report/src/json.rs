//! Results as JSON objects, with the names that `docs/json.md` promises.

use eigenspan::solve::Plan;
use eigenspan::{Note, Pca};
use eigenspan_io::model::Origin;
use serde_json::{Value, json};

use crate::summary::{Summary, column_names};
use crate::text::Heading;

/// A fit, as one object.
pub fn fit(pca: &Pca, notes: &[Note], seconds: f64, outputs: &[String]) -> Value {
    let parts = pca.parts();
    json!({
        "method": "pca",
        "n_rows": parts.n_rows,
        "n_cols": pca.n_cols(),
        "columns": column_names(pca),
        "n_components": pca.n_components(),
        "component_names": pca.component_names(),
        "explained_variance": pca.explained_variance(),
        "explained_variance_ratio": pca.explained_variance_ratio(),
        "total_variance": pca.spectrum().total_variance(),
        "singular_values": pca.spectrum().singular_values,
        "residuals": pca.spectrum().residuals,
        "angle": pca.spectrum().angle,
        "solver": parts.plan.solver,
        "reason": parts.plan.reason,
        "seconds": seconds,
        "outputs": outputs,
        "notes": notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// What is in a model.
pub fn describe(pca: &Pca, summary: &Summary, origin: &Origin) -> Value {
    let mut object = fit(pca, pca.notes(), 0.0, &[]);
    if let Some(object) = object.as_object_mut() {
        object.remove("seconds");
        object.remove("outputs");
        object.insert("options".to_owned(), json!(pca.parts().options));
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
        object.insert("origin".to_owned(), json!(origin));
    }
    object
}

/// What would run.
pub fn plan(heading: &Heading, plan: &Plan, notes: &[Note]) -> Value {
    json!({
        "method": "pca",
        "n_rows": heading.n_rows,
        "n_cols": heading.n_cols,
        "solver": plan.solver,
        "reason": plan.reason,
        "passes": plan.passes,
        "bytes": plan.bytes,
        "flops": plan.flops,
        "notes": notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
