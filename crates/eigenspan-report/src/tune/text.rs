//! The results of a search as a table for the terminal: a line per kernel, a column per number of components.

use eigenspan::error::{counted, grouped};
use eigenspan::evaluate::{Cell, Classifier, Criterion, Edge, Tuning};
use eigenspan::linalg::sort_largest_first;

use super::Tuned;
use crate::words::{short, wrapped};

/// At most this many kernels are listed.
const LISTED: usize = 40;

/// The table, the choices and what to type next; lines are at most `width` wide if possible.
pub fn text(tuned: &Tuned, next: &[String], width: usize) -> String {
    let tuning = &tuned.tuning;
    let mut out = heading(tuned);
    out += &format!("\n\n {}\n\n", compared(tuned));
    out += &table(tuning, width);
    if let Some(drawn) = &tuned.drawn {
        out += &format!("\n{drawn}");
    }
    out.push('\n');
    for sentence in sentences(tuning) {
        for line in wrapped(&sentence, width.saturating_sub(1)) {
            out += &format!(" {line}\n");
        }
    }
    if !next.is_empty() {
        out += &format!("\nnext:  {}\n", next.join("\n       "));
    }
    out
}

fn heading(tuned: &Tuned) -> String {
    let table = &tuned.rows.table;
    let label = match (table.label(), tuned.tuning.criterion) {
        (Some(label), Criterion::Accuracy) => format!("   label: {label}"),
        _ => String::new(),
    };
    format!(
        "{}   {} × {}{label}   kernel PCA, {}",
        table.name(),
        counted(table.n_rows(), "row"),
        counted(table.columns().len(), "numeric column"),
        tuned.tuning.grid,
    )
}

/// What the numbers are.
fn compared(tuned: &Tuned) -> String {
    let folds = tuned.n_parts;
    match tuned.tuning.criterion {
        Criterion::Accuracy => {
            let classifier = match tuned.options.classifier {
                Classifier::Knn => format!("{} nearest neighbors", tuned.options.n_neighbors),
                Classifier::NaiveBayes => "naive Bayes".to_owned(),
                Classifier::Lda => "linear discriminants".to_owned(),
            };
            format!(
                "accuracy of {classifier} on rows held out: mean ± standard error over {folds} folds"
            )
        }
        Criterion::Reconstruction => format!(
            "distance of rows held out to their pre-images (root mean square): mean ± standard error over {folds} folds"
        ),
        Criterion::Parallel => format!(
            "eigenvalues above those of {} tables with permuted columns (95 % quantile), as a share of Σ k(x, x)",
            folds - 1
        ),
    }
}

fn table(tuning: &Tuning, width: usize) -> String {
    let kernels = listed(tuning);
    let (head, labels) = sides(tuning, &kernels);
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let name = longest(
        &mut labels
            .iter()
            .chain([&head])
            .map(|text| text.chars().count()),
    );
    let n = tuning.counts.len();
    let all = kernels
        .iter()
        .flat_map(|kernel| kernel * n..(kernel + 1) * n);
    let text = |place: usize| written(tuning, &tuning.cells[place]);
    let cell = longest(&mut all.map(|place| text(place).chars().count())).max(4);
    let per_line = (width.saturating_sub(name + 2) / (cell + 2)).max(1);
    let mut out = String::new();
    for (block, counts) in tuning.counts.chunks(per_line).enumerate() {
        let heads: String = (counts.iter())
            .map(|k| format!("  {:>cell$}", format!("k={k}")))
            .collect();
        out += &format!(" {head:>name$}{heads}\n");
        for (&kernel, label) in kernels.iter().zip(&labels) {
            let first = kernel * n + block * per_line;
            // The mark of a cell stands between it and the next cell.
            let cells = (first..first + counts.len())
                .map(|place| format!(" {:>cell$}{}", text(place), mark(tuning, place)));
            let line = format!(" {label:>name$} {}", cells.collect::<String>());
            out += line.trim_end();
            out.push('\n');
        }
    }
    if tuning.grid.len() > kernels.len() {
        let more = grouped((tuning.grid.len() - kernels.len()) as u64);
        out += &format!(" … {more} more kernels, none of them better (--json has all)\n");
    }
    out
}

/// The left column: the values of one parameter below its name, or all parameters that differ between kernels.
fn sides(tuning: &Tuning, kernels: &[usize]) -> (String, Vec<String>) {
    match tuning.grid.axes() {
        [axis] => {
            let values = kernels.iter().map(|&kernel| axis.values[kernel].clone());
            (axis.name.clone(), values.collect())
        }
        _ => {
            let labels = kernels.iter().map(|&kernel| tuning.grid.label(kernel));
            (String::new(), labels.collect())
        }
    }
}

/// The kernels to list: all or, if there are many, the best; in their order.
fn listed(tuning: &Tuning) -> Vec<usize> {
    let n = tuning.grid.len();
    let sign = if tuning.criterion.more_is_better() {
        1.0
    } else {
        -1.0
    };
    let worth = |kernel: usize| {
        let cells = (0..tuning.counts.len()).filter_map(|place| tuning.cell(kernel, place).mean);
        cells
            .map(|mean| sign * mean)
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let mut kernels: Vec<usize> = (0..n).collect();
    if n > LISTED {
        sort_largest_first(&mut kernels, &|j| worth(j));
        kernels.truncate(LISTED);
        let simplest = tuning.simplest().kernel;
        if !kernels.contains(&simplest) {
            kernels.push(simplest);
        }
        kernels.sort_unstable();
    }
    kernels
}

/// `*` for the best choice, `°` for the simplest.
fn mark(tuning: &Tuning, cell: usize) -> char {
    match cell {
        cell if cell == tuning.best => '*',
        cell if cell == tuning.simplest => '°',
        _ => ' ',
    }
}

/// `0.953 ± 0.012`, with as many decimals as the best choice has.
fn written(tuning: &Tuning, cell: &Cell) -> String {
    let decimals = match tuning.criterion {
        Criterion::Accuracy => Some(3),
        _ => tuning
            .best()
            .mean
            .filter(|best| *best != 0.0)
            .and_then(|best| {
                let size = best.abs().log10().floor();
                ((-4.0..7.0).contains(&size)).then(|| (3.0 - size).clamp(0.0, 7.0) as usize)
            }),
    };
    let text = |x: f64| match decimals {
        Some(decimals) => format!("{x:.decimals$}").replace('-', "−"),
        None => short(x),
    };
    match (cell.mean, cell.error) {
        (Some(mean), Some(error)) => format!("{} ± {}", text(mean), text(error)),
        (Some(mean), None) => text(mean),
        (None, _) => "–".to_owned(),
    }
}

fn sentences(tuning: &Tuning) -> Vec<String> {
    let sentence_for = |cell: &Cell| {
        let components = counted(cell.n_components, "component");
        let varied = match tuning.grid.axes().is_empty() {
            true => components,
            false => format!("{} with {components}", tuning.grid.label(cell.kernel)),
        };
        format!("{varied}: {}", written(tuning, cell))
    };
    let mut out = vec![format!("* Best: {}.", sentence_for(tuning.best()))];
    if tuning.best().error.is_some() {
        out.push(match tuning.simplest == tuning.best {
            true => "It is also the simplest: no fewer components come within one standard error."
                .to_owned(),
            false => format!(
                "° Simplest within one standard error of it: {}.",
                sentence_for(tuning.simplest())
            ),
        });
    }
    out.extend(edge_sentence(&tuning.edges()));
    out
}

/// Parameters whose best value is the smallest or the largest that was tried.
fn edge_sentence(edges: &[Edge]) -> Option<String> {
    let sentence_for = |edge: &Edge| {
        let (end, beyond) = match edge.largest {
            true => ("largest", "larger"),
            false => ("smallest", "smaller"),
        };
        let name = match edge.parameter.as_str() {
            "n_components" => "number of components",
            name => name,
        };
        format!(
            "the {end} {name} that was tried ({}): a {beyond} one may do better",
            edge.value
        )
    };
    let sentences: Vec<String> = edges.iter().map(sentence_for).collect();
    (!sentences.is_empty()).then(|| format!("The best has {}.", sentences.join("; and ")))
}
