//! The fit: affinities, their graph in one piece, and the smallest eigenvectors of its Laplacian after the constant one.

use std::sync::OnceLock;

use super::{Affinity, Laplacian, LaplacianOptions, Learned};
use crate::context::Context;
use crate::error::{Error, GraphFault};
use crate::graph::{NeighborOptions, Neighbors};
use crate::mat::{Mat, Real};
use crate::method::eigenmap::affinity::Gaussian;
use crate::method::eigenmap::graph::{Affinities, connected};
use crate::method::eigenmap::rows::{afford, check, read};
use crate::method::eigenmap::{Header, check_count, note_not_converged};
use crate::note::Note;
use crate::prepare::{Preparation, Scale};
use crate::solve::{Plan, Sign, Solver, SymmetricPairs, largest_pairs};
use crate::source::{Dense, Numbers, Source};

/// Affinities, and what was learned on the way to them.
struct Found {
    affinities: Affinities,
    preparation: Option<Preparation>,
    gamma: Option<f64>,
    recall: Option<f64>,
    notes: Vec<Note>,
}

impl Found {
    fn new(affinities: Affinities) -> Self {
        Found {
            affinities,
            preparation: None,
            gamma: None,
            recall: None,
            notes: Vec::new(),
        }
    }
}

impl LaplacianOptions {
    /// What a fit would do; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        let n = self.check(source)? as f64;
        let d = source.n_cols() as f64;
        let vectors = 12.0 * n * self.n_components.max(8) as f64;
        let (reason, cells, flops) = match self.affinity {
            Affinity::NearestNeighbors => (
                "neighbors of all rows, and filtered products of their graph's Laplacian with a few vectors",
                n * d + vectors + 4.0 * n * self.n_neighbors as f64,
                2.0 * n * n * d + 500.0 * n * self.n_neighbors as f64,
            ),
            Affinity::Rbf => (
                "affinities of all pairs of rows, and filtered products of their Laplacian with a few vectors",
                n * d + n * n + vectors,
                2.0 * n * n * (d + 1000.0),
            ),
            Affinity::Precomputed => (
                "filtered products of the Laplacian of the given affinities with a few vectors",
                2.0 * n * n + vectors,
                2000.0 * n * n,
            ),
        };
        let plan = Plan {
            solver: Solver::None,
            reason: reason.to_owned(),
            passes: 1,
            bytes: (8.0 * cells) as u64,
            flops,
        };
        afford(ctx, plan.bytes, "the affinities of all rows")?;
        Ok(plan)
    }

    fn check<T: Real>(&self, source: &dyn Source<T>) -> Result<usize, Error> {
        let n = check(
            source,
            self.scale,
            "Laplacian eigenmaps place every row alike, and these rows have weights",
        )?;
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(Error::UnknownValue {
                option: "tolerance",
                given: self.tolerance.to_string(),
                allowed: "a number above 0 and below 1, such as 1e-12",
            });
        }
        if self.affinity == Affinity::Precomputed {
            let cols = source.n_cols();
            if self.scale != Scale::None {
                return Err(Error::OptionsConflict {
                    what: "a matrix of affinities has no columns to scale",
                });
            }
            if n != cols {
                return Err(Error::Graph(GraphFault::NotSquare { rows: n, cols }));
            }
        }
        check_count(self.n_components, n)?;
        Ok(n)
    }

    /// Places the rows.
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Laplacian, Error> {
        let plan = self.plan(ctx, source)?;
        let found = match self.affinity {
            Affinity::Precomputed => Found::new(Affinities::given(ctx, source)?),
            Affinity::Rbf => self.gaussian(ctx, source)?,
            Affinity::NearestNeighbors => self.neighbors(ctx, source)?,
        };
        let Found {
            affinities,
            preparation,
            gamma,
            recall,
            mut notes,
        } = found;
        let affinities = affinities.without_own();
        affinities.check_connected()?;
        let n_pairs = affinities.n_pairs();
        let (places, pairs) = ctx.install(|| self.places(ctx, affinities))?;
        notes.extend(note_not_converged(&pairs, self.tolerance));
        Ok(Laplacian {
            header: Header {
                options: self.clone(),
                columns: source.col_names().map(<[String]>::to_vec),
                n_cols: source.n_cols(),
                learned: Learned {
                    gamma,
                    n_pairs,
                    recall,
                    rounds: pairs.rounds,
                },
                map: None,
                plan,
                notes,
            },
            places,
            // The first is that of the constant.
            eigenvalues: pairs.values[1..]
                .iter()
                .map(|x| (1.0 - x).max(0.0))
                .collect(),
            residuals: pairs.residuals[1..].to_vec(),
            preparation,
            rows: None,
            weights: None,
            search: OnceLock::new(),
        })
    }

    /// D^−½ v for the eigenvectors v of D^−½ W D^−½ of the largest eigenvalues after the first, and the eigenpairs.
    fn places(
        &self,
        ctx: &Context,
        affinities: Affinities,
    ) -> Result<(Mat<f64>, SymmetricPairs), Error> {
        let degrees = affinities.degrees();
        let roots: Vec<f64> = degrees.iter().map(|x| x.sqrt()).collect();
        let s = affinities.normalized(&roots);
        let k = self.n_components;
        let pairs = largest_pairs(ctx, s.as_bounded(), k + 1, self.tolerance, self.seed)?;
        let n = roots.len();
        let mut axes = Mat::from_fn(k, n, |c, i| pairs.vectors[(c + 1, i)] / roots[i]);
        Sign::Largest.apply_to(&mut axes);
        Ok((axes.transposed(), pairs))
    }

    fn gaussian<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Found, Error> {
        let (rows, preparation) = read(ctx, source, self.scale)?;
        let kernel = Gaussian::on(&rows, self.gamma)?;
        let matrix = kernel.matrix(ctx, &rows)?;
        Ok(Found {
            preparation,
            gamma: Some(kernel.gamma),
            ..Found::new(Affinities::Dense(matrix))
        })
    }

    fn neighbors<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Found, Error> {
        let options = NeighborOptions {
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            algorithm: self.algorithm,
            seed: self.seed,
            ..NeighborOptions::default()
        };
        let (prepared, preparation) = match self.scale {
            Scale::None => (options.prepare(ctx, Numbers::from_source(source))?, None),
            _ => {
                let (rows, preparation) = read(ctx, source, self.scale)?;
                let rows = Dense::new(rows.view());
                (
                    options.prepare(ctx, Numbers::from_source(&rows))?,
                    preparation,
                )
            }
        };
        let neighbors: Neighbors = prepared.neighbors(ctx)?;
        let (directed, both, note) = connected(ctx, &prepared, &neighbors, self.pieces)?;
        Ok(Found {
            preparation,
            notes: note.into_iter().collect(),
            recall: neighbors.recall().map(|recall| recall.share),
            ..Found::new(Affinities::of_neighbors(&directed, &both))
        })
    }
}
