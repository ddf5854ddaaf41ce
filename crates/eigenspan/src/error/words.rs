//! Numbers and places as the texts of errors spell them.

/// A number to three digits, without zeros that say nothing: `1`, `0.333`, `1.2e-7`.
pub(crate) fn short(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    match (1e-4..1e6).contains(&rounded.abs()) {
        true => rounded.to_string(),
        false => format!("{rounded:e}"),
    }
}

pub(super) fn limit_words(rows: usize, cols: usize) -> String {
    if cols <= rows {
        counted(cols, "column")
    } else {
        counted(rows, "row")
    }
}

pub(super) fn cells_words(count: usize) -> String {
    match count {
        1 => "1 cell is not a finite number".to_owned(),
        _ => format!("{} are not finite numbers", counted(count, "cell")),
    }
}

pub(super) fn column_words(col: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("column {name:?}"),
        None => format!("column {}", col + 1),
    }
}

/// For which distortion there are enough columns.
pub(super) fn least_eps_words(least: Option<f64>) -> String {
    match least {
        Some(eps) => format!("eps from {eps:.2} on is possible"),
        None => "no eps below 1 is possible".to_owned(),
    }
}

pub(super) fn plural(count: usize, noun: &str) -> String {
    match count {
        1 => noun.to_owned(),
        _ if noun.ends_with('s') => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// `1 row`, `1,204 rows`: a number with its noun.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {}", grouped(count as u64), plural(count, noun))
}

/// A whole number with its thousands set apart: `1,204`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size as people write it: `12 MB`, `4.0 GB`.
pub fn bytes_words(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 9.95 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// Seconds as people say them: `1 second`, `3 hours`.
pub(super) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 90.0 => (s.max(1.0), "second"),
        s if s < 5400.0 => (s / 60.0, "minute"),
        s if s < 129_600.0 => (s / 3600.0, "hour"),
        s => (s / 86_400.0, "day"),
    };
    counted(value.round() as usize, unit)
}

/// The sizes of pieces of a graph, of which the largest are known: `of 100, 40 and 10 rows`.
pub(crate) fn sizes_words(pieces: usize, largest: &[usize]) -> String {
    let sizes: Vec<String> = largest.iter().map(|s| grouped(*s as u64)).collect();
    let list = match sizes.as_slice() {
        [] => return String::new(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    };
    match pieces > largest.len() {
        true => format!("(the largest of {list} rows)"),
        false => format!("of {list} rows"),
    }
}
