//! One reading of all rows for products of the features' scatter with some vectors, without computing any feature.
//!
//! With φ(x) = Wᵀk(x) for the kernels k(x) with the landmarks, S·v = Wᵀ·Σ(k(x) − k̄)(p(x) − p̄) for p(x) = k(x)ᵀ(Wv): for b
//! vectors some 4·m·b operations a row instead of the 3·m² that features and their scatter take. A number c near the mean p̄
//! is subtracted from p(x) at once, so that no digits are lost: Σ(k − k̄)(p − p̄) = Σk·(p − c) − k̄·Σ(p − c) for any c.

use crate::context::Context;
use crate::error::Error;
use crate::kernel::{Largest, Nested, Nystrom, Probe};
use crate::linalg::{add_product, dot, product};
use crate::mat::{Mat, Real};
use crate::prepare::find_not_finite;
use crate::source::{Rows, Source, fold};

/// The number of rows whose kernels are computed at a time.
const RUN: usize = 256;

/// Inputs of what the first reading computes besides products.
pub(super) struct Beside<'a> {
    /// Columns Wv of vectors v along which the rows' squares are summed up.
    pub(super) along: Mat<f64>,
    /// Upper bounds by which rows are drawn.
    pub(super) nested: &'a Nested,
    /// The draw, before it begins.
    pub(super) probe: &'a (dyn Fn() -> Probe + Sync),
}

/// Sums of the first reading besides products.
pub(super) struct FirstSums {
    /// Σk(x, x).
    pub(super) own: f64,
    /// Σk(x), of each landmark.
    pub(super) kernels: Vec<f64>,
    /// Σ(φ(x)ᵀv)² over all rows and all vectors v.
    pub(super) squares: f64,
    /// Rounding errors of the kernels.
    pub(super) largest: Largest,
    pub(super) probe: Probe,
}

/// Sums over rows.
pub(super) struct Sums {
    pub(super) n_rows: usize,
    /// m × b: Σk·(p − c).
    products: Mat<f64>,
    /// Σ(p − c).
    along: Vec<f64>,
    pub(super) first_sums: Option<FirstSums>,
}

/// Reads all rows for products with vectors v (rows of `vectors`) whose p(x) have means near `about`.
pub(super) fn read_products<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    map: &Nystrom,
    (vectors, about): (&Mat<f64>, &[f64]),
    beside: Option<&Beside<'_>>,
) -> Result<Sums, Error> {
    let weights = ctx.install(|| product(map.whiten().view(), vectors.view().transposed()));
    let (m, b) = (weights.n_rows(), weights.n_cols());
    let new = || Sums {
        n_rows: 0,
        products: Mat::zeros(m, b),
        along: vec![0.0; b],
        first_sums: beside.map(|beside| FirstSums {
            own: 0.0,
            kernels: vec![0.0; m],
            squares: 0.0,
            largest: Largest::default(),
            probe: (beside.probe)(),
        }),
    };
    let drawn = beside.map_or(0, |beside| (beside.probe)().bytes());
    let add = |sums: &mut Sums, rows: &Rows<'_, T>| {
        let n = rows.block.n_rows();
        for start in (0..n).step_by(RUN) {
            ctx.check()?;
            let run = rows.block.slice_rows(start, (start + RUN).min(n));
            let mut cells = Mat::zeros(run.n_rows(), run.n_cols());
            run.copy_to_f64(cells.as_mut_slice());
            let first = rows.first + start;
            sums.add(map, (cells, first), (&weights, about), beside)?;
        }
        Ok(())
    };
    ctx.begin("features", source.n_rows().map(|n| n as u64));
    let sums = fold(ctx, source, 8 * m * (b + 1) + drawn, new, add, Sums::merge)?;
    let own = sums
        .first_sums
        .as_ref()
        .map_or(0.0, |first_sums| first_sums.own);
    match own.is_finite() && sums.products.as_slice().iter().all(|x| x.is_finite()) {
        true => Ok(sums),
        false => Err(find_not_finite(ctx, source)),
    }
}

impl Sums {
    fn add(
        &mut self,
        map: &Nystrom,
        (cells, first): (Mat<f64>, usize),
        (weights, about): (&Mat<f64>, &[f64]),
        beside: Option<&Beside<'_>>,
    ) -> Result<(), Error> {
        let kept = beside.is_some().then(|| cells.clone());
        let (kernels, own, largest) = map.kernels(cells, first)?;
        let mut along = product(kernels.view(), weights.view());
        for i in 0..along.n_rows() {
            let row = along.row_mut(i).iter_mut();
            row.zip(about)
                .zip(&mut self.along)
                .for_each(|((p, c), sum)| {
                    *p -= c;
                    *sum += *p;
                });
        }
        add_product(
            &mut self.products,
            kernels.view().transposed(),
            along.view(),
        );
        self.n_rows += kernels.n_rows();
        if let (Some(first_sums), Some(beside), Some(cells)) = (&mut self.first_sums, beside, kept)
        {
            first_sums.own += own.iter().sum::<f64>();
            first_sums.largest = first_sums.largest.and(largest);
            for row in kernels.rows() {
                add_to(&mut first_sums.kernels, row);
            }
            let squares = product(kernels.view(), beside.along.view());
            first_sums.squares += dot(squares.as_slice(), squares.as_slice());
            let missed = beside.nested.missed(&own, &kernels);
            first_sums.probe.add(&cells, &missed, first);
        }
        Ok(())
    }

    fn merge(&mut self, other: Sums) {
        self.n_rows += other.n_rows;
        add_to(self.products.as_mut_slice(), other.products.as_slice());
        add_to(&mut self.along, &other.along);
        if let (Some(a), Some(b)) = (&mut self.first_sums, other.first_sums) {
            a.own += b.own;
            add_to(&mut a.kernels, &b.kernels);
            a.squares += b.squares;
            a.largest = a.largest.and(b.largest);
            a.probe.merge(b.probe);
        }
    }

    /// S·v of each vector, as rows; `mean` is the mean of the kernels.
    pub(super) fn images(mut self, map: &Nystrom, mean: &[f64]) -> Mat<f64> {
        for (i, mean) in mean.iter().enumerate() {
            let row = self.products.row_mut(i).iter_mut();
            row.zip(&self.along)
                .for_each(|(x, along)| *x -= mean * along);
        }
        product(self.products.view().transposed(), map.whiten().view())
    }
}

fn add_to(sum: &mut [f64], other: &[f64]) {
    sum.iter_mut().zip(other).for_each(|(a, b)| *a += b);
}
