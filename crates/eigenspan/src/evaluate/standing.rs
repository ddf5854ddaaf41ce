//! Whether components can be told apart, in numbers and in words.

use serde::Serialize;

use super::apart::Place;

/// A component among its neighbors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The first component that it cannot be told apart from, counted from 1; itself where it can be told apart.
    pub first: usize,
    /// The last such component, which may lie beyond the components with intervals.
    pub last: usize,
    /// Whether its eigenvalue lies far enough from those of its neighbors for it to have a direction of its own: only then do loadings
    /// and correlations have intervals.
    pub apart: bool,
}

impl Standing {
    pub(super) fn from_place(place: &Place) -> Self {
        Standing {
            first: place.first + 1,
            last: place.last + 1 + place.hidden,
            apart: place.widening.is_some(),
        }
    }

    fn is_alone(&self) -> bool {
        self.first == self.last
    }
}

/// A sentence for every run of components that are not apart.
pub(super) fn notes(standings: &[Standing], names: &[String]) -> Vec<String> {
    let name = |i: usize| {
        names
            .get(i)
            .cloned()
            .unwrap_or_else(|| format!("PC{}", i + 1))
    };
    let mut notes = Vec::new();
    let mut i = 0;
    while i < standings.len() {
        let standing = &standings[i];
        let last = standing.last.min(standings.len());
        if !standing.is_alone() {
            let beyond = standing.last > standings.len();
            let of = match (i + 1 == last, beyond) {
                (true, _) => format!("{} and components after it", name(i)),
                (false, true) => format!(
                    "{} to {} and components after them",
                    name(i),
                    name(last - 1)
                ),
                (false, false) if i + 2 == last => format!("{} and {}", name(i), name(last - 1)),
                (false, false) => format!("{} to {}", name(i), name(last - 1)),
            };
            notes.push(format!(
                "{of} cannot be told apart by these rows: their eigenvalues have wide intervals, and their loadings have no intervals"
            ));
        } else if !standing.apart {
            notes.push(format!(
                "{} has no intervals of its loadings: with so few rows it is uncertain how far its eigenvalue lies from its neighbors'",
                name(i)
            ));
        }
        i = last.max(i + 1);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_that_are_not_apart_are_named() {
        let standing = |first, last, apart| Standing { first, last, apart };
        let names: Vec<String> = (1..=6).map(|i| format!("PC{i}")).collect();
        let alone = [standing(1, 1, true), standing(2, 2, false)];
        assert_eq!(
            notes(&alone, &names),
            [
                "PC2 has no intervals of its loadings: with so few rows it is uncertain how far its eigenvalue lies from its neighbors'"
            ]
        );
        let end = " cannot be told apart by these rows: their eigenvalues have wide intervals, and their loadings have no intervals";
        for (group, looked_at, words) in [
            ((2, 3), 3, "PC2 and PC3"),
            ((2, 4), 4, "PC2 to PC4"),
            ((2, 20), 4, "PC2 to PC4 and components after them"),
            ((2, 9), 2, "PC2 and components after it"),
        ] {
            let mut list = vec![standing(1, 1, true)];
            list.extend(vec![standing(group.0, group.1, false); looked_at - 1]);
            assert_eq!(notes(&list, &names), [format!("{words}{end}")]);
        }
    }
}
