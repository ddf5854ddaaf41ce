//! Parallel analysis: eigenvalues above those of the same columns without their relations.
//!
//! Horn 1965 (doi:10.1007/BF02289447) compares with random tables; tables made from the data ([`Null`]) keep the distribution
//! of each column and its variance, so that the comparison holds for covariances and for correlations. The i-th eigenvalue has
//! to exceed the upper quantile of the i-th eigenvalues of all draws; the first that does not ends the count. Columns are
//! permuted; where noise differs from row to row, signs are flipped instead.
//!
//! This count has two known errors. A second look ([`SecondLook`]) corrects them wherever the components leave only noise:
//!
//! - The variance of strong components, spread over all directions of the tables, hides weak ones (Dobriban & Owen 2019,
//!   doi:10.1111/rssb.12301).
//! - Where columns differ in their noise, the i-th largest eigenvalue of the tables is smaller than what noise can give.
//!
//! Cost: one Gram matrix and its eigenvalues per draw, draws at the same time.

use super::effort::draws_within_reach;
use super::null::Null;
use super::residue::Residue;
use super::second::SecondLook;
use super::small::{is_zero, squares_of_flat, too_few};
use super::{Advice, ChooseOptions, Detail, Rule};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::mat::Mat;
use crate::parallel;
use crate::rng::stream;

/// Eigenvalues that exceed the null only by rounding do not count.
const ROUNDING: f64 = 1e-10;

/// Parallel analysis of a prepared matrix.
pub fn parallel_analysis(
    ctx: &Context,
    matrix: &Mat<f64>,
    options: &ChooseOptions,
) -> Result<Advice, Error> {
    Ok(weighted(ctx, matrix, None, options)?.0)
}

/// Parallel analysis of a prepared matrix whose rows were multiplied with the roots of these weights. Also gives the reason
/// why what the components leave is not equal noise, where it is not.
pub(super) fn weighted(
    ctx: &Context,
    matrix: &Mat<f64>,
    weights: Option<&[f64]>,
    options: &ChooseOptions,
) -> Result<(Advice, Option<String>), Error> {
    options.check()?;
    let (n, d) = (matrix.n_rows(), matrix.n_cols());
    let none = |why: &str| Ok((Advice::none(Rule::ParallelAnalysis, why), None));
    if is_zero(matrix) {
        return none("nothing varies");
    }
    if let Some(why) = too_few(n, d, "to permute") {
        return none(&why);
    }
    let roots: Option<Vec<f64>> = weights.map(|w| w.iter().map(|w| w.sqrt()).collect());
    let n_draws = draws_within_reach(n, d, options);
    let mut rows = Rows {
        matrix,
        columns: matrix.transposed(),
        roots: roots.as_deref(),
        null: Null::Permuted,
        seed: options.seed,
    };
    let observed = ctx.install(|| spectrum(rows.columns.clone()))?;
    let mut quantile = options.quantile;
    let mut band = rows.band(ctx, n_draws)?;
    // Components that are certainly real are removed first: they make rows differ in size even if the noise does not.
    let bar = band.quantile(0, quantile);
    let sure = observed.iter().take_while(|x| **x > bar).count();
    let residue = ctx.install(|| Residue::after_components(matrix, sure.min(n.min(d) / 3)))?;
    if residue.rows_differ(rows.roots) {
        // A few large rows make several large eigenvalues at once, so the bar is set higher.
        quantile = stricter(quantile);
        rows.null = Null::Flipped;
        band = rows.band(ctx, n_draws)?;
    }
    let first = band.count(&observed, quantile);
    let second = SecondLook::run(ctx, &rows, &observed, &band, first, quantile)?;
    let unequal = second.unequal(rows.roots);
    let mut advice = band.advice(observed, quantile, rows.null.words());
    second.amend(&mut advice, first);
    if n_draws < options.n_draws {
        let asked = options.n_draws;
        let fewer = format!(" (not of {asked}, which would take too long)");
        advice.sentence.push_str(&fewer);
    }
    Ok((advice, unequal))
}

/// A quantile half as far from 1.
pub(super) fn stricter(quantile: f64) -> f64 {
    0.5 * (1.0 + quantile)
}

/// The data from which tables are drawn.
pub(super) struct Rows<'a> {
    /// The prepared matrix.
    pub(super) matrix: &'a Mat<f64>,
    /// Its columns as rows.
    columns: Mat<f64>,
    /// Roots of the weights of its rows.
    pub(super) roots: Option<&'a [f64]>,
    /// How relations between columns are removed.
    pub(super) null: Null,
    /// The seed of random choices.
    seed: u64,
}

impl Rows<'_> {
    /// Spectra of tables without relations.
    fn band(&self, ctx: &Context, n_draws: usize) -> Result<Band, Error> {
        Band::draw(ctx, n_draws, self.seed, |seed| {
            spectrum(self.null.draw(&self.columns, self.roots, seed))
        })
    }

    /// Spectra of tables that keep the structure of some components and have no other relations.
    pub(super) fn band_beside(
        &self,
        ctx: &Context,
        residue: &Residue,
        n_draws: usize,
    ) -> Result<Band, Error> {
        let seed = stream(self.seed, (4 << 32) + residue.k());
        let rest = residue.rest.transposed();
        let structure = residue.structure.as_ref().map(Mat::transposed);
        Band::draw(ctx, n_draws, seed, |seed| {
            let mut table = self.null.draw(&rest, self.roots, seed);
            if let Some(structure) = &structure {
                let cells = table.as_mut_slice().iter_mut().zip(structure.as_slice());
                cells.for_each(|(x, s)| *x += s);
            }
            spectrum(table)
        })
    }
}

/// Eigenvalues, as variances, of a table whose columns are given as rows.
fn spectrum(columns: Mat<f64>) -> Result<Vec<f64>, Error> {
    let (d, n) = (columns.n_rows(), columns.n_cols());
    // The matrix is decomposed with its shorter side as rows.
    let flat = if d <= n {
        columns
    } else {
        columns.transposed()
    };
    let divisor = n.saturating_sub(1).max(1) as f64;
    let squares = squares_of_flat(&flat)?;
    Ok(squares.iter().map(|x| x / divisor).collect())
}

/// Parallel analysis of eigenvalues against any null: `null` gives the eigenvalues of one draw from its seed.
pub fn parallel_analysis_by(
    ctx: &Context,
    observed: Vec<f64>,
    options: &ChooseOptions,
    null: impl Fn(u64) -> Result<Vec<f64>, Error> + Sync,
) -> Result<Advice, Error> {
    options.check()?;
    let band = Band::draw(ctx, options.n_draws, options.seed, null)?;
    Ok(band.advice(observed, options.quantile, Null::Permuted.words()))
}

/// Spectra of tables without relations, sorted component by component.
pub(super) struct Band {
    n_draws: usize,
    sorted: Vec<Vec<f64>>,
}

impl Band {
    /// Draws all tables, several at a time.
    pub(super) fn draw(
        ctx: &Context,
        n_draws: usize,
        seed: u64,
        null: impl Fn(u64) -> Result<Vec<f64>, Error> + Sync,
    ) -> Result<Self, Error> {
        ctx.begin("parallel analysis", Some(n_draws as u64));
        let draw = |number: usize| {
            ctx.check()?;
            let values = null(stream(seed, number))?;
            ctx.advance(1);
            Ok(values)
        };
        let draws: Vec<Vec<f64>> = ctx.install(|| parallel::try_collect(n_draws, draw))?;
        let longest = draws.iter().map(Vec::len).max().unwrap_or(0);
        let column = |i: usize| {
            let at = |values: &Vec<f64>| values.get(i).copied().unwrap_or(0.0);
            let mut column: Vec<f64> = draws.iter().map(at).collect();
            column.sort_unstable_by(f64::total_cmp);
            column
        };
        let sorted = (0..longest).map(column).collect();
        Ok(Band { n_draws, sorted })
    }

    /// A quantile of the i-th eigenvalue, as one of those drawn.
    pub(super) fn quantile(&self, i: usize, share: f64) -> f64 {
        let rank = (share * self.n_draws as f64).ceil() as usize;
        let column = self.sorted.get(i);
        column.map_or(0.0, |c| c[rank.clamp(1, self.n_draws) - 1])
    }

    /// The mean of the i-th eigenvalue.
    pub(super) fn mean(&self, i: usize) -> f64 {
        let column = self.sorted.get(i);
        column.map_or(0.0, |c| c.iter().sum::<f64>() / self.n_draws as f64)
    }

    /// The number of leading eigenvalues that each exceed the quantile of their own position.
    fn count(&self, observed: &[f64], share: f64) -> usize {
        let above = |(i, x): &(usize, &f64)| **x > self.quantile(*i, share) * (1.0 + ROUNDING);
        observed.iter().enumerate().take_while(above).count()
    }

    /// The advice for these eigenvalues.
    pub(super) fn advice(&self, observed: Vec<f64>, share: f64, tables: &str) -> Advice {
        let k = self.count(&observed, share);
        let sentence = format!(
            "{} above the {} % quantile of {} {tables}",
            counted(k, "eigenvalue"),
            100.0 * share,
            counted(self.n_draws, "table"),
        );
        let detail = Detail::Band {
            mean: (0..observed.len()).map(|i| self.mean(i)).collect(),
            upper: (0..observed.len())
                .map(|i| self.quantile(i, share))
                .collect(),
            observed,
        };
        Advice::new(Rule::ParallelAnalysis, k, sentence, detail)
    }

    /// Tables drawn.
    pub(super) fn n_draws(&self) -> usize {
        self.n_draws
    }
}
