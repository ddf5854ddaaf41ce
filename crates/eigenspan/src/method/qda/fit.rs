//! From rows and their classes to a normal distribution for each class.

use super::{Qda, QdaOptions, QdaParts};
use crate::context::Context;
use crate::error::{ClassFault, Error};
use crate::linalg::{symmetric_eigen, symmetric_eigenvalues};
use crate::mat::{Mat, Real};
use crate::method::Training;
use crate::method::labels::Labels;
use crate::method::lda::{
    Quartics, Shrinkage, absolute, check_classes, checked_priors, of_classes,
};
use crate::note::Note;
use crate::on_numbers;
use crate::parallel;
use crate::prepare::{Missing, find_not_finite, mean_filled};
use crate::solve::{Plan, Solver};
use crate::source::{Numbers, Passes, Source};
use crate::summary::{ClassScatter, ClassSums};

/// Covariances of the classes, and what else a reading gave.
struct Read {
    sums: ClassSums,
    covariances: Vec<Mat<f64>>,
    columns: Option<Vec<String>>,
    fill: Option<Vec<f64>>,
    notes: Vec<Note>,
    plan: Plan,
}

/// A covariance as the map that makes it the identity, and the logarithm of its determinant.
struct Factor {
    whitening: Mat<f64>,
    log_determinant: f64,
}

impl QdaOptions {
    /// Fits a normal distribution to the rows of each class.
    pub fn fit(&self, ctx: &Context, training: &Training<'_>) -> Result<Qda, Error> {
        self.check()?;
        let labels = Labels::for_training(training, (Qda::NAME_IN_WORDS, self.missing))?;
        let read = on_numbers!(training.rows, source => self.read(ctx, source, &labels))?;
        self.solve(ctx, labels, read)
    }

    /// What a fit would run; reads no rows. The number of classes is not known then: memory and work of their scatters are those of
    /// `n_classes`.
    fn plan_with(&self, ctx: &Context, rows: Numbers<'_>, n_classes: usize) -> Result<Plan, Error> {
        self.check()?;
        let (rows, cols) = (rows.n_rows().unwrap_or(rows.n_cols()), rows.n_cols() as f64);
        let classes = n_classes as f64;
        let plan = Plan {
            solver: Solver::Covariance,
            reason: "the covariance of every class, d × d, in one reading".to_owned(),
            passes: 1
                + usize::from(self.shrinkage == Shrinkage::Auto)
                + usize::from(self.missing == Missing::Mean),
            bytes: (8.0 * cols * cols * (4.0 * classes + 2.0)) as u64,
            flops: (rows as f64 + 9.0 * classes * cols) * cols * cols,
        };
        match ctx.affords(plan.bytes) {
            true => Ok(plan),
            false => Err(Error::Memory {
                what: "a covariance for every class".to_owned(),
                needed: plan.bytes,
                allowed: ctx.allowed(),
            }),
        }
    }

    /// What a fit would run, for two classes; reads no rows.
    pub fn plan(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        self.plan_with(ctx, rows, 2)
    }

    fn check(&self) -> Result<(), Error> {
        if self.missing == Missing::Em {
            return Err(Error::UnknownValue {
                option: "missing",
                given: "em".to_owned(),
                allowed: "error, drop or mean: QDA does not predict cells",
            });
        }
        if !(0.0..=1.0).contains(&self.reg_param) {
            return Err(Error::UnknownValue {
                option: "reg_param",
                given: self.reg_param.to_string(),
                allowed: "a share from 0 to 1 such as 0.1",
            });
        }
        if self.reg_param != 0.0 && self.shrinkage != Shrinkage::None {
            return Err(Error::OptionsConflict {
                what: "reg_param and shrinkage both regularize the covariances: give one of them",
            });
        }
        match self.rank_tolerance {
            Some(limit) if !(limit.is_finite() && limit >= 0.0) => Err(Error::UnknownValue {
                option: "rank_tolerance",
                given: limit.to_string(),
                allowed: "a variance of at least 0",
            }),
            _ => Ok(()),
        }
    }

    fn read<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: &Labels,
    ) -> Result<Read, Error> {
        let plan = self.plan_with(ctx, Numbers::from_source(source), labels.len())?;
        if source.n_cols() == 0 {
            return Err(Error::NoColumns);
        }
        let complete = |rows: &dyn Source<T>| self.read_complete(ctx, rows, labels, plan);
        let (read, fill, note) = mean_filled(ctx, source, self.missing, complete)?;
        let notes = read.notes.into_iter().chain(note).collect();
        Ok(Read {
            fill,
            notes,
            ..read
        })
    }

    fn read_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: &Labels,
        plan: Plan,
    ) -> Result<Read, Error> {
        if self.shrinkage == Shrinkage::Auto && source.passes() == Passes::Once {
            return Err(Error::ReadTwice {
                what: "shrinkage = `auto` takes fourth powers in a second reading",
                instead: None,
            });
        }
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let classes = &labels.of_rows[..];
        let sums = ClassScatter::read(ctx, source, || {
            ClassScatter::new(source.n_cols(), classes, labels.len())
                .with_each(true)
                .dropping_incomplete_rows(self.missing == Missing::Drop)
        })?;
        if !sums.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        check_classes(&sums, &labels.names)?;
        let single = sums.n_rows.iter().position(|n| *n < 2);
        if let Some(single) = single {
            return Err(Error::Classes(ClassFault::SingleRow {
                class: labels.names[single].clone(),
            }));
        }
        let each = sums.each.as_deref().unwrap_or_default();
        let mut covariances = of_classes(each, &sums.weights);
        if self.shrinkage == Shrinkage::Auto {
            // The last is of no use here.
            covariances.push(covariances[0].clone());
            let quartics = Quartics::read(ctx, source, classes, &sums, &covariances)?;
            covariances.pop();
            covariances = self.regularized(covariances, &sums.weights, &quartics.of_classes);
        } else {
            covariances = self.regularized(covariances, &sums.weights, &[]);
        }
        let dropped = (sums.n_dropped > 0).then_some(Note::DroppedRows {
            rows: sums.n_dropped,
        });
        Ok(Read {
            sums,
            covariances,
            columns: source.col_names().map(<[String]>::to_vec),
            fill: None,
            notes: dropped.into_iter().collect(),
            plan,
        })
    }

    fn regularized(
        &self,
        covariances: Vec<Mat<f64>>,
        weights: &[f64],
        fourth: &[f64],
    ) -> Vec<Mat<f64>> {
        let regularize = |(c, covariance): (usize, Mat<f64>)| {
            let fourth = fourth.get(c).copied().unwrap_or(0.0);
            let mut covariance = self.shrinkage.shrink(covariance, weights[c], fourth);
            if self.reg_param > 0.0 {
                let cells = covariance.as_mut_slice().iter_mut();
                cells.for_each(|x| *x *= 1.0 - self.reg_param);
                for j in 0..covariance.n_rows() {
                    covariance[(j, j)] += self.reg_param;
                }
            }
            covariance
        };
        covariances
            .into_iter()
            .enumerate()
            .map(regularize)
            .collect()
    }

    fn solve(&self, ctx: &Context, labels: Labels, read: Read) -> Result<Qda, Error> {
        ctx.check()?;
        let sums = &read.sums;
        let priors = checked_priors(self.priors.as_deref(), &labels.names, &sums.weights)?;
        let factor = |c: usize| {
            let singular = |rank| {
                Error::Classes(ClassFault::SingularClass {
                    class: labels.names[c].clone(),
                    n_rows: sums.n_rows[c],
                    rank,
                    n_cols: sums.base.len(),
                })
            };
            self.factor(&read.covariances[c])?.map_err(singular)
        };
        let factors: Vec<Factor> =
            ctx.install_here(|| parallel::try_collect(labels.len(), factor))?;
        let d = sums.base.len();
        let mut whitening = Mat::zeros(labels.len() * d, d);
        for (c, factor) in factors.iter().enumerate() {
            whitening.as_mut_slice()[c * d * d..][..d * d]
                .copy_from_slice(factor.whitening.as_slice());
        }
        Qda::from_parts(QdaParts {
            options: self.clone(),
            columns: read.columns,
            n_rows: sums.total_rows(),
            weights: sums.weights.clone(),
            means: absolute(&sums.base, &sums.means),
            log_determinants: factors.iter().map(|f| f.log_determinant).collect(),
            classes: labels.names,
            fill: read.fill,
            plan: read.plan,
            notes: read.notes,
            whitening,
            priors,
        })
    }

    /// Λ^(−1/2) Qᵀ D⁻¹ and log det of a covariance D Q Λ Qᵀ D, with D the deviations of the columns; the rank instead, where it is
    /// singular.
    fn factor(&self, covariance: &Mat<f64>) -> Result<Result<Factor, usize>, Error> {
        let d = covariance.n_rows();
        let variances = (0..d).map(|j| covariance[(j, j)]);
        let constant = variances.clone().filter(|v| *v <= 0.0).count();
        let scale: Vec<f64> = variances
            .map(|v| if v > 0.0 { v.sqrt() } else { 1.0 })
            .collect();
        let scaled = Mat::from_fn(d, d, |i, j| covariance[(i, j)] / scale[i] / scale[j]);
        let (values, vectors) = symmetric_eigen(&scaled)?;
        let floor = 8.0 * d as f64 * f64::EPSILON * values.first().copied().unwrap_or(0.0);
        let rank = values.iter().take_while(|x| **x > floor).count();
        if rank < d || constant > 0 {
            return Ok(Err(rank));
        }
        if let Some(limit) = self.rank_tolerance {
            let raw = symmetric_eigenvalues(covariance)?;
            let rank = raw.iter().filter(|x| **x > limit).count();
            if rank < d {
                return Ok(Err(rank));
            }
        }
        let logs = values.iter().map(|x| x.ln()).sum::<f64>();
        let scales = scale.iter().map(|s| 2.0 * s.ln()).sum::<f64>();
        Ok(Ok(Factor {
            whitening: Mat::from_fn(d, d, |r, j| vectors[(r, j)] / (scale[j] * values[r].sqrt())),
            log_determinant: logs + scales,
        }))
    }
}
