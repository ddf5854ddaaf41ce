//! Text of ranges of numbers, for trying several values: `1..5` and `0.001..10:5`.

/// The most values of a range.
const MOST: f64 = 1000.0;
/// Digits of the numbers within a range: enough to tell them apart, few enough to read and type.
const DIGITS: usize = 4;

/// The whole numbers from one to another, or `count` numbers with equal ratios; an error says why a range has no numbers.
///
/// Numbers between the ends are rounded to four digits, where they stay different.
pub(crate) fn numbers_between(from: f64, to: f64, count: Option<f64>) -> Result<Vec<f64>, String> {
    let text = format!("{from}..{to}");
    if to <= from {
        return Err(format!(
            "the range {text} is empty: it goes from a number to a larger one"
        ));
    }
    let Some(count) = count else {
        if from.fract() != 0.0 || to.fract() != 0.0 || !from.is_finite() || to - from >= MOST {
            return Err(format!(
                "{text} without a count stands for at most {MOST} whole numbers; {text}:5 would be 5 numbers with equal ratios"
            ));
        }
        return Ok((0..=(to - from) as usize)
            .map(|i| from + i as f64)
            .collect());
    };
    if count.fract() != 0.0 || !(2.0..=MOST).contains(&count) {
        return Err(format!(
            "a range takes 2 to {MOST} values, not {count}, as in {text}:5"
        ));
    }
    if from <= 0.0 || !to.is_finite() {
        return Err(format!(
            "the numbers of {text}:{count} have equal ratios, so they lie above 0; others are listed, as in [-1, 0, 1]"
        ));
    }
    let last = count - 1.0;
    let exact: Vec<f64> = (0..count as usize)
        .map(|i| match i as f64 {
            0.0 => from,
            i if i == last => to,
            i => from * (to / from).powf(i / last),
        })
        .collect();
    let mut short = exact.clone();
    for x in short.iter_mut().take(exact.len() - 1).skip(1) {
        *x = rounded(*x, DIGITS);
    }
    let apart = short.windows(2).all(|pair| pair[0] < pair[1]);
    Ok(if apart { short } else { exact })
}

/// A number rounded to this many digits.
pub(crate) fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits.saturating_sub(1))
        .parse()
        .unwrap_or(x)
}
