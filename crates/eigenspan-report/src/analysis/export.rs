//! An analysis as JSON, and as tables for other programs.

use eigenspan::{Mat, Pca};
use eigenspan_io::TextColumn;
use serde_json::{Value, json};

use super::Analysis;
use crate::fit::Fit;
use crate::words;

/// The analysis as one JSON object, without the fit. Every number on the page is in this object, or is a sum of numbers in it.
pub fn json(fit: &Fit<Pca>, analysis: &Analysis) -> Value {
    let (pca, columns) = (&*fit.fitted, &analysis.columns);
    let by_component =
        |table: &Mat<f64>| -> Value { (0..table.n_cols()).map(|c| json!(table.col(c))).collect() };
    let facts = (0..analysis.k).filter_map(|c| columns.axis_facts(c).ok());
    let rows = &analysis.rows;
    let named = |columns: &[usize]| -> Vec<&String> {
        columns.iter().map(|&j| &analysis.names[j]).collect()
    };
    json!({
        "about": if pca.parts().options.center { "mean" } else { "zero" },
        "k": analysis.k,
        "k_because": analysis.reason,
        "choices": analysis.choices,
        "components": by_component(&columns.components),
        "loadings": by_component(&columns.loadings),
        "correlations": by_component(&columns.correlations),
        "cos2": by_component(&columns.cos2),
        "contributions": by_component(&columns.contributions),
        "communalities": (0..columns.cos2.n_rows()).map(|j| communality(analysis, j)).collect::<Vec<_>>(),
        "axes": facts.collect::<Vec<_>>(),
        "in_words": (0..analysis.k).map(|c| words::axis(pca.components().row(c), &analysis.names)).collect::<Vec<_>>(),
        "rows_looked_at": rows.t2.len(),
        "rows_shown": shown_rows(analysis),
        "apart": fit.summary.apart.as_ref().map(|apart| json!({
            "row": apart.row,
            "number": apart.place + 1,
            "has_the_most": named(&analysis.extremes[0]),
            "has_the_least": named(&analysis.extremes[1]),
            "score": apart.score,
            "next": apart.next,
        })),
        "outliers": outliers(analysis),
        "outlier_names": analysis.outlier_names,
        "supplementary": analysis.supplementary,
        "adequacy": analysis.adequacy,
        "bootstrap": analysis.bootstrap,
        "rotated": analysis.rotated.as_ref().map(|(rotation, rotated)| json!({
            "rotation": rotation,
            "pattern": by_component(&rotated.pattern),
            "structure": by_component(&rotated.structure),
            "correlations": by_component(&rotated.phi),
            "variances": rotated.variances,
        })),
        "columns": analysis.description.columns,
        "warnings": analysis.description.warnings,
        "options": pca.parts().options,
        "cost": json!({
            "passes": pca.parts().plan.passes,
            "bytes": pca.parts().plan.bytes,
            "flops": pca.parts().plan.flops,
        }),
        "notes": fit.notes.iter().chain(&analysis.notes).map(|note| json!(note)).collect::<Vec<_>>(),
    })
}

/// The rows of the page's map: their numbers in the data (counted from 1), names, scores by component, T² and Q.
fn shown_rows(analysis: &Analysis) -> Value {
    let facts = &analysis.rows;
    let number = |&i: &usize| facts.rows.get(i).unwrap_or(i) + 1;
    json!({
        "row": analysis.shown.iter().map(number).collect::<Vec<_>>(),
        "name": analysis.row_names,
        "scores": (0..analysis.n_axes()).map(|c| analysis.shown_scores(c)).collect::<Vec<_>>(),
        "t2": analysis.for_shown_rows(&facts.t2),
        "q": analysis.for_shown_rows(&facts.q),
    })
}

/// The outliers, with their row numbers in the data, counted from 1.
fn outliers(analysis: &Analysis) -> Value {
    let mut found = json!(analysis.outliers);
    let farthest = found.get_mut("farthest").and_then(Value::as_array_mut);
    for (outlier, of) in farthest
        .into_iter()
        .flatten()
        .zip(&analysis.outliers.farthest)
    {
        outlier["row"] = json!(of.row + 1);
    }
    found
}

/// The communality of a column: the share of its variance that the first k components explain.
pub(crate) fn communality(analysis: &Analysis, column: usize) -> f64 {
    analysis.columns.cumulative_communalities[(column, analysis.k - 1)]
}

/// Name of the table that every report with tables writes.
pub const FIRST_TABLE: &str = "components.csv";

/// A table for other programs: text columns first, then numeric columns.
#[derive(Debug)]
pub struct ExportedTable {
    /// Its file name.
    pub file: &'static str,
    /// Names of the text columns.
    pub text_names: Vec<String>,
    /// The text columns.
    pub texts: Vec<TextColumn>,
    /// Names of the numeric columns.
    pub names: Vec<String>,
    /// The numeric columns.
    pub numbers: Mat<f64>,
}

/// The tables of an analysis.
pub fn tables(pca: &Pca, analysis: &Analysis) -> Vec<ExportedTable> {
    let columns = &analysis.columns;
    let axes = pca.component_names();
    let by_column = |file: &'static str, names: Vec<String>, numbers: Mat<f64>| ExportedTable {
        file,
        text_names: vec!["column".to_owned()],
        texts: vec![analysis.names.iter().collect()],
        names,
        numbers,
    };
    let mut tables: Vec<ExportedTable> = [
        (FIRST_TABLE, &columns.components),
        ("loadings.csv", &columns.loadings),
        ("correlations.csv", &columns.correlations),
        ("contributions.csv", &columns.contributions),
    ]
    .into_iter()
    .map(|(file, table)| by_column(file, axes.clone(), table.clone()))
    .collect();
    let k = columns.cos2.n_cols();
    let with_sum = Mat::from_fn(columns.cos2.n_rows(), k + 1, |j, c| match c < k {
        true => columns.cos2[(j, c)],
        false => communality(analysis, j),
    });
    let mut head = axes;
    head.push(format!("communality of {}", analysis.k));
    tables.push(by_column("cos2.csv", head, with_sum));
    tables.push(rows(pca, analysis));
    if let Some((_, rotated)) = &analysis.rotated {
        let head = (1..=analysis.k).map(|c| format!("rotated {c}")).collect();
        tables.push(by_column("rotated.csv", head, rotated.pattern.clone()));
    }
    tables
}

/// The rows on the map: scores, cos², T² and Q.
fn rows(pca: &Pca, analysis: &Analysis) -> ExportedTable {
    let facts = &analysis.rows;
    let (k, cos2) = (facts.scores.n_cols(), facts.cos2());
    let mut head: Vec<String> = pca.component_names().into_iter().take(k).collect();
    let squares: Vec<String> = head.iter().map(|axis| format!("cos2 {axis}")).collect();
    head.extend(squares);
    head.extend(["T2".to_owned(), "Q".to_owned()]);
    let shown = &analysis.shown;
    let table = Mat::from_fn(shown.len(), head.len(), |i, c| {
        let row = shown[i];
        match c {
            c if c < k => analysis.score(row, c),
            c if c < 2 * k => cos2[(row, c - k)],
            c if c == 2 * k => facts.t2[row],
            _ => facts.q[row],
        }
    });
    let number = |i: &usize| facts.rows.get(*i).unwrap_or(*i) + 1;
    let numbers: TextColumn = shown.iter().map(|i| number(i).to_string()).collect();
    let names: Option<TextColumn> = analysis.row_names.as_ref().map(|n| n.iter().collect());
    let mut texts = vec!["row".to_owned()];
    texts.extend(names.as_ref().map(|_| "name".to_owned()));
    ExportedTable {
        file: "rows.csv",
        text_names: texts,
        texts: std::iter::once(numbers).chain(names).collect(),
        names: head,
        numbers: table,
    }
}
