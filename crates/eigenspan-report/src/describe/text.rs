//! The description of a table as lines for a terminal.

use eigenspan::error::{counted, grouped};

use super::{Column, ColumnKind, Description, NumberColumn};
use crate::words::{short, shown};

/// At most this many columns are listed; the rest are only counted.
const LISTED: usize = 40;
/// The longest name, in characters.
const NAME: usize = 20;
/// The number of numeric columns in the printed table.
const TITLES: [&str; 7] = ["mean", "sd", "min", "25 %", "median", "75 %", "max"];

/// A heading, a line per column, and a line on how exact the quartiles are.
/// `elsewhere` says where all of more columns are than are listed.
pub fn describe(description: &Description, elsewhere: &str) -> String {
    let mut out = heading(description);
    out += "\n\n";
    let listed: Vec<&Column> = description.columns.iter().take(LISTED).collect();
    let cells: Vec<Line> = listed
        .iter()
        .map(|column| Line::from_column(column))
        .collect();
    let width = |of: &dyn Fn(&Line) -> usize, title: &str| {
        let longest = cells.iter().map(of).max().unwrap_or(0);
        longest.max(title.chars().count())
    };
    let name = width(&|line| line.name.chars().count(), "column");
    let kind = width(&|line| line.kind.len(), "type");
    let count = width(&|line| line.count.len(), "count");
    let missing = width(&|line| line.missing.len(), "missing");
    let numbers: Vec<usize> = (0..TITLES.len())
        .map(|i| {
            let of = |line: &Line| line.numbers.get(i).map_or(0, |n| n.chars().count());
            width(&of, TITLES[i])
        })
        .collect();
    let front = |a: &str, b: &str, c: &str, d: &str| {
        format!(" {a:<name$}  {b:<kind$}  {c:>count$}  {d:>missing$}")
    };
    out += &front("column", "type", "count", "missing");
    if cells.iter().any(|line| !line.numbers.is_empty()) {
        for (title, width) in TITLES.iter().zip(&numbers) {
            out += &format!("  {title:>width$}");
        }
    }
    out.push('\n');
    for line in &cells {
        let mut text = front(&line.name, line.kind, &line.count, &line.missing);
        for (number, width) in line.numbers.iter().zip(&numbers) {
            text += &format!("  {number:>width$}");
        }
        text += &format!("  {}", line.rest);
        out += text.trim_end();
        out.push('\n');
    }
    let more = description.columns.len() - listed.len();
    if more > 0 {
        out += &format!(
            " … {} ({elsewhere} has all)\n",
            counted(more, "more column")
        );
    }
    if description.rank_error > 0.0 {
        out += &format!(
            "\n quartiles are estimates: their ranks are off by at most {:.2} % of the values\n",
            (1e4 * description.rank_error).ceil() / 100.0
        );
    }
    out
}

fn heading(description: &Description) -> String {
    let count = |wanted: &[ColumnKind]| {
        let of_kind = |column: &&Column| wanted.contains(&column.kind);
        description.columns.iter().filter(of_kind).count()
    };
    let kinds = [
        (count(&[ColumnKind::Integer, ColumnKind::Number]), "numeric"),
        (count(&[ColumnKind::Text]), "text"),
        (count(&[ColumnKind::Date]), "date"),
        (count(&[ColumnKind::Empty]), "empty"),
    ];
    let words: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", grouped(*count as u64)))
        .collect();
    format!(
        "{}   {} × {}: {}",
        description.data,
        counted(description.n_rows, "row"),
        counted(description.columns.len(), "column"),
        words.join(", ")
    )
}

/// A column as it is printed.
struct Line {
    name: String,
    kind: &'static str,
    count: String,
    missing: String,
    numbers: Vec<String>,
    rest: String,
}

impl Line {
    fn from_column(column: &Column) -> Line {
        let mut name = shown(&column.name);
        if name.chars().count() > NAME {
            name = name.chars().take(NAME - 1).collect::<String>() + "…";
        }
        let whole = column.kind == ColumnKind::Integer;
        let numbers = column.numbers.as_ref().filter(|_| column.count > 0);
        Line {
            name,
            kind: column.role.unwrap_or(word(column.kind)),
            count: grouped(column.count),
            missing: grouped(column.missing),
            numbers: numbers.map_or(Vec::new(), |n| cells(n, whole)),
            rest: numbers.map_or_else(|| texts(column), |n| bars(&n.histogram)),
        }
    }
}

fn word(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Integer => "integer",
        ColumnKind::Number => "number",
        ColumnKind::Text => "text",
        ColumnKind::Date => "date",
        ColumnKind::Empty => "empty",
    }
}

fn cells(numbers: &NumberColumn, whole: bool) -> Vec<String> {
    let of_column = |x: Option<f64>| match x {
        Some(x) if whole && x.fract() == 0.0 && x.abs() < 1e7 => {
            format!("{x:.0}").replace('-', "−")
        }
        x => x.map_or_else(|| "–".to_owned(), short),
    };
    let derived = |x: Option<f64>| x.map_or_else(|| "–".to_owned(), short);
    vec![
        derived(numbers.mean),
        derived(numbers.sd),
        of_column(numbers.min),
        of_column(numbers.q1),
        of_column(numbers.median),
        of_column(numbers.q3),
        of_column(numbers.max),
    ]
}

/// `3 different, most often Adelie (152)`.
fn texts(column: &Column) -> String {
    let Some(texts) = column.texts.as_ref().filter(|_| column.count > 0) else {
        return String::new();
    };
    let different = match texts.distinct {
        None => return "too many different ones to count".to_owned(),
        Some(n) if n as u64 == column.count => "all different".to_owned(),
        Some(1) => "always the same".to_owned(),
        Some(n) => format!("{} different", grouped(n as u64)),
    };
    match &texts.most_frequent {
        Some(text) if texts.most_frequent_count > 1 => format!(
            "{different}, most often {} ({})",
            shown(text),
            grouped(texts.most_frequent_count)
        ),
        _ => different,
    }
}

/// A histogram in one line: the fullest bin has the highest bar, and an empty bin is blank.
fn bars(histogram: &[u64]) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = histogram.iter().copied().max().unwrap_or(0).max(1) as f64;
    let bar = |&count: &u64| match count {
        0 => ' ',
        count => {
            let height = (count as f64 / most * 8.0).ceil() as usize;
            HEIGHTS[height.clamp(1, 8) - 1]
        }
    };
    histogram.iter().map(bar).collect()
}
