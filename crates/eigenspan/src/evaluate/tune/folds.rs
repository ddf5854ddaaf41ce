//! Which rows are held out together.

use crate::error::{Error, TuningFault};
use crate::rng::Rng;

/// The fold of every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of: Vec<usize>,
    n: usize,
}

impl Folds {
    /// Random folds, as equal in size as possible. With classes, every fold gets the same number of rows of each class, up to
    /// one.
    pub fn draw(
        n_rows: usize,
        n_folds: usize,
        classes: Option<&[usize]>,
        seed: u64,
    ) -> Result<Self, Error> {
        check(n_rows, n_folds)?;
        let mut order: Vec<usize> = (0..n_rows).collect();
        Rng::new(seed).shuffle(&mut order);
        if let Some(classes) = classes {
            // Rows are shuffled within each class, and classes are dealt one after the other.
            order.sort_by_key(|&row| classes.get(row).copied().unwrap_or(0));
        }
        let mut of = vec![0; n_rows];
        for (place, row) in order.into_iter().enumerate() {
            of[row] = place % n_folds;
        }
        Ok(Folds { of, n: n_folds })
    }

    /// Given folds: the fold of every row, from 0.
    pub fn given(of: Vec<usize>) -> Result<Self, Error> {
        let n = of.iter().max().map_or(0, |last| last + 1);
        check(of.len(), n)?;
        match (0..n).find(|fold| !of.contains(fold)) {
            Some(fold) => Err(Error::Tuning(TuningFault::EmptyFold { fold, n_folds: n })),
            None => Ok(Folds { of, n }),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Always false.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.of.len()
    }

    /// Rows to learn from, and rows held out.
    pub fn split(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        (0..self.of.len()).partition(|&row| self.of[row] != fold)
    }

    /// The smallest number of training rows over all folds.
    pub fn fewest_training(&self) -> usize {
        let mut held = vec![0usize; self.n];
        self.of.iter().for_each(|&fold| held[fold] += 1);
        self.of.len() - held.into_iter().max().unwrap_or(0)
    }
}

fn check(n_rows: usize, n_folds: usize) -> Result<(), Error> {
    if n_folds < 2 || n_folds > n_rows {
        return Err(Error::Tuning(TuningFault::FoldCount { n_folds, n_rows }));
    }
    Ok(())
}
