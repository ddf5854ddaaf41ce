//! How much of the variance random directions keep, beside principal ones.
//!
//! k orthonormal directions Q, drawn uniformly in the space of d columns, keep tr(QᵀSQ) ÷ tr(S) of the variance, on average k/d whatever the
//! covariance S. A rotation of the columns changes nothing in the distribution of Q, so S may be taken diagonal: eigenvalues are all that is
//! needed. Directions are orthonormalized normal vectors; the first k of a draw are a draw of k. Cost K²·d for each draw of K directions.

use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, norm, sum};
use crate::parallel;
use crate::rng::{Rng, stream};

/// Shares of the variance that k directions keep, for k = 0, 1, 2, …
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptByDirections {
    /// The first k principal directions: the most that any k can keep.
    pub principal: Vec<f64>,
    /// k random directions, the mean over all draws: k ÷ columns.
    pub random: Vec<f64>,
    /// Nine of ten draws lie between this and `high`.
    pub low: Vec<f64>,
    /// The upper end.
    pub high: Vec<f64>,
    /// How many draws there were.
    pub n_draws: usize,
}

/// Draws, of which five lie below the interval and five above.
const DRAWS: usize = 99;
const OUTSIDE: usize = 5;
/// Up to this many operations for all draws.
const WORK: f64 = 1e9;

impl KeptByDirections {
    /// From all eigenvalues of the covariance of `n_cols` columns, largest first; those that are left out are zero. For up to `most`
    /// directions, fewer of very many columns; `None` where all eigenvalues are zero.
    pub fn new(
        ctx: &Context,
        eigenvalues: &[f64],
        n_cols: usize,
        most: usize,
        seed: u64,
    ) -> Result<Option<Self>, Error> {
        let total = sum(eigenvalues);
        if !(total > 0.0 && total.is_finite()) || n_cols == 0 {
            return Ok(None);
        }
        let affordable = (WORK / (DRAWS * n_cols) as f64).sqrt() as usize;
        let most = most.min(n_cols).min(affordable.max(1));
        let shares: Vec<f64> = eigenvalues.iter().map(|x| x / total).collect();
        let draw = |number: usize| -> Result<Vec<f64>, Error> {
            ctx.check()?;
            Ok(kept(&shares, n_cols, most, stream(seed, number)))
        };
        let draws = ctx.install_here(|| parallel::try_collect(DRAWS, draw))?;
        let mut found = KeptByDirections {
            n_draws: DRAWS,
            ..KeptByDirections::default()
        };
        let mut principal = 0.0;
        for k in 0..=most {
            if k > 0 {
                principal += shares.get(k - 1).copied().unwrap_or(0.0);
            }
            let mut all: Vec<f64> = draws.iter().map(|draw| draw[k]).collect();
            all.sort_unstable_by(f64::total_cmp);
            found.principal.push(principal.min(1.0));
            found.random.push(k as f64 / n_cols as f64);
            found.low.push(all[OUTSIDE]);
            found.high.push(all[DRAWS - 1 - OUTSIDE]);
        }
        Ok(Some(found))
    }
}

/// The share that the first 0, 1, …, `most` directions of a draw keep.
fn kept(shares: &[f64], n_cols: usize, most: usize, seed: u64) -> Vec<f64> {
    let mut rng = Rng::new(seed);
    let mut directions: Vec<Vec<f64>> = Vec::with_capacity(most);
    let (mut so_far, mut out) = (0.0, vec![0.0]);
    for _ in 0..most {
        let mut next: Vec<f64> = (0..n_cols).map(|_| rng.normal()).collect();
        // Twice is enough to be orthogonal to all digits.
        for known in directions.iter().chain(&directions) {
            let along = dot(known, &next);
            next.iter_mut()
                .zip(known)
                .for_each(|(x, q)| *x -= along * q);
        }
        let length = norm(&next);
        next.iter_mut().for_each(|x| *x /= length);
        so_far += next.iter().zip(shares).map(|(q, s)| q * q * s).sum::<f64>();
        out.push(so_far.min(1.0));
        directions.push(next);
    }
    out
}
