//! Labels of rows as classes: their names in order, and the number of the class of every row.

use std::collections::HashMap;

use super::contract::Training;
use crate::error::{ClassFault, Error};
use crate::prepare::Missing;
use crate::summary::UNLABELED;

/// The classes of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Labels {
    /// Names of the classes: by size where all are numbers, else in alphabetical order.
    pub(super) names: Vec<String>,
    /// The class of every row; [`UNLABELED`] for a row that is left out because its label is missing.
    pub(super) of_rows: Vec<u32>,
}

impl Labels {
    /// The labels of rows that a method learns from; refused where they are no classes.
    pub(super) fn for_training(
        training: &Training<'_>,
        (method, missing): (&'static str, Missing),
    ) -> Result<Self, Error> {
        let drops = missing == Missing::Drop;
        Labels::new(training.must_have_labels(method)?, drops)
    }

    /// From the label of every row; refused where a row has none and such rows are not to be dropped, where all rows have one label, and
    /// where labels are measurements.
    fn new(labels: &[String], drops: bool) -> Result<Self, Error> {
        let refuse = |fault| Err(Error::Classes(fault));
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut found: Vec<&str> = Vec::new();
        let mut of_rows = Vec::with_capacity(labels.len());
        let (mut unlabeled, mut first) = (0, None);
        for (row, label) in labels.iter().enumerate() {
            let label = label.trim();
            if label.is_empty() {
                unlabeled += 1;
                first.get_or_insert(row);
                of_rows.push(UNLABELED);
                continue;
            }
            let number = *numbers.entry(label).or_insert_with(|| {
                found.push(label);
                found.len() as u32 - 1
            });
            of_rows.push(number);
        }
        if let Some(first) = first.filter(|_| !drops) {
            return refuse(ClassFault::Unlabeled {
                rows: unlabeled,
                first,
            });
        }
        if found.len() < 2 {
            let label = found.first().map(|label| (*label).to_owned());
            return refuse(ClassFault::OneClass { label });
        }
        let values = numbers_in(&found);
        if let Some(values) = &values {
            refuse_measurements(values, labels.len() - unlabeled)?;
        }
        let mut order: Vec<usize> = (0..found.len()).collect();
        match &values {
            Some(values) => order.sort_by(|&a, &b| {
                let by_value = values[a].total_cmp(&values[b]);
                by_value.then_with(|| found[a].cmp(found[b]))
            }),
            None => order.sort_by_key(|&i| found[i]),
        }
        let mut place = vec![0u32; found.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new as u32;
        }
        let labeled = of_rows.iter_mut().filter(|class| **class != UNLABELED);
        labeled.for_each(|class| *class = place[*class as usize]);
        Ok(Labels {
            names: order.iter().map(|&i| found[i].to_owned()).collect(),
            of_rows,
        })
    }

    /// How many classes there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

/// The labels as numbers, if all of them are.
fn numbers_in(labels: &[&str]) -> Option<Vec<f64>> {
    let number = |label: &&str| label.parse::<f64>().ok().filter(|x| x.is_finite());
    labels.iter().map(number).collect()
}

/// Refuses numbers that are no names of classes: different in more than half of the rows, or with digits after the point.
fn refuse_measurements(values: &[f64], n_rows: usize) -> Result<(), Error> {
    /// So few numbers may be names of classes whatever they look like.
    const FEW: usize = 5;
    /// So few fractions may be codes, such as the grades 1.3 and 1.7.
    const FEW_FRACTIONS: usize = 20;
    let n_classes = values.len();
    let fractions = values.iter().any(|x| x.fract() != 0.0);
    let many = 2 * n_classes > n_rows && n_classes > FEW;
    match many || (fractions && n_classes > FEW_FRACTIONS) {
        true => Err(Error::Classes(ClassFault::Measurement {
            n_classes,
            n_rows,
            fractions,
        })),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(given: &[&str]) -> Result<Labels, Error> {
        let given: Vec<String> = given.iter().map(|label| (*label).to_owned()).collect();
        Labels::new(&given, true)
    }

    #[test]
    fn numbers_are_ordered_by_size_and_words_by_letters() {
        let found = labels(&["10", "9", " 2", "9", "2"]).expect("classes");
        assert_eq!(found.names, ["2", "9", "10"]);
        assert_eq!(found.of_rows, [2, 1, 0, 1, 0]);
        let found = labels(&["b", "10", "9"]).expect("classes");
        assert_eq!(found.names, ["10", "9", "b"]);
        let found = labels(&["b", "", "a"]).expect("classes");
        assert_eq!(found.of_rows, [1, UNLABELED, 0]);
    }
}
