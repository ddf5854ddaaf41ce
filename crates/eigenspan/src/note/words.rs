//! Lists and numbers as notes write them.

use crate::error::grouped;

/// Components by their numbers: "component 3", "components 5 to 10", "components 2, 5 and 9".
pub(super) fn numbered(components: &[usize]) -> String {
    match components {
        [one] => format!("component {one}"),
        [first, .., last] if last - first + 1 == components.len() => {
            format!("components {first} to {last}")
        }
        [some @ .., last] => {
            let some: Vec<String> = some.iter().map(usize::to_string).collect();
            format!("components {} and {last}", some.join(", "))
        }
        [] => "no component".to_owned(),
    }
}

/// Names as a list that stays readable: at most six, then how many more.
pub fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut out = names
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        out += &format!(" and {} more", grouped((names.len() - SHOWN) as u64));
    }
    out
}

/// A ratio to two digits, in full: 6400000 becomes 6,400,000.
pub fn rounded(ratio: f64) -> String {
    if !(10.0..1e15).contains(&ratio) {
        return format!("{ratio:.2e}");
    }
    let step = 10f64.powf(ratio.log10().floor() - 1.0);
    grouped(((ratio / step).round() * step) as u64)
}
