//! Small tables and matrices for the tests, and where shared references lie.

use std::path::{Path, PathBuf};

use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Pca, PcaOptions, Real};

/// The rows of a table as numbers: `columns` names what to take from `data/<file>`.
pub(crate) fn table(file: &str, columns: &[&str]) -> Mat<f64> {
    let path = repository().join("data").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
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
                .map(|&p| cells[p].parse().expect("a number"))
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

/// The folder of shared references, where it exists.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let path = repository().join("../shared").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: {} is not here", path.display());
    None
}

pub(crate) fn fit(options: &PcaOptions, x: &Mat<f64>) -> Pca {
    options
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect("a fit")
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
