//! Classical scaling of geodesics: the leading eigenpairs of B = −½ C Δ² C.
//!
//! Squares are centered in place. All eigenvalues of a small B are computed; of a larger one the leading pairs and the smallest
//! eigenvalue, by products that read half of it. Geodesics are seldom Euclidean distances, so that B has negative eigenvalues: they are
//! counted where all eigenvalues are known, and the smallest is said in any case.

use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Columns, LinearMap, LowerTiles, SIDE, norm, sum, symmetric_times};
use crate::mat::{Mat, MatView};
use crate::note::Note;
use crate::parallel;
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
const TOLERANCE: f64 = 1e-10;
/// The same for the smallest eigenvalue, relative to the distance between the smallest and the largest.
const SMALLEST: f64 = 1e-3;

/// Places by classical scaling.
pub(super) struct Places {
    /// n × k
    pub(super) places: Mat<f64>,
    pub(super) spectrum: Spectrum,
    /// The mean of every row of Δ².
    pub(super) means: Vec<f64>,
    /// B.
    pub(super) centered: Symmetric,
    pub(super) solver: Solver,
    pub(super) notes: Vec<Note>,
}

/// The solver for k places of n rows.
pub(super) fn solver(n: usize, k: usize) -> Solver {
    match n <= SMALL || FEW * k > n {
        true => Solver::Full,
        false => Solver::Randomized,
    }
}

/// Scales a symmetric matrix of geodesics, which becomes B.
pub(super) fn classical(
    ctx: &Context,
    geodesics: Mat<f64>,
    k: usize,
    seed: u64,
) -> Result<Places, Error> {
    let mut cells = geodesics;
    let n = cells.n_rows();
    let (means, whole) = ctx.install_here(|| center_squares(&mut cells));
    if !whole.is_finite() {
        return Err(Error::Overflow);
    }
    let centered = Symmetric(cells);
    let known = Known {
        n,
        trace: (0..n).map(|i| centered.0[(i, i)]).sum(),
        semidefinite: false,
        negative: Negative::Clip,
        // Squaring, the means and three subtractions round every entry.
        rounding: 16.0 * f64::EPSILON * whole,
        whole,
        smallest: SMALLEST,
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
            Solver::Full => Centered::Matrix(centered.0.clone()),
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
    // Where not all eigenvalues are known, the positive ones sum to at least that of those computed.
    spectrum.norm = spectrum.norm.max(norm(&spectrum.singular_values));
    Ok(Places {
        places,
        spectrum,
        means,
        centered,
        solver,
        notes,
    })
}

/// Makes −½ C Δ² C of Δ, in place; also the means of the rows of Δ², and the norm of ½Δ².
fn center_squares(cells: &mut Mat<f64>) -> (Vec<f64>, f64) {
    let n = cells.n_rows();
    let rows = parallel::collect_chunks(cells.as_mut_slice(), n.max(1), |_, row| {
        row.iter_mut().for_each(|x| *x *= *x);
        (sum(row) / n as f64, 0.5 * norm(row))
    });
    let (means, norms): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
    let mean = sum(&means) / n.max(1) as f64;
    parallel::each_chunk(cells.as_mut_slice(), n.max(1), |i, row| {
        let own = means[i] - mean;
        for (x, other) in row.iter_mut().zip(&means) {
            *x = -0.5 * (*x - (own + other));
        }
    });
    (means, norm(&norms))
}

/// A symmetric matrix that is stored whole, and read by its lower half.
pub(super) struct Symmetric(pub(super) Mat<f64>);

impl LowerTiles for Symmetric {
    fn len(&self) -> usize {
        self.0.n_rows()
    }

    fn tile<'a>(
        &'a self,
        (row, col): (usize, usize),
        scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], Error> {
        let n = self.0.n_rows();
        let run = |at: usize| at * SIDE..((at + 1) * SIDE).min(n);
        scratch.clear();
        for i in run(row) {
            scratch.extend_from_slice(&self.0.row(i)[run(col)]);
        }
        Ok(scratch)
    }
}

impl LinearMap for Symmetric {
    fn shape(&self) -> (usize, usize) {
        (self.0.n_rows(), self.0.n_rows())
    }

    fn times(&self, b: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        Ok(symmetric_times(self, &Columns::from_mat(&b.to_mat()))?.to_mat())
    }

    fn transpose_times(&self, c: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        self.times(c)
    }
}
