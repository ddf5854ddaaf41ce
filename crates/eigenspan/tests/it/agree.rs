//! The model is the same however the rows are stored and read.

use eigenspan::prepare::Scale;
use eigenspan::solve::Solver;
use eigenspan::source::{Block, Dense, Passes, Rows, Sink, Source};
use eigenspan::{Context, Error, Mat, MatView, Pca, PcaOptions, Real};

use crate::support::{SOLVERS, bits, distance, fit, mixed, to_f32, with_solver};

/// Rows enough for several parts, fewer rows than columns, and a square.
const SHAPES: [(usize, usize); 3] = [(1_500, 6), (7, 40), (20, 20)];

/// Values that f32 holds exactly.
fn rows(n: usize, d: usize) -> Mat<f64> {
    let x = to_f32(&mixed(n, d, 11));
    Mat::from_fn(n, d, |i, j| x[(i, j)].to_f64())
}

/// Solvers that are not out of proportion for this shape: an n × n matrix of 1,500 rows is.
fn solvers(n: usize) -> impl Iterator<Item = Solver> {
    SOLVERS
        .into_iter()
        .filter(move |s| n < 1_000 || *s != Solver::Dual)
}

fn fit_and_project(options: &PcaOptions, source: &dyn Source<f64>) -> (Pca, Mat<f64>) {
    let ctx = Context::new();
    let pca = options.fit(&ctx, source).expect("a fit");
    let scores = pca.transform(&ctx, source).expect("scores");
    (pca, scores)
}

/// The model and the scores of this view, to the bit.
#[track_caller]
fn assert_same_as_rows(x: &Mat<f64>, view: MatView<'_, f64>, what: &str) {
    assert_eq!(view.to_mat(), *x, "{what} is not the same matrix");
    for solver in solvers(x.n_rows()) {
        for scale in [Scale::None, Scale::Std] {
            let options = PcaOptions {
                scale,
                ..with_solver(solver)
            };
            let (want, want_scores) = fit_and_project(&options, &Dense::new(x.view()));
            let (got, got_scores) = fit_and_project(&options, &Dense::new(view));
            assert!(bits(&got) == bits(&want), "{what}, {solver}");
            assert_eq!(got_scores, want_scores, "{what}, {solver}");
            assert_eq!(got.notes(), want.notes());
        }
    }
}

#[test]
fn column_after_column_gives_the_same_bits() {
    for (n, d) in SHAPES {
        let x = rows(n, d);
        let columns = x.transposed();
        let view = MatView::from_cols(columns.as_slice(), n, d).expect("a view");
        assert_same_as_rows(&x, view, "column-major");
    }
}

#[test]
fn a_transposed_view_gives_the_same_bits() {
    for (n, d) in SHAPES {
        let x = rows(n, d);
        let transposed = x.transposed();
        assert_same_as_rows(&x, transposed.view().transposed(), "transposed");
    }
}

#[test]
fn a_window_with_gaps_around_it_gives_the_same_bits() {
    for (n, d) in SHAPES {
        let x = rows(n, d);
        // Every second column and every third row of a table of NaN.
        let width = 2 * d + 5;
        let mut cells = vec![f64::NAN; (3 * n + 2) * width];
        let offset = 2 * width + 3;
        for i in 0..n {
            for j in 0..d {
                cells[offset + 3 * i * width + 2 * j] = x[(i, j)];
            }
        }
        let strides = (3 * width as isize, 2);
        let view = MatView::from_strides(&cells, offset, (n, d), strides).expect("a view");
        assert_same_as_rows(&x, view, "window");
    }
}

#[test]
fn backward_strides_give_the_same_bits() {
    for (n, d) in SHAPES {
        let x = rows(n, d);
        let (last_row, last_col) = (n - 1, d - 1);
        let both = Mat::from_fn(n, d, |i, j| x[(last_row - i, last_col - j)]);
        let view = MatView::from_strides(both.as_slice(), n * d - 1, (n, d), (-(d as isize), -1));
        assert_same_as_rows(&x, view.expect("a view"), "backward rows and columns");
        let rows_only = Mat::from_fn(n, d, |i, j| x[(last_row - i, j)]);
        let strides = (-(d as isize), 1);
        let view = MatView::from_strides(rows_only.as_slice(), last_row * d, (n, d), strides);
        assert_same_as_rows(&x, view.expect("a view"), "backward rows");
        let columns = Mat::from_fn(d, n, |j, i| x[(i, last_col - j)]);
        let strides = (1, -(n as isize));
        let view = MatView::from_strides(columns.as_slice(), last_col * n, (n, d), strides);
        assert_same_as_rows(&x, view.expect("a view"), "backward columns");
    }
}

#[test]
fn a_view_that_reaches_outside_is_refused() {
    let cells = [0.0; 12];
    for (offset, strides) in [(1, (4, 1)), (0, (-4, 1)), (11, (-4, -2)), (0, (5, 1))] {
        let error = MatView::from_strides(&cells, offset, (3, 4), strides).expect_err("outside");
        assert_eq!(
            error.to_string(),
            "a 3 × 4 view reaches outside its 12 elements"
        );
    }
    assert!(MatView::from_strides(&cells, 11, (3, 4), (-4, -1)).is_ok());
}

#[test]
fn f32_cells_give_the_model_of_the_same_f64_cells() {
    for (n, d) in SHAPES {
        let x = rows(n, d);
        let single = to_f32(&x);
        for solver in solvers(n) {
            let options = with_solver(solver);
            let (want, want_scores) = fit_and_project(&options, &Dense::new(x.view()));
            let got = fit(&options, &single);
            assert!(bits(&got) == bits(&want), "{solver}");
            let scores = got
                .transform(&Context::new(), &Dense::new(single.view()))
                .expect("scores");
            assert_eq!(scores, to_f32(&want_scores), "{solver}");
        }
    }
}

/// Rows cut into parts at the given places, each part handed over in blocks of at most three rows.
struct Cut<'a> {
    x: &'a Mat<f64>,
    places: Vec<usize>,
    passes: Passes,
    counted: bool,
}

impl Source<f64> for Cut<'_> {
    fn n_cols(&self) -> usize {
        self.x.n_cols()
    }
    fn n_parts(&self) -> usize {
        self.places.len() - 1
    }
    fn n_rows(&self) -> Option<usize> {
        self.counted.then_some(self.x.n_rows())
    }
    fn passes(&self) -> Passes {
        self.passes
    }
    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        let (start, end) = (self.places[part], self.places[part + 1]);
        for first in (start..end).step_by(3) {
            sink(Rows {
                first,
                block: Block::from(self.x.view().slice_rows(first, (first + 3).min(end))),
                weights: None,
            })?;
        }
        Ok(())
    }
}

#[test]
fn rows_that_come_in_pieces_give_the_same_model() {
    for (n, d) in SHAPES {
        let x = rows(n, d);
        // Parts of unequal length, some of them empty; a pipe; and rows nobody has counted.
        let sources = [
            (vec![0, 0, 1, n / 3, n / 3, n / 2, n, n], Passes::Many, true),
            (vec![0, n], Passes::Once, false),
            (vec![0, n / 2, n], Passes::Many, false),
        ];
        for (places, passes, counted) in sources {
            let cut = Cut {
                x: &x,
                places,
                passes,
                counted,
            };
            for solver in solvers(n) {
                let options = with_solver(solver);
                let (want, want_scores) = fit_and_project(&options, &Dense::new(x.view()));
                let (got, got_scores) = fit_and_project(&options, &cut);
                let (a, b) = (want.explained_variance(), got.explained_variance());
                assert!(distance(&a, &b) <= 1e-12 * a[0], "{solver}");
                assert!(distance(want.mean(), got.mean()) <= 1e-12);
                assert_eq!(got.parts().n_rows, n);
                // The leading directions; the smallest are not determined to this accuracy.
                for i in 0..3 {
                    let away = distance(want.components().row(i), got.components().row(i));
                    assert!(away < 1e-10, "{solver}, component {}: {away:e}", i + 1);
                    let away = distance(&want_scores.col(i), &got_scores.col(i));
                    assert!(away < 1e-9 * a[0].sqrt(), "{solver}, scores: {away:e}");
                }
            }
        }
    }
}
