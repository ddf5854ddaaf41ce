//! Numbers and axes in words, for table cells, sentences and labels.

use eigenspan::linalg::sort_largest_first;
use eigenspan::note::{Advice, Part, Setting};
use eigenspan::{Hint, Note};

/// A share as people write it: `67.5 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A number with four significant digits, without trailing zeros.
pub fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let size = x.abs();
    if !(1e-4..1e7).contains(&size) {
        return format!("{x:.3e}").replace('-', "−");
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 7) as usize;
    minus(&format!("{x:.decimals$}"))
}

/// A number in a sentence: two significant digits, or a whole number from 100 on.
pub fn brief(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e7).contains(&size) {
        return minus(&format!("{x:.0e}"));
    }
    let decimals = (1 - size.log10().floor() as i32).clamp(0, 4) as usize;
    minus(&format!("{x:.decimals$}"))
}

/// A number between −1 and 1 in a sentence.
pub fn hundredths(x: f64) -> String {
    minus(&format!("{x:.2}"))
}

/// A number between −1 and 1 with three decimals, for values close to 1.
pub fn thousandths(x: f64) -> String {
    minus(&format!("{x:.3}"))
}

/// A score in a sentence: one decimal if it is large, more if it is small.
pub fn score(x: f64) -> String {
    if x.abs() >= 10.0 {
        minus(&format!("{x:.1}"))
    } else {
        brief(x)
    }
}

/// The text with a true minus sign instead of a hyphen.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// At most this many columns are named for one axis.
const NAMED: usize = 3;
/// A column whose loading is below this share of the largest is not named.
const NOTABLE: f64 = 0.3;

/// An axis in words: `more Fresh fruit, Alcoholic drinks · less Fresh potatoes`.
pub fn axis(loadings: &[f64], names: &[String]) -> String {
    let mut order: Vec<usize> = (0..loadings.len()).collect();
    sort_largest_first(&mut order, &|j| loadings[j].abs());
    let largest = order.first().map_or(0.0, |&j| loadings[j].abs());
    let named: Vec<usize> = order
        .into_iter()
        .take(NAMED)
        .filter(|&j| loadings[j].abs() >= NOTABLE * largest)
        .collect();
    let side = |positive: bool| {
        named
            .iter()
            .filter(|&&j| (loadings[j] > 0.0) == positive)
            .map(|&j| shown(&names[j]))
            .collect::<Vec<_>>()
    };
    let (more, less) = (side(true), side(false));
    let mut parts = Vec::new();
    if !more.is_empty() {
        parts.push(format!("more {}", more.join(", ")));
    }
    if !less.is_empty() {
        parts.push(format!("less {}", less.join(", ")));
    }
    parts.join(" · ")
}

/// Longer names than this are shortened.
const LONGEST_NAME: usize = 32;

/// A name on one line, shortened if it is long; control characters are shown as symbols.
pub fn shown(name: &str) -> String {
    let mut start: String = name.chars().take(LONGEST_NAME).collect();
    let longer = start.len() < name.len();
    start = on_one_line(&start);
    if longer {
        start.push('…');
    }
    start
}

/// A name on one line; control characters are shown as symbols.
pub fn on_one_line(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_control() || turns_text(c) {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
    }
    out
}

/// Text in lines of at most this many characters, broken between words; a longer word gets its own line.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let length = |line: &str| line.chars().count();
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if length(line) + 1 + length(word) <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Words with commas between them and an `and` before the last.
pub fn all_of(words: &[String]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// A word quoted for a shell, if necessary.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./+:%@,=-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Whether a character is invisible and changes the order in which other characters are shown.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A hint as it is typed on a command line: `--missing mean`.
pub fn flag(hint: &Hint) -> String {
    let words: Vec<String> = hint.settings().iter().map(typed).collect();
    words.join(" ")
}

/// The long option of a setting, without its dashes: `label-column`, `no-header`.
pub fn long_option(setting: &Setting) -> String {
    let option = setting.option.replace('_', "-");
    match setting.values.as_slice() {
        [value] if value == "false" => format!("no-{option}"),
        _ => option,
    }
}

/// A setting as it is typed on a command line: `--missing mean`.
pub(crate) fn typed(setting: &Setting) -> String {
    let long = long_option(setting);
    let values: Vec<String> = setting.values.iter().map(|value| quoted(value)).collect();
    match (setting.option.as_str(), values.join(",").as_str()) {
        ("n_components", "") => "-k".to_owned(),
        ("n_components", value) => format!("-k {value}"),
        (_, "" | "true" | "false") | ("scale", "std") => format!("--{long}"),
        (option, value) => {
            // A scale of its own is optional, and a number may be negative.
            let is_number = value.starts_with(|c: char| c == '-' || c.is_ascii_digit());
            let is_joined = match option {
                "scale" => true,
                "missing_values" => is_number,
                _ => value.starts_with('-'),
            };
            format!("--{long}{}{value}", if is_joined { '=' } else { ' ' })
        }
    }
}

/// Whether a command has the option of a setting.
pub type Has<'a> = &'a dyn Fn(&Setting) -> bool;

/// Advice in the words of the command line, without clauses that the command cannot follow; `None` where no clause is left.
pub fn tip(advice: &Advice, has: Has<'_>) -> Option<String> {
    advice.text(&|part| match part {
        Part::Words(text) | Part::Typed(text) => Some(text.clone()),
        Part::Setting(setting) => has(setting).then(|| typed(setting)),
    })
}

/// A note in the words of the command line, with its advice behind it; without the option that acts on it.
pub fn noted(note: &Note, has: Has<'_>) -> String {
    with_advice(note, |advice| tip(advice, has))
}

/// A note with its advice behind it, as `said` says it.
pub(crate) fn with_advice(note: &Note, said: impl Fn(&Advice) -> Option<String>) -> String {
    match note {
        Note::Reading { text, advice } => match said(advice) {
            Some(advice) => format!("{text} ({advice})"),
            None => text.clone(),
        },
        _ => note.to_string(),
    }
}

/// A bar of at most this many characters, in steps of an eighth.
pub(crate) fn bar(length: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A number of floating-point operations: `1.5 billion`.
pub(crate) fn flops_words(flops: f64) -> String {
    const UNITS: [&str; 6] = [
        "",
        " thousand",
        " million",
        " billion",
        " trillion",
        " quadrillion",
    ];
    let step = if flops >= 1000.0 {
        (flops.log10() / 3.0).floor().min(5.0)
    } else {
        0.0
    };
    let value = flops / 1000f64.powf(step);
    let number = if value >= 10.0 || step == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    };
    number + UNITS[step as usize]
}

/// The natural order: numbers by size, texts alphabetically, texts that end in a whole number by text and then number.
pub(crate) fn natural(name: &str) -> (u8, String, i64, String) {
    let number = name.trim().parse::<f64>().ok();
    if let Some(x) = number.filter(|x| x.is_finite()) {
        return (0, String::new(), (x * 1e6) as i64, name.to_owned());
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[stem.len()..].parse().unwrap_or(0);
    (1, stem.to_lowercase(), number, name.to_owned())
}

#[cfg(test)]
mod tests {
    use eigenspan::note::Clause;

    use super::*;

    #[test]
    fn settings_are_spelled_as_they_are_typed() {
        for (setting, words) in [
            (Setting::list("exclude", ["a b", "c"]), "--exclude 'a b',c"),
            (Setting::named("label_column"), "--label-column"),
            (Setting::new("header", "true"), "--header"),
            (Setting::new("header", "false"), "--no-header"),
            (Setting::new("scale", "std"), "--scale"),
            (Setting::new("scale", "none"), "--scale=none"),
            (Setting::new("n_components", "90%"), "-k 90%"),
            (Setting::named("n_components"), "-k"),
            (Setting::new("rows", "2:9"), "--rows 2:9"),
            (Setting::new("decimal", ","), "--decimal ,"),
            (
                Setting::list("missing_values", ["n/a"]),
                "--missing-values n/a",
            ),
            (
                Setting::list("missing_values", ["-9"]),
                "--missing-values=-9",
            ),
            (
                Setting::list("missing_values", ["9999"]),
                "--missing-values=9999",
            ),
        ] {
            assert_eq!(typed(&setting), words);
        }
        let code = Hint::new("missing_values", "-999", "fills them");
        assert_eq!(flag(&code), "--missing-values=-999 --missing mean");
        let keep = Note::advised("x", Clause::name("keep").then(" keeps it"));
        assert_eq!(noted(&keep, &|_| true), "x (--keep keeps it)");
        assert_eq!(noted(&keep, &|setting| setting.option != "keep"), "x");
    }
}
