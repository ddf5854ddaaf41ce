//! The fit: the kernel, the walk without the rows' density, its leading eigenvectors; and new rows by Nyström's extension.

use std::sync::OnceLock;

use super::{DiffusionMap, DiffusionOptions, Learned};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::Gamma;
use crate::mat::{Mat, Real};
use crate::method::eigenmap::affinity::Gaussian;
use crate::method::eigenmap::graph::Affinities;
use crate::method::eigenmap::rows::{afford, check, read};
use crate::method::eigenmap::{Header, check_count, note_not_converged};
use crate::method::project::ProjectRows;
use crate::note::Note;
use crate::parallel;
use crate::solve::{Plan, Sign, Solver, SymmetricPairs, largest_pairs};
use crate::source::{Rows, Source};

/// New rows that one thread compares with all rows of the fit at a time.
const TOGETHER: usize = 64;

impl DiffusionOptions {
    /// What a fit would do; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        let n = self.check(source)? as f64;
        let d = source.n_cols() as f64;
        let cells = 3.0 * n * d + 2.0 * n * n + 12.0 * n * self.n_components.max(8) as f64;
        let plan = Plan {
            solver: Solver::None,
            reason: "a Gaussian kernel of all pairs of rows, and filtered products of the walk on it with a few vectors"
                .to_owned(),
            passes: 1,
            bytes: (8.0 * cells) as u64,
            flops: 2.0 * n * n * (d + 200.0),
        };
        afford(ctx, plan.bytes, "the kernel of all rows")?;
        Ok(plan)
    }

    fn check<T: Real>(&self, source: &dyn Source<T>) -> Result<usize, Error> {
        let n = check(
            source,
            self.scale,
            "diffusion maps place every row alike, and these rows have weights",
        )?;
        let refuse = |option, given: f64, allowed| {
            Err(Error::UnknownValue {
                option,
                given: given.to_string(),
                allowed,
            })
        };
        if !(0.0..=1.0).contains(&self.alpha) {
            return refuse("alpha", self.alpha, "a number from 0 to 1");
        }
        if !(self.diffusion_time >= 0.0 && self.diffusion_time.is_finite()) {
            return refuse(
                "diffusion_time",
                self.diffusion_time,
                "a finite number from 0 on",
            );
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let allowed = "a number above 0 and below 1, such as 1e-12";
            return refuse("tolerance", self.tolerance, allowed);
        }
        check_count(self.n_components, n)?;
        Ok(n)
    }

    /// Places the rows.
    pub fn fit<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<DiffusionMap, Error> {
        let plan = self.plan(ctx, source)?;
        let (rows, preparation) = read(ctx, source, self.scale)?;
        let kernel = Gaussian::on(&rows, self.gamma)?;
        let mut matrix = kernel.matrix(ctx, &rows)?;
        // 1. Divide the density out. Every row sum is at least 1, the kernel of a row with itself.
        let density: Vec<f64> = ctx.install(|| {
            let sums = parallel::collect(rows.n_rows(), |i| crate::linalg::sum(matrix.row(i)));
            sums.into_iter().map(|q| q.powf(self.alpha)).collect()
        });
        ctx.install(|| {
            let n = density.len();
            parallel::each_chunk(matrix.as_mut_slice(), n, |i, row| {
                let cells = row.iter_mut().zip(&density);
                cells.for_each(|(x, q)| *x /= density[i] * q);
            });
        });
        let walk = Affinities::Dense(matrix);
        walk.check_connected()?;
        // 2. The eigenvectors of D^−½ K D^−½, and ψ = v ÷ √π.
        let (axes, pairs) = ctx.install(|| self.axes(ctx, walk))?;
        let eigenvalues = pairs.values[1..].to_vec();
        let rounding = 4.0 * rows.n_rows() as f64 * f64::EPSILON;
        let rank = eigenvalues.iter().take_while(|x| **x > rounding).count();
        let mut notes: Vec<Note> = Vec::new();
        notes.extend(note_not_converged(&pairs, self.tolerance));
        if rank < self.n_components {
            notes.push(Note::RankBelowK {
                rank,
                k: self.n_components,
            });
        }
        let lengths: Vec<f64> = (0..self.n_components)
            .map(|c| self.length(rank, c, eigenvalues[c]))
            .collect();
        let n = rows.n_rows();
        let places = Mat::from_fn(n, self.n_components, |i, c| lengths[c] * axes[(c, i)]);
        Ok(DiffusionMap {
            header: Header {
                options: self.clone(),
                columns: source.col_names().map(<[String]>::to_vec),
                n_cols: source.n_cols(),
                learned: Learned {
                    gamma: kernel.gamma,
                    rank,
                    rounds: pairs.rounds,
                },
                map: None,
                plan,
                notes,
            },
            places,
            eigenvalues,
            residuals: pairs.residuals[1..].to_vec(),
            preparation,
            rows: Some(rows),
            weights: Some(density),
            search: OnceLock::new(),
        })
    }

    /// λ^t, by which coordinate c is ψ multiplied; 0 where λ is rounding.
    fn length(&self, rank: usize, c: usize, eigenvalue: f64) -> f64 {
        match c < rank {
            true => eigenvalue.powf(self.diffusion_time),
            false => 0.0,
        }
    }

    /// ψ as rows (k × n), without the constant one, and the eigenpairs with it.
    fn axes(&self, ctx: &Context, walk: Affinities) -> Result<(Mat<f64>, SymmetricPairs), Error> {
        let degrees = walk.degrees();
        let total = crate::linalg::sum(&degrees);
        let roots: Vec<f64> = degrees.iter().map(|x| x.sqrt()).collect();
        let s = walk.normalized(&roots);
        let k = self.n_components;
        let pairs = largest_pairs(ctx, s.as_bounded(), k + 1, self.tolerance, self.seed)?;
        let unit = total.sqrt();
        let mut axes = Mat::from_fn(k, roots.len(), |c, i| {
            unit * pairs.vectors[(c + 1, i)] / roots[i]
        });
        Sign::Largest.apply_to(&mut axes);
        Ok((axes, pairs))
    }
}

impl DiffusionMap {
    /// λ^(t−1) Σ_j p(x, j) ψ_j of rows that were prepared as those of the fit: Σ_j p(x, j) y_j ÷ λ for their places y.
    fn place(&self, ctx: &Context, new: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let (Some(rows), Some(density)) = (&self.rows, &self.weights) else {
            return Err(Error::NoColumns);
        };
        let (learned, k) = (&self.header.learned, self.places.n_cols());
        let kernel = Gaussian::on(rows, Gamma::Value(learned.gamma))?;
        let points = kernel.points(rows.clone())?;
        let count = new.n_rows().div_ceil(TOGETHER);
        let places = ctx.install_here(|| {
            parallel::try_collect(count, |part| {
                ctx.check()?;
                let from = part * TOGETHER;
                let len = TOGETHER.min(new.n_rows() - from);
                let some = new.view().slice_rows(from, from + len).to_mat();
                let mut near = kernel.between(&kernel.points(some)?, &points);
                let mut out = vec![0.0; len * k];
                for (i, place) in out.chunks_exact_mut(k).enumerate() {
                    let cells = near.row_mut(i).iter_mut().zip(density);
                    cells.for_each(|(x, q)| *x /= q);
                    let sum = crate::linalg::sum(near.row(i));
                    if sum <= 0.0 {
                        return Err(Error::Graph(crate::error::GraphFault::FarAway));
                    }
                    for (x, y) in near.row(i).iter().zip(self.places.rows()) {
                        place.iter_mut().zip(y).for_each(|(p, y)| *p += x * y);
                    }
                    for (c, p) in place.iter_mut().enumerate() {
                        *p = match c < learned.rank {
                            true => *p / sum / self.eigenvalues[c],
                            false => 0.0,
                        };
                    }
                }
                Ok::<_, Error>(out)
            })
        })?;
        Mat::from_vec(new.n_rows(), k, places.concat())
    }
}

impl<T: Real> ProjectRows<T> for DiffusionMap {
    fn project_block(&self, ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.project_finite(rows, |new| self.place(ctx, new))
    }
}
