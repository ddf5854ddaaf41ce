//! The fit: distances, places by their inner products or by their stress, and the best of several starts.

use super::classical::Places;
use super::distances::{check_scale, given};
use super::model::{Header, Scaling, Stress};
use super::smacof::Descent;
use super::{Criterion, Distances, MdsOptions, Start};
use crate::context::Context;
use crate::error::{DistanceFault, Error, ShapeFault};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::{Complete, Missing, read_all};
use crate::rng::{Rng, stream};
use crate::solve::{Plan, Solver};
use crate::source::Source;

impl MdsOptions {
    /// What a fit would do; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        self.check(source)?;
        let Some(rows) = source.n_rows() else {
            return Err(Error::UnknownLength {
                what: "multidimensional scaling has a place for every row and needs to know how many there are, but this input can be read only once",
            });
        };
        let (n, d, k) = (
            rows as f64,
            source.n_cols() as f64,
            self.n_components as f64,
        );
        let straight = self.distances == Distances::Euclidean;
        let steps = (self.max_iterations * self.n_starts.max(1)) as f64;
        let (solver, reason, cells, flops) = match self.criterion {
            Criterion::Classical if straight && k <= d => (
                Solver::Auto,
                "Euclidean distances of rows are those of their PCA, so that no distance is computed",
                2.0 * n * d,
                2.0 * n * d * d,
            ),
            Criterion::Classical => (
                Solver::Auto,
                "eigenpairs of the centered squared distances",
                n * d + 4.0 * n * n,
                n * n * (d + 4.0 / 3.0 * n),
            ),
            _ => (
                Solver::None,
                "steps of SMACOF, with all distances in memory",
                n * d
                    + if self.criterion == Criterion::Metric {
                        3.0
                    } else {
                        4.0
                    } * n
                        * n,
                n * n * (3.0 * d + steps * (5.0 + 2.0 * k)),
            ),
        };
        let plan = Plan {
            solver,
            reason: reason.to_owned(),
            passes: 1,
            bytes: (8.0 * cells) as u64,
            flops,
        };
        match ctx.affords(plan.bytes) {
            true => Ok(plan),
            false => Err(Error::Memory {
                what: "the distances of all rows".to_owned(),
                needed: plan.bytes,
                allowed: ctx.allowed(),
            }),
        }
    }

    fn check<T: Real>(&self, source: &dyn Source<T>) -> Result<(), Error> {
        let (k, d) = (self.n_components, source.n_cols());
        let positive = |option, given: String, allowed| Error::UnknownValue {
            option,
            given,
            allowed,
        };
        if k == 0 {
            return Err(Error::NoComponents);
        }
        if d == 0 {
            return Err(Error::NoColumns);
        }
        check_scale(self)?;
        for (option, given) in [
            ("n_starts", self.n_starts),
            ("max_iterations", self.max_iterations),
        ] {
            if given == 0 {
                return Err(positive(option, "0".to_owned(), "a whole number from 1 on"));
            }
        }
        if !(self.tolerance >= 0.0 && self.tolerance < 1.0) {
            let given = self.tolerance.to_string();
            return Err(positive(
                "tolerance",
                given,
                "a number from 0 on and below 1",
            ));
        }
        match (self.missing, self.distances) {
            (Missing::Em, _) => {
                return Err(Error::UnknownValue {
                    option: "missing",
                    given: "em".to_owned(),
                    allowed: "error, drop or mean: multidimensional scaling does not predict cells",
                });
            }
            (Missing::Drop | Missing::Mean, Distances::Precomputed) => {
                return Err(Error::OptionsConflict {
                    what: "every cell of a distance matrix is the distance of two rows: one that is missing can be neither left out nor filled",
                });
            }
            _ => {}
        }
        let by_columns = self.criterion == Criterion::Classical
            && self.distances == Distances::Euclidean
            && k <= d;
        if source.is_weighted() && !by_columns {
            return Err(Error::OptionsConflict {
                what: "these rows have weights, which multidimensional scaling takes only where it is classical, of Euclidean distances and in no more dimensions than there are columns",
            });
        }
        let Some(n) = source.n_rows() else {
            return Ok(());
        };
        if self.distances == Distances::Precomputed && n != d {
            return Err(Error::Distances(DistanceFault::NotSquare {
                rows: n,
                cols: d,
            }));
        }
        if n < 2 {
            return Err(Error::TooFewRows { rows: n, needed: 2 });
        }
        match k > n {
            true => Err(Error::TooManyComponents {
                asked: k,
                rows: n,
                cols: usize::MAX,
            }),
            false => Ok(()),
        }
    }

    /// Places the rows; those with missing cells are left out or filled, if that is asked for.
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Scaling, Error> {
        if self.missing == Missing::Error {
            return self.fit_complete(ctx, source);
        }
        // Refuses options before the rows are read to count what is missing.
        self.plan(ctx, source)?;
        let complete = Complete::new(ctx, source, self.missing == Missing::Mean)?;
        let mut model = self.fit_complete(ctx, &complete)?;
        model.header.plan.passes += 1;
        model.header.notes.splice(0..0, complete.note());
        Ok(model)
    }

    /// Places rows without missing cells.
    fn fit_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Scaling, Error> {
        let plan = self.plan(ctx, source)?;
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let header = Header {
            options: self.clone(),
            columns: source.col_names().map(<[String]>::to_vec),
            n_cols: source.n_cols(),
            start_given: self.places.is_some(),
            stress: None,
            map: None,
            plan,
            notes: Vec::new(),
        };
        match self.distances {
            _ if source.is_weighted() => {
                let (rows, weights) = ctx.install(|| read_all(ctx, source))?;
                let weighted = (&rows, weights.as_deref().unwrap_or_default());
                let (found, preparation) = self.classical_of_weighted(ctx, weighted)?;
                let model = classical_model(header, found);
                Ok(Scaling {
                    preparation: Some(preparation),
                    ..model
                })
            }
            Distances::Precomputed => {
                let distances = given(ctx, source)?;
                self.fit_read(ctx, header, None, Some(distances))
            }
            _ => {
                let (rows, preparation) = self.rows(ctx, source)?;
                let model = self.fit_read(ctx, header, Some(rows), None)?;
                Ok(Scaling {
                    preparation: Some(preparation),
                    ..model
                })
            }
        }
    }

    /// The fit after the rows, or their distances, were read.
    fn fit_read(
        &self,
        ctx: &Context,
        header: Header,
        rows: Option<Mat<f64>>,
        distances: Option<Mat<f64>>,
    ) -> Result<Scaling, Error> {
        let straight = rows
            .as_ref()
            .filter(|_| self.distances == Distances::Euclidean);
        let needs_distances = self.criterion != Criterion::Classical || straight.is_none();
        let distances = match (distances, &rows) {
            (None, Some(rows)) if needs_distances => Some(ctx.install(|| self.between(rows))),
            (distances, _) => distances,
        };
        let classical = || -> Result<Places, Error> {
            match (straight, &distances) {
                (Some(rows), _) => self.classical_of_rows(ctx, rows),
                (None, Some(distances)) => self.classical_of_distances(ctx, distances),
                (None, None) => Err(Error::NoColumns),
            }
        };
        let Some(given) = distances
            .as_ref()
            .filter(|_| self.criterion != Criterion::Classical)
        else {
            return Ok(classical_model(header, classical()?));
        };
        ctx.begin("stress", Some((self.max_iterations * self.n_starts) as u64));
        let first = match (&self.places, self.start) {
            (Some(places), _) => Some(checked_places(places, given.n_rows(), self.n_components)?),
            (None, Start::Classical) => Some(classical()?.places),
            (None, Start::Random) => None,
        };
        let n_starts = if self.places.is_some() {
            1
        } else {
            self.n_starts
        };
        let (best, stress) = self.best_of(ctx, given, first, n_starts)?;
        Ok(with_stress(header, best, stress))
    }

    /// The result with the smallest stress-1, the first of several.
    fn best_of(
        &self,
        ctx: &Context,
        distances: &Mat<f64>,
        first: Option<Mat<f64>>,
        n_starts: usize,
    ) -> Result<(Descent, Stress), Error> {
        let (mut best, mut worst): (Option<(usize, Descent)>, f64) = (None, 0.0);
        for number in 0..n_starts {
            let start = match (&first, number) {
                (Some(first), 0) => first.clone(),
                _ => self.random_places(distances, number),
            };
            let found = ctx.install(|| self.descend(ctx, distances, &start))?;
            worst = worst.max(found.stress_1);
            if best
                .as_ref()
                .is_none_or(|(_, best)| found.stress_1 < best.stress_1)
            {
                best = Some((number, found));
            }
        }
        let Some((start, found)) = best else {
            return Err(Error::NoConvergence { what: "stress" });
        };
        let stress = Stress {
            raw: found.raw,
            stress_1: found.stress_1,
            n_iterations: found.n_iterations,
            converged: found.converged,
            start,
            worst,
        };
        Ok((found, stress))
    }

    /// Random places about as far from each other as the rows are.
    fn random_places(&self, distances: &Mat<f64>, number: usize) -> Mat<f64> {
        let (n, k) = (distances.n_rows(), self.n_components);
        let largest = distances.as_slice().iter().fold(0.0f64, |m, x| m.max(*x));
        let mut rng = Rng::new(stream(self.seed, number));
        Mat::from_fn(n, k, |_, _| largest * rng.uniform())
    }
}

/// The model of places by inner products.
fn classical_model(mut header: Header, found: Places) -> Scaling {
    (header.plan.solver, header.notes) = (found.plan.solver, found.notes);
    Scaling {
        header,
        places: found.places,
        spectrum: Some(found.spectrum),
        preparation: None,
    }
}

/// The model of a search.
fn with_stress(mut header: Header, best: Descent, stress: Stress) -> Scaling {
    if !stress.converged {
        header.notes.push(Note::StressNotConverged {
            iterations: stress.n_iterations,
            last: Some(best.last).filter(|last| last.is_finite()),
            tolerance: header.options.tolerance,
        });
    }
    header.stress = Some(stress);
    // The start is not repeated in the model.
    header.options.places = None;
    Scaling {
        header,
        places: best.places,
        spectrum: None,
        preparation: None,
    }
}

/// Places that were given, as a matrix.
fn checked_places(places: &[Vec<f64>], n: usize, k: usize) -> Result<Mat<f64>, Error> {
    let cols = places.first().map_or(0, Vec::len);
    if places.len() != n || places.iter().any(|row| row.len() != k) {
        return Err(Error::Shape(ShapeFault::Start {
            given: (places.len(), cols),
            expected: (n, k),
        }));
    }
    let cells = places.concat();
    match cells.iter().all(|x| x.is_finite()) {
        true => Mat::from_vec(n, k, cells),
        false => Err(Error::BadNumbers {
            what: "the places to start from hold a number that is not finite",
        }),
    }
}
