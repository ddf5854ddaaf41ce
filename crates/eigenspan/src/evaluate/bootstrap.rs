//! The bootstrap of a PCA: how much its numbers would differ for another sample of rows.
//!
//! Drawing as many rows as there are, with replacement, gives a replicate of every number (Efron & Tibshirani 1993, An
//! Introduction to the Bootstrap). Eigenvalues and shares are compared by rank, the i-th largest with the i-th largest;
//! components are matched and given the same sign first ([`super::align`]), so that the interval of a loading does not reflect
//! random signs.
//!
//! Large tables are sampled. Replicates of m of n rows lie √(n/m) times too far from their center, so their distances are
//! shrunk by √(m/n) and centered at the estimate from all rows (the m out of n bootstrap, for numbers whose error falls like
//! 1/√n). The cost is bounded: first by fewer replicates, then by fewer rows; the result gives both numbers.
//!
//! Replicates repeat rows and so spread eigenvalues even further apart than the sample does (El Karoui & Purdom 2016,
//! arXiv:1608.00948). So only the deviations of replicates are used; the center of an interval follows from all eigenvalues
//! and the number of rows. Components that these rows cannot distinguish have intervals only for their eigenvalues
//! ([`super::apart`]).

use serde::{Deserialize, Serialize};

use super::draw::{Urn, operations};
use super::interval::Level;
use super::replicate::{Reference, Replicate};
use super::result::{Bootstrap, Report};
use crate::choose::Sample;
use crate::context::Context;
use crate::error::{Error, counted, grouped};
use crate::mat::{Mat, Real};
use crate::method::Pca;
use crate::on_numbers;
use crate::parallel;
use crate::prepare::{Complete, Missing, Scale};
use crate::source::{Numbers, RowSet, Source};

/// Options of a bootstrap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BootstrapOptions {
    /// Number of replicates; fewer if they would take too long
    pub n_replicates: usize,
    /// Probability with which an interval contains the true value
    pub level: f64,
    /// Largest number of leading components to compute intervals for
    pub n_components: usize,
    /// Largest number of rows to draw from; of more rows a sample is taken
    pub max_rows: usize,
    /// Seed of random draws
    pub seed: u64,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        BootstrapOptions {
            n_replicates: 200,
            level: 0.95,
            n_components: 10,
            max_rows: 5000,
            seed: 0,
        }
    }
}

/// The fewest replicates.
const FEWEST: usize = 50;
/// The fewest rows of the sample; a smaller table is used whole.
const FEW_ROWS: usize = 50;
/// Operations that all replicates may take: about a second.
const ENOUGH: f64 = 1.2e10;
/// The most entries of components in memory at the same time: 200 MB.
const KEPT: usize = 25_000_000;
/// Number of extra components of a replicate, because components may change places with those that have intervals.
const SPARE: usize = 3;

impl BootstrapOptions {
    /// Refuses values that make no sense.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |option, given: String, allowed| {
            Err(Error::UnknownValue {
                option,
                given,
                allowed,
            })
        };
        if !(self.level > 0.0 && self.level < 1.0) {
            let allowed = "a number above 0 and below 1, such as 0.95";
            return refuse("level", self.level.to_string(), allowed);
        }
        let counts = [
            ("n_replicates", self.n_replicates, "a whole number from 2"),
            ("max_rows", self.max_rows, "a whole number from 2"),
        ];
        match counts.iter().find(|(_, given, _)| *given < 2) {
            Some((option, given, allowed)) => refuse(option, given.to_string(), allowed),
            None if self.n_components == 0 => Err(Error::NoComponents),
            None => Ok(()),
        }
    }

    /// Bootstraps a PCA on the rows it was fitted to.
    ///
    /// ```
    /// use eigenspan::evaluate::BootstrapOptions;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat, PcaOptions};
    ///
    /// let ctx = Context::new();
    /// let table = Mat::from_fn(60, 3, |i, j| ((i * (7 + 4 * j)) % 19) as f64 * [9.0, 3.0, 1.0][j]);
    /// let rows = Dense::new(table.view());
    /// let pca = PcaOptions::default().fit(&ctx, &rows)?;
    /// let sure = BootstrapOptions::default().run(&ctx, &pca, &rows)?;
    /// let first = &sure.eigenvalues[0];
    /// let [low, high] = first.interval.expect("an interval");
    /// assert!(low < first.estimate && first.estimate < high);
    /// assert!(sure.stability[0] > 0.9);
    /// assert_eq!(sure.sentence, "200 draws of 60 rows with replacement");
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn run<T: Real>(
        &self,
        ctx: &Context,
        pca: &Pca,
        source: &dyn Source<T>,
    ) -> Result<Bootstrap, Error> {
        let numbers = Numbers::from_source(source);
        self.run_of_numbers(ctx, pca, numbers)
    }

    /// Compiled in this crate once, for both element types.
    fn run_of_numbers(
        &self,
        ctx: &Context,
        pca: &Pca,
        numbers: Numbers<'_>,
    ) -> Result<Bootstrap, Error> {
        on_numbers!(numbers, source => self.run_rows(ctx, pca, source))
    }

    fn run_rows<T: Real>(
        &self,
        ctx: &Context,
        pca: &Pca,
        source: &dyn Source<T>,
    ) -> Result<Bootstrap, Error> {
        self.check()?;
        let options = &pca.parts().options;
        if source.n_cols() != pca.n_cols() {
            return Err(Error::WrongWidth {
                given: source.n_cols(),
                expected: pca.n_cols(),
            });
        }
        let how = (options.center, options.scale);
        let sample = match options.missing {
            Missing::Error => Sample::gather_at_most(ctx, source, how, self.max_rows, self.seed)?,
            Missing::Drop | Missing::Mean => {
                let complete = Complete::new(ctx, source, options.missing == Missing::Mean)?;
                Sample::gather_at_most(ctx, &complete, how, self.max_rows, self.seed)?
            }
            Missing::Em => {
                return Err(Error::OptionsConflict {
                    what: "missing = em predicts cells from the other cells of their row, so draws of such rows would vary less \
                           than they should: the bootstrap takes missing = error, drop or mean",
                });
            }
        };
        self.run_on(ctx, pca, &sample)
    }

    /// The same on prepared rows in memory: all rows that the PCA was fitted to, or a sample of them.
    pub fn run_on(&self, ctx: &Context, pca: &Pca, sample: &Sample) -> Result<Bootstrap, Error> {
        self.check()?;
        let size = self.size(ctx, pca, sample)?;
        let sample = size.thinned(sample, self.seed);
        let urn = ctx.install(|| Urn::new(&sample, pca, size.k + SPARE))?;
        let quiet = ctx.without_progress();
        let base = ctx.install(|| urn.fit_all(&quiet))?;
        let k = size.k.min(base.vectors.n_rows());
        let reference = Reference::new(&urn, pca, base, k);
        ctx.begin("bootstrap", Some(size.n_replicates as u64));
        let replicate = |number: usize| {
            ctx.check()?;
            let drawn = urn.fit(&quiet, &urn.counts(self.seed, number))?;
            ctx.advance(1);
            reference.align(drawn)
        };
        let replicates: Vec<Replicate> =
            ctx.install(|| parallel::try_collect(size.n_replicates, replicate))?;
        let shrink = match urn.n_drawn() as f64 / pca.parts().weight {
            share if share > 1.0 - 1e-9 => 1.0,
            share => share.sqrt(),
        };
        let report = Report {
            pca,
            urn: &urn,
            reference: &reference,
            replicates: &replicates,
            level: Level::new(self.level),
            shrink,
            unit: sample.unit,
            n_pairs: size.k + SPARE,
        };
        Ok(report.write(ctx, self.sentence(&size, pca.parts().n_rows), size.n_rows))
    }

    /// The numbers of components, replicates and rows, within the limits of time and memory.
    fn size(&self, ctx: &Context, pca: &Pca, sample: &Sample) -> Result<Size, Error> {
        let d = pca.n_cols();
        let n = sample.matrix.n_rows();
        if sample.matrix.n_cols() != d {
            return Err(Error::WrongWidth {
                given: sample.matrix.n_cols(),
                expected: d,
            });
        }
        if n < 2 {
            return Err(Error::TooFewRows { rows: n, needed: 2 });
        }
        let k = self.n_components.min(pca.spectrum().rank);
        let scaled = pca.parts().options.scale == Scale::Std;
        let cost = |n: usize, replicates| operations(n, d, scaled, k + SPARE, replicates);
        let fewest = self.n_replicates.min(FEWEST);
        let mut n_rows = n.min(self.max_rows);
        // 1. Rows: as many as the smallest number of replicates leaves time for.
        if cost(n_rows, fewest) > ENOUGH {
            let (mut low, mut high) = (FEW_ROWS.min(n_rows), n_rows);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                match cost(middle, fewest) <= ENOUGH {
                    true => low = middle,
                    false => high = middle,
                }
            }
            n_rows = low;
        }
        // 2. Replicates: as many as time and memory then allow.
        let width = if n_rows < d && !scaled { n_rows } else { d };
        let kept = (KEPT / (k * width + d).max(1)).max(fewest);
        let in_time = (ENOUGH / (cost(n_rows, FEWEST) / FEWEST as f64)) as usize;
        let n_replicates = self.n_replicates.min(in_time.max(fewest)).min(kept);
        let needed = 8 * (n_replicates * (k * width + d) + 4 * n_rows * d) as u64;
        match ctx.memory().filter(|&allowed| needed > allowed) {
            Some(allowed) => Err(Error::Memory {
                what: format!("a bootstrap of {} draws", n_replicates),
                needed,
                allowed,
            }),
            None => Ok(Size {
                k,
                n_rows,
                n_replicates,
            }),
        }
    }

    fn sentence(&self, size: &Size, n: usize) -> String {
        let draws = match size.n_replicates < self.n_replicates {
            true => format!(
                "{} draws (not {}, which would take too long)",
                size.n_replicates, self.n_replicates
            ),
            false => counted(size.n_replicates, "draw"),
        };
        match size.n_rows < n {
            false => format!("{draws} of {} with replacement", counted(n, "row")),
            true => {
                let (m, n) = (grouped(size.n_rows as u64), grouped(n as u64));
                format!(
                    "{draws} of {m} rows with replacement, from a sample of {m} of {n}; distances are shrunk by √({m}/{n}), as \
                     all rows would shrink them"
                )
            }
        }
    }
}

/// The size of a bootstrap.
struct Size {
    k: usize,
    n_rows: usize,
    n_replicates: usize,
}

impl Size {
    /// A random selection of the rows of a sample.
    fn thinned(&self, sample: &Sample, seed: u64) -> Sample {
        let rows = RowSet::sample(sample.matrix.n_rows(), self.n_rows, seed);
        let rows = rows.within(0, sample.matrix.n_rows());
        let pick = |weights: &Vec<f64>| rows.iter().map(|&i| weights[i]).collect();
        Sample {
            matrix: Mat::from_fn(rows.len(), sample.matrix.n_cols(), |i, j| {
                sample.matrix[(rows[i], j)]
            }),
            weights: sample.weights.as_ref().map(pick),
            ..*sample
        }
    }
}
