//! Results as JSON objects; `docs/json.md` documents the keys.

use eigenspan::Note;
use eigenspan::method::Fitted;
use eigenspan::method::contract::Value as Named;
use eigenspan::solve::Plan;
use serde_json::{Map, Value, json};

use crate::describe::ModelDescription;
use crate::heading::Heading;
use crate::method_report::MethodReport;
use crate::project::Residuals;
use crate::project::denoise::Denoised;

/// A fit as one object.
pub fn fit(fitted: &dyn Fitted, notes: &[Note], seconds: f64, outputs: &[String]) -> Value {
    let common = fitted.common();
    let mut object = Map::new();
    let mut add = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    add("method", json!(fitted.method()));
    add("n_rows", json!(common.n_rows));
    add("n_cols", json!(common.n_cols));
    add("columns", json!(fitted.column_names()));
    add("n_components", json!(common.n_components));
    add("component_names", json!(fitted.axis_names()));
    if let Some(spectrum) = fitted.spectrum() {
        let of_spectrum = [
            "explained_variance",
            "explained_variance_ratio",
            "total_variance",
            "singular_values",
            "residuals",
        ];
        for name in of_spectrum {
            add(name, named(fitted, name));
        }
        add("angle", json!(spectrum.angle));
    }
    add("solver", json!(common.plan.solver));
    add("reason", json!(common.plan.reason));
    add("seconds", json!(seconds));
    add("outputs", json!(outputs));
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    add("notes", json!(notes));
    if let Some(measures) = fitted.map_measures() {
        add("quality", json!(measures));
    }
    for name in fitted.details() {
        add(name, named(fitted, name));
    }
    Value::Object(object)
}

/// A report on a model of any method as one object: the model and its overview.
pub fn method_report(report: &MethodReport, seconds: f64, outputs: &[String]) -> Value {
    let mut object = fit(&*report.fitted, &report.notes, seconds, outputs);
    object["overview"] = report.overview.json(&*report.fitted);
    if let Some(origin) = report.origin() {
        object["origin"] = json!(origin);
    }
    if report.fitted.directions().is_some() {
        for name in ["mean", "scale", "components"] {
            object[name] = named(&*report.fitted, name);
        }
    }
    object
}

/// A value of a model under its name.
fn named(fitted: &dyn Fitted, name: &str) -> Value {
    match fitted.named(name) {
        None | Some(Named::Nothing) => Value::Null,
        Some(Named::Count(count)) => json!(count),
        Some(Named::Number(number)) => json!(number),
        Some(Named::Text(text)) => json!(text),
        Some(Named::List(list)) => json!(list),
        Some(Named::Matrix(matrix)) => json!(matrix.rows().collect::<Vec<_>>()),
    }
}

/// The contents of a model.
pub fn describe(model: &ModelDescription) -> Value {
    let fitted = &*model.fitted;
    let mut object = fit(fitted, fitted.common().notes, 0.0, &[]);
    if let Some(object) = object.as_object_mut() {
        object.remove("seconds");
        object.remove("outputs");
        object.insert("options".to_owned(), fitted.options().unwrap_or_default());
        object.insert("origin".to_owned(), json!(model.origin));
        if fitted.directions().is_some() {
            for name in ["mean", "scale", "components"] {
                object.insert(name.to_owned(), named(fitted, name));
            }
            let words = model.summary.axes.iter().map(|axis| axis.words.as_str());
            let words: Vec<&str> = words.collect();
            object.insert("in_words".to_owned(), json!(words));
        }
    }
    object
}

/// The plan of a fit.
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

/// How far rebuilt rows are from the points in feature space that the scores describe.
pub fn residuals(residuals: &Residuals) -> Value {
    json!({
        "each": residuals.all,
        "median": residuals.median,
        "largest": residuals.largest,
        "largest_row": residuals.row + 1,
    })
}

/// The result of denoising.
pub fn denoised(done: &Denoised, seconds: f64, output: &str) -> Value {
    let fitted = &*done.fitted;
    let common = fitted.common();
    let mut object = json!({
        "method": fitted.method(),
        "n_rows": done.table.n_rows(),
        "n_cols": done.n_cols,
        "train": done.train,
        "n_train": common.n_rows,
        "n_components": common.n_components,
        "rms_change": done.change.rms,
        "largest_change": done.change.largest,
        "largest_change_row": done.change.row + 1,
        "seconds": seconds,
        "outputs": [output],
        "notes": done.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if fitted.details().contains(&"kernel") {
        object["kernel"] = named(fitted, "kernel");
    }
    if let Some(found) = &done.residuals {
        object["residual"] = residuals(found);
    }
    object
}
