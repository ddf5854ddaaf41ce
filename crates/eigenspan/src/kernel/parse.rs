//! From text to a kernel, with errors that point at the column.
//!
//! ```text
//! sum     = product { "+" product }
//! product = factor { "*" factor }
//! factor  = number | "(" sum ")" | "exp(" sum ")" | "normalize(" sum ")" | name [ "(" parameter { "," parameter } ")" ]
//! ```
//!
//! Where several kernels are read ([`super::KernelGrid`]), a number or a parameter's value may also be a list or a range:
//!
//! ```text
//! several = "[" value { "," value } "]" | from ".." to [ ":" count ]
//! ```

use std::str::FromStr;

use super::base::{GAMMAS, NAMES};
use super::range::numbers_between;
use super::{Base, Gamma, Kernel};
use crate::error::{Error, nearest};

/// The deepest nesting of parentheses.
const DEEPEST: usize = 50;

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Parser::new(text, None).whole_text()
    }
}

/// A place in a text where one of several values may stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// The base kernel whose parameter it is; empty for a number in front.
    pub(super) kernel: &'static str,
    /// The parameter.
    pub(super) name: &'static str,
    /// The values, as text.
    pub(super) values: Vec<String>,
}

/// One kernel of a text that stands for several: the picked value at each place, or the first where none is picked. Gives the
/// places, too.
pub(super) fn read_picked(text: &str, picks: &[usize]) -> Result<(Kernel, Vec<Place>), Error> {
    let mut parser = Parser::new(text, Some(picks));
    let kernel = parser.whole_text()?;
    Ok((kernel, parser.places))
}

/// Where in the text the parser is.
struct Parser<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
    depth: usize,
    /// Which of several values to take, place by place; None where a text stands for one kernel.
    picks: Option<&'a [usize]>,
    places: Vec<Place>,
}

/// A factor of a product.
enum Factor {
    Number(f64),
    Kernel(Kernel),
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, picks: Option<&'a [usize]>) -> Self {
        Parser {
            text,
            at: 0,
            depth: 0,
            picks,
            places: Vec::new(),
        }
    }

    /// The kernel that the whole text is.
    fn whole_text(&mut self) -> Result<Kernel, Error> {
        let kernel = self.sum()?;
        match self.peek() {
            None => Ok(kernel),
            Some('-') => Err(self.fault(
                "a difference of kernels is not a kernel; kernels are joined by `+` and `*`",
            )),
            Some(other) => Err(self.fault(format!(
                "`{other}` is not expected here; kernels are joined by `+` and `*`"
            ))),
        }
    }

    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, sign: char) -> bool {
        let there = self.peek() == Some(sign);
        if there {
            self.at += sign.len_utf8();
        }
        there
    }

    fn fault(&self, what: impl Into<String>) -> Error {
        self.fault_at(self.at, what)
    }

    fn fault_at(&self, at: usize, what: impl Into<String>) -> Error {
        Error::KernelText {
            text: self.text.to_owned(),
            column: self.text[..at].chars().count() + 1,
            what: what.into(),
        }
    }

    /// What was found there instead, as the beginning of a sentence.
    fn found_instead(&mut self) -> String {
        match self.peek() {
            Some(sign) => format!("`{sign}` is not expected here"),
            None => "the text ends here".to_owned(),
        }
    }

    fn sum(&mut self) -> Result<Kernel, Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault(format!("more than {DEEPEST} parentheses in each other")));
        }
        let mut sum = self.product()?;
        while self.take('+') {
            sum = sum + self.product()?;
        }
        self.depth -= 1;
        Ok(sum)
    }

    fn product(&mut self) -> Result<Kernel, Error> {
        self.peek();
        let start = self.at;
        let mut number = 1.0;
        let mut kernel: Option<Kernel> = None;
        loop {
            match self.factor()? {
                Factor::Number(factor) => number *= factor,
                Factor::Kernel(factor) => {
                    kernel = Some(match kernel {
                        Some(kernel) => kernel * factor,
                        None => factor,
                    });
                }
            }
            if !self.take('*') {
                break;
            }
        }
        let Some(kernel) = kernel else {
            let what = "a number alone is not a kernel; it stands before one, as in `0.5*rbf`";
            return Err(self.fault_at(start, what));
        };
        kernel
            .times(number)
            .map_err(|error| self.fault_at(start, error.to_string()))
    }

    fn factor(&mut self) -> Result<Factor, Error> {
        match self.peek() {
            Some('(') => self.nested().map(Factor::Kernel),
            Some(sign) if sign.is_ascii_digit() || matches!(sign, '.' | '-' | '[') => self
                .several("", "factor", Self::multiple, |number| {
                    let above = number > 0.0 && number.is_finite();
                    let what =
                        || format!("a kernel is multiplied by a number above 0, not by {number}");
                    above.then_some(number).ok_or_else(what)
                })
                .map(Factor::Number),
            Some(sign) if sign.is_alphabetic() => self.named().map(Factor::Kernel),
            _ => {
                let found = self.found_instead();
                Err(self.fault(format!("{found}, but a kernel or a number is expected")))
            }
        }
    }

    /// The number in front of a kernel.
    fn multiple(&mut self) -> Result<f64, Error> {
        let start = self.at;
        let number = self.number()?;
        if number > 0.0 && number.is_finite() {
            return Ok(number);
        }
        let given = &self.text[start..self.at];
        let what = format!("a kernel is multiplied by a number above 0, not by {given}");
        Err(self.fault_at(start, what))
    }

    /// A kernel in parentheses.
    fn nested(&mut self) -> Result<Kernel, Error> {
        if !self.take('(') {
            let found = self.found_instead();
            return Err(self.fault(format!("{found}, but `(` and a kernel are expected")));
        }
        let kernel = self.sum()?;
        self.close("`+`, `*` or `)`")?;
        Ok(kernel)
    }

    fn close(&mut self, expected: &str) -> Result<(), Error> {
        if self.take(')') {
            return Ok(());
        }
        let found = self.found_instead();
        Err(self.fault(format!("{found}, but {expected} is expected")))
    }

    fn word(&mut self) -> &'a str {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// The longest run of digits, point, exponent and sign.
    fn number(&mut self) -> Result<f64, Error> {
        self.peek();
        let (start, rest) = (self.at, &self.text[self.at..]);
        // Two points belong to a range.
        let rest = &rest[..rest.find("..").unwrap_or(rest.len())];
        let mut last = ' ';
        let end = rest.find(|c: char| {
            let sign = (c == '-' || c == '+') && !matches!(last, 'e' | 'E' | ' ');
            let part = c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
            last = c;
            sign || !part
        });
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        match word.parse::<f64>() {
            Ok(number) if !number.is_nan() => Ok(number),
            _ if word.is_empty() => {
                let found = self.found_instead();
                Err(self.fault(format!("{found}, but a number is expected")))
            }
            _ => Err(self.fault_at(start, format!("`{word}` is not a number"))),
        }
    }

    fn named(&mut self) -> Result<Kernel, Error> {
        let start = self.at;
        let word = self.word();
        let lower = word.to_lowercase();
        let name = lower.as_str();
        match name {
            "exp" => return self.nested().map(Kernel::exp),
            "normalize" => return self.nested().map(Kernel::normalized),
            _ => {}
        }
        let Some(mut base) = Base::named(name) else {
            let all = NAMES.into_iter().chain(["exp", "normalize"]);
            let what = unknown(word, "kernel", all.collect());
            return Err(self.fault_at(start, what));
        };
        let mut seen = Vec::new();
        if self.take('(') && !self.take(')') {
            loop {
                self.parameter(&mut base, &mut seen)?;
                if !self.take(',') {
                    break;
                }
            }
            self.close("`,` or `)`")?;
        }
        Kernel::base(base).map_err(|error| self.fault_at(start, error.to_string()))
    }

    /// `name=value`, written into a kernel.
    fn parameter(&mut self, base: &mut Base, seen: &mut Vec<&'a str>) -> Result<(), Error> {
        self.peek();
        let start = self.at;
        let name = self.word();
        let known = parameters(base);
        if name.is_empty() || known.is_empty() {
            let found = self.found_instead();
            let expected = match known.is_empty() {
                true => format!("{} takes no parameters", base.name()),
                false => format!("{found}, but {} takes {}", base.name(), known.join(", ")),
            };
            return Err(self.fault_at(start, expected));
        }
        if !known.contains(&name) {
            let what = unknown(
                name,
                &format!("parameter of {}", base.name()),
                known.to_vec(),
            );
            return Err(self.fault_at(start, what));
        }
        // sigma is another way to say gamma.
        let meaning = if name == "sigma" { "gamma" } else { name };
        if seen.contains(&meaning) {
            let twice = match known.contains(&"sigma") && meaning == "gamma" {
                true => "gamma or sigma is given twice".to_owned(),
                false => format!("{name} is given twice"),
            };
            return Err(self.fault_at(start, twice));
        }
        seen.push(meaning);
        if !self.take('=') {
            let found = self.found_instead();
            return Err(self.fault(format!("{found}, but `=` and a value are expected")));
        }
        let (kernel, asked) = (base.name(), *base);
        let one = |parser: &mut Self| {
            let mut base = asked;
            parser.value(&mut base, name)?;
            Ok(base)
        };
        let of_number = |number| {
            let mut base = asked;
            assign(&mut base, name, number)?;
            Ok(base)
        };
        let name = known.iter().find(|known| **known == name);
        *base = self.several(kernel, name.copied().unwrap_or_default(), one, of_number)?;
        Ok(())
    }

    /// One value; where several are allowed, also a list or a range of values, from which the picked one is taken.
    fn several<V: PartialEq + Copy>(
        &mut self,
        kernel: &'static str,
        name: &'static str,
        one: impl Fn(&mut Self) -> Result<V, Error>,
        of_number: impl Fn(f64) -> Result<V, String>,
    ) -> Result<V, Error> {
        self.peek();
        let start = self.at;
        let mut values: Vec<(V, String)> = Vec::new();
        if self.take('[') {
            loop {
                self.peek();
                let from = self.at;
                let value = one(self)?;
                let text = self.text[from..self.at].trim().to_owned();
                if values.iter().any(|(other, _)| *other == value) {
                    return Err(self.fault_at(from, format!("{text} is given twice")));
                }
                values.push((value, text));
                if !self.take(',') {
                    break;
                }
            }
            if !self.take(']') {
                let found = self.found_instead();
                return Err(self.fault(format!("{found}, but `,` or `]` is expected")));
            }
        } else if let Some(numbers) = self.range()? {
            for number in numbers {
                let value = of_number(number).map_err(|what| self.fault_at(start, what))?;
                values.push((value, number.to_string()));
            }
        } else {
            return one(self);
        }
        let Some(picks) = self.picks else {
            let what = "several values are given, but one kernel is needed; tune tries several";
            return Err(self.fault_at(start, what));
        };
        let picked = picks.get(self.places.len()).copied().unwrap_or(0);
        let value = values.get(picked).map(|(value, _)| *value);
        self.places.push(Place {
            kernel,
            name,
            values: values.into_iter().map(|(_, text)| text).collect(),
        });
        value.ok_or_else(|| self.fault_at(start, format!("there is no value {}", picked + 1)))
    }

    /// `from..to` or `from..to:count`, if that is what stands here.
    fn range(&mut self) -> Result<Option<Vec<f64>>, Error> {
        let start = self.at;
        let begins = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
        if !self.peek().is_some_and(begins) {
            return Ok(None);
        }
        let from = self.number()?;
        if !self.text[self.at..].starts_with("..") {
            self.at = start;
            return Ok(None);
        }
        self.at += 2;
        let to = self.number()?;
        let count = match self.take(':') {
            true => Some(self.number()?),
            false => None,
        };
        let numbers = numbers_between(from, to, count);
        numbers.map(Some).map_err(|what| self.fault_at(start, what))
    }

    fn value(&mut self, base: &mut Base, name: &str) -> Result<(), Error> {
        self.peek();
        let start = self.at;
        if name == "gamma" {
            let quote = ['"', '\''].into_iter().find(|quote| self.take(*quote));
            let begins = self.peek().is_some_and(char::is_alphabetic);
            let gamma = match begins {
                true => self.word().parse::<Gamma>().ok(),
                false => Some(Gamma::Value(self.number()?)),
            };
            let closed = quote.is_none_or(|quote| self.take(quote));
            let sound = |gamma: &Gamma| base.with_gamma(*gamma).check();
            let Some(gamma) = gamma.filter(|_| closed) else {
                let given = self.text[start..self.at].trim();
                let what = format!("gamma = {given} is not known; it takes {GAMMAS}");
                return Err(self.fault_at(start, what));
            };
            sound(&gamma).map_err(|error| self.fault_at(start, error.to_string()))?;
            *base = base.with_gamma(gamma);
            return Ok(());
        }
        let number = self.number()?;
        assign(base, name, number).map_err(|what| self.fault_at(start, what))
    }
}

/// Sets a parameter to a number; an error says why the number does not fit.
fn assign(base: &mut Base, name: &str, number: f64) -> Result<(), String> {
    match (&mut *base, name) {
        (Base::Poly { degree, .. }, "degree") => {
            if number.fract() != 0.0 || !(1.0..=100.0).contains(&number) {
                return Err(format!(
                    "degree = {number} does not fit: poly takes a whole number from 1 to 100"
                ));
            }
            *degree = number as u32;
        }
        (Base::Poly { coef0, .. } | Base::Tanh { coef0, .. }, "coef0") => *coef0 = number,
        (Base::Rbf { gamma }, "sigma") => *gamma = Gamma::Sigma(number),
        (Base::Matern { nu, .. }, "nu") => *nu = number,
        (Base::RationalQuadratic { alpha, .. }, "alpha") => *alpha = number,
        (Base::Matern { length, .. } | Base::RationalQuadratic { length, .. }, "length") => {
            *length = number;
        }
        (_, "gamma") => *base = base.with_gamma(Gamma::Value(number)),
        _ => {}
    }
    base.check().map_err(|error| error.to_string())
}

/// Names of a base kernel's parameters.
fn parameters(base: &Base) -> &'static [&'static str] {
    match base {
        Base::Poly { .. } => &["degree", "gamma", "coef0"],
        Base::Rbf { .. } => &["gamma", "sigma"],
        Base::Laplacian { .. } | Base::Chi2 { .. } => &["gamma"],
        Base::Tanh { .. } => &["gamma", "coef0"],
        Base::Matern { .. } => &["nu", "length"],
        Base::RationalQuadratic { .. } => &["alpha", "length"],
        Base::Linear | Base::Cosine | Base::Precomputed => &[],
    }
}

/// The error for an unknown word: the word, the known word nearest to it, and all known words.
fn unknown(name: &str, kind: &str, known: Vec<&str>) -> String {
    let like = match nearest(name, known.iter().copied()).first() {
        Some(like) => format!(" (`{like}`?)"),
        None => String::new(),
    };
    let s = if kind == "kernel" {
        "kernels are"
    } else {
        "there are"
    };
    format!("`{name}` is not a {kind}{like}; {s} {}", known.join(", "))
}
