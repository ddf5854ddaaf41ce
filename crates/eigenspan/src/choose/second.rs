//! The second look of parallel analysis: is the next eigenvalue more than noise gives beside the components already found?
//!
//! Tables keep the structure of the first k components and lose the relations of the rest ([`Residue`]); noise beside k
//! components gives their (k + 1)-th eigenvalue (Green et al. 2012, doi:10.1177/0013164411422252, with tables from the data).
//!
//! 1. Upwards: as long as more eigenvalues exceed that bar than were counted, the count rises to their number.
//! 2. This holds only if the rest is noise. If more than a third of all directions would be counted, or the smaller
//!    eigenvalues decrease faster than those of the tables, the rest is not noise, as in most real tables. Then the first count
//!    stands: its components are large as well as real.
//! 3. A component gained in step 1 has to exceed the bar by a quarter of the bar's distance from the mean eigenvalue of noise.
//! 4. Downwards: the last component counted has to exceed the bar beside those before it; by more where signs were flipped,
//!    because a few large rows lift several eigenvalues at once. A first count that stands passes through this step, too.

use super::Advice;
use super::null::Null;
use super::parallel::{Band, Rows, stricter};
use super::residue::Residue;
use crate::context::Context;
use crate::error::Error;

/// Largest number of tables per comparison.
const DRAWS: usize = 40;
/// At most one in this many directions may be counted as a component.
const DIRECTIONS: usize = 3;
/// The margin by which a component has to exceed the bar, in units of the bar's distance from the mean of noise: for a
/// component found upwards, and for the last component where columns were permuted and where signs were flipped.
const UPWARDS: f64 = 0.25;
const PERMUTED: f64 = 0.06;
const FLIPPED: f64 = 0.16;
/// The smallest geometric mean of the ratios of eigenvalues to those of noise that still counts as noise.
const LIKE_NOISE: f64 = 0.88;
/// The smallest value used for one such ratio.
const LEAST_RATIO: f64 = 0.01;

/// The result of the second look.
pub(super) struct SecondLook {
    k: usize,
    /// What the components leave, and whether that looks like noise.
    residue: Residue,
    noise: bool,
}

/// Tables that keep k components.
struct Beside {
    residue: Residue,
    band: Band,
    /// What the next eigenvalue has to exceed.
    bar: f64,
}

struct Looker<'a> {
    ctx: &'a Context,
    rows: &'a Rows<'a>,
    observed: &'a [f64],
    /// Eigenvalues that can differ from zero.
    possible: usize,
    n_draws: usize,
    quantile: f64,
}

impl SecondLook {
    /// Corrects a first count that a band of tables and a quantile gave.
    pub(super) fn run(
        ctx: &Context,
        rows: &Rows<'_>,
        observed: &[f64],
        band: &Band,
        first: usize,
        quantile: f64,
    ) -> Result<Self, Error> {
        let varying =
            (0..rows.matrix.n_cols()).filter(|&j| rows.matrix.col(j).iter().any(|x| *x != 0.0));
        let looker = Looker {
            ctx,
            rows,
            observed,
            possible: varying.count().min(rows.matrix.n_rows() - 1),
            n_draws: band.n_draws().min(DRAWS),
            quantile: stricter(quantile),
        };
        let Some(k) = looker.refined(first)? else {
            return Ok(SecondLook {
                k: looker.downwards(first)?,
                residue: Residue::after_components(rows.matrix, 0)?,
                noise: false,
            });
        };
        Ok(SecondLook {
            k,
            residue: ctx.install(|| Residue::after_components(rows.matrix, k))?,
            noise: true,
        })
    }

    /// Why the rest is not equal noise; None where it may be.
    pub(super) fn unequal(&self, roots: Option<&[f64]>) -> Option<String> {
        match self.noise {
            true => self.residue.unequal(roots),
            false => Some("what is left does not look like noise".to_owned()),
        }
    }

    /// Puts the number into the advice of the first count, and says what changed.
    pub(super) fn amend(&self, advice: &mut Advice, first: usize) {
        advice.k = Some(self.k);
        let more = match self.k {
            k if k > first => format!(
                ", and {} more above noise alone, because the random tables contain the variance of strong components",
                k - first
            ),
            k if k < first => format!(
                ", of which {} no larger than noise that differs from column to column can give",
                match first - k {
                    1 => "the last is".to_owned(),
                    less => format!("the last {less} are"),
                }
            ),
            _ => return,
        };
        advice.sentence.push_str(&more);
    }
}

impl Looker<'_> {
    /// The number of components; None where the rest does not look like noise.
    fn refined(&self, first: usize) -> Result<Option<usize>, Error> {
        let reach = (self.possible / DIRECTIONS).max(1);
        if first > reach {
            return Ok(None);
        }
        // Without a strong component, no weak one can be hidden.
        if first == 0 {
            return Ok(self.like_noise(&self.beside(0)?).then_some(0));
        }
        // 1. Upwards.
        let mut k = first;
        let mut beside = self.beside(k)?;
        loop {
            let above = self.above(beside.bar);
            if above <= k {
                break;
            }
            if above > reach {
                return Ok(None);
            }
            k = above;
            beside = self.beside(k)?;
        }
        // 2. Like noise?
        if !self.like_noise(&beside) {
            return Ok(None);
        }
        // 3. By a margin.
        let clear = self.above(self.cleared(&beside, UPWARDS));
        // 4. Downwards.
        Ok(Some(self.downwards(clear.clamp(first, k))?))
    }

    /// How many of k components exceed the bar given the components before them.
    fn downwards(&self, mut k: usize) -> Result<usize, Error> {
        while k > 1 {
            let margin = match self.rows.null {
                Null::Permuted => PERMUTED,
                Null::Flipped => FLIPPED,
            };
            if self.observed[k - 1] > self.cleared(&self.beside(k - 1)?, margin) {
                break;
            }
            k -= 1;
        }
        Ok(k)
    }

    /// The bar, moved away from the mean of noise by a margin.
    fn cleared(&self, beside: &Beside, margin: f64) -> f64 {
        let k = beside.residue.k();
        let rest: f64 = (k..self.possible).map(|i| beside.band.mean(i)).sum();
        let mean = rest / (self.possible - k).max(1) as f64;
        beside.bar + margin * (beside.bar - mean).max(0.0)
    }

    /// Leading eigenvalues above a bar.
    fn above(&self, bar: f64) -> usize {
        self.observed.iter().take_while(|x| **x > bar).count()
    }

    fn beside(&self, k: usize) -> Result<Beside, Error> {
        let residue = self
            .ctx
            .install(|| Residue::after_components(self.rows.matrix, k))?;
        let band = self.rows.band_beside(self.ctx, &residue, self.n_draws)?;
        let bar = band.quantile(k, self.quantile);
        Ok(Beside { residue, band, bar })
    }

    /// Whether the eigenvalues after the first few fall no faster than those of the tables.
    fn like_noise(&self, beside: &Beside) -> bool {
        let k = beside.residue.k();
        let ratio = |i: usize| {
            let (is, noise) = (self.observed[i], beside.band.mean(i));
            (noise > 0.0).then(|| (is / noise).max(LEAST_RATIO).ln())
        };
        let logs: Vec<f64> = (k..self.possible).filter_map(ratio).collect();
        let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        mean.exp() >= LIKE_NOISE
    }
}
