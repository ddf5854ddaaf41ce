//! A PCA that grows batch by batch or merges shards: the result is that of a fit on all rows at once.
//!
//! Between batches the scatter is kept, d² numbers, not a few components. Nothing is lost, so batches may have any size (even
//! one row) and come in any order.

use super::{Pca, PcaOptions};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{norm, product};
use crate::mat::{Mat, Real};
use crate::prepare::{Complete, Missing};
use crate::solve::{self, Keep, Plan, Solver, Spectrum};
use crate::source::Source;
use crate::summary::{Accuracy, Scatter, Summary, summarize};

/// A summary of the rows added so far, to which more can be added.
///
/// ```
/// use eigenspan::method::GrowingPca;
/// use eigenspan::source::Dense;
/// use eigenspan::{Context, MatView, PcaOptions};
///
/// let ctx = Context::new();
/// let mut growing = GrowingPca::new(PcaOptions::default(), 2);
/// for row in [[3.0, 3.0], [4.0, 7.0], [5.0, 8.0]] {
///     growing.add(&ctx, &Dense::new(MatView::from_rows(&row, 1, 2)?))?;
/// }
/// let pca = growing.fit(&ctx)?;
/// assert!((pca.explained_variance()[0] - 7.905125).abs() < 1e-6);
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GrowingPca {
    options: PcaOptions,
    scatter: Scatter,
    names: Option<Vec<String>>,
}

/// The share of the variance that a model must keep to be merged: all, up to rounding.
const ALL: f64 = 1.0 - 1e-10;

impl GrowingPca {
    /// No rows yet.
    pub fn new(options: PcaOptions, n_cols: usize) -> Self {
        GrowingPca {
            options,
            scatter: Scatter::new(n_cols),
            names: None,
        }
    }

    /// Starts from the rows of a fitted model, which must keep all components: those that were cut off cannot be restored.
    pub fn from_model(pca: &Pca) -> Result<Self, Error> {
        let parts = pca.parts();
        let (spectrum, d) = (&parts.spectrum, pca.n_cols());
        if spectrum.norm > 0.0 && spectrum.total_share() < ALL {
            return Err(Error::IncompleteModel {
                share: spectrum.total_share(),
            });
        }
        if !parts.options.center {
            return Err(Error::UncenteredModel);
        }
        // S = Σ σ² v vᵀ, in the units of the data.
        let scale = |j: usize| parts.preparation.scale.as_ref().map_or(1.0, |s| s[j]);
        let weighted = Mat::from_fn(spectrum.len(), d, |i, j| {
            spectrum.singular_values[i] * spectrum.vectors[(i, j)] * scale(j)
        });
        let scatter = product(weighted.view().transposed(), weighted.view());
        let mean = parts.preparation.center.clone();
        let scatter = Scatter::from_parts(parts.n_rows, parts.weight, mean, scatter)
            .with_accuracy(accuracy(spectrum));
        Ok(GrowingPca {
            options: parts.options.clone(),
            scatter,
            names: parts.columns.clone(),
        })
    }

    /// Starts from a summary of rows, and the names of their columns where they have names.
    pub fn from_scatter(
        options: PcaOptions,
        scatter: Scatter,
        names: Option<Vec<String>>,
    ) -> Result<Self, Error> {
        let expected = scatter.mean().len();
        match names.as_ref().map_or(expected, Vec::len) {
            given if given == expected => Ok(GrowingPca {
                options,
                scatter,
                names,
            }),
            given => Err(Error::WrongWidth { given, expected }),
        }
    }

    /// The options of the PCA.
    pub fn options(&self) -> &PcaOptions {
        &self.options
    }

    /// The summary of the rows added so far.
    pub fn scatter(&self) -> &Scatter {
        &self.scatter
    }

    /// Names of the columns, where they have names.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Number of rows added so far.
    pub fn n_rows(&self) -> usize {
        self.scatter.n_rows()
    }

    /// Adds more rows. On an error nothing changes.
    pub fn add<T: Real>(&mut self, ctx: &Context, source: &dyn Source<T>) -> Result<(), Error> {
        let batch = match self.options.missing {
            Missing::Drop => self.read(ctx, &Complete::new(ctx, source, false)?)?,
            Missing::Error => self.read(ctx, source)?,
            _ => {
                return Err(Error::OptionsConflict {
                    what: "the means of later batches are not known yet, so a growing PCA takes missing = error or drop",
                });
            }
        };
        if self.names.is_none() {
            self.names = source.col_names().map(<[String]>::to_vec);
        }
        Summary::<T>::merge(&mut self.scatter, batch);
        Ok(())
    }

    fn read<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Scatter, Error> {
        let d = self.scatter.mean().len();
        if source.n_cols() != d {
            return Err(Error::WrongWidth {
                given: source.n_cols(),
                expected: d,
            });
        }
        let batch = summarize(ctx, source, || Scatter::new(d))?;
        if batch.is_finite() {
            Ok(batch)
        } else {
            Err(crate::prepare::find_not_finite(ctx, source))
        }
    }

    /// Merges the rows of another shard.
    pub fn merge(&mut self, other: GrowingPca) -> Result<(), Error> {
        let (given, expected) = (other.scatter.mean().len(), self.scatter.mean().len());
        if given != expected {
            return Err(Error::WrongWidth { given, expected });
        }
        if let (Some(a), Some(b)) = (&self.names, &other.names)
            && a != b
        {
            return Err(Error::ColumnsDiffer {
                ours: a.clone(),
                theirs: b.clone(),
            });
        }
        self.names = self.names.take().or(other.names);
        Summary::<f64>::merge(&mut self.scatter, other.scatter);
        Ok(())
    }

    /// The PCA of all rows added so far; more can be added afterwards.
    pub fn fit(&self, ctx: &Context) -> Result<Pca, Error> {
        self.options.n_components.check()?;
        if self.options.n_components == Keep::Auto {
            return Err(Error::ChoosesFirst);
        }
        let problem = self
            .options
            .problem(self.options.checked_tolerance(f64::TOLERANCE)?);
        let mut solution =
            ctx.install(|| solve::solve_scatter(ctx, self.scatter.clone(), &problem))?;
        solve::note_constant(&mut solution, self.names.as_deref(), &problem);
        let d = solution.spread.len() as f64;
        let plan = Plan {
            solver: Solver::Covariance,
            reason: "the covariance of all batches was kept".to_owned(),
            passes: 1,
            bytes: (32.0 * d * d) as u64,
            flops: self.n_rows() as f64 * d * d + 9.0 * d.powi(3),
        };
        self.options
            .finish(solution, plan, self.names.as_deref(), None)
    }
}

/// How far Σ σ² v vᵀ may be from the scatter of the rows, by the residuals.
fn accuracy(spectrum: &Spectrum) -> Accuracy {
    let (k, d) = (spectrum.len(), spectrum.vectors.n_cols());
    // Lengths of the columns.
    let length = |j: usize| {
        let parts = (0..k).map(|i| spectrum.singular_values[i] * spectrum.vectors[(i, j)]);
        norm(&parts.collect::<Vec<_>>())
    };
    let spread: Vec<f64> = (0..d).map(length).collect();
    let blur = |i: usize| {
        let along = spread.iter().zip(spectrum.vectors.row(i));
        let along = norm(&along.map(|(s, v)| s * v).collect::<Vec<_>>()) * spectrum.norm;
        match along > 0.0 {
            true => spectrum.residuals[i] * spectrum.residual_unit(i) / along,
            false => 0.0,
        }
    };
    Accuracy {
        depth: k as f64,
        blur: (0..k).map(blur).fold(0.0, f64::max),
    }
}
