//! What a cell that is not a plain number looks like: `1,234`, `1.234,5`, `12 %`, `€ 5`, `(1,234)`, `TRUE`.
//!
//! One cell often allows two readings; [`super::written`] decides by whole columns.

/// The separator between groups of three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// `1,234`
    Comma,
    /// `1.234`
    Point,
    /// `1 234`, with any kind of blank.
    Blank,
    /// `1'234`
    Apostrophe,
}

/// What stands beside a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Affix {
    /// `%` or `‰`.
    Share(char),
    /// `€`, `US$`, `CHF`.
    Currency(String),
}

/// How the digits of a number can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    /// Digits alone.
    None,
    /// Certainly a decimal mark: `1.5`, `0,123`.
    Decimal(u8),
    /// Certainly groups of three, and the decimal mark if there is one: `1,234,567`, `1.234,5`, `1 234`.
    Grouped(Group, Option<u8>),
    /// One comma or point before exactly three digits, `1,234`: a thousand or a fraction.
    Either(u8),
}

/// What a cell looks like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// `TRUE`, `True`, `true` and their opposites.
    Truth(bool),
    /// A number, plain or not.
    Number {
        marks: Marks,
        affix: Option<Affix>,
        /// Whether it is negative by parentheses, by a trailing minus, or by a typographic minus.
        odd_sign: bool,
    },
    /// Anything else.
    Other,
}

/// A number taken apart: its sign, its affix, and the text of its digits and marks.
pub(crate) struct Taken<'a> {
    pub(crate) negative: bool,
    odd_sign: bool,
    pub(crate) affix: Option<Affix>,
    pub(crate) core: &'a str,
}

/// Blanks that stand between groups: usual, no-break, narrow no-break, thin, figure.
const BLANKS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\u{2007}'];

/// Currencies that are written in letters.
const CODES: [&str; 40] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "CNY", "RMB", "INR", "AUD", "CAD", "NZD", "SEK", "NOK",
    "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY", "RUB", "UAH", "BRL", "MXN", "ARS", "CLP",
    "COP", "ZAR", "KRW", "HKD", "SGD", "TWD", "THB", "IDR", "MYR", "PHP", "VND", "ILS", "AED",
    "SAR",
];
const WORDS: [&str; 6] = ["kr", "kr.", "zł", "Kč", "Ft", "lei"];

impl Shape {
    /// What a cell looks like.
    pub(crate) fn from_cell(cell: &str) -> Shape {
        let word = cell.trim();
        match word {
            "TRUE" | "True" | "true" => return Shape::Truth(true),
            "FALSE" | "False" | "false" => return Shape::Truth(false),
            _ => {}
        }
        let Some(taken) = take_apart(word) else {
            return Shape::Other;
        };
        match marks(taken.core) {
            Some(marks) => Shape::Number {
                marks,
                affix: taken.affix,
                odd_sign: taken.odd_sign,
            },
            None => Shape::Other,
        }
    }
}

/// Removes sign and affix; `None` if the rest cannot be a number.
pub(crate) fn take_apart(word: &str) -> Option<Taken<'_>> {
    const LONGEST: usize = 100;
    if word.len() > LONGEST || !word.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let blank = |c: char| BLANKS.contains(&c);
    let mut taken = Taken {
        negative: false,
        odd_sign: false,
        affix: None,
        core: word,
    };
    let (mut signs, mut rest) = (0, word);
    // Sign, affix and parentheses may stand in any order: -$5, $-5, ($5), $(5), 5 €-.
    loop {
        rest = rest.trim_matches(blank);
        if let Some(inside) = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
            (taken.negative, taken.odd_sign, rest) = (true, true, inside);
            signs += 1;
        } else if let Some(behind) = rest.strip_prefix(['-', '\u{2212}']) {
            (taken.negative, taken.odd_sign) = (true, taken.odd_sign || !rest.starts_with('-'));
            rest = behind;
            signs += 1;
        } else if let Some(behind) = rest.strip_prefix('+') {
            rest = behind;
            signs += 1;
        } else if let Some(before) = rest.strip_suffix(['-', '\u{2212}']) {
            (taken.negative, taken.odd_sign, rest) = (true, true, before);
            signs += 1;
        } else if let Some((affix, left)) = affix(rest).filter(|_| taken.affix.is_none()) {
            (taken.affix, rest) = (Some(affix), left);
        } else {
            break;
        }
    }
    taken.core = rest;
    (signs <= 1).then_some(taken)
}

/// The affix before or after a number, and the rest.
fn affix(text: &str) -> Option<(Affix, &str)> {
    for sign in ['%', '‰'] {
        let rest = text.strip_suffix(sign).or_else(|| text.strip_prefix(sign));
        if let Some(rest) = rest {
            return Some((Affix::Share(sign), rest));
        }
    }
    let of_number =
        |c: char| c.is_ascii_digit() || ".,'’()-+\u{2212}".contains(c) || BLANKS.contains(&c);
    let start = text.find(of_number)?;
    let before = text.get(..start)?;
    if is_currency(before) {
        return Some((Affix::Currency(before.to_owned()), text.get(start..)?));
    }
    let digit = text.rfind(|c: char| c.is_ascii_digit() || ")-\u{2212}".contains(c))?;
    let end = digit + text.get(digit..)?.chars().next()?.len_utf8();
    let behind = text.get(end..)?.trim_matches(|c| BLANKS.contains(&c));
    is_currency(behind).then(|| {
        (
            Affix::Currency(behind.to_owned()),
            text.get(..end).unwrap_or_default(),
        )
    })
}

/// A sign of Unicode's class of currencies, `US$` and `R$`, or a code.
fn is_currency(word: &str) -> bool {
    let sign = |c: char| {
        matches!(
            c,
            '$' | '£' | '¥' | '¤' | '€' | '฿' | '₠'..='\u{20cf}' | '￥' | '＄'
        )
    };
    let letters = |text: &str| text.len() <= 3 && text.bytes().all(|b| b.is_ascii_uppercase());
    let mut chars = word.chars();
    match chars.next_back() {
        Some(last) if sign(last) => letters(chars.as_str()),
        _ => CODES.contains(&word) || WORDS.contains(&word),
    }
}

/// How digits with marks between them can be read; `None` if they are not a number.
fn marks(core: &str) -> Option<Marks> {
    let (digits, exponent) = match core.find(['e', 'E']) {
        Some(at) => (core.get(..at)?, Some(core.get(at + 1..)?)),
        None => (core, None),
    };
    if let Some(exponent) = exponent {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if exponent.is_empty() || !exponent.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
    }
    let (mut runs, mut seps) = (vec![0usize], Vec::new());
    for c in digits.chars() {
        match c {
            '0'..='9' => *runs.last_mut()? += 1,
            ',' => seps.push(Group::Comma),
            '.' => seps.push(Group::Point),
            '\'' | '’' => seps.push(Group::Apostrophe),
            c if BLANKS.contains(&c) => seps.push(Group::Blank),
            _ => return None,
        }
        if !c.is_ascii_digit() {
            runs.push(0);
        }
    }
    if runs.iter().all(|run| *run == 0) {
        return None;
    }
    let byte = |group: Group| match group {
        Group::Comma => Some(b','),
        Group::Point => Some(b'.'),
        _ => None,
    };
    // 1234 567 and 012 345 are not grouped numbers; 0,123 is a fraction.
    let in_threes = |runs: &[usize]| {
        let (first, rest) = runs.split_first()?;
        let whole = (1..=3).contains(first) && !digits.starts_with('0');
        (whole && !rest.is_empty() && rest.iter().all(|run| *run == 3)).then_some(())
    };
    let plain = exponent.is_none();
    match seps.as_slice() {
        [] => Some(Marks::None),
        [one] => match byte(*one) {
            Some(mark) if plain && in_threes(&runs).is_some() => Some(Marks::Either(mark)),
            Some(mark) => Some(Marks::Decimal(mark)),
            None => in_threes(&runs)
                .filter(|()| plain)
                .map(|()| Marks::Grouped(*one, None)),
        },
        [first, .., last] => {
            let all_alike = seps.iter().all(|sep| sep == first);
            if all_alike {
                in_threes(&runs).filter(|()| plain)?;
                return Some(Marks::Grouped(*first, None));
            }
            let (_, before) = seps.split_last()?;
            let (_, whole) = runs.split_last()?;
            let decimal = byte(*last)?;
            in_threes(whole).filter(|()| plain && before.iter().all(|sep| sep == first))?;
            (first != last).then_some(Marks::Grouped(*first, Some(decimal)))
        }
    }
}

/// Whether a character stands between groups.
pub(crate) fn separates(group: Group, c: char) -> bool {
    match group {
        Group::Comma => c == ',',
        Group::Point => c == '.',
        Group::Blank => BLANKS.contains(&c),
        Group::Apostrophe => c == '\'' || c == '’',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks_of(cell: &str) -> Option<Marks> {
        match Shape::from_cell(cell) {
            Shape::Number { marks, .. } => Some(marks),
            _ => None,
        }
    }

    #[test]
    fn marks_say_what_they_can_be() {
        use Group::{Apostrophe, Blank, Comma, Point};
        for (cell, expected) in [
            ("1234", Marks::None),
            ("1.5", Marks::Decimal(b'.')),
            ("1,5", Marks::Decimal(b',')),
            ("0,123", Marks::Decimal(b',')),
            ("1234,567", Marks::Decimal(b',')),
            ("1,5e3", Marks::Decimal(b',')),
            (".5", Marks::Decimal(b'.')),
            ("1,234", Marks::Either(b',')),
            ("-1.234", Marks::Either(b'.')),
            ("1,234,567", Marks::Grouped(Comma, None)),
            ("1,234.5", Marks::Grouped(Comma, Some(b'.'))),
            ("1.234,50", Marks::Grouped(Point, Some(b','))),
            ("1 234", Marks::Grouped(Blank, None)),
            (
                "1\u{202f}234\u{202f}567,8",
                Marks::Grouped(Blank, Some(b',')),
            ),
            ("1'234.50", Marks::Grouped(Apostrophe, Some(b'.'))),
            ("12’345", Marks::Grouped(Apostrophe, None)),
        ] {
            assert_eq!(marks_of(cell), Some(expected), "{cell}");
        }
        for cell in [
            "",
            "-",
            "abc",
            "1.2.3",
            "2024-01-31",
            "1,2,3",
            "12,34,567",
            "012 345",
            "1e",
            "12 kg",
            "1_000",
            "0x1A",
            "1+2j",
            "--5",
            "(-5)",
            "10.0.0.1",
            "12:30",
            "Room 5",
            "5th",
            "A$",
            "%",
        ] {
            assert_eq!(Shape::from_cell(cell), Shape::Other, "{cell}");
        }
    }

    #[test]
    fn signs_and_affixes_are_taken_off() {
        for (cell, negative, affix, core) in [
            ("12 %", false, Some(Affix::Share('%')), "12"),
            ("-3.5%", true, Some(Affix::Share('%')), "3.5"),
            (
                "€1.234,00",
                false,
                Some(Affix::Currency("€".to_owned())),
                "1.234,00",
            ),
            (
                "1.234,00 €",
                false,
                Some(Affix::Currency("€".to_owned())),
                "1.234,00",
            ),
            ("-$5", true, Some(Affix::Currency("$".to_owned())), "5"),
            ("$-5", true, Some(Affix::Currency("$".to_owned())), "5"),
            (
                "($1,234)",
                true,
                Some(Affix::Currency("$".to_owned())),
                "1,234",
            ),
            ("$(5)", true, Some(Affix::Currency("$".to_owned())), "5"),
            ("R$ 5", false, Some(Affix::Currency("R$".to_owned())), "5"),
            (
                "CHF 1'234.50",
                false,
                Some(Affix::Currency("CHF".to_owned())),
                "1'234.50",
            ),
            (
                "100 kr",
                false,
                Some(Affix::Currency("kr".to_owned())),
                "100",
            ),
            ("5 USD", false, Some(Affix::Currency("USD".to_owned())), "5"),
            ("(1,234)", true, None, "1,234"),
            ("1,234-", true, None, "1,234"),
            ("+5", false, None, "5"),
        ] {
            let taken = take_apart(cell).expect(cell);
            assert_eq!(
                (taken.negative, taken.affix, taken.core),
                (negative, affix, core),
                "{cell}"
            );
        }
    }
}
