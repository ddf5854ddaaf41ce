//! Small classifiers that judge scores: scores that separate classes with few components are worth keeping.
//!
//! Each is exact and has almost no settings, so that the comparison is about the scores and not about the classifier: k nearest
//! neighbors ([`neighbors`]), Gaussian naive Bayes ([`naive_bayes`]) and linear discriminant analysis ([`discriminant`]).
//! Their choices are scikit-learn's.

mod discriminant;
mod naive_bayes;
mod neighbors;
pub(super) mod several;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::discriminant::Discriminant;
use self::naive_bayes::NaiveBayes;
use self::neighbors::Neighbors;
use crate::context::Context;
use crate::error::{Error, ShapeFault, TuningFault};
use crate::mat::Mat;
use crate::parallel;

/// A classifier for scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Classifier {
    /// The class that most of the nearest training rows have
    #[default]
    Knn,
    /// Gaussian naive Bayes: columns independent and normal within a class
    NaiveBayes,
    /// Linear discriminant analysis: normal with one covariance for all classes
    Lda,
}

/// The class of every row, as numbers in the order of their sorted names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    names: Vec<String>,
    of: Vec<usize>,
}

impl Classes {
    /// From the rows' labels; refused where a row has no label, or all have the same.
    pub fn new(labels: &[String]) -> Result<Self, Error> {
        if let Some(row) = labels.iter().position(|label| label.trim().is_empty()) {
            return Err(Error::Tuning(TuningFault::UnlabeledRow { row }));
        }
        let mut names: Vec<String> = labels.iter().map(|l| l.trim().to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() < 2 {
            let label = names.pop();
            return Err(Error::Tuning(TuningFault::OneLabel { label }));
        }
        let place = |label: &String| names.partition_point(|name| name.as_str() < label.trim());
        let of = labels.iter().map(place).collect();
        Ok(Classes { names, of })
    }

    /// Names of the classes, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of every row.
    pub fn of_rows(&self) -> &[usize] {
        &self.of
    }

    /// Rows of each class.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.names.len()];
        self.of.iter().for_each(|&class| counts[class] += 1);
        counts
    }
}

/// Rows whose classes are known.
#[derive(Debug, Clone, Copy)]
pub struct Training<'a> {
    /// The rows.
    pub rows: &'a Mat<f64>,
    /// The class of each, below `n_classes`.
    pub classes: &'a [usize],
    /// The number of classes; some may have no rows.
    pub n_classes: usize,
}

/// A trained classifier: gives the class of a row, and the probability of each class.
trait Learnt: Sync {
    fn class(&self, row: &[f64]) -> usize;
    fn probabilities(&self, row: &[f64]) -> Vec<f64>;
}

impl Classifier {
    /// The class of each row, learnt from training rows; `n_neighbors` is for k-NN.
    ///
    /// ```
    /// use eigenspan::evaluate::{Classifier, Training};
    /// use eigenspan::{Context, Mat};
    ///
    /// let rows = Mat::from_vec(6, 1, vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0])?;
    /// let training = Training { rows: &rows, classes: &[0, 0, 0, 1, 1, 1], n_classes: 2 };
    /// let new = Mat::from_vec(2, 1, vec![3.0, 9.0])?;
    /// for classifier in [Classifier::Knn, Classifier::NaiveBayes, Classifier::Lda] {
    ///     assert_eq!(classifier.predict(&Context::new(), training, 3, &new)?, [0, 1]);
    /// }
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn predict(
        self,
        ctx: &Context,
        training: Training<'_>,
        n_neighbors: usize,
        rows: &Mat<f64>,
    ) -> Result<Vec<usize>, Error> {
        let learnt = self.learn(training, n_neighbors, rows)?;
        let class = |i: usize| learnt.class(rows.row(i));
        Ok(ctx.install_here(|| parallel::collect(rows.n_rows(), class)))
    }

    /// The probability of each class for each row (rows × classes), learnt from training rows: for k-NN the shares of the neighbors'
    /// votes, for the others those of Bayes' rule. A class without training rows has probability zero.
    ///
    /// ```
    /// use eigenspan::evaluate::{Classifier, Training};
    /// use eigenspan::{Context, Mat};
    ///
    /// let rows = Mat::from_vec(6, 1, vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0])?;
    /// let training = Training { rows: &rows, classes: &[0, 0, 0, 1, 1, 1], n_classes: 2 };
    /// let new = Mat::from_vec(1, 1, vec![6.0])?;
    /// let shares = Classifier::Knn.predict_proba(&Context::new(), training, 4, &new)?;
    /// assert_eq!(shares.row(0), [0.5, 0.5]);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn predict_proba(
        self,
        ctx: &Context,
        training: Training<'_>,
        n_neighbors: usize,
        rows: &Mat<f64>,
    ) -> Result<Mat<f64>, Error> {
        let learnt = self.learn(training, n_neighbors, rows)?;
        let of_row = |i: usize| learnt.probabilities(rows.row(i));
        let cells = ctx.install_here(|| parallel::collect(rows.n_rows(), of_row));
        Mat::from_vec(rows.n_rows(), training.n_classes, cells.concat())
    }

    /// Learns from training rows, for rows of the same columns.
    fn learn<'a>(
        self,
        training: Training<'a>,
        n_neighbors: usize,
        rows: &Mat<f64>,
    ) -> Result<Box<dyn Learnt + 'a>, Error> {
        let d = training.rows.n_cols();
        if rows.n_cols() != d {
            return Err(Error::WrongWidth {
                given: rows.n_cols(),
                expected: d,
            });
        }
        Ok(match self {
            Classifier::Knn => Box::new(Neighbors::new(training, n_neighbors)?),
            Classifier::NaiveBayes => Box::new(NaiveBayes::new(training)?),
            Classifier::Lda => Box::new(Discriminant::new(training)?),
        })
    }

    /// Its name: `naive-bayes`.
    pub fn name(self) -> &'static str {
        match self {
            Classifier::Knn => "knn",
            Classifier::NaiveBayes => "naive-bayes",
            Classifier::Lda => "lda",
        }
    }
}

impl Training<'_> {
    /// The number of rows of each class; refused where there are no rows, or where a class is out of range.
    fn counts(&self) -> Result<Vec<usize>, Error> {
        let mut counts = vec![0usize; self.n_classes];
        let fits = self.classes.len() == self.rows.n_rows() && !self.classes.is_empty();
        for &class in self.classes.iter().filter(|_| fits) {
            if let Some(count) = counts.get_mut(class) {
                *count += 1;
            }
        }
        match fits && counts.iter().sum::<usize>() == self.classes.len() {
            true => Ok(counts),
            false => Err(Error::Shape(ShapeFault::Classes {
                given: self.classes.len(),
                n_classes: self.n_classes,
                n_rows: self.rows.n_rows(),
            })),
        }
    }

    /// The mean row of each class; zeros for a class without rows.
    fn means(&self, counts: &[usize]) -> Mat<f64> {
        let mut means = Mat::zeros(self.n_classes, self.rows.n_cols());
        for (row, &class) in self.rows.rows().zip(self.classes) {
            let mean = means.row_mut(class).iter_mut();
            mean.zip(row).for_each(|(m, x)| *m += x);
        }
        for (class, &count) in counts.iter().enumerate() {
            let n = count.max(1) as f64;
            means.row_mut(class).iter_mut().for_each(|m| *m /= n);
        }
        means
    }
}

/// The class with the largest value, the first among equals; classes without rows are left out.
fn likeliest(counts: &[usize], value: impl Fn(usize) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for class in (0..counts.len()).filter(|&class| counts[class] > 0) {
        let value = value(class);
        if value > best.1 || counts[best.0] == 0 {
            best = (class, value);
        }
    }
    best.0
}

/// exp(vᶜ) ÷ Σ exp(v) for each class; zero for a class without rows.
fn shares(counts: &[usize], value: impl Fn(usize) -> f64) -> Vec<f64> {
    let values = (0..counts.len()).map(|class| match counts[class] {
        0 => f64::NEG_INFINITY,
        _ => value(class),
    });
    let values: Vec<f64> = values.collect();
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = values.iter().map(|v| (v - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}
