//! The tables of the report.

use eigenspan::error::counted;
use eigenspan::linalg::sort_largest_first;

use super::Story;
use super::answers::outlier_name;
use crate::analysis::communality;
use crate::describe::Description;
use crate::page::{CellKind, Column, Prose, Table};
use crate::words::{brief, percent, short, shown};

pub(super) fn table(
    caption: &str,
    heads: &[(&str, CellKind)],
    rows: Vec<Vec<String>>,
    shown_rows: usize,
) -> Table {
    let column = |(name, kind): &(&str, CellKind)| Column {
        name: (*name).to_owned(),
        kind: *kind,
    };
    Table {
        caption: Prose::from(caption),
        columns: heads.iter().map(column).collect(),
        sortable: rows.len() > 2,
        rows,
        shown_rows,
    }
}

pub(super) const NUMBER: CellKind = CellKind::Number;
pub(super) const TEXT: CellKind = CellKind::Text;

/// The number of each rule.
pub(super) fn rules(story: &Story) -> Option<Table> {
    let choices = story.analysis.choices.as_ref()?;
    let row = |advice: &eigenspan::choose::Advice| {
        vec![
            advice.rule.name().to_owned(),
            advice.k.map_or("–".to_owned(), |k| k.to_string()),
            advice.sentence.clone(),
            advice.rule.assumes().to_owned(),
        ]
    };
    let heads = [
        ("rule", TEXT),
        ("k", NUMBER),
        ("because", TEXT),
        ("what it rests on", TEXT),
    ];
    let rows = choices.advices.iter().map(row).collect();
    Some(table(
        "Every rule, its number of components and what it rests on",
        &heads,
        rows,
        20,
    ))
}

/// Correlations of the columns with the first k components.
pub(super) fn columns(story: &Story) -> Table {
    let (analysis, columns) = (story.analysis, &story.analysis.columns);
    let k = analysis.k.min(4);
    let bond = match story.is_centered() {
        true => "correlation",
        false => "cosine about zero",
    };
    let mut heads: Vec<(String, CellKind)> = vec![("column".to_owned(), TEXT)];
    for c in 0..k {
        let axis = story.axis_name(c);
        heads.push((format!("{axis} weight"), NUMBER));
        heads.push((format!("{axis} {bond}"), NUMBER));
        heads.push((format!("{axis} contribution %"), NUMBER));
    }
    heads.push((format!("communality of {}", analysis.k), NUMBER));
    let row = |j: usize| {
        let mut cells = vec![shown(&analysis.names[j])];
        for c in 0..k {
            cells.push(decimal(columns.components[(j, c)], 3));
            cells.push(decimal(columns.correlations[(j, c)], 3));
            cells.push(decimal(columns.contributions[(j, c)], 2));
        }
        cells.push(decimal(communality(analysis, j), 3));
        cells
    };
    let mut order: Vec<usize> = (0..analysis.names.len()).collect();
    sort_largest_first(&mut order, &|j| communality(analysis, j));
    let left = order.len().saturating_sub(MOST_COLUMNS);
    order.truncate(MOST_COLUMNS);
    let caption = match left {
        0 => "Columns against the components, the best explained first".to_owned(),
        left => format!(
            "Columns against the components, the best explained first; {left} more are {}",
            story
                .front
                .either("in the tables that --tables writes", "left out")
        ),
    };
    let rows = order.into_iter().map(row).collect();
    let heads: Vec<(&str, CellKind)> = heads
        .iter()
        .map(|(name, kind)| (name.as_str(), *kind))
        .collect();
    table(&caption, &heads, rows, 15)
}

/// A table of the page lists at most this many columns.
const MOST_COLUMNS: usize = 300;

/// The pattern matrix of the rotated components.
pub(super) fn rotated(story: &Story) -> Option<Table> {
    let (rotation, rotated) = story.analysis.rotated.as_ref()?;
    let k = rotated.pattern.n_cols();
    let heads: Vec<String> = (1..=k).map(|c| format!("rotated {c}")).collect();
    let mut all: Vec<(&str, CellKind)> = vec![("column", TEXT)];
    all.extend(heads.iter().map(|head| (head.as_str(), NUMBER)));
    let row = |j: usize| {
        let cells = rotated.pattern.row(j).iter().map(|x| decimal(*x, 3));
        std::iter::once(shown(&story.analysis.names[j]))
            .chain(cells)
            .collect()
    };
    let rows = (0..story.analysis.names.len().min(MOST_COLUMNS))
        .map(row)
        .collect();
    let name = rotation.name();
    Some(table(
        &format!("Loadings of the first {k} components, rotated ({name})"),
        &all,
        rows,
        15,
    ))
}

/// How much of each component the groups explain.
pub(super) fn groups(story: &Story) -> Option<Table> {
    let facts = &story.analysis.supplementary;
    if facts.categories.is_empty() && facts.numeric.is_empty() {
        return None;
    }
    let k = story.pca().n_components().min(5);
    let axes: Vec<String> = (0..k).map(|c| story.axis_name(c)).collect();
    let mut heads: Vec<(&str, CellKind)> = vec![("beside the rows", TEXT), ("measure", TEXT)];
    heads.extend(axes.iter().map(|axis| (axis.as_str(), NUMBER)));
    let groups = facts.categories.iter().map(|c| {
        let measure = format!("share explained by {} levels (η²)", c.levels.len());
        (&c.name, measure, &c.eta2)
    });
    let numbers = facts
        .numeric
        .iter()
        .map(|n| (&n.name, "correlation".to_owned(), &n.correlations));
    let row = |(name, measure, values): (&String, String, &Vec<f64>)| {
        let cells = values.iter().take(k).map(|x| decimal(*x, 4));
        [shown(name), measure].into_iter().chain(cells).collect()
    };
    let rows = groups.chain(numbers).map(row).collect();
    Some(table(
        "Supplementary columns, compared with the components",
        &heads,
        rows,
        20,
    ))
}

/// Rows beyond a limit.
pub(super) fn outliers(story: &Story) -> Option<Table> {
    let outliers = &story.analysis.outliers;
    if outliers.farthest.is_empty() {
        return None;
    }
    let row = |(i, outlier): (usize, &eigenspan::interpret::Outlier)| {
        let beyond = match (outlier.beyond_t2, outlier.beyond_q) {
            (true, true) => "far out, and far from the components",
            (true, false) => "far out along the components",
            _ => "far from the components",
        };
        vec![
            outlier_name(story, i),
            short(outlier.t2),
            short(outlier.q),
            beyond.to_owned(),
        ]
    };
    let rows = outliers.farthest.iter().enumerate().map(row).collect();
    let heads = [
        ("row", TEXT),
        ("T²", NUMBER),
        ("Q", NUMBER),
        ("what it is", TEXT),
    ];
    let caption = match outliers.n_beyond - outliers.farthest.len() {
        0 => "Rows beyond a limit, the farthest first".to_owned(),
        _ => format!(
            "The farthest {} of {} beyond a limit",
            outliers.farthest.len(),
            counted(outliers.n_beyond, "row")
        ),
    };
    Some(table(&caption, &heads, rows, 10))
}

/// Bootstrap intervals of the components.
pub(super) fn intervals(story: &Story) -> Option<Table> {
    let bootstrap = story.analysis.bootstrap.as_ref()?;
    let row = |c: usize| {
        let (value, share) = (&bootstrap.eigenvalues[c], &bootstrap.shares[c]);
        let between = |ends: Option<[f64; 2]>, text: &dyn Fn(f64) -> String| match ends {
            Some([low, high]) => format!("{} to {}", text(low), text(high)),
            None => "not known".to_owned(),
        };
        vec![
            story.axis_name(c),
            short(value.estimate),
            between(value.interval, &short),
            between(share.interval, &percent),
            format!("{}°", brief(bootstrap.angles[c].median.to_degrees())),
            format!("{}°", brief(bootstrap.angles[c].upper.to_degrees())),
            decimal(bootstrap.stability[c], 3),
        ]
    };
    let rows = (0..bootstrap.eigenvalues.len()).map(row).collect();
    let level = format!("{} % interval", short(100.0 * bootstrap.level));
    let heads = [
        ("component", TEXT),
        ("eigenvalue", NUMBER),
        (level.as_str(), NUMBER),
        ("its share", NUMBER),
        ("turns by (median)", NUMBER),
        ("at most", NUMBER),
        ("stability", NUMBER),
    ];
    let caption = format!("{}: how the components change", bootstrap.sentence);
    Some(table(&caption, &heads, rows, 10))
}

/// The columns as `describe` gives them.
pub(super) fn described(description: &Description) -> Table {
    let number = |x: Option<f64>| x.map_or(String::new(), short);
    let row = |column: &crate::describe::Column| {
        let kind = format!("{:?}", column.kind).to_lowercase();
        let mut cells = vec![shown(&column.name), kind, column.missing.to_string()];
        match (&column.numbers, &column.texts) {
            (Some(n), _) => {
                cells.extend([n.mean, n.sd, n.min, n.q1, n.median, n.q3, n.max].map(number));
            }
            (None, Some(texts)) => {
                cells.extend(std::iter::repeat_n(String::new(), 7));
                let distinct = texts.distinct.map_or("many".to_owned(), |n| n.to_string());
                cells[1] += &format!(", {distinct} different");
            }
            (None, None) => {}
        }
        cells
    };
    let heads = [
        ("column", TEXT),
        ("type", TEXT),
        ("missing", NUMBER),
        ("mean", NUMBER),
        ("sd", NUMBER),
        ("least", NUMBER),
        ("lower quartile", NUMBER),
        ("median", NUMBER),
        ("upper quartile", NUMBER),
        ("greatest", NUMBER),
    ];
    let columns = &description.columns;
    let left = columns.len().saturating_sub(MOST_COLUMNS);
    let caption = match left {
        0 => "Every column of the data".to_owned(),
        left => format!("Columns of the data; {left} more are left out here"),
    };
    let rows = columns.iter().take(MOST_COLUMNS).map(row).collect();
    table(&caption, &heads, rows, 20)
}

/// A number with the given number of decimals, and a true minus sign.
pub(super) fn decimal(x: f64, digits: usize) -> String {
    let written = format!("{x:.digits$}");
    let zero = written
        .trim_start_matches('-')
        .chars()
        .all(|c| matches!(c, '0' | '.'));
    match zero {
        true => written.trim_start_matches('-').to_owned(),
        false => written.replace('-', "−"),
    }
}
