//! What a field means: a number, a missing value, or text.

/// Words that stand for a missing value in every file.
const MISSING: [&[u8]; 18] = [
    b"", b"NA", b"NaN", b"nan", b"NAN", b"null", b"NULL", b"Null", b"None", b"none", b".", b"?",
    b"-", b"#N/A", b"n/a", b"N/A", b"<NA>", b"#NA",
];

/// Every integer up to this one is exact as an f64; some larger ones are not.
pub(crate) const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    /// A number.
    Number(f64),
    /// An integer beyond 2⁵³, which this f64 may not represent exactly.
    LargeInteger(f64),
    /// A missing value.
    Missing,
    /// Infinity, in words or as a number too large.
    Infinite,
    /// Anything else.
    Text,
}

/// How fields are turned into cells.
#[derive(Debug, Clone)]
pub(crate) struct CellRules {
    /// `.` or `,`.
    pub(crate) decimal: u8,
    missing: Vec<Vec<u8>>,
    missing_numbers: Vec<f64>,
}

impl CellRules {
    /// Rules with this decimal mark, and with these words for missing values besides the usual ones.
    pub(crate) fn new(decimal: u8, missing_values: &[String]) -> Self {
        let missing: Vec<Vec<u8>> = missing_values
            .iter()
            .map(|word| word.trim().as_bytes().to_vec())
            .collect();
        // A code such as -999 is missing however it is written: -999, -999.0.
        let missing_numbers = missing
            .iter()
            .filter_map(|word| parse(word, decimal))
            .filter(|number| number.is_finite())
            .collect();
        CellRules {
            decimal,
            missing,
            missing_numbers,
        }
    }

    /// Whether this number is a code for a missing value.
    #[inline]
    pub(crate) fn is_missing_number(&self, number: f64) -> bool {
        !self.missing_numbers.is_empty() && self.missing_numbers.contains(&number)
    }

    /// Whether there are numeric codes for a missing value.
    pub(crate) fn has_missing_numbers(&self) -> bool {
        !self.missing_numbers.is_empty()
    }

    /// Whether a field's content stands for a missing value.
    pub(crate) fn is_missing(&self, content: &[u8]) -> bool {
        let word = content.trim_ascii();
        MISSING.contains(&word) || self.missing.iter().any(|m| m == word)
    }

    /// What a field's content is.
    pub(crate) fn cell(&self, content: &[u8]) -> Cell {
        if self.is_missing(content) {
            return Cell::Missing;
        }
        let word = content.trim_ascii();
        match parse(word, self.decimal) {
            None => Cell::Text,
            Some(number) if number.is_nan() => Cell::Missing,
            Some(number) if number.is_infinite() => Cell::Infinite,
            Some(number) if self.is_missing_number(number) => Cell::Missing,
            Some(number) if number.abs() >= EXACT_INTEGERS && is_integer(word) => {
                Cell::LargeInteger(number)
            }
            Some(number) => Cell::Number(number),
        }
    }
}

/// The texts that stand for a missing value, for columns that are not numbers.
#[derive(Debug, Clone)]
pub struct MissingWords(CellRules);

impl MissingWords {
    /// The usual texts, and these.
    pub fn new(missing_values: &[String]) -> Self {
        MissingWords(CellRules::new(b'.', missing_values))
    }

    /// Whether a text is one of them.
    pub fn contains(&self, text: &str) -> bool {
        self.0.cell(text.as_bytes()) == Cell::Missing
    }
}

/// A word as a number, if the whole word is one.
fn parse(word: &[u8], decimal: u8) -> Option<f64> {
    if decimal == b'.' {
        return fast_float2::parse(word).ok();
    }
    const LONGEST: usize = 400;
    if word.len() > LONGEST || word.contains(&b'.') {
        return None;
    }
    let mut point = [0u8; LONGEST];
    let point = point.get_mut(..word.len())?;
    point.copy_from_slice(word);
    if let Some(comma) = point.iter_mut().find(|b| **b == decimal) {
        *comma = b'.';
    }
    fast_float2::parse(&*point).ok()
}

fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Whether a text is a date or a time: `2024-01-31`, `31.1.2024`, `1/31/24`, each with or without a time of day.
pub(crate) fn is_date(content: &[u8]) -> bool {
    let word = content.trim_ascii();
    let end = word
        .iter()
        .position(|b| matches!(b, b' ' | b'T'))
        .unwrap_or(word.len());
    let (day, time) = word.split_at(end);
    let time = time.get(1..).unwrap_or_default();
    let time_like = |b: &u8| b.is_ascii_digit() || b":.,+-ZAPM ".contains(b);
    if !time.iter().all(time_like) {
        return false;
    }
    [b'-', b'/', b'.'].iter().any(|mark| {
        let parts: Vec<&[u8]> = day.split(|b| b == mark).collect();
        parts.len() == 3
            && parts
                .iter()
                .all(|p| matches!(p.len(), 1 | 2 | 4) && p.iter().all(u8::is_ascii_digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_signs_points_and_exponents() {
        let rules = CellRules::new(b'.', &[]);
        for (word, number) in [
            ("+1.5", 1.5),
            ("-.5", -0.5),
            ("1.", 1.0),
            ("1E3", 1000.0),
            (" 7 ", 7.0),
            ("1e-400", 0.0),
        ] {
            assert_eq!(rules.cell(word.as_bytes()), Cell::Number(number), "{word}");
        }
        for word in [
            "0x1A",
            "1_000",
            "1e",
            "1.2.3",
            "1+2j",
            "−5",
            "1\u{a0}000",
            "=A1",
        ] {
            assert_eq!(rules.cell(word.as_bytes()), Cell::Text, "{word}");
        }
        assert_eq!(rules.cell(b"1e400"), Cell::Infinite);
        assert_eq!(rules.cell(b"-inf"), Cell::Infinite);
        assert_eq!(rules.cell(b"-NaN"), Cell::Missing);
        assert_eq!(
            rules.cell(b"9007199254740993"),
            Cell::LargeInteger(9007199254740992.0)
        );
    }

    #[test]
    fn a_decimal_comma_leaves_no_room_for_a_point() {
        let rules = CellRules::new(b',', &[]);
        assert_eq!(rules.cell(b"-1,5e3"), Cell::Number(-1500.0));
        assert_eq!(rules.cell(b"1.500"), Cell::Text);
        assert_eq!(rules.cell(b"1,5,0"), Cell::Text);
    }

    #[test]
    fn a_missing_code_is_missing_however_it_is_written() {
        let rules = CellRules::new(b'.', &["-999".to_owned(), "gone".to_owned()]);
        for word in ["-999", "-999.0", "gone", "NA", " ", ""] {
            assert_eq!(rules.cell(word.as_bytes()), Cell::Missing, "{word}");
        }
    }

    #[test]
    fn dates_of_several_countries_are_dates() {
        for date in ["2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T10:00:00Z"] {
            assert!(is_date(date.as_bytes()), "{date}");
        }
        assert!(!is_date(b"12-b-3"));
    }
}
