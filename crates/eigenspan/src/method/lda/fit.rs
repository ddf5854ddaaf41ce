//! From rows and their classes to a fitted linear discriminant analysis.

use super::proof::{Images, residuals};
use super::shrinkage::Quartics;
use super::solve::{Discriminants, Limit, Whitening, linear_functions};
use super::wide::Wide;
use super::{Lda, LdaOptions, LdaParts, LdaSolver, Shrinkage, checked_priors, log_of};
use crate::context::Context;
use crate::error::{ClassFault, Error};
use crate::linalg::{dot, norm, product};
use crate::mat::{Mat, Real};
use crate::method::Training;
use crate::method::labels::Labels;
use crate::note::Note;
use crate::on_numbers;
use crate::prepare::{Missing, Preparation, find_not_finite, mean_filled};
use crate::solve::{Keep, LeftOut, Plan, Solver, Spectrum, count_for_share};
use crate::source::{Numbers, Passes, Source, col_label};
use crate::summary::{ClassScatter, ClassSums};

/// What a reading of the rows gave.
struct Read {
    sums: ClassSums,
    wide: Option<Wide>,
    quartics: Quartics,
    columns: Option<Vec<String>>,
    fill: Option<Vec<f64>>,
    notes: Vec<Note>,
    plan: Plan,
}

/// Covariances: within classes; and between them where that is not made of the means alone.
struct Covariances {
    within: Option<Mat<f64>>,
    between: Option<Mat<f64>>,
    /// That of the classes, weighted by the priors, if it is to be kept.
    kept: Option<Mat<f64>>,
}

impl LdaOptions {
    /// Fits discriminants to rows and their classes.
    ///
    /// ```
    /// use eigenspan::method::{LdaOptions, Training};
    /// use eigenspan::source::{Dense, Numbers};
    /// use eigenspan::{Context, Mat};
    ///
    /// // Two classes whose means differ by 4 in the first column, where rows deviate by 1 within their class.
    /// let cells = vec![0.0, 1.0, 2.0, 1.0, 0.0, -1.0, 2.0, -1.0, 4.0, 1.0, 6.0, 1.0, 4.0, -1.0, 6.0, -1.0];
    /// let table = Mat::from_vec(8, 2, cells)?;
    /// let labels: Vec<String> = (0..8).map(|i| ["a", "b"][i / 4].to_owned()).collect();
    /// let rows = Dense::new(table.view());
    /// let training = Training { rows: Numbers::F64(&rows), labels: Some(&labels) };
    /// let lda = LdaOptions::default().fit(&Context::new(), &training)?;
    /// assert_eq!(lda.directions().row(0), [1.0, 0.0]);
    /// // Between the classes the variance is 4 times that within.
    /// assert!((lda.ratios()[0] - 4.0).abs() < 1e-12);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn fit(&self, ctx: &Context, training: &Training<'_>) -> Result<Lda, Error> {
        self.check()?;
        let labels = Labels::for_training(training, (Lda::NAME_IN_WORDS, self.missing))?;
        self.check_count(labels.len(), training.rows.n_cols())?;
        let read = on_numbers!(training.rows, source => self.read(ctx, source, &labels))?;
        self.solve(ctx, labels, read)
    }

    /// What a fit would run; reads no rows.
    pub fn plan(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        self.check()?;
        let (n, d) = (rows.n_rows(), rows.n_cols());
        let solver = self.resolved_solver();
        let (rows, cols) = (n.unwrap_or(d) as f64, d as f64);
        let passes = 1
            + usize::from(self.shrinkage == Shrinkage::Auto)
            + usize::from(self.missing == Missing::Mean);
        let wide = self.is_wide(n, d);
        let (bytes, flops, reason) = match wide {
            true => (
                8.0 * rows * (2.0 * cols + 3.0 * rows),
                2.0 * rows * rows * cols + 9.0 * rows * rows * rows,
                "fewer rows than columns: products of the rows within their classes, n × n",
            ),
            false => (
                8.0 * cols * (6.0 * cols + 256.0),
                rows * cols * cols + 9.0 * cols * cols * cols,
                match solver {
                    LdaSolver::Eigen => {
                        "the covariances within and between classes, d × d, in one reading"
                    }
                    _ => "the scatter within classes, d × d, in one reading",
                },
            ),
        };
        let plan = Plan {
            solver: if wide {
                Solver::Dual
            } else {
                Solver::Covariance
            },
            reason: reason.to_owned(),
            passes,
            bytes: bytes as u64,
            flops,
        };
        match ctx.affords(plan.bytes) {
            true => Ok(plan),
            false => Err(Error::Memory {
                what: "a linear discriminant analysis of these columns".to_owned(),
                needed: plan.bytes,
                allowed: ctx.allowed(),
            }),
        }
    }

    /// Refuses options that contradict each other.
    fn check(&self) -> Result<(), Error> {
        self.n_components.check()?;
        if self.n_components == Keep::Auto {
            return Err(Error::UnknownValue {
                option: "n_components",
                given: "auto".to_owned(),
                allowed: "a count, a share of the variance between classes such as 90%, or all",
            });
        }
        if self.missing == Missing::Em {
            return Err(Error::UnknownValue {
                option: "missing",
                given: "em".to_owned(),
                allowed: "error, drop or mean: LDA does not predict cells",
            });
        }
        if self.solver == LdaSolver::Svd && self.shrinkage != Shrinkage::None {
            return Err(Error::OptionsConflict {
                what: "solver = `svd` has no covariance that shrinkage could change: solver = `eigen` (or auto) shrinks",
            });
        }
        match (0.0..1.0).contains(&self.rank_tolerance) {
            true => Ok(()),
            false => Err(Error::UnknownValue {
                option: "rank_tolerance",
                given: self.rank_tolerance.to_string(),
                allowed: "a number from 0 on and below 1, such as 1e-4",
            }),
        }
    }

    /// Refuses more components than classes and columns allow.
    fn check_count(&self, n_classes: usize, n_cols: usize) -> Result<(), Error> {
        match self.n_components {
            Keep::Count(asked) if asked > (n_classes - 1).min(n_cols) => {
                Err(Error::Classes(ClassFault::TooManyDirections {
                    asked,
                    n_classes,
                    n_cols,
                }))
            }
            _ => Ok(()),
        }
    }

    fn resolved_solver(&self) -> LdaSolver {
        match (self.solver, self.shrinkage) {
            (LdaSolver::Auto, Shrinkage::None) => LdaSolver::Svd,
            (LdaSolver::Auto, _) => LdaSolver::Eigen,
            (solver, _) => solver,
        }
    }

    /// Whether the n × n products of the rows are decomposed, and no d × d covariance is written out.
    fn is_wide(&self, n_rows: Option<usize>, n_cols: usize) -> bool {
        self.resolved_solver() == LdaSolver::Svd
            && !self.store_covariance
            && n_rows.is_some_and(|n| n < n_cols)
    }

    /// Whether the scatter of every class is needed, and not only their sum.
    fn needs_each(&self) -> bool {
        let weighs = self.resolved_solver() == LdaSolver::Eigen || self.store_covariance;
        self.shrinkage == Shrinkage::Auto || (weighs && self.priors.is_some())
    }

    fn read<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: &Labels,
    ) -> Result<Read, Error> {
        let plan = self.plan(ctx, Numbers::from_source(source))?;
        if source.n_cols() == 0 {
            return Err(Error::NoColumns);
        }
        let (mut read, fill, note) = mean_filled(ctx, source, self.missing, |rows| {
            self.read_complete(ctx, rows, labels, plan)
        })?;
        read.fill = fill;
        read.notes.extend(note);
        Ok(read)
    }

    fn read_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: &Labels,
        plan: Plan,
    ) -> Result<Read, Error> {
        let (classes, drops) = (&labels.of_rows[..], self.missing == Missing::Drop);
        let each = self.needs_each();
        if self.shrinkage == Shrinkage::Auto && source.passes() == Passes::Once {
            return Err(Error::ReadTwice {
                what: "shrinkage = `auto` takes fourth powers in a second reading",
                instead: None,
            });
        }
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let wide = match self.is_wide(source.n_rows(), source.n_cols()) {
            true => Some(Wide::read(ctx, source, classes, labels.len(), drops)?),
            false => None,
        };
        let sums = match &wide {
            Some(wide) => wide.sums.clone(),
            None => ClassScatter::read(ctx, source, || {
                ClassScatter::new(source.n_cols(), classes, labels.len())
                    .with_each(each)
                    .dropping_incomplete_rows(drops)
            })?,
        };
        if !sums.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        check_classes(&sums, &labels.names)?;
        let quartics = match (&sums.each, self.shrinkage) {
            (Some(each), Shrinkage::Auto) => {
                let mut covariances = of_classes(each, &sums.weights);
                covariances.push(total_covariance(&sums));
                Quartics::read(ctx, source, classes, &sums, &covariances)?
            }
            _ => Quartics::default(),
        };
        let dropped = (sums.n_dropped > 0).then_some(Note::DroppedRows {
            rows: sums.n_dropped,
        });
        Ok(Read {
            sums,
            wide,
            quartics,
            columns: source.col_names().map(<[String]>::to_vec),
            fill: None,
            notes: dropped.into_iter().collect(),
            plan,
        })
    }

    /// Everything after the last reading.
    fn solve(&self, ctx: &Context, labels: Labels, read: Read) -> Result<Lda, Error> {
        ctx.check()?;
        let sums = &read.sums;
        let priors = checked_priors(self.priors.as_deref(), &labels.names, &sums.weights)?;
        let center = sums.center(&priors);
        let means = Mat::from_fn(labels.len(), center.len(), |c, j| {
            sums.means[(c, j)] - center[j]
        });
        let covariances = self.covariances(sums, &priors, &read.quartics);
        let most = (labels.len() - 1).min(center.len());
        let found = ctx.install_here(|| {
            let whitening = self.whitening(&read.wide, &covariances)?;
            let found = self.discriminants(&whitening, &covariances, (&means, &priors), most)?;
            Ok::<_, Error>((whitening, found))
        })?;
        let (whitening, mut found) = found;
        let k = self.count(&found, most, labels.len())?;
        self.sign.apply_to(&mut found.directions);
        let leading = found.directions.clone().top(k);
        let images = Images {
            within: match (&read.wide, &covariances.within) {
                (Some(wide), _) => wide.times_within(&leading),
                (None, Some(within)) => product(leading.view(), within.view()),
                (None, None) => Mat::default(),
            },
            between: match &covariances.between {
                Some(between) => product(leading.view(), between.view()),
                None => times_between(&leading, &means, &priors),
            },
        };
        let residuals = residuals(
            &found,
            &images,
            &whitening,
            (&means, &priors),
            sums.accuracy,
        );
        let is_eigen = self.resolved_solver() == LdaSolver::Eigen;
        let factor = if is_eigen {
            &whitening.rows
        } else {
            &found.directions
        };
        let (coef, constants) = linear_functions(factor, &means, &log_of(&priors));
        let xbar: Vec<f64> = sums.base.iter().zip(&center).map(|(b, c)| b + c).collect();
        let common = is_eigen.then(|| {
            let x = Mat::from_fn(1, xbar.len(), |_, j| xbar[j]);
            linear_functions(factor, &x, &[0.0]).0.into_vec()
        });
        let mut notes = read.notes;
        notes.extend(notes_on_columns(sums, &whitening, read.columns.as_deref()));
        let spectrum = spectrum(&found, leading, residuals, sums.weight());
        Lda::from_parts(LdaParts {
            options: self.clone(),
            columns: read.columns,
            n_rows: sums.total_rows(),
            weights: sums.weights.clone(),
            rank_within: whitening.rank(),
            spread: (0..center.len())
                .map(|j| sums.variance_within(j).sqrt())
                .collect(),
            means: absolute(&sums.base, &sums.means),
            preparation: Preparation {
                center: xbar,
                scale: None,
            },
            deviations: deviations(sums, &read.wide, &spectrum.vectors),
            trace: found.trace,
            scalings: found.directions,
            covariance: covariances.kept,
            classes: labels.names,
            fill: read.fill,
            plan: read.plan,
            priors,
            coef,
            constants,
            common,
            spectrum,
            notes,
        })
    }

    /// The covariance within classes that the solver uses, and that between them where it is not made of the means alone.
    fn covariances(&self, sums: &ClassSums, priors: &[f64], quartics: &Quartics) -> Covariances {
        if self.is_wide_sums(sums) {
            return Covariances {
                within: None,
                between: None,
                kept: None,
            };
        }
        let is_eigen = self.resolved_solver() == LdaSolver::Eigen;
        let weighted = match &sums.each {
            Some(each) => {
                let shrunk = of_classes(each, &sums.weights).into_iter().enumerate();
                let mut within: Mat<f64> = Mat::zeros(sums.base.len(), sums.base.len());
                for (c, covariance) in shrunk {
                    let fourth = quartics.of_classes.get(c).copied().unwrap_or(0.0);
                    let covariance = self.shrinkage.shrink(covariance, sums.weights[c], fourth);
                    let cells = within.as_mut_slice().iter_mut().zip(covariance.as_slice());
                    cells.for_each(|(sum, x)| *sum += priors[c] * x);
                }
                within
            }
            None => self
                .shrinkage
                .shrink(divided(&sums.within, sums.weight()), sums.weight(), 0.0),
        };
        let of_means = self.shrinkage == Shrinkage::None && self.priors.is_none();
        let between = match self.resolved_solver() {
            LdaSolver::Eigen if !of_means => {
                let total = total_covariance(sums);
                let total = self.shrinkage.shrink(total, sums.weight(), quartics.of_all);
                let mut between = total;
                let cells = between.as_mut_slice().iter_mut().zip(weighted.as_slice());
                cells.for_each(|(t, w)| *t -= w);
                Some(between)
            }
            _ => None,
        };
        let kept = self.store_covariance.then(|| weighted.clone());
        let within = match is_eigen {
            true => weighted,
            // The solver `svd` weighs rows, and not classes.
            false => divided(&sums.within, sums.weight()),
        };
        Covariances {
            within: Some(within),
            between,
            kept,
        }
    }

    fn is_wide_sums(&self, sums: &ClassSums) -> bool {
        sums.within.n_rows() != sums.within.n_cols()
    }

    fn whitening(
        &self,
        wide: &Option<Wide>,
        covariances: &Covariances,
    ) -> Result<Whitening, Error> {
        let limit = match self.resolved_solver() {
            LdaSolver::Eigen => Limit::Rounding,
            _ => Limit::Deviation(self.rank_tolerance),
        };
        let whitening = match (wide, &covariances.within) {
            (Some(wide), _) => wide.whitening(self.rank_tolerance)?,
            (None, Some(within)) => Whitening::new(within, limit)?,
            (None, None) => return Err(Error::Classes(ClassFault::ConstantWithin)),
        };
        match whitening.rank() {
            0 => Err(Error::Classes(ClassFault::ConstantWithin)),
            _ => Ok(whitening),
        }
    }

    fn discriminants(
        &self,
        whitening: &Whitening,
        covariances: &Covariances,
        (means, priors): (&Mat<f64>, &[f64]),
        most: usize,
    ) -> Result<Discriminants, Error> {
        /// Of the largest singular value; below this there is only rounding.
        const ROUNDING: f64 = 1e-7;
        let found = match (&covariances.between, self.resolved_solver()) {
            (Some(between), _) => Discriminants::from_between(whitening, between, most)?,
            (None, LdaSolver::Eigen) => {
                Discriminants::from_means(whitening, means, priors, Some(ROUNDING))?
            }
            (None, _) => Discriminants::from_means(whitening, means, priors, None)?,
        };
        found.ok_or(Error::Classes(ClassFault::EqualMeans))
    }

    /// How many components are kept.
    fn count(&self, found: &Discriminants, most: usize, n_classes: usize) -> Result<usize, Error> {
        let rank = found.ratios.len().min(most);
        match self.n_components {
            Keep::Count(asked) if asked > rank => Err(Error::Classes(ClassFault::MeansInFewer {
                asked,
                n_classes,
                rank,
            })),
            Keep::Count(asked) => Ok(asked),
            Keep::Share(share) => {
                let ratios = found.ratios.iter().take(rank).copied();
                Ok(count_for_share(ratios, found.total, share).unwrap_or(rank))
            }
            Keep::All | Keep::Auto => Ok(rank),
        }
    }
}

/// Refuses classes without rows, and rows that cannot vary within classes.
pub(in crate::method) fn check_classes(sums: &ClassSums, names: &[String]) -> Result<(), Error> {
    let refuse = |fault| Err(Error::Classes(fault));
    if sums.is_underflowed() {
        return Err(Error::Underflow);
    }
    let empty = sums.weights.iter().position(|weight| *weight <= 0.0);
    if let Some(empty) = empty {
        return refuse(ClassFault::EmptyClass {
            class: names[empty].clone(),
        });
    }
    match sums.total_rows() <= names.len() {
        true => refuse(ClassFault::TooFewRows {
            n_classes: names.len(),
            n_rows: sums.total_rows(),
        }),
        false => Ok(()),
    }
}

/// The covariance of every class, with its weight as divisor.
pub(in crate::method) fn of_classes(each: &[Mat<f64>], weights: &[f64]) -> Vec<Mat<f64>> {
    let pairs = each.iter().zip(weights);
    pairs.map(|(scatter, w)| divided(scatter, *w)).collect()
}

fn divided(scatter: &Mat<f64>, by: f64) -> Mat<f64> {
    Mat::from_fn(scatter.n_rows(), scatter.n_cols(), |i, j| {
        scatter[(i, j)] / by
    })
}

/// Covariance of all rows about their mean: that within classes plus that of the means.
fn total_covariance(sums: &ClassSums) -> Mat<f64> {
    let (d, weight) = (sums.base.len(), sums.weight());
    let shares: Vec<f64> = sums.weights.iter().map(|w| w / weight).collect();
    let center = sums.center(&shares);
    let roots = Mat::from_fn(shares.len(), d, |c, j| {
        shares[c].sqrt() * (sums.means[(c, j)] - center[j])
    });
    let mut total = product(roots.view().transposed(), roots.view());
    let cells = total.as_mut_slice().iter_mut().zip(sums.within.as_slice());
    cells.for_each(|(b, w)| *b += w / weight);
    total
}

/// S_b v = Σ π_c m_c (m_cᵀv), for directions as rows.
fn times_between(directions: &Mat<f64>, means: &Mat<f64>, priors: &[f64]) -> Mat<f64> {
    let mut along = product(directions.view(), means.view().transposed());
    for row in 0..along.n_rows() {
        let cells = along.row_mut(row).iter_mut().zip(priors);
        cells.for_each(|(x, prior)| *x *= prior);
    }
    product(along.view(), means.view())
}

/// Means in the units of the data.
pub(in crate::method) fn absolute(base: &[f64], means: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(means.n_rows(), means.n_cols(), |c, j| {
        base[j] + means[(c, j)]
    })
}

/// λ = σ² ÷ n, the variance between classes in units of that within: σ² is the scatter of the means of scores.
fn spectrum(
    found: &Discriminants,
    vectors: Mat<f64>,
    residuals: Vec<f64>,
    weight: f64,
) -> Spectrum {
    let values: Vec<f64> = found.ratios.iter().map(|r| (r * weight).sqrt()).collect();
    let k = vectors.n_rows();
    Spectrum {
        singular_values: values[..k].to_vec(),
        residuals,
        norm: (found.total.max(0.0) * weight).sqrt(),
        divisor: weight,
        angle: None,
        rank: k,
        left_out: Some(LeftOut {
            norm: norm(&values[k..]),
            rank: values.len() - k,
        }),
        vectors,
    }
}

/// The standard deviation of the training rows' scores on every direction, with divisor n − 1.
fn deviations(sums: &ClassSums, wide: &Option<Wide>, directions: &Mat<f64>) -> Vec<f64> {
    let weight = sums.weight();
    let shares: Vec<f64> = sums.weights.iter().map(|w| w / weight).collect();
    let center = sums.center(&shares);
    let images = match wide {
        Some(wide) => wide.times_within(directions),
        None => product(directions.view(), divided(&sums.within, weight).view()),
    };
    let deviation = |i: usize| {
        let direction = directions.row(i);
        let within = dot(images.row(i), direction);
        let between = sums.means.rows().zip(&shares).map(|(mean, share)| {
            let cells = mean.iter().zip(&center).zip(direction);
            share * cells.map(|((m, c), v)| (m - c) * v).sum::<f64>().powi(2)
        });
        let variance = within + between.sum::<f64>();
        (variance * (weight / (weight - 1.0).max(f64::MIN_POSITIVE))).sqrt()
    };
    (0..directions.n_rows()).map(deviation).collect()
}

/// Notes on columns that vary nowhere, or only between classes, and on directions in which rows do not vary within classes.
fn notes_on_columns(
    sums: &ClassSums,
    whitening: &Whitening,
    names: Option<&[String]>,
) -> Vec<Note> {
    let d = sums.base.len();
    let differs = |j: usize| sums.means.rows().any(|mean| mean[j] != sums.means[(0, j)]);
    let flat = |j: &usize| sums.diagonal(*j) == 0.0;
    let (apart, constant): (Vec<usize>, Vec<usize>) =
        (0..d).filter(flat).partition(|j| differs(*j));
    let labels = |columns: &[usize]| columns.iter().map(|&j| col_label(names, j)).collect();
    let mut notes = Vec::new();
    if !constant.is_empty() {
        notes.push(Note::ConstantColumns {
            columns: labels(&constant),
            scaled: false,
        });
    }
    if !apart.is_empty() {
        notes.push(Note::ConstantWithinClasses {
            columns: labels(&apart),
        });
    }
    let varying = d - constant.len() - apart.len();
    if whitening.rank() < varying {
        notes.push(Note::SpanWithinClasses {
            rank: whitening.rank(),
            columns: varying,
        });
    }
    notes
}
