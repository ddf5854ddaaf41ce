//! The rows behind the map of scores, packed so that ten thousand rows fit into the page; the page's script draws them.
//!
//! Numbers are stored as 16-bit codes c with value = min + step · c, base64 of little-endian bytes; the last code
//! stands for "no value". A column with few decimals gets a step of 1, 0.1, …, and is restored exactly. If there are few
//! rows, and for T² and Q, whose tails are long, numbers are 32-bit floats. Strings are stored once.

use serde_json::{Value, json};

use crate::analysis::{Color, MAX_AXES, Values};

/// A map keeps at least this many axes, even if it becomes large.
const MIN_AXES: usize = 4;
/// This many axes and coloring columns are kept until everything else has been left out.
const WANTED: usize = 6;
/// The number of characters to which names are shortened.
const SHORT_NAME: usize = 12;
/// Up to this many rows, numbers are stored as floats.
const FEW: usize = 2_000;

/// The rows shown in the map of scores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Points {
    /// The axes, each with a score per row.
    pub axes: Vec<Axis>,
    /// The rows' names, if they have names.
    pub names: Option<Vec<String>>,
    /// The rows' numbers in the data (from 1), if not all rows are shown.
    pub numbers: Option<Vec<u32>>,
    /// Columns by which points can be colored.
    pub colors: Vec<Color>,
    /// Hotelling's T² per row.
    pub t2: Option<Vec<f64>>,
    /// Squared prediction error per row.
    pub q: Option<Vec<f64>>,
    /// The number of rows of the data.
    pub n_total: usize,
    /// How the rows were sampled, if not all are shown: `random, seed 0`.
    pub sampling: Option<String>,
}

/// An axis of the map.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// The name of the component: `PC1`.
    pub name: String,
    /// Its share of the variance, if the method has shares.
    pub share: Option<f64>,
    /// What it means: `more flavanoids · less alcohol`.
    pub words: String,
    /// A score per row; NaN if the row has no score.
    pub scores: Vec<f64>,
}

/// Points as the page stores them.
pub(super) struct Packed {
    /// The JSON that the script reads.
    pub(super) value: Value,
    /// How many axes it contains.
    pub(super) n_axes: usize,
    /// How many coloring columns it contains.
    pub(super) n_colors: usize,
    /// Whether names were shortened.
    pub(super) shortened: bool,
}

impl Points {
    /// The number of rows shown.
    pub fn n_rows(&self) -> usize {
        self.axes.first().map_or(0, |axis| axis.scores.len())
    }

    /// The name of a row, or its number.
    pub(super) fn row_name(&self, row: usize) -> String {
        let number = self.numbers.as_ref().and_then(|numbers| numbers.get(row));
        let name = self.names.as_ref().and_then(|names| names.get(row));
        match name {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("row {}", number.map_or(row + 1, |&n| n as usize)),
        }
    }

    /// Packs the rows into at most this many bytes, if possible: coloring columns are left out first, then axes, then names
    /// are shortened.
    pub(super) fn pack(&self, room: usize) -> Packed {
        let mut axes: Vec<Value> = self.axes.iter().take(MAX_AXES).map(Axis::pack).collect();
        let mut colors: Vec<Value> = self.colors.iter().map(Color::pack).collect();
        let mut fixed = json!({
            "n": self.n_rows(),
            "total": self.n_total,
            "sampling": self.sampling,
            "names": self.names,
            "rows": self.numbers.as_ref().map(|numbers| base64(numbers.iter().flat_map(|n| n.to_le_bytes()))),
            "t2": self.t2.as_deref().map(floats),
            "q": self.q.as_deref().map(floats),
        });
        let mut shortened = false;
        let sizes = |values: &[Value]| -> Vec<usize> { values.iter().map(json_len).collect() };
        let (axis_sizes, color_sizes) = (sizes(&axes), sizes(&colors));
        let mut size = json_len(&fixed) + axis_sizes.iter().chain(&color_sizes).sum::<usize>();
        while size > room {
            let (n_axes, n_colors) = (axes.len(), colors.len());
            if n_colors > WANTED || (n_axes <= WANTED && shortened && n_colors > 1) {
                colors.pop();
                size -= color_sizes[n_colors - 1];
            } else if n_axes > WANTED || (shortened && n_axes > MIN_AXES) {
                axes.pop();
                size -= axis_sizes[n_axes - 1];
            } else if !shortened {
                shortened = true;
                size -= json_len(&fixed);
                fixed["names"] = json!(self.short_names());
                size += json_len(&fixed);
            } else {
                break;
            }
        }
        let (n_axes, n_colors) = (axes.len(), colors.len());
        shortened &= self.names.is_some();
        fixed["axes"] = Value::Array(axes);
        fixed["colors"] = Value::Array(colors);
        Packed {
            value: fixed,
            n_axes,
            n_colors,
            shortened,
        }
    }

    fn short_names(&self) -> Option<Vec<String>> {
        let cut = |name: &String| match name.char_indices().nth(SHORT_NAME) {
            Some((end, _)) => format!("{}…", &name[..end]),
            None => name.clone(),
        };
        self.names
            .as_ref()
            .map(|names| names.iter().map(cut).collect())
    }
}

impl Axis {
    fn pack(&self) -> Value {
        let mut value = codes(&self.scores);
        value["name"] = json!(self.name);
        value["share"] = json!(self.share);
        value["words"] = json!(self.words);
        value
    }
}

impl Color {
    fn pack(&self) -> Value {
        let mut value = match &self.values {
            Values::Numbers(numbers) => codes(numbers),
            Values::Levels { levels, codes } => {
                let known = levels.len().min(usize::from(NONE));
                let code = |level: &Option<usize>| match level {
                    Some(level) if *level < known => *level as u16,
                    _ => NONE,
                };
                json!({ "levels": levels[..known], "u16": base64(codes.iter().flat_map(|c| code(c).to_le_bytes())) })
            }
        };
        value["name"] = json!(self.name);
        value
    }
}

/// The code of a missing value.
const NONE: u16 = u16::MAX;
/// An exact step is searched with up to this many decimals.
const DECIMALS: i32 = 4;

/// Numbers as codes, `{min, step, decimals, u16}`, or as floats, `{decimals, f32}`; `decimals` is how many decimals are
/// reliable.
fn codes(numbers: &[f64]) -> Value {
    let finite = || numbers.iter().copied().filter(|x| x.is_finite());
    let min = finite().fold(f64::INFINITY, f64::min);
    let max = finite().fold(f64::NEG_INFINITY, f64::max);
    if min > max {
        let none = base64(numbers.iter().flat_map(|_| NONE.to_le_bytes()));
        return json!({ "min": 0, "step": 0, "decimals": 0, "u16": none });
    }
    let last = f64::from(NONE - 1);
    // Each end is halved before subtracting, because the range may overflow.
    let half = max / 2.0 - min / 2.0;
    let exact = (0..=DECIMALS).find(|&d| {
        let size = 10f64.powi(d);
        let whole = |x: f64| (x * size - (x * size).round()).abs() <= 1e-9 * (x * size).abs();
        2.0 * half * size <= last && finite().all(whole)
    });
    if exact.is_none() && numbers.len() <= FEW {
        // Seven significant digits of the largest number.
        let digits = 6.0 - min.abs().max(max.abs()).log10().floor();
        return json!({ "decimals": digits.clamp(-300.0, 300.0) as i32, "f32": floats(numbers) });
    }
    let (step, decimals) = match exact {
        Some(d) => (10f64.powi(-d), d),
        // A code is off by at most half a step; this is how many decimals stay correct.
        None => {
            let step = half / last * 2.0;
            (step, (-step.log10()).floor().clamp(-300.0, 300.0) as i32)
        }
    };
    let code = |x: f64| match x.is_finite() && step > 0.0 {
        true => (2.0 * (x / 2.0 - min / 2.0) / step)
            .round()
            .clamp(0.0, last) as u16,
        false if x.is_finite() => 0,
        false => NONE,
    };
    let packed = base64(numbers.iter().flat_map(|&x| code(x).to_le_bytes()));
    json!({ "min": min, "step": step, "decimals": decimals, "u16": packed })
}

/// The size in bytes inside the page: as JSON, and escaped.
fn json_len(value: &Value) -> usize {
    super::escape::json(value).len()
}

fn floats(numbers: &[f64]) -> String {
    base64(numbers.iter().flat_map(|&x| (x as f32).to_le_bytes()))
}

/// Base64 with padding, as `atob` reads it (RFC 4648).
pub(super) fn base64(bytes: impl Iterator<Item = u8>) -> String {
    const DIGITS: [char; 64] = {
        let text = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut digits = ['A'; 64];
        let mut i = 0;
        while i < 64 {
            digits[i] = text[i] as char;
            i += 1;
        }
        digits
    };
    let mut out = String::new();
    let mut bytes = bytes.peekable();
    while bytes.peek().is_some() {
        let three: [Option<u8>; 3] = [bytes.next(), bytes.next(), bytes.next()];
        let word = three.iter().fold(0_usize, |word, byte| {
            (word << 8) | usize::from(byte.unwrap_or(0))
        });
        let present = three.iter().flatten().count();
        for digit in 0..4 {
            let six = (word >> (18 - 6 * digit)) & 63;
            out.push(if digit <= present { DIGITS[six] } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, packed) in pairs {
            assert_eq!(base64(text.bytes()), packed);
        }
        assert_eq!(base64([0xFB, 0xFF, 0xBF].into_iter()), "+/+/");
    }

    #[test]
    fn few_decimals_come_back_exactly() {
        // 5.1 = 4.3 + 8 · 0.1, 4.3 and a missing value: codes 8, 0 and the last code.
        let value = codes(&[5.1, 4.3, f64::NAN]);
        assert_eq!(value["step"], 0.1);
        assert_eq!(value["decimals"], 1);
        assert_eq!(value["u16"], "CAAAAP//");
    }

    #[test]
    fn other_numbers_span_all_codes_where_rows_are_many() {
        let mut numbers = vec![0.0; FEW];
        numbers.push(std::f64::consts::PI);
        let value = codes(&numbers);
        assert_eq!(value["step"], std::f64::consts::PI / 65534.0);
        // A step of 4.8e−5: four decimals are safe.
        assert_eq!(value["decimals"], 4);
        let packed = value["u16"].as_str().unwrap();
        assert!(
            packed.starts_with("AAAA") && packed.ends_with("AP7/"),
            "{packed:.8}"
        );
    }

    #[test]
    fn other_numbers_are_floats_where_rows_are_few() {
        // π as a 32-bit float is 0x40490fdb; six decimals are safe.
        let value = codes(&[std::f64::consts::PI, f64::NAN]);
        assert_eq!(value["decimals"], 6);
        assert_eq!(value["f32"], "2w9JQAAAwH8=");
    }

    #[test]
    fn the_largest_and_equal_numbers_pack_too() {
        let mut numbers = vec![f64::MAX; FEW];
        numbers.push(-f64::MAX);
        let packed = codes(&numbers)["u16"].as_str().unwrap().to_owned();
        assert!(
            packed.starts_with("/v/+") && packed.ends_with("/wAA"),
            "{packed:.8}"
        );
        assert_eq!(codes(&[0.25; 2])["u16"], "AAAAAA==");
        assert_eq!(codes(&[f64::NAN])["u16"], "//8=");
    }

    #[test]
    fn what_has_no_room_gives_way_in_turn() {
        let points = Points {
            axes: vec![
                Axis {
                    scores: vec![0.5; 300],
                    ..Default::default()
                };
                10
            ],
            colors: vec![
                Color {
                    name: String::new(),
                    values: Values::Numbers(vec![1.0; 300])
                };
                20
            ],
            names: Some(vec!["a name that is rather long".to_owned(); 300]),
            ..Default::default()
        };
        let kept = |room| {
            let packed = points.pack(room);
            (packed.n_axes, packed.n_colors, packed.shortened)
        };
        assert_eq!(kept(usize::MAX), (10, 20, false));
        assert_eq!(kept(0), (4, 1, true));
        let mut last = kept(usize::MAX);
        let mut seen = vec![last];
        for room in (5_000..40_000).rev().step_by(400) {
            let now = kept(room);
            let fits = json_len(&points.pack(room).value) <= room + 100;
            assert!(fits || now == kept(0), "{room}");
            if now != last {
                seen.push(now);
            }
            last = now;
        }
        // First fewer colors (down to six), then fewer axes (down to six), then short names, then the rest.
        for step in [
            (10, 6, false),
            (6, 6, false),
            (6, 6, true),
            (6, 1, true),
            (4, 1, true),
        ] {
            assert!(seen.contains(&step), "{step:?} is not among {seen:?}");
        }
        assert!(
            seen.is_sorted_by(|a, b| a.0 >= b.0 && a.1 >= b.1 && a.2 <= b.2),
            "{seen:?}"
        );
    }
}
