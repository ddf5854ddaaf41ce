//! The fit: neighbors, their graph in one piece, geodesics, and places by classical scaling of these.

use super::landmarks::{all_placed, drawn, weights};
use super::model::{Header, Isomap, Map, Paths};
use super::places::{self, classical};
use super::residual::residual_variances;
use super::rows::Ready;
use super::{Eigenvalues, IsomapOptions};
use crate::context::Context;
use crate::error::{Error, NeighborFault, grouped};
use crate::graph::{EdgeValues, FittedRows, Graph, GraphOf, geodesics};
use crate::mat::{Mat, Real};
use crate::method::mds::{notes_for_places, upright};
use crate::note::Note;
use crate::prepare::Scale;
use crate::solve::{Plan, Solver};
use crate::source::Source;

impl IsomapOptions {
    /// What a fit would do; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        let n_rows = self.checked_rows(source)?;
        let (n, d) = (n_rows as f64, source.n_cols() as f64);
        let from = self.n_landmarks.unwrap_or(n_rows);
        let m = from as f64;
        let (edges, k) = (1.5 * self.n_neighbors as f64, self.n_components as f64);
        let pairs = match places::solver(from, self.n_components) {
            Solver::Full => 9.0 * m * m * m,
            _ if self.wanted(from).1 => 4.0 / 3.0 * m * m * m,
            _ => 2.0 * m * m * 20.0 * (k + 6.0),
        };
        let reason = match self.n_landmarks {
            None => {
                "geodesics between all rows, then eigenpairs of their centered squares".to_owned()
            }
            Some(m) => format!(
                "geodesics from {} landmarks to all rows, then eigenpairs of the centered squares between landmarks",
                grouped(m as u64)
            ),
        };
        // Rows, their copy in f32, the graph, geodesics and their squares or their transpose, and what threads work on.
        let kept = if self.n_landmarks.is_none() { 1.5 } else { 2.0 };
        let cells = 1.5 * n * d
            + 1.5 * n * edges
            + kept * n * m
            + 1.5 * m * m * f64::from(u8::from(self.wanted(from).1))
            + 128.0 * n;
        let plan = Plan {
            solver: places::solver(from, self.n_components),
            reason,
            passes: 1,
            bytes: (8.0 * cells) as u64,
            flops: n * n * d + m * n * (3.0 * edges + n.max(2.0).log2()) + pairs,
        };
        match ctx.affords(plan.bytes) {
            true => Ok(plan),
            false => Err(Error::Memory {
                what: match self.n_landmarks {
                    None => "the geodesics between all rows (fewer with n_landmarks)".to_owned(),
                    Some(_) => "the geodesics from the landmarks".to_owned(),
                },
                needed: plan.bytes,
                allowed: ctx.allowed(),
            }),
        }
    }

    /// How many places of m rows or landmarks, and whether all eigenvalues are computed.
    fn wanted(&self, m: usize) -> (usize, bool) {
        const MIDDLING: usize = 4096;
        let all = match self.eigenvalues {
            None | Some(Eigenvalues::Leading) => false,
            Some(Eigenvalues::Auto) => m <= MIDDLING,
            Some(Eigenvalues::All) => true,
        };
        (self.n_components, all)
    }

    /// The number of rows; an error where the options do not fit them.
    fn checked_rows<T: Real>(&self, source: &dyn Source<T>) -> Result<usize, Error> {
        let k = self.n_components;
        if k == 0 {
            return Err(Error::NoComponents);
        }
        if source.n_cols() == 0 {
            return Err(Error::NoColumns);
        }
        if self.scale == Scale::Genotype {
            return Err(Error::UnknownValue {
                option: "scale",
                given: "genotype".to_owned(),
                allowed: "none or std where rows are placed by their distances",
            });
        }
        if source.is_weighted() {
            return Err(Error::OptionsConflict {
                what: "Isomap places every row alike, and these rows have weights",
            });
        }
        let Some(n) = source.n_rows() else {
            return Err(Error::UnknownLength {
                what: "Isomap has a place for every row and needs to know how many there are, but this input can be read only once",
            });
        };
        if n < 2 {
            return Err(Error::TooFewRows { rows: n, needed: 2 });
        }
        if k > n {
            return Err(Error::TooManyComponents {
                asked: k,
                rows: n,
                cols: usize::MAX,
            });
        }
        if self.n_neighbors == 0 || self.n_neighbors >= n {
            return Err(Error::Neighbors(NeighborFault::Count {
                asked: self.n_neighbors,
                n_rows: n,
                most: n - 1,
                own: true,
            }));
        }
        match self.n_landmarks {
            Some(m) if m < 2 || m > n => Err(Error::UnknownValue {
                option: "n_landmarks",
                given: m.to_string(),
                allowed: "a whole number from 2 to the number of rows",
            }),
            Some(m) if k > m => Err(Error::TooFewFeatures {
                asked: k,
                features: "landmarks",
                size: m,
            }),
            _ => Ok(n),
        }
    }

    /// Places the rows.
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Isomap, Error> {
        let plan = self.plan(ctx, source)?;
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let ready = self.ready(ctx, source)?;
        let header = Header {
            options: self.clone(),
            columns: source.col_names().map(<[String]>::to_vec),
            n_cols: source.n_cols(),
            plan,
            notes: ready.note.clone().into_iter().collect(),
            recall: None,
            n_edges: 0,
            residual_variance: Vec::new(),
            all_eigenvalues: false,
            centered_norm: 0.0,
            map: None,
        };
        self.fit_ready(ctx, header, ready)
    }

    fn fit_ready(&self, ctx: &Context, mut header: Header, ready: Ready) -> Result<Isomap, Error> {
        let (rows, preparation) = (ready.rows, ready.preparation);
        let graph = self.graph(ctx, &mut header, &rows)?;
        header.n_edges = graph.n_edges() / 2;
        let map = match self.n_landmarks {
            None => self.by_all(ctx, &mut header, graph)?,
            Some(m) => self.by_landmarks(ctx, &mut header, &graph, m)?,
        };
        Ok(Isomap {
            header,
            rows,
            preparation,
            map,
        })
    }

    /// The graph of neighbors, in one piece.
    fn graph(&self, ctx: &Context, header: &mut Header, rows: &FittedRows) -> Result<Graph, Error> {
        let neighbors = rows.neighbors(ctx)?;
        header.recall = neighbors.recall().map(|recall| recall.share);
        let mut graph = neighbors.graph(GraphOf::Symmetric, EdgeValues::Distance);
        let note = graph.join_pieces(ctx, rows, EdgeValues::Distance, self.pieces)?;
        header.notes.extend(note);
        Ok(graph)
    }

    /// Geodesics between all rows.
    fn by_all(&self, ctx: &Context, header: &mut Header, graph: Graph) -> Result<Map, Error> {
        let all: Vec<usize> = (0..graph.n_rows()).collect();
        let lengths = geodesics(ctx, &graph, &all)?;
        let found = classical(ctx, lengths, self.wanted(all.len()), self.seed)?;
        let (places, _) = upright(found.places);
        let centered = &found.centered;
        header.centered_norm = centered.norm;
        // δ_ij² = b_ii + b_jj − 2b_ij; row i has its cells left of the diagonal in runs.
        let fill = |i: usize, lengths: &mut Vec<f64>| {
            let own = centered.diagonal[i];
            for run in 0..centered.n_runs() {
                if lengths.len() >= i {
                    break;
                }
                let left = &centered.diagonal[lengths.len()..i];
                let cells = centered.line((i, run)).iter().zip(left);
                let square = |(b, other): (&f64, &f64)| own + other - 2.0 * b;
                lengths.extend(cells.map(|pair| square(pair).max(0.0).sqrt()));
            }
            i
        };
        header.residual_variance = residual_variances(ctx, &places, all.len(), fill)?;
        keep_facts(header, (found.solver, found.all_known), found.notes);
        Ok(Map {
            weights: weights(&places, &found.spectrum),
            places,
            spectrum: found.spectrum,
            means: found.centered.means,
            paths: Paths::Graph(graph),
        })
    }

    /// Geodesics from landmarks to all rows.
    fn by_landmarks(
        &self,
        ctx: &Context,
        header: &mut Header,
        graph: &Graph,
        m: usize,
    ) -> Result<Map, Error> {
        let landmarks = drawn(graph.n_rows(), m, self.seed);
        let lengths = geodesics(ctx, graph, &landmarks)?;
        let between = Mat::from_fn(m, m, |i, j| lengths[(i, landmarks[j])]);
        let found = classical(ctx, between, self.wanted(m), self.seed)?;
        header.centered_norm = found.centered.norm;
        let to = lengths.transposed();
        let mut weights = weights(&found.places, &found.spectrum);
        let placed = ctx.install_here(|| all_placed(&to, &weights, &found.centered.means));
        let (places, turned) = upright(placed);
        for (c, _) in turned.iter().enumerate().filter(|(_, turned)| **turned) {
            (0..m).for_each(|l| weights[(l, c)] = -weights[(l, c)]);
        }
        if places.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
        let fill = |l: usize, line: &mut Vec<f64>| {
            line.extend_from_slice(lengths.row(l));
            landmarks[l]
        };
        header.residual_variance = residual_variances(ctx, &places, m, fill)?;
        keep_facts(header, (found.solver, found.all_known), found.notes);
        Ok(Map {
            places,
            spectrum: found.spectrum,
            weights,
            means: found.centered.means,
            paths: Paths::ToLandmarks { landmarks, to },
        })
    }
}

/// Keeps how eigenpairs were computed, and the notes on them.
fn keep_facts(header: &mut Header, (solver, all_known): (Solver, bool), notes: Vec<Note>) {
    (header.plan.solver, header.all_eigenvalues) = (solver, all_known);
    header.notes.extend(notes_for_places(&notes));
}
