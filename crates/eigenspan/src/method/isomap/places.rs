//! Classical scaling of geodesics: the leading eigenpairs of B = −½ C Δ² C.
//!
//! All eigenpairs of a small B are computed; of a larger one the leading pairs, by products with its lower half, and the other eigenvalues
//! where they are asked for. Geodesics are seldom Euclidean distances, so that B has negative eigenvalues: they are counted where all
//! eigenvalues are known; elsewhere the smallest number is said that an orthonormal basis gives, above which the smallest cannot lie.

use super::squares::CenteredSquares;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{norm, symmetric_eigenvalues};
use crate::mat::Mat;
use crate::note::Note;
use crate::prepare::Scale;
use crate::solve::{
    Centered, Convention, GramSolution, Keep, Known, Negative, Problem, Sign, Solver, Spectrum,
    solve_gram,
};

/// All eigenvalues of matrices up to this size are computed.
const SMALL: usize = 512;
/// If more than one in so many components is wanted, too.
const FEW: usize = 8;
/// The residual of each pair, relative to its eigenvalue, at which an iteration stops.
const TOLERANCE: f64 = 1e-9;

/// The squares of geodesics that are all shorter than this leave the range of f64.
const SHORTEST: f64 = 1e-140;

/// Places by classical scaling.
pub(super) struct Places {
    /// n × k
    pub(super) places: Mat<f64>,
    pub(super) spectrum: Spectrum,
    /// B, and the means of Δ².
    pub(super) centered: CenteredSquares,
    pub(super) solver: Solver,
    /// Whether all eigenvalues are known, so that shares are.
    pub(super) all_known: bool,
    pub(super) notes: Vec<Note>,
}

/// The solver for k places of n rows.
pub(super) fn solver(n: usize, k: usize) -> Solver {
    match n <= SMALL || FEW * k > n {
        true => Solver::Full,
        false => Solver::Randomized,
    }
}

/// Scales geodesics, of which the lower triangle is read.
pub(super) fn classical(
    ctx: &Context,
    geodesics: Mat<f64>,
    (k, all): (usize, bool),
    seed: u64,
) -> Result<Places, Error> {
    let n = geodesics.n_rows();
    let largest = geodesics.as_slice().iter().fold(0.0f64, |m, x| m.max(*x));
    if largest > 0.0 && largest < SHORTEST {
        return Err(Error::Underflow);
    }
    let centered = ctx.install_here(|| CenteredSquares::new(&geodesics));
    drop(geodesics);
    if !centered.whole.is_finite() {
        return Err(Error::Overflow);
    }
    let known = Known {
        n,
        trace: centered.diagonal.iter().sum(),
        semidefinite: false,
        negative: Negative::Clip,
        // Squaring, the means and three subtractions round every entry.
        rounding: 16.0 * f64::EPSILON * centered.whole,
        whole: centered.whole,
        needs_smallest: false,
    };
    let problem = Problem {
        keep: Keep::Count(k),
        center: true,
        scale: Scale::None,
        convention: Convention::Unbiased,
        sign: Sign::Largest,
        tolerance: TOLERANCE,
        seed,
        patience: None,
    };
    let solver = solver(n, k);
    ctx.check()?;
    let solution = ctx.install_here(|| {
        let matrix = match solver {
            Solver::Full => Centered::Matrix(centered.to_mat()),
            _ => Centered::Map {
                map: &centered,
                exact: &centered,
            },
        };
        solve_gram(ctx, &matrix, &known, &problem, solver)
    })?;
    let GramSolution {
        mut spectrum,
        images,
        mut notes,
        ..
    } = solution;
    notes.extend(spectrum.note_rank(n));
    // √λ·u as Bu/√λ.
    let places = Mat::from_fn(n, k, |i, j| match j < spectrum.rank {
        true => images[(j, i)] / spectrum.singular_values[j],
        false => 0.0,
    });
    (spectrum.vectors, spectrum.left_out) = (Mat::default(), None);
    if all && solver != Solver::Full {
        ctx.check()?;
        let values = ctx.install_here(|| symmetric_eigenvalues(&centered.to_mat()))?;
        count_negative(&values, &mut spectrum, &mut notes);
    }
    Ok(Places {
        places,
        spectrum,
        centered,
        all_known: all || solver == Solver::Full,
        solver,
        notes,
    })
}

/// Puts what all eigenvalues say in the place of what the leading ones said: the sum of the positive ones, and how many are negative.
fn count_negative(values: &[f64], spectrum: &mut Spectrum, notes: &mut Vec<Note>) {
    notes.retain(|note| !matches!(note, Note::NegativeEigenvalues { .. }));
    let (Some(largest), Some(smallest)) = (values.first(), values.last()) else {
        return;
    };
    let rounding = 8.0 * values.len() as f64 * f64::EPSILON * largest.max(-smallest);
    let roots: Vec<f64> = values.iter().map(|x| x.max(0.0).sqrt()).collect();
    spectrum.norm = norm(&roots);
    let count = values.iter().filter(|x| **x < -rounding).count();
    if count > 0 {
        notes.push(Note::NegativeEigenvalues {
            count: Some(count),
            smallest: *smallest,
            largest: *largest,
            negative: Negative::Clip.name().to_owned(),
        });
    }
}
