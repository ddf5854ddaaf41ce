//! Names similar to a name that was not found, for error messages.

/// The names nearest to `asked`, best first, at most three; empty when none is similar.
///
/// Distance is the number of letters to insert, drop or swap, ignoring case; a name is similar when at most a third of its
/// letters differ, or when one begins with the other.
pub fn nearest<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    const SHOWN: usize = 3;
    let asked: Vec<char> = asked.to_lowercase().chars().take(LONGEST).collect();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let letters: Vec<char> = name.to_lowercase().chars().take(LONGEST).collect();
        let allowed = (asked.len().max(letters.len()) / 3).max(1);
        let shorter = asked.len().min(letters.len());
        let distance = if asked.len().abs_diff(letters.len()) <= allowed {
            edit_distance(&asked, &letters)
        } else {
            usize::MAX
        };
        if distance <= allowed && distance < letters.len() {
            found.push((distance, name));
        } else if shorter >= 3 && asked[..shorter] == letters[..shorter] {
            found.push((LONGEST + letters.len(), name));
        }
    }
    // The sort is stable: names at the same distance stay in the file's order.
    found.sort_by_key(|(distance, _)| *distance);
    found
        .into_iter()
        .take(SHOWN)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// The most letters of a name that are compared, so that the cost of a message does not depend on the file.
const LONGEST: usize = 64;

/// Levenshtein's distance, with two neighbors in the wrong order counted as one slip (optimal string alignment).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &to) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(from != to))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && from == b[j - 1] && a[i - 1] == to {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_of_the_finger_is_found() {
        let names = ["target", "hue", "proline", "alcohol"];
        assert_eq!(nearest("targt", names), ["target"]);
        assert_eq!(nearest("Prolien", names), ["proline"]);
        assert_eq!(nearest("alc", names), ["alcohol"]);
        assert!(nearest("zebra", names).is_empty());
    }

    #[test]
    fn one_letter_is_not_like_every_other_letter() {
        assert!(nearest("x", ["a", "b"]).is_empty());
        assert_eq!(nearest("", ["a", "b"]), Vec::<String>::new());
    }
}
