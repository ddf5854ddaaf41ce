//! Numbers of components to try: `5`, `2,5,10`, `1..10`, `1..64:7`.

use std::str::FromStr;

use crate::error::Error;
use crate::kernel::numbers_between;

/// Counts, smallest first, without duplicates; at least one.
///
/// ```
/// use eigenspan::evaluate::Counts;
///
/// assert_eq!("1..4".parse::<Counts>()?.values(), [1, 2, 3, 4]);
/// assert_eq!("10, 2,5".parse::<Counts>()?.values(), [2, 5, 10]);
/// assert_eq!("1..100:5".parse::<Counts>()?.values(), [1, 3, 10, 32, 100]);
/// assert!("0..3".parse::<Counts>().is_err());
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(Vec<usize>);

impl Counts {
    /// From a list of counts.
    pub fn new(mut counts: Vec<usize>) -> Result<Self, Error> {
        counts.sort_unstable();
        counts.dedup();
        match counts.first() {
            None | Some(0) => Err(Error::NoComponents),
            Some(_) => Ok(Counts(counts)),
        }
    }

    /// The counts, smallest first.
    pub fn values(&self) -> &[usize] {
        &self.0
    }

    /// The largest.
    pub fn largest(&self) -> usize {
        self.0.last().copied().unwrap_or(1)
    }
}

const ALLOWED: &str = "a count (5), several (2,5,10), a range (1..10) or some counts of a range with equal ratios (1..64:7)";

impl FromStr for Counts {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = |given: String| Error::UnknownValue {
            option: "n_components",
            given,
            allowed: ALLOWED,
        };
        let number = |part: &str| -> Result<f64, Error> {
            let count = part.trim().parse::<u32>();
            count.map(f64::from).map_err(|_| refuse(text.to_owned()))
        };
        let mut counts = Vec::new();
        for part in text.split(',') {
            let Some((from, rest)) = part.split_once("..") else {
                counts.push(number(part)? as usize);
                continue;
            };
            let (to, count) = match rest.split_once(':') {
                Some((to, count)) => (to, Some(number(count)?)),
                None => (rest, None),
            };
            let range = numbers_between(number(from)?, number(to)?, count);
            let range = range.map_err(|what| refuse(format!("{text} ({what})")))?;
            counts.extend(range.into_iter().map(|x| x.round() as usize));
        }
        Counts::new(counts)
    }
}

list_as_text!(
    Counts,
    "Counts such as \"5\", \"2,5,10\", \"1..10\" or \"1..64:7\""
);
