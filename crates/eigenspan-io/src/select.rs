//! Which columns an option selects: by name, range, pattern or number. An exact name wins over every other reading.

use std::collections::HashMap;

use eigenspan::error::nearest;

use crate::error::ReadError;
use crate::options::ReadOptions;

/// What the options say about the columns of a file.
pub(crate) struct Chosen {
    /// Columns to analyze, as far as their cells allow.
    pub(crate) columns: Vec<bool>,
    pub(crate) id: Option<usize>,
    pub(crate) label: Option<usize>,
    pub(crate) weight: Option<usize>,
}

/// The names of a file's columns, in which selections are looked up.
pub(crate) struct Names<'a> {
    file: &'a str,
    names: &'a [String],
    places: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// Takes the names in the order of the file; all differ.
    pub(crate) fn new(file: &'a str, names: &'a [String]) -> Self {
        let places = names.iter().enumerate().map(|(i, n)| (n.as_str(), i));
        Names {
            file,
            names,
            places: places.collect(),
        }
    }

    /// The columns that the options select, without those that have another role.
    pub(crate) fn choose(&self, options: &ReadOptions) -> Result<Chosen, ReadError> {
        let one = |name: &Option<String>| name.as_ref().map(|name| self.one(name)).transpose();
        let (id, label, weight) = (
            one(&options.id_column)?,
            one(&options.label_column)?,
            one(&options.weight_column)?,
        );
        let mut columns = if options.columns.is_empty() {
            vec![true; self.names.len()]
        } else {
            self.select(&options.columns)?
        };
        for (chosen, excluded) in columns.iter_mut().zip(self.select(&options.exclude)?) {
            *chosen &= !excluded;
        }
        for col in [id, label, weight].into_iter().flatten() {
            columns[col] = false;
        }
        Ok(Chosen {
            columns,
            id,
            label,
            weight,
        })
    }

    /// Marks every column that one of the items selects.
    fn select(&self, items: &[String]) -> Result<Vec<bool>, ReadError> {
        let mut chosen = vec![false; self.names.len()];
        for item in items {
            self.mark(item, &mut chosen)?;
        }
        Ok(chosen)
    }

    /// The one column that `name` selects: a name, or a number from 1.
    pub(crate) fn one(&self, name: &str) -> Result<usize, ReadError> {
        self.exact(name)
            .or_else(|| self.number(name))
            .ok_or_else(|| self.no_column(name))
    }

    fn mark(&self, item: &str, chosen: &mut [bool]) -> Result<(), ReadError> {
        if let Ok(col) = self.one(item) {
            chosen[col] = true;
            return Ok(());
        }
        if let Some((from, to)) = self.range(item) {
            chosen[from..=to].fill(true);
            return Ok(());
        }
        if item.contains(['*', '?']) {
            let mut any = false;
            for (name, chosen) in self.names.iter().zip(chosen.iter_mut()) {
                if matches_glob(item, name) {
                    *chosen = true;
                    any = true;
                }
            }
            return any.then_some(()).ok_or_else(|| self.no_column(item));
        }
        if item.contains(',') {
            for part in item.split(',') {
                self.mark(part.trim(), chosen)?;
            }
            return Ok(());
        }
        Err(self.no_column(item))
    }

    /// `c-f` or `3-5`; a name may hold a hyphen itself, so every cut is tried.
    fn range(&self, item: &str) -> Option<(usize, usize)> {
        item.match_indices('-').find_map(|(cut, _)| {
            let (from, to) = (item[..cut].trim(), item[cut + 1..].trim());
            let by_name = self.exact(from).zip(self.exact(to));
            let (from, to) = by_name.or_else(|| self.number(from).zip(self.number(to)))?;
            Some((from.min(to), from.max(to)))
        })
    }

    fn exact(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    fn number(&self, text: &str) -> Option<usize> {
        let number: usize = text.parse().ok()?;
        (1..=self.names.len()).contains(&number).then(|| number - 1)
    }

    fn no_column(&self, name: &str) -> ReadError {
        ReadError::NoColumn {
            file: self.file.to_owned(),
            name: name.to_owned(),
            near: nearest(name, self.names.iter().map(String::as_str)),
            columns: self.names.to_vec(),
        }
    }
}

/// `*` stands for any letters, `?` for one.
pub(crate) fn matches_glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // On a mismatch, go back to the last star and let it take one letter more: linear space, no recursion.
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    p = at + 1;
                    n = taken + 1;
                    star = Some((at, taken + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str], items: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        let items: Vec<String> = items.iter().map(|n| (*n).to_owned()).collect();
        let found = Names::new("t.csv", &names).select(&items).unwrap();
        let kept = names.iter().zip(found).filter(|(_, chosen)| *chosen);
        kept.map(|(name, _)| name.clone()).collect()
    }

    #[test]
    fn names_ranges_patterns_and_numbers_are_understood() {
        let names = ["a", "b", "c", "pix1", "pix2", "x-y"];
        assert_eq!(chosen(&names, &["a-c"]), ["a", "b", "c"]);
        assert_eq!(chosen(&names, &["2-3"]), ["b", "c"]);
        assert_eq!(chosen(&names, &["pix*"]), ["pix1", "pix2"]);
        assert_eq!(chosen(&names, &["pix?", "1"]), ["a", "pix1", "pix2"]);
        assert_eq!(chosen(&names, &["c-x-y"]), ["c", "pix1", "pix2", "x-y"]);
        assert_eq!(chosen(&names, &["a, pix1"]), ["a", "pix1"]);
    }

    #[test]
    fn an_exact_name_wins_over_every_other_reading() {
        assert_eq!(chosen(&["2", "1", "1-2"], &["2"]), ["2"]);
        assert_eq!(chosen(&["2", "1", "1-2"], &["1-2"]), ["1-2"]);
        assert_eq!(chosen(&["a*", "ab"], &["a*"]), ["a*"]);
    }
}
