//! Small tables and matrices for the tests, and the paths of references.

use std::path::{Path, PathBuf};

use eigenspan::rng::Rng;
use eigenspan::solve::Solver;
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat, Pca, PcaOptions, Real};
use serde_json::Value;

/// Every road to the eigenpairs, and the choice between them.
pub(crate) const SOLVERS: [Solver; 6] = [
    Solver::Qr,
    Solver::Auto,
    Solver::Covariance,
    Solver::Dual,
    Solver::Full,
    Solver::Power,
];

/// The rows of a table as numbers: `columns` names what to take from `data/<file>`.
pub(crate) fn table(file: &str, columns: &[&str]) -> Mat<f64> {
    table_at(&repository().join("data").join(file), columns)
}

/// All columns of `data/<file>` but those named in `without`.
pub(crate) fn table_without(file: &str, without: &[&str]) -> Mat<f64> {
    let columns = columns_without(file, without);
    table(
        file,
        &columns.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

/// The rows of a table at a path as numbers; `NA` is missing.
pub(crate) fn table_at(path: &Path, columns: &[&str]) -> Mat<f64> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let places: Vec<usize> = columns
        .iter()
        .map(|c| {
            header
                .iter()
                .position(|h| h == c)
                .unwrap_or_else(|| panic!("no column {c}"))
        })
        .collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            places
                .iter()
                .map(|&p| match cells[p] {
                    "NA" => f64::NAN,
                    cell => cell.parse().expect("a number"),
                })
                .collect()
        })
        .collect();
    Mat::from_fn(rows.len(), columns.len(), |i, j| rows[i][j])
}

/// Names of the numeric columns of a table whose other columns are named in `without`.
pub(crate) fn columns_without(file: &str, without: &[&str]) -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("data").join(file)).expect("a table");
    let header = text.lines().next().expect("a header");
    header
        .split(',')
        .filter(|c| !without.contains(c))
        .map(str::to_owned)
        .collect()
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A peer's numbers in `tests/reference`. They are part of the repository: a missing file fails the test.
pub(crate) fn reference(file: &str) -> Value {
    json(&repository().join("tests/reference").join(file))
}

/// A file of the repository as JSON.
pub(crate) fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A JSON list of numbers.
#[track_caller]
pub(crate) fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// A file of the data that may not be passed on, where it lies beside the repository.
pub(crate) fn beside(file: &str) -> Option<PathBuf> {
    let path = repository().join("../shared/data").join(file);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: {file} may not be passed on and is not beside the repository");
    None
}

pub(crate) fn fit<T: Real>(options: &PcaOptions, x: &Mat<T>) -> Pca {
    options
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect("a fit")
}

/// Everything left as it comes, but this solver.
pub(crate) fn with_solver(solver: Solver) -> PcaOptions {
    PcaOptions {
        solver,
        ..Default::default()
    }
}

pub(crate) fn scores<T: Real>(pca: &Pca, x: &Mat<T>) -> Mat<T> {
    pca.transform(&Context::new(), &Dense::new(x.view()))
        .expect("scores")
}

/// Every number of a fit as bits, for "the same" without a tolerance.
pub(crate) fn bits(pca: &Pca) -> Vec<u64> {
    let (spectrum, preparation) = (pca.spectrum(), &pca.parts().preparation);
    let numbers = spectrum.singular_values.iter();
    numbers
        .chain(spectrum.vectors.as_slice())
        .chain(&spectrum.residuals)
        .chain([&spectrum.norm, &spectrum.divisor, &pca.parts().weight])
        .chain(&preparation.center)
        .chain(preparation.scale.iter().flatten())
        .map(|x| x.to_bits())
        .collect()
}

/// The largest difference between two lists of the same length.
#[track_caller]
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// Normal columns of falling deviation, mixed by a random map: a spectrum with gaps.
pub(crate) fn mixed(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    let mix = Mat::from_fn(d, d, |_, _| rng.normal());
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|_| {
            let z: Vec<f64> = (0..d)
                .map(|j| rng.normal() * 0.7f64.powi(j as i32))
                .collect();
            (0..d)
                .map(|j| 3.0 + (0..d).map(|l| z[l] * mix[(l, j)]).sum::<f64>())
                .collect()
        })
        .collect();
    Mat::from_fn(n, d, |i, j| rows[i][j])
}

/// The table with a share of its cells missing at random.
pub(crate) fn holed(x: &Mat<f64>, share: f64, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| match rng.uniform() < share {
        true => f64::NAN,
        false => x[(i, j)],
    })
}

pub(crate) fn to_f32(x: &Mat<f64>) -> Mat<f32> {
    Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| x[(i, j)] as f32)
}

pub(crate) fn close(got: f64, want: f64, relative: f64) -> bool {
    (got - want).abs() <= relative * want.abs()
}

#[track_caller]
pub(crate) fn assert_close(got: &[f64], want: &[f64], relative: f64) {
    assert_eq!(got.len(), want.len(), "{got:?} against {want:?}");
    for (got, want) in got.iter().zip(want) {
        assert!(
            close(*got, *want, relative),
            "{got} is not {want} to {relative:e}"
        );
    }
}

/// An array of a NumPy file in C order, `<f8` or `<f4`.
pub(crate) fn npy(path: &Path) -> (Mat<f64>, bool) {
    let bytes = std::fs::read(path).expect("a file");
    let header_len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..10 + header_len]).expect("a header");
    assert!(header.contains("'fortran_order': False"), "{header}");
    let shape = header
        .split('(')
        .nth(1)
        .and_then(|s| s.split(')').next())
        .expect("a shape");
    let shape: Vec<usize> = shape
        .split(',')
        .filter_map(|s| s.trim().parse().ok())
        .collect();
    let data = &bytes[10 + header_len..];
    let single = header.contains("<f4");
    let cells: Vec<f64> = if single {
        data.chunks_exact(4)
            .map(|b| f32::from_le_bytes(b.try_into().expect("4 bytes")).to_f64())
            .collect()
    } else {
        data.chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().expect("8 bytes")))
            .collect()
    };
    (
        Mat::from_vec(shape[0], shape[1], cells).expect("a matrix"),
        single,
    )
}

/// The same up to the sign of the whole list.
#[track_caller]
pub(crate) fn assert_close_up_to_sign(got: &[f64], want: &[f64], relative: f64) {
    let sign = if (got[0] < 0.0) == (want[0] < 0.0) {
        1.0
    } else {
        -1.0
    };
    let turned: Vec<f64> = got.iter().map(|x| sign * x).collect();
    assert_close(&turned, want, relative);
}

/// The hint of every error about missing cells.
pub(crate) const FILL: &str =
    "missing = mean: fills them with their column's mean; `drop` leaves those rows out";

/// An error's text, and its hint where it has one.
fn said(error: &Error) -> (String, Option<String>) {
    let hint = error
        .hint()
        .map(|h| format!("{} = {}: {}", h.option, h.value, h.does));
    (error.to_string(), hint)
}

#[track_caller]
pub(crate) fn assert_said(error: &Error, text: &str, hint: Option<&str>) {
    assert_eq!(said(error), (text.to_owned(), hint.map(str::to_owned)));
}

pub(crate) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}
