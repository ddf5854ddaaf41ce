//! Sources that are stored column by column: the same model as by rows, with weights and missing cells, on any number of threads.

use std::ops::Range;

use eigenspan::prepare::{Missing, Scale};
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Block, ByColumn, Rows, Sink, Source};
use eigenspan::{Context, Error, Mat, Pca, PcaOptions};

/// Counts of an allele, some of them missing, by columns if asked for.
struct Counts {
    rows: Mat<f64>,
    weights: Option<Vec<f64>>,
    by_column: bool,
}

impl Counts {
    /// Two populations whose alleles differ in frequency.
    fn new(n: usize, d: usize, missing: bool) -> Self {
        let mut rng = Rng::new(5);
        let mut rows = Mat::zeros(n, d);
        for j in 0..d {
            let p = [0.1 + 0.8 * rng.uniform(), 0.1 + 0.8 * rng.uniform()];
            for i in 0..n {
                let draws = [rng.uniform(), rng.uniform()];
                let copies = draws.iter().filter(|x| **x < p[i % 2]).count();
                let gone = missing && rng.uniform() < 0.02;
                rows[(i, j)] = if gone { f64::NAN } else { copies as f64 };
            }
        }
        // One that never changes.
        (0..n).for_each(|i| rows[(i, d / 2)] = 2.0);
        Counts {
            rows,
            weights: None,
            by_column: true,
        }
    }
}

impl Source<f64> for Counts {
    fn n_cols(&self) -> usize {
        self.rows.n_cols()
    }

    fn read_part(&self, _: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        sink(Rows {
            first: 0,
            block: Block::from(self.rows.view()),
            weights: self.weights.as_deref(),
        })
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.rows.n_rows())
    }

    fn by_column(&self) -> Option<&dyn ByColumn> {
        self.by_column.then_some(self)
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }
}

impl ByColumn for Counts {
    fn shape(&self) -> (usize, usize) {
        (self.rows.n_rows(), self.rows.n_cols())
    }

    fn read_columns(&self, columns: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        let n = self.rows.n_rows();
        for (col, out) in columns.zip(out.chunks_exact_mut(n)) {
            out.copy_from_slice(&self.rows.col(col));
        }
        Ok(())
    }

    fn row_weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}

fn options(scale: Scale, missing: Missing) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(3),
        solver: Solver::Dual,
        scale,
        missing,
        ..Default::default()
    }
}

fn assert_same(a: &Pca, b: &Pca, what: &str) {
    let pairs = a.explained_variance().into_iter();
    for (x, y) in pairs.zip(b.explained_variance()) {
        assert!((x - y).abs() <= 1e-11 * x, "{what}: {x} against {y}");
    }
    let cells = a.components().as_slice().iter();
    for (x, y) in cells.zip(b.components().as_slice()) {
        assert!((x - y).abs() <= 1e-10, "{what}: {x} against {y}");
    }
    assert_eq!(a.notes().len(), b.notes().len(), "{what}");
    for (x, y) in a.spectrum().residuals.iter().zip(&b.spectrum().residuals) {
        // Both are bounded by the Gram matrix, if that is far below the tolerance of 1e-9.
        assert!(*x <= 1e-10 && *y <= 1e-10, "{what}: residuals {x} and {y}");
    }
}

#[test]
fn columns_and_rows_give_the_same_components() {
    let ctx = Context::new();
    for missing in [false, true] {
        for weighted in [false, true] {
            for scale in [Scale::None, Scale::Std, Scale::Genotype] {
                let mut counts = Counts::new(120, 700, missing);
                // Rows without weight may hold anything.
                let weight = |i: usize| (i % 4) as f64;
                counts.weights = weighted.then(|| (0..120).map(weight).collect());
                let options = options(scale, Missing::Mean);
                let by_column = options.fit(&ctx, &counts).expect("a model");
                counts.by_column = false;
                let by_row = options.fit(&ctx, &counts).expect("a model");
                let what = format!("missing {missing}, weighted {weighted}, {scale:?}");
                assert_same(&by_column, &by_row, &what);
            }
        }
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let counts = Counts::new(150, 1200, true);
    let options = options(Scale::Genotype, Missing::Mean);
    let fit = |threads: usize| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let pca = options.fit(&ctx, &counts).expect("a model");
        let bits = pca.components().as_slice().iter().map(|x| x.to_bits());
        bits.collect::<Vec<u64>>()
    };
    let one = fit(1);
    assert!(one == fit(2) && one == fit(7));
}

#[test]
fn many_rows_are_decomposed_by_products() {
    // Beyond the two populations there is only noise, whose values lie close together.
    let mut counts = Counts::new(1_500, 1_600, false);
    let options = options(Scale::Genotype, Missing::Error);
    let ctx = Context::new();
    let by_column = options.fit(&ctx, &counts).expect("a model");
    counts.by_column = false;
    let by_row = options.fit(&ctx, &counts).expect("a model");
    let pairs = by_column.explained_variance().into_iter();
    for (x, y) in pairs.zip(by_row.explained_variance()) {
        assert!((x - y).abs() <= 1e-11 * x, "{x} against {y}");
    }
    let residuals = &by_column.spectrum().residuals;
    assert!(residuals.iter().all(|r| *r <= 1e-9), "{residuals:?}");
}

#[test]
fn missing_cells_that_nobody_fills_are_refused_as_by_rows() {
    let mut counts = Counts::new(100, 300, true);
    let options = options(Scale::Genotype, Missing::Error);
    let by_column = options.fit(&Context::new(), &counts).expect_err("missing");
    counts.by_column = false;
    let by_row = options.fit(&Context::new(), &counts).expect_err("missing");
    assert_eq!(by_column.to_string(), by_row.to_string());
}

#[test]
fn weights_below_zero_are_refused_as_by_rows() {
    let mut counts = Counts::new(100, 300, false);
    counts.weights = Some((0..100).map(|i| f64::from(i) - 1.0).collect());
    let options = options(Scale::Genotype, Missing::Error);
    let by_column = options.fit(&Context::new(), &counts).expect_err("weights");
    counts.by_column = false;
    let by_row = options.fit(&Context::new(), &counts).expect_err("weights");
    assert_eq!(by_column.to_string(), by_row.to_string());
}
