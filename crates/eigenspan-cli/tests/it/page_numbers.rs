//! Every number on the page of a report is in its JSON: in sentences, tables, drawings, and in the data behind them.
//!
//! The page is read as a person reads it. A number stands for itself, for a share if ` %` follows, for an angle if `°`
//! follows, for a row if `row ` precedes it. To the digits printed, it must equal a number that the JSON has for that section of
//! the page, or a sum of such numbers that is listed here.

use serde_json::Value;

use crate::page_pool::{Pool, float, leaves, pool, texts};
use crate::support::{Sandbox, data};

/// A number as it is printed: its value and half of its last digit.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) value: f64,
    pub(crate) half: f64,
    before: String,
    after: String,
}

/// The numbers in a text; digits within a word do not count as a number.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let mut found = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        if !chars[i].is_ascii_digit() {
            i += 1;
            continue;
        }
        let start = i;
        while at(i).is_ascii_digit()
            || (matches!(at(i), '.' | ',')
                && at(i + 1).is_ascii_digit()
                && (at(i) == '.' || at(i + 3).is_ascii_digit()))
        {
            i += 1;
        }
        let mut end = i;
        if at(i) == 'e'
            && (at(i + 1).is_ascii_digit()
                || (matches!(at(i + 1), '-' | '−') && at(i + 2).is_ascii_digit()))
        {
            end = i + 2;
            while at(end).is_ascii_digit() {
                end += 1;
            }
        }
        i = end;
        let previous = if start == 0 { ' ' } else { chars[start - 1] };
        let word = |c: char| c.is_alphabetic() || matches!(c, '_' | '/' | '#' | '^');
        let sign =
            matches!(previous, '−' | '-') && (start < 2 || !chars[start - 2].is_alphanumeric());
        if (word(previous) && !sign) || word(at(end)) || (previous == '-' && !sign) {
            continue;
        }
        let digits: String = chars[start..end].iter().collect();
        let digits = digits.replace(',', "").replace('−', "-");
        let Ok(size) = digits.parse::<f64>() else {
            continue;
        };
        let mantissa = digits.split('e').next().unwrap_or_default();
        let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
        let power: i32 = digits
            .split_once('e')
            .map_or(0, |(_, e)| e.parse().expect("a power"));
        found.push(Token {
            value: if sign { -size } else { size },
            half: 0.5 * 10f64.powi(power - decimals),
            before: chars[start.saturating_sub(5)..start].iter().collect(),
            after: chars[end..(end + 3).min(chars.len())].iter().collect(),
            text: chars[start.saturating_sub(40)..(end + 20).min(chars.len())]
                .iter()
                .collect(),
        });
    }
    found
}

impl Token {
    /// Whether one of the numbers is this one, to the digits printed.
    fn is_among(&self, pool: &Pool) -> bool {
        let near = |all: &[f64], unit: f64| {
            let slack = self.half * (1.0 + 1e-6);
            all.iter()
                .any(|x| (unit * x - self.value).abs() <= slack.max(1e-9 * (unit * x).abs()))
        };
        if self.after.starts_with('°') {
            return near(&pool.angles, 1f64.to_degrees());
        }
        if self.after.starts_with(" %") || self.after.starts_with('%') {
            return near(&pool.shares, 100.0);
        }
        if self.before.ends_with("row ") {
            return near(&pool.rows, 1.0);
        }
        // A table may give shares in percent under a head that says so.
        near(&pool.plain, 1.0) || near(&pool.shares, 100.0)
    }
}

/// What stands between two texts, and the rest.
pub(crate) fn cut<'a>(text: &'a str, from: &str, to: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let start = text.find(from)?;
    let end = start + text[start..].find(to)? + to.len();
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// A text without every piece that begins and ends so.
pub(crate) fn without(text: &str, from: &str, to: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, _, after)) = cut(rest, from, to) {
        out += before;
        rest = after;
    }
    out + rest
}

/// A piece of the page without drawings, commands, and how to read the figures, which is the same on every page.
pub(crate) fn plain(piece: &str) -> String {
    let left_out = [
        ("<svg", "</svg>"),
        ("<code", "</code>"),
        ("<details class=\"how\"", "</details>"),
        ("<details class=\"range\"", "</details>"),
        ("<h2", "</h2>"),
        ("<caption", "</caption>"),
    ];
    let without = |html: String, (from, to): (&str, &str)| without(&html, from, to);
    left_out.into_iter().fold(piece.to_owned(), without)
}

/// What a reader sees of a piece of the page.
pub(crate) fn readable(html: &str) -> String {
    let mut out = String::new();
    for piece in html.split('<') {
        out += piece.split_once('>').map_or(piece, |(_, text)| text);
        out.push(' ');
    }
    for (entity, c) in [
        ("&#39;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ] {
        out = out.replace(entity, c);
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts of a figure's drawing.
fn drawn_texts(figure: &str) -> Vec<String> {
    let svg = cut(figure, "<svg", "</svg>").map_or("", |(_, svg, _)| svg);
    let texts = svg.split("<text").skip(1);
    let inner = texts.filter_map(|text| text.split_once('>')?.1.split("</text>").next());
    inner.map(readable).collect()
}

/// Tables to report on, and the words that read them.
const TABLES: [(&str, &[&str]); 6] = [
    ("uk-foods", &[]),
    ("wine", &[]),
    ("wine", &["--scale", "--label-column", "target"]),
    ("usarrests", &["--scale", "-k", "2", "--rotate", "varimax"]),
    (
        "penguins",
        &["--missing", "mean", "--scale", "--exclude", "year"],
    ),
    (
        "decathlon",
        &["--like", "FactoMineR", "--supplementary", "Points,Rank"],
    ),
];

fn check(name: &str, options: &[&str]) {
    let sandbox = Sandbox::new();
    std::fs::copy(data(name), sandbox.path("t.csv")).expect("a copy");
    let words = [&["report", "t.csv", "-o", "page.html"], options].concat();
    let object = sandbox.json(&words);
    let page = sandbox.text("page.html");
    // Sentences that the object has as they are; the longest first, so that none is cut in two.
    let mut known: Vec<String> = texts(&object)
        .into_iter()
        .filter(|t| t.len() > 2 && t.contains(|c: char| c.is_ascii_digit()))
        .collect();
    known.push(env!("CARGO_PKG_VERSION").to_owned());
    known.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let mut wrong = Vec::new();
    let (mut n_read, mut n_changed, mut n_noticed) = (0, 0, 0);
    let mut sections = page.as_str();
    while let Some((_, section, rest)) = cut(sections, "<section id=\"", "</section>") {
        sections = rest;
        let part = section["<section id=\"".len()..]
            .split('"')
            .next()
            .expect("a name");
        let mut allowed = pool(&object, part);
        let read = |html: &str| -> Vec<Token> {
            let mut text = readable(html);
            known
                .iter()
                .for_each(|said| text = text.replace(said.as_str(), " "));
            tokens(&text)
        };
        // 1. Everything but drawings.
        let html = plain(section);
        let mut all = read(&html);
        // 2. Words of the drawings; bare numbers there are the ticks of an axis.
        let mut rest = section;
        while let Some((_, figure, after)) = cut(rest, "<figure", "</figure>") {
            rest = after;
            // A figure of a sample says of how many rows, and its legend counts those.
            let drawn =
                cut(figure, "Drawn and counted: ", " of").map(|(_, said, _)| tokens(said)[0].value);
            let mut counted = 0.0;
            for text in drawn_texts(figure) {
                let count = text
                    .strip_suffix(')')
                    .and_then(|text| text.rsplit_once(" ("));
                let count = count.and_then(|(_, n)| n.replace(',', "").parse::<f64>().ok());
                let bare = |c: char| c.is_ascii_digit() || "−-.,e %".contains(c);
                match (drawn, count) {
                    (Some(_), Some(count)) => counted += count,
                    _ if text.chars().all(bare) => {}
                    _ => all.extend(read(&text)),
                }
            }
            if let Some(drawn) = drawn {
                assert!(
                    counted == drawn || counted == 0.0,
                    "{part}: {counted} of {drawn}"
                );
                allowed.plain.push(drawn);
            }
        }
        n_read += all.len();
        // The same numbers with another last digit, of those that have three or more.
        for token in all.iter().filter(|t| t.value.abs() >= 200.0 * t.half) {
            n_changed += 1;
            let changed = Token {
                value: token.value + 6.0 * token.half,
                ..token.clone()
            };
            n_noticed += usize::from(!changed.is_among(&allowed));
        }
        wrong.extend(
            all.iter()
                .filter(|t| !t.is_among(&allowed))
                .map(|t| format!("{part}: …{}…", t.text)),
        );
    }
    assert!(n_read > 200, "{name}: only {n_read} numbers were read");
    assert!(
        wrong.is_empty(),
        "{name} {options:?}: {} of {n_read}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // The test would be worth little if any number passed.
    assert!(
        10 * n_noticed >= 8 * n_changed,
        "{name}: {n_noticed} of {n_changed} wrong digits are noticed"
    );
    check_data(&object, &page, name);
}

/// The data behind the figures, to all digits; and the rows behind the map.
fn check_data(object: &Value, page: &str, name: &str) {
    let start = page.find("id=\"data\">").expect("data") + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").expect("its end");
    let data: Value = serde_json::from_str(&page[start..end]).expect("JSON");
    for (id, csv) in data["csv"].as_object().expect("figures") {
        let part = match id.split('-').next().expect("a name") {
            "scree" => "part-how-many",
            "loadings" | "heatmap" | "correlation" | "circle" | "biplot" => "part-loadings",
            "contributions" | "cos2" => "part-contributions",
            "reconstruction" => "part-reconstruction",
            other => panic!("a figure that is not checked: {other}"),
        };
        let allowed = pool(object, part);
        let csv = csv.as_str().expect("a text");
        let mut n_cells = 0;
        for line in csv.lines().skip(1) {
            for cell in line.split(',').filter_map(|cell| cell.parse::<f64>().ok()) {
                n_cells += 1;
                let near = |x: &f64| (x - cell).abs() <= 1e-9 * x.abs().max(1e-3);
                assert!(
                    allowed.plain.iter().chain(&allowed.rows).any(near),
                    "{name}, {id}: {cell} in {line}"
                );
            }
        }
        assert!(n_cells > 1, "{name}, {id}: {csv}");
    }
    let shown = &object["analysis"]["rows_shown"];
    let points = &data["points"];
    assert_eq!(
        float(&points["n"]) as usize,
        shown["row"].as_array().expect("rows").len()
    );
    for key in ["t2", "q"] {
        same(&floats(&points[key]), &leaves(&shown[key]), 1e-6, key);
    }
    for (axis, scores) in points["axes"]
        .as_array()
        .expect("axes")
        .iter()
        .zip(shown["scores"].as_array().expect("scores"))
    {
        let coded = codes(axis);
        let scores = leaves(scores);
        let size = scores.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        same(&coded, &scores, 2e-5 * size.max(1e-300), "scores");
    }
}

fn same(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (x, y) in a.iter().zip(b) {
        assert!(
            (x - y).abs() <= tolerance * y.abs().max(1.0),
            "{what}: {x} and {y}"
        );
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = value
        .as_str()
        .expect("base64")
        .trim_end_matches('=')
        .as_bytes();
    let mut out = Vec::new();
    for four in text.chunks(4) {
        let word = four.iter().fold(0, |word, c| (word << 6) | digit(*c)) << (6 * (4 - four.len()));
        let three = [(word >> 16) as u8, (word >> 8) as u8, word as u8];
        out.extend(&three[..four.len() - 1]);
    }
    out
}

fn floats(value: &Value) -> Vec<f64> {
    let bytes = bytes(value);
    let (values, _) = bytes.as_chunks::<4>();
    values
        .iter()
        .map(|b| f64::from(f32::from_le_bytes(*b)))
        .collect()
}

/// The numbers of an axis of the map.
fn codes(axis: &Value) -> Vec<f64> {
    if axis["f32"].is_string() {
        return floats(&axis["f32"]);
    }
    let (min, step) = (float(&axis["min"]), float(&axis["step"]));
    let bytes = bytes(&axis["u16"]);
    let (values, _) = bytes.as_chunks::<2>();
    values
        .iter()
        .map(|b| min + step * f64::from(u16::from_le_bytes(*b)))
        .collect()
}

#[test]
fn every_number_on_the_page_is_one_of_the_json() {
    for (name, options) in TABLES {
        check(name, options);
    }
}

#[test]
fn a_number_is_read_with_its_digits_and_its_unit() {
    let read = |text: &str| -> Vec<(f64, f64)> {
        tokens(text).iter().map(|t| (t.value, t.half)).collect()
    };
    assert_eq!(
        read("PC1 keeps 67.5 % of od280, class_0 and 100m"),
        [(67.5, 0.05)]
    );
    assert_eq!(
        read("1,797 rows at −477.6, 2e-16"),
        [(1797.0, 0.5), (-477.6, 0.05), (2e-16, 5e-17)]
    );
    let pool = Pool::default().shares([0.674_938_9]);
    let among = |text: &str| tokens(text)[0].is_among(&pool);
    assert!(among("67.5 % of it") && among("0.675") && !among("67.4 % of it") && !among("67.5°"));
}
