//! Every number on the page of a report is one of its JSON: in sentences, tables, drawings, and in the data behind them.
//!
//! The page is read as a person reads it. A number stands for itself, for a share where ` %` follows, for an angle where `°`
//! does, for a row where `row ` precedes it; it has to be, to the digits printed, a number that the object has for the part of
//! the page it stands in, or a sum of such that is named here.

use serde_json::Value;

use crate::support::{Sandbox, data};

/// What a part of the page may say.
#[derive(Default)]
struct Pool {
    plain: Vec<f64>,
    shares: Vec<f64>,
    angles: Vec<f64>,
    rows: Vec<f64>,
}

impl Pool {
    fn plain(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        self.plain.extend(values);
        self
    }

    /// Shares, which are percent in sentences and fractions in tables.
    fn shares(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        self.plain.extend(&values);
        self.shares.extend(values);
        self
    }
}

/// Every number below a value of JSON.
fn leaves(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(x) => x.as_f64().into_iter().collect(),
        Value::Array(all) => all.iter().flat_map(leaves).collect(),
        Value::Object(all) => all.values().flat_map(leaves).collect(),
        _ => Vec::new(),
    }
}

/// Every text below a value of JSON.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Object(all) => all.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

fn float(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("a number: {value}"))
}

fn sums(values: &[f64]) -> Vec<f64> {
    let add = |sum: &mut f64, x: &f64| {
        *sum += x;
        Some(*sum)
    };
    values.iter().scan(0.0, add).collect()
}

/// What the part of the page with this name may say, from the object.
fn pool(object: &Value, part: &str) -> Pool {
    let a = &object["analysis"];
    let shares = leaves(&object["explained_variance_ratio"]);
    let kept = sums(&shares);
    let counts = [
        &object["n_rows"],
        &object["n_cols"],
        &a["k"],
        &object["n_components"],
    ];
    let counts = counts.map(float);
    let possible = counts[1].min(counts[0] - 1.0);
    let rank = leaves(&object["explained_variance"])
        .iter()
        .filter(|v| **v > 1e-12)
        .count() as f64;
    let shown = &a["rows_shown"];
    let n_shown = shown["row"].as_array().expect("rows").len() as f64;
    let n_beside = leaves(&a["supplementary"]["categories"]).len().min(24) as f64;
    let mut pool = Pool::default()
        .plain(counts)
        .plain([
            possible,
            rank,
            n_shown,
            n_beside,
            float(&a["rows_looked_at"]),
        ])
        // What a figure's table leaves to its CSV: all but 20 rows of the map, all but 50 lines of others.
        .plain([n_shown - 20.0, n_shown + counts[1] - 50.0, counts[1] - 50.0])
        .shares(shares.clone())
        .shares(kept.clone())
        .shares([0.9, 1.0, 0.0]);
    pool.rows = leaves(&shown["row"]);
    pool.rows.extend(
        leaves(&a["outliers"]["farthest"])
            .iter()
            .map(|row| row + 1.0),
    );
    let residual = leaves(&object["residuals"]).into_iter().fold(0.0, f64::max);
    let outliers = &a["outliers"];
    let level = float(&outliers["limits"]["level"]);
    let chosen: Vec<f64> = a["choices"]["advices"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|advice| leaves(&advice["k"]))
        .collect();
    let rows = || {
        let scores = leaves(&shown["scores"]);
        scores
            .into_iter()
            .chain(leaves(&shown["t2"]))
            .chain(leaves(&shown["q"]))
    };
    let levels = || {
        let all = a["supplementary"]["categories"]
            .as_array()
            .into_iter()
            .flatten();
        let n_levels = all
            .clone()
            .map(|c| c["levels"].as_array().map_or(0.0, |l| l.len() as f64));
        let n_rows = all
            .clone()
            .flat_map(|c| c["levels"].as_array().into_iter().flatten());
        let n_rows = n_rows.map(|level| float(&level["n_rows"]));
        n_levels.chain(n_rows).collect::<Vec<_>>()
    };
    let eta2 = || {
        let all = a["supplementary"]["categories"]
            .as_array()
            .into_iter()
            .flatten();
        all.flat_map(|column| leaves(&column["eta2"]))
            .collect::<Vec<_>>()
    };
    match part {
        "part-words" => {
            let beyond = ["n_beyond", "n_beyond_t2", "n_beyond_q", "n_rows"]
                .map(|key| float(&outliers[key]));
            let centroids = a["supplementary"]["categories"]
                .as_array()
                .into_iter()
                .flatten();
            let centroids = centroids.flat_map(|c| c["levels"].as_array().into_iter().flatten());
            let centroids: Vec<f64> = centroids
                .flat_map(|level| leaves(&level["centroid"]))
                .collect();
            let scales = a["notes"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|n| n["kind"] == "unlike_scales");
            let (mut weights, mut ratios) = (Vec::new(), Vec::new());
            for note in scales {
                weights.push(float(&note["weight"]));
                let ratio = float(&note["ratio"]);
                let step = 10f64.powf(ratio.log10().floor() - 1.0);
                ratios.push((ratio / step).round() * step);
                ratios.extend(leaves(&note["scaled_components"]));
            }
            pool.plain(beyond)
                .plain([(1.0 - level) * beyond[3], residual])
                .plain(chosen)
                .plain(leaves(&a["axes"]))
                .plain(leaves(&a["apart"]))
                .plain(leaves(&a["adequacy"]["kmo"]["overall"]))
                .plain(leaves(&a["bootstrap"]["stability"]))
                .plain([counts[2] - 3.0])
                .plain(centroids)
                .plain(ratios)
                .shares([level, 1.0 - level])
                .shares(weights)
                .shares(eta2())
        }
        "part-how-many" => {
            let total = float(&object["total_variance"]);
            let band = leaves(&a["choices"]["advices"])
                .into_iter()
                .map(move |x| x / total);
            pool.plain(chosen).shares(band)
        }
        "part-scores" => {
            let drawn = leaves(&a["supplementary"]["numeric"]);
            let pool = pool
                .plain(rows())
                .plain(levels())
                .plain(drawn)
                .shares(eta2())
                .shares([0.95]);
            // The share of any two components together.
            let pairs = shares
                .iter()
                .enumerate()
                .flat_map(|(i, x)| shares[i + 1..].iter().map(move |y| x + y));
            pool.shares(pairs.collect::<Vec<_>>())
        }
        "part-loadings" => {
            let beside = leaves(&a["supplementary"]["numeric"]);
            let pool = pool
                .plain(leaves(&a["components"]))
                .plain(leaves(&a["correlations"]))
                .plain(beside);
            let cos2 = leaves(&a["cos2"]);
            let pool = pool
                .plain(leaves(&a["bootstrap"]["loadings"]))
                .plain(rows())
                .plain(levels())
                .plain(leaves(&a["rotated"]));
            // How many columns have their first strong correlation with a component, at most all.
            pool.shares(cos2)
                .plain((0..=counts[1] as usize).map(|n| n as f64))
        }
        "part-contributions" => {
            let told = leaves(&a["communalities"]);
            let mean = told.iter().sum::<f64>() / told.len() as f64;
            let contributions = leaves(&a["contributions"]);
            let as_shares: Vec<f64> = contributions.iter().map(|x| x / 100.0).collect();
            // Columns that give more than an even share, and what they give together.
            let even = 1.0 / counts[1];
            let mut sums_of_most = Vec::new();
            for component in a["contributions"].as_array().into_iter().flatten() {
                let mut all: Vec<f64> = leaves(component).iter().map(|x| x / 100.0).collect();
                all.sort_by(|x, y| y.total_cmp(x));
                sums_of_most.extend(sums(&all));
                sums_of_most.push(all.iter().filter(|x| **x > even).count() as f64);
            }
            let well = (0..=told.len()).map(|n| n as f64);
            pool.plain(contributions)
                .plain(well)
                .plain(leaves(&a["components"]))
                .plain(leaves(&a["correlations"]))
                .shares(sums_of_most)
                .shares(as_shares)
                .shares(told)
                .shares([mean, even, 0.5])
        }
        "part-reconstruction" => {
            let held = a["choices"]["advices"].as_array().into_iter().flatten();
            let held = held.filter(|advice| advice["detail"]["kind"] == "errors");
            let held = held.flat_map(|advice| {
                let errors = leaves(&advice["detail"]["numbers"]);
                let none = errors.first().copied().unwrap_or(1.0);
                errors
                    .into_iter()
                    .map(move |x| x / none)
                    .collect::<Vec<_>>()
            });
            let held: Vec<f64> = held.collect();
            let places = (0..held.len().max(shares.len() + 1)).map(|k| k as f64);
            pool.plain(places)
                .shares(held)
                .shares(kept.iter().map(|x| (1.0 - x).max(0.0)).collect::<Vec<_>>())
        }
        "part-outliers" => {
            let far = leaves(outliers);
            pool.plain(rows()).plain(far).shares([level])
        }
        "part-stability" => {
            let bootstrap = &a["bootstrap"];
            let mut pool = pool
                .plain(leaves(&bootstrap["eigenvalues"]))
                .plain(leaves(&bootstrap["stability"]));
            pool.angles = leaves(&bootstrap["angles"]);
            pool.angles.extend(leaves(&bootstrap["span_angles"]));
            pool.plain(leaves(&a["adequacy"]))
                .plain([0.0, 1.0, 0.5])
                .shares(leaves(&bootstrap["shares"]))
                .shares([float(&bootstrap["level"])])
        }
        "part-columns" => {
            let missing = a["columns"].as_array().expect("columns").iter();
            let missing: f64 = missing.map(|column| float(&column["missing"])).sum();
            pool.plain(leaves(&a["columns"])).plain([missing])
        }
        "part-computed" => {
            let cost = leaves(&a["cost"]);
            let units: Vec<f64> = [1.0, 1e3, 1e6, 1e9, 1024.0, 1048576.0].into();
            let scaled = cost
                .iter()
                .flat_map(|x| units.iter().map(move |unit| x / unit));
            pool.plain(scaled.collect::<Vec<_>>())
                .plain([residual])
                .plain(leaves(&a["options"]))
        }
        other => panic!("a part without numbers of its own: {other}"),
    }
}

/// A number as it is printed: its value and half of its last digit.
struct Token {
    text: String,
    value: f64,
    half: f64,
    before: String,
    after: String,
}

/// The numbers of a text; digits within a word are none.
fn tokens(text: &str) -> Vec<Token> {
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
fn cut<'a>(text: &'a str, from: &str, to: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let start = text.find(from)?;
    let end = start + text[start..].find(to)? + to.len();
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// A text without every piece that begins and ends so.
fn without(text: &str, from: &str, to: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, _, after)) = cut(rest, from, to) {
        out += before;
        rest = after;
    }
    out + rest
}

/// What a reader sees of a piece of the page.
fn readable(html: &str) -> String {
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
    let mut n_read = 0;
    let mut sections = page.as_str();
    while let Some((_, section, rest)) = cut(sections, "<section id=\"", "</section>") {
        sections = rest;
        let part = section["<section id=\"".len()..]
            .split('"')
            .next()
            .expect("a name");
        let allowed = pool(&object, part);
        let read = |html: &str| -> Vec<Token> {
            let mut text = readable(html);
            known
                .iter()
                .for_each(|said| text = text.replace(said.as_str(), " "));
            tokens(&text)
        };
        // 1. Everything but drawings, commands, and how to read the figures, which is the same on every page.
        let mut html = section.to_owned();
        for (from, to) in [
            ("<svg", "</svg>"),
            ("<code", "</code>"),
            ("<details class=\"how\"", "</details>"),
            ("<details class=\"range\"", "</details>"),
            ("<h2", "</h2>"),
            ("<caption", "</caption>"),
        ] {
            html = without(&html, from, to);
        }
        let mut all = read(&html);
        // 2. Words of the drawings; bare numbers there are the ticks of an axis.
        let mut rest = section;
        while let Some((_, svg, after)) = cut(rest, "<svg", "</svg>") {
            rest = after;
            for text in svg.split("<text").skip(1) {
                let text = text.split_once('>').map_or("", |(_, text)| text);
                let text = text.split("</text>").next().unwrap_or_default();
                let bare = |c: char| c.is_ascii_digit() || "−-.,e %".contains(c);
                if !text.chars().all(bare) {
                    all.extend(read(text));
                }
            }
        }
        n_read += all.len();
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
                    allowed.plain.iter().any(near),
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
