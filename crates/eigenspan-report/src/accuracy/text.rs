//! The accuracies as tables for the terminal: one for each classifier, with a line per reduction and a column per number of components.

use eigenspan::error::{counted, grouped};
use eigenspan::evaluate::{Accuracy, Classifier, Curve};
use eigenspan::prepare::Scale;

use super::{Compared, in_words, reduction_words, sentences, with_error};
use crate::words::{shown, wrapped};

/// At most this many numbers of components are listed; JSON and the table have all.
const LISTED: usize = 12;

/// The tables, the figure, what they show and what to type next; lines are at most `width` wide if possible.
pub fn text(compared: &Compared, next: &[String], width: usize) -> String {
    let accuracy = &compared.accuracy;
    let mut out = heading(compared);
    out.push_str("\n\n");
    let say = |out: &mut String, sentence: &str| {
        for line in wrapped(sentence, width.saturating_sub(1)) {
            *out += &format!(" {line}\n");
        }
    };
    say(&mut out, &how(accuracy));
    out += &tables(accuracy, width);
    out += &format!(
        "\n guessing the most frequent class  {}\n",
        with_error(accuracy.guess.mean, accuracy.guess.standard_error)
    );
    if let Some(drawn) = &compared.drawn {
        out += &format!("\n{drawn}");
    }
    out.push('\n');
    for sentence in sentences(accuracy) {
        say(&mut out, &sentence);
    }
    if !next.is_empty() {
        out += &format!("\nnext:  {}\n", next.join("\n       "));
    }
    out
}

fn heading(compared: &Compared) -> String {
    let (table, accuracy) = (&compared.rows.table, &compared.accuracy);
    let sizes: Vec<String> = accuracy
        .class_counts
        .iter()
        .take(6)
        .map(|n| grouped(*n as u64))
        .collect();
    let more = if accuracy.classes.len() > 6 {
        ", …"
    } else {
        ""
    };
    let label = table.label().map(shown).unwrap_or_default();
    let scaled = match accuracy.options.scale {
        Scale::None => "not scaled",
        Scale::Std => "scaled",
        Scale::Genotype => "scaled as genotypes",
    };
    format!(
        "{}   {} × {}, {scaled}   label: {label}, {} of {}{more} rows",
        table.name(),
        counted(table.n_rows(), "row"),
        counted(table.columns().len(), "numeric column"),
        classes(accuracy.classes.len()),
        sizes.join(", "),
    )
}

fn classes(n: usize) -> String {
    format!("{} classes", grouped(n as u64))
}

/// What the numbers are.
fn how(accuracy: &Accuracy) -> String {
    let knn = accuracy.options.classifiers.contains(&Classifier::Knn);
    let neighbors = match accuracy.options.n_neighbors.as_slice() {
        _ if !knn => String::new(),
        [1] => " One neighbor is asked.".to_owned(),
        [one] => format!(" {one} neighbors are asked."),
        several => {
            let texts: Vec<String> = several.iter().map(usize::to_string).collect();
            format!(
                " The number of neighbors is chosen in the same way from {}, for every k.",
                texts.join(", ")
            )
        }
    };
    format!(
        "Share of the rows held out whose class is predicted: mean over {}. Under \"chosen\", each fold chooses k by a \
         cross-validation of the other folds alone; ± is one standard error.{neighbors} Accuracies are told apart by a t test of their differences \
         over the folds at 5 %, corrected for the training rows that folds share.",
        counted(accuracy.n_folds, "fold")
    )
}

fn tables(accuracy: &Accuracy, width: usize) -> String {
    let n = accuracy.reductions.len();
    let names: Vec<String> = (0..n).map(|r| reduction_words(accuracy, r)).collect();
    let heads: Vec<&str> = accuracy
        .options
        .classifiers
        .iter()
        .map(|c| in_words(*c))
        .collect();
    let longest = names
        .iter()
        .map(String::as_str)
        .chain(heads.iter().copied());
    let name = longest
        .map(|text| text.chars().count())
        .max()
        .unwrap_or(0)
        .min(width / 3);
    let chosen = accuracy.curves.iter().map(|curve| chosen(accuracy, curve));
    let last = chosen.map(|text| text.chars().count()).max().unwrap_or(0);
    let room = width.saturating_sub(name + last + 3) / 6;
    let counts = selected(&accuracy.counts, room.clamp(1, LISTED));
    let mut out = String::new();
    for (c, head) in heads.iter().enumerate() {
        let head = cut(head, name);
        let each = counts.iter().map(|k| format!("{:>6}", format!("k={k}")));
        out += &format!("\n {head:<name$}{}  chosen\n", each.collect::<String>());
        for (r, text) in names.iter().enumerate() {
            let curve = accuracy.curve(r, c);
            let cells = counts
                .iter()
                .map(|&k| format!("{:>6}", at(accuracy, curve, k)));
            let line = format!(
                " {:<name$}{}  {}",
                cut(text, name),
                cells.collect::<String>(),
                super::text::chosen(accuracy, curve)
            );
            out += line.trim_end();
            out.push('\n');
        }
    }
    if counts.len() < accuracy.counts.len() {
        out += &format!(
            "\n {} of {} numbers of components are shown (--json and --table have all)\n",
            counts.len(),
            accuracy.counts.len()
        );
    }
    out
}

fn cut(text: &str, most: usize) -> String {
    crate::figure::terminal::lines::cut_name(text, most)
}

/// The accuracy with k components.
fn at(accuracy: &Accuracy, curve: &Curve, k: usize) -> String {
    if accuracy.reductions[curve.reduction].is_none {
        return String::new();
    }
    let point = curve.points.iter().find(|point| point.n_components == k);
    point.map_or("–".to_owned(), |point| {
        format!("{:.3}", point.estimate.mean)
    })
}

/// `0.966 ± 0.012  k 3–5`.
fn chosen(accuracy: &Accuracy, curve: &Curve) -> String {
    let Some(nested) = &curve.nested else {
        return "–".to_owned();
    };
    let estimate = with_error(nested.estimate.mean, nested.estimate.standard_error);
    if accuracy.reductions[curve.reduction].is_none {
        return estimate;
    }
    let low = nested.n_components.iter().min().copied().unwrap_or(0);
    match nested.n_components.iter().max() {
        Some(&high) if high > low => format!("{estimate}  k {low}–{high}"),
        _ => format!("{estimate}  k {low}"),
    }
}

/// At most `most` of the counts, in nearly equal ratios, the first and the last among them.
fn selected(counts: &[usize], most: usize) -> Vec<usize> {
    if counts.len() <= most {
        return counts.to_vec();
    }
    let last = counts.len() - 1;
    let mut places: Vec<usize> = Vec::new();
    for i in 0..most {
        // Ratios of places beyond what is left, so that small numbers are all listed.
        let from = places.last().map_or(0, |place| place + 1);
        let left = most - i;
        let ratio = ((last + 1) as f64 / (from + 1) as f64).powf(1.0 / left as f64);
        let place = match i {
            0 => 0,
            _ if left == 1 => last,
            _ => (((from + 1) as f64 * ratio).round() as usize - 1).clamp(from, last + 1 - left),
        };
        places.push(place);
    }
    places.into_iter().map(|place| counts[place]).collect()
}
