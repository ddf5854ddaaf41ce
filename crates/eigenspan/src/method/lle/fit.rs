//! The fit: neighbors, the sum of all neighborhoods' blocks, its smallest eigenvectors; and new rows by weights of training rows.

use std::sync::OnceLock;

use super::blocks::cost;
use super::weights::{barycentric, differences};
use super::{Learned, Lle, LleOptions, Variant};
use crate::context::Context;
use crate::error::{Error, GraphFault};
use crate::graph::{FittedRows, Graph, NeighborOptions, Neighbors};
use crate::mat::{Mat, Real};
use crate::method::eigenmap::graph::connected;
use crate::method::eigenmap::rows::{afford, check, read};
use crate::method::eigenmap::{Header, check_count};
use crate::method::project::ProjectRows;
use crate::parallel;
use crate::solve::{Plan, Solver, smallest_pairs};
use crate::source::{Dense, Numbers, Rows, Source};

impl LleOptions {
    /// What a fit would do; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        let n = self.check(source)? as f64;
        let (d, k) = (source.n_cols() as f64, self.n_neighbors as f64);
        let plan = Plan {
            solver: Solver::None,
            reason: "neighbors of all rows, and the smallest eigenvectors of a dense matrix, whose cost does not depend on its spectrum"
                .to_owned(),
            passes: 1,
            bytes: (8.0 * (2.0 * n * d + 3.0 * n * n + n * k * k)) as u64,
            flops: 2.0 * n * n * d + n * k * k * (d + k) + 4.0 / 3.0 * n * n * n,
        };
        afford(ctx, plan.bytes, "the cost matrix of all rows")?;
        Ok(plan)
    }

    fn check<T: Real>(&self, source: &dyn Source<T>) -> Result<usize, Error> {
        let n = check(
            source,
            self.scale,
            "locally linear embedding places every row alike, and these rows have weights",
        )?;
        for (option, given) in [
            ("regularization", self.regularization),
            ("hessian_tolerance", self.hessian_tolerance),
            ("modified_tolerance", self.modified_tolerance),
        ] {
            if !(given >= 0.0 && given.is_finite()) {
                return Err(Error::UnknownValue {
                    option,
                    given: given.to_string(),
                    allowed: "a finite number from 0 on",
                });
            }
        }
        let (m, d) = (self.n_components, source.n_cols());
        check_count(m, n)?;
        if m > d {
            return Err(Error::Graph(GraphFault::MoreThanColumns {
                asked: m,
                n_cols: d,
            }));
        }
        let needed = match self.variant {
            Variant::Standard => 1,
            Variant::Hessian => 1 + m + m * (m + 1) / 2,
            Variant::Modified => m,
            Variant::Ltsa => m + 1,
        };
        match self.n_neighbors < needed && self.n_neighbors > 0 {
            true => Err(Error::Graph(GraphFault::TooFewNeighbors {
                given: self.n_neighbors,
                variant: self.variant.name(),
                n_components: m,
                needed,
            })),
            false => Ok(n),
        }
    }

    /// Places the rows.
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Lle, Error> {
        let plan = self.plan(ctx, source)?;
        let (rows, preparation) = read(ctx, source, self.scale)?;
        let search = self.search(ctx, &rows)?;
        let found = search.neighbors(ctx)?;
        let (directed, both, note) = connected(ctx, &search, &found, self.pieces)?;
        let neighbors = with_links(&found, &directed, &both, note.is_some());
        let mut seen = vec![false; rows.n_rows()];
        let listed = neighbors.iter().flatten();
        listed.for_each(|&j| seen[j as usize] = true);
        let n_unseen = seen.iter().filter(|seen| !**seen).count();
        let m = ctx.install(|| cost(ctx, self, &rows, &neighbors))?;
        ctx.begin("eigenvectors", None);
        ctx.check()?;
        let largest_diagonal = (0..m.n_rows()).fold(0.0f64, |most, i| most.max(m[(i, i)]));
        let pairs = ctx.install(|| smallest_pairs(m, self.n_components, largest_diagonal))?;
        Ok(Lle {
            header: Header {
                options: self.clone(),
                columns: source.col_names().map(<[String]>::to_vec),
                n_cols: source.n_cols(),
                learned: Learned {
                    reconstruction_error: pairs.values.iter().sum(),
                    largest_diagonal,
                    n_unseen,
                    recall: found.recall().map(|recall| recall.share),
                },
                map: None,
                plan,
                notes: note.into_iter().collect(),
            },
            places: pairs.vectors.transposed(),
            eigenvalues: pairs.values,
            residuals: pairs.residuals,
            preparation,
            rows: Some(rows),
            weights: None,
            search: OnceLock::from(search),
        })
    }

    /// Rows among which neighbors are looked for.
    fn search(&self, ctx: &Context, rows: &Mat<f64>) -> Result<FittedRows, Error> {
        let options = NeighborOptions {
            n_neighbors: self.n_neighbors,
            algorithm: self.algorithm,
            seed: self.seed,
            ..NeighborOptions::default()
        };
        let rows = Dense::new(rows.view());
        options.prepare(ctx, Numbers::from_source(&rows))
    }
}

/// The neighbors of every row by rising distance, and after them the rows to which links were added between pieces.
fn with_links(found: &Neighbors, directed: &Graph, both: &Graph, any: bool) -> Vec<Vec<u32>> {
    let mut neighbors: Vec<Vec<u32>> = (0..found.n_rows())
        .map(|i| found.row(i).0.to_vec())
        .collect();
    if !any {
        return neighbors;
    }
    let has = |from: u32, to: u32| directed.row(from as usize).0.binary_search(&to).is_ok();
    for (i, own) in neighbors.iter_mut().enumerate() {
        let linked = both.row(i).0.iter().copied();
        own.extend(linked.filter(|&j| !has(i as u32, j) && !has(j, i as u32)));
    }
    neighbors
}

impl Lle {
    /// Places of rows that were prepared as those of the fit.
    fn place(&self, ctx: &Context, new: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let (Some(rows), k) = (&self.rows, self.places.n_cols()) else {
            return Err(Error::NoColumns);
        };
        let search = match self.search.get() {
            Some(search) => search,
            None => {
                let search = self.header.options.search(ctx, rows)?;
                self.search.get_or_init(|| search)
            }
        };
        let n_neighbors = self.header.options.n_neighbors;
        let source = Dense::new(new.view());
        let found = search.nearest_to(ctx, Numbers::from_source(&source), n_neighbors)?;
        let places = ctx.install_here(|| {
            parallel::try_collect(new.n_rows(), |i| {
                let (neighbors, _) = found.row(i);
                let away = differences(rows, neighbors, new.row(i));
                let weights = barycentric(&away, self.header.options.regularization)?;
                let mut place = vec![0.0; k];
                for (&j, w) in neighbors.iter().zip(&weights) {
                    let cells = place.iter_mut().zip(self.places.row(j as usize));
                    cells.for_each(|(x, y)| *x += w * y);
                }
                Ok::<_, Error>(place)
            })
        })?;
        Mat::from_vec(new.n_rows(), k, places.concat())
    }
}

impl<T: Real> ProjectRows<T> for Lle {
    fn project_block(&self, ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.project_finite(rows, |new| self.place(ctx, new))
    }
}
