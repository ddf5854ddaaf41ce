//! Distances and inner products of all pairs of rows, computed once for many kernels.
//!
//! Gaussian kernels of every γ are functions of the same squared distances, polynomials of every degree are functions of the
//! same inner products. Where many kernels are tried on parts of the same rows, these numbers are stored ([`Pairs`]), and the
//! tiles of points that are some of those rows ([`Points::among`]) are looked up. Cost n²d/2 once, and 8n² bytes for each
//! relation.

use std::sync::Arc;

use super::distance::{chi2, square, taxicab};
use super::expression::Node;
use super::gram::every_two;
use super::resolved::column_means;
use super::tile::Tile;
use super::{Base, Kernel, Points};
use crate::context::Context;
use crate::error::Error;
use crate::mat::Mat;

/// The number of a pair of rows that a kernel is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// xᵀx'.
    Product,
    /// ‖x − x'‖², from inner products where those are accurate enough for every γ.
    Square,
    /// ‖x − x'‖², term by term: its root is accurate for near rows, too.
    NearSquare,
    /// Σ|xⱼ − x'ⱼ|.
    Taxicab,
    /// Σ(xⱼ − x'ⱼ)²/(xⱼ + x'ⱼ).
    Chi2,
}

/// Relations of every two rows.
#[derive(Debug, PartialEq)]
pub(crate) struct Pairs {
    known: Vec<(Relation, Mat<f64>)>,
}

/// Points that are some of the rows of [`Pairs`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Among {
    pairs: Arc<Pairs>,
    places: Vec<usize>,
}

impl Base {
    /// The relation that the kernel is a function of, where it is a function of a single number.
    pub(super) fn relation(&self) -> Option<Relation> {
        match self {
            Base::Linear | Base::Poly { .. } | Base::Tanh { .. } => Some(Relation::Product),
            Base::Rbf { .. } | Base::RationalQuadratic { .. } => Some(Relation::Square),
            Base::Matern { .. } => Some(Relation::NearSquare),
            Base::Laplacian { .. } => Some(Relation::Taxicab),
            Base::Chi2 { .. } => Some(Relation::Chi2),
            Base::Cosine | Base::Precomputed => None,
        }
    }
}

impl Pairs {
    /// Bytes of the relations of `n_rows` rows.
    pub(crate) fn bytes(kernel: &Kernel, n_rows: usize) -> u64 {
        8 * (n_rows as u64).pow(2) * relations(kernel).len() as u64
    }

    /// All relations that a kernel needs for any values of its parameters.
    pub(crate) fn new(ctx: &Context, kernel: &Kernel, rows: &Mat<f64>) -> Result<Self, Error> {
        let points = Points::new(rows.clone(), Some(&column_means(rows)));
        let relations = relations(kernel).into_iter();
        let known = relations.map(|relation| {
            let all = every_two(ctx, &points, |tile, cells| tile.relate(relation, cells))?;
            Ok((relation, all))
        });
        Ok(Pairs {
            known: known.collect::<Result<_, Error>>()?,
        })
    }
}

fn relations(kernel: &Kernel) -> Vec<Relation> {
    let mut relations = Vec::new();
    kernel.0.visit(&mut |node| {
        if let Node::Base(base) = node
            && let Some(relation) = base.relation()
            && !relations.contains(&relation)
        {
            relations.push(relation);
        }
    });
    relations
}

impl Points {
    /// The same points, marked as these rows among those whose pairs are stored.
    pub(crate) fn among(mut self, pairs: &Arc<Pairs>, places: &[usize]) -> Self {
        self.among = Some(Among {
            pairs: Arc::clone(pairs),
            places: places.to_vec(),
        });
        self
    }
}

impl Tile<'_> {
    /// Fills the tile from a stored relation; false where the relation is not stored.
    pub(super) fn look_up(&self, relation: Relation, out: &mut [f64]) -> bool {
        let (Some(a), Some(b)) = (&self.a.among, &self.b.among) else {
            return false;
        };
        let known = a.pairs.known.iter().find(|(of, _)| *of == relation);
        let Some((_, matrix)) = known.filter(|_| Arc::ptr_eq(&a.pairs, &b.pairs)) else {
            return false;
        };
        let cols = &b.places[self.cols.clone()];
        let lines = out.chunks_exact_mut(cols.len().max(1));
        for (line, &i) in lines.zip(&a.places[self.rows.clone()]) {
            let row = matrix.row(i);
            line.iter_mut().zip(cols).for_each(|(x, &j)| *x = row[j]);
        }
        true
    }

    fn relate(&self, relation: Relation, out: &mut [f64]) {
        match relation {
            Relation::Product => self.products(out),
            Relation::Square => self.squares(out, f64::INFINITY),
            Relation::NearSquare => self.each(out, square),
            Relation::Taxicab => self.each(out, taxicab),
            Relation::Chi2 => self.each(out, chi2),
        }
    }
}
