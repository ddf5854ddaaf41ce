//! Whether the width of a kernel of distances suits the distances between rows.
//!
//! If the kernel is far too narrow, k(x, y) is nearly 0 for every two rows and the kernel matrix is nearly the identity: every
//! row is a component of its own, and no number of components means anything. If it is far too wide, k(x, y) is nearly 1 for
//! all pairs, and a Gaussian gives what PCA gives. Both are detected on a sample of the rows: the middle of k(x, y) over their
//! pairs, and the squares of all pairs compared with those of the diagonal.

use crate::error::Error;
use crate::kernel::{Base, Gamma, Kernel, Points, ResolvedKernel};
use crate::mat::Mat;
use crate::note::Note;

/// The most rows that are compared.
const ROWS: usize = 400;
/// A kernel matrix is nearly the identity where the median of k(x, y) lies below this, and the squares off the diagonal sum to
/// less than those on it.
const FAR: f64 = 0.01;
/// A kernel matrix is nearly constant where k(x, y) exceeds this for nine of ten pairs.
const NEAR: f64 = 0.99;

/// A note on a kernel of distances that is far too narrow or too wide for these rows, which are a sample of `n_rows`.
pub(super) fn note_width(
    kernel: &ResolvedKernel,
    points: &Points,
    n_rows: usize,
    scaled: bool,
) -> Result<Option<Note>, Error> {
    let distances = |base: &Base| {
        matches!(
            base,
            Base::Rbf { .. }
                | Base::Laplacian { .. }
                | Base::Chi2 { .. }
                | Base::Matern { .. }
                | Base::RationalQuadratic { .. }
        )
    };
    let n = points.len();
    let Some(base) = kernel.kernel().as_base().filter(distances) else {
        return Ok(None);
    };
    if n < 3 {
        return Ok(None);
    }
    let (step, rows) = (n.div_ceil(ROWS), points.rows());
    let seen = Mat::from_fn(n.div_ceil(step), rows.n_cols(), |i, j| rows[(i * step, j)]);
    let plain = kernel.plain();
    let seen = plain.points(seen, 0)?;
    let between = plain.between(&seen, &seen);
    let mut values: Vec<f64> = (0..seen.len())
        .flat_map(|i| between.row(i)[..i].iter().copied())
        .collect();
    if values.is_empty() {
        return Ok(None);
    }
    let squares = values.iter().map(|k| k * k).sum::<f64>() / values.len() as f64;
    let (half, tenth) = (values.len() / 2, values.len() / 10);
    let (below, middle, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    let (middle, low) = match tenth < half {
        true => (
            *middle,
            *below.select_nth_unstable_by(tenth, f64::total_cmp).1,
        ),
        false => (*middle, *middle),
    };
    let identity = middle < FAR && (n_rows - 1) as f64 * squares < 1.0;
    if !identity && low <= NEAR {
        return Ok(None);
    }
    let Some((better, parameter, value)) = as_wide_as(base, rows) else {
        return Ok(None);
    };
    Ok(Some(Note::UnsuitedWidth {
        kernel: match base.gamma() {
            Some(_) => format!("{}(gamma={})", base.name(), three(base.gamma_value())),
            None => base.to_string(),
        },
        identity,
        gaussian: matches!(base, Base::Rbf { .. }),
        middle,
        parameter: parameter.to_owned(),
        value,
        better,
        scalable: identity && !scaled && !matches!(base, Base::Chi2 { .. }),
    }))
}

/// A number to three digits.
fn three(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// The same kernel with the width of the median distance: its text, and its parameter; None where all rows are equal.
fn as_wide_as(base: Base, rows: &Mat<f64>) -> Option<(String, &'static str, f64)> {
    let median_gamma = |base: Base| -> Option<f64> {
        let kernel = Kernel::base(base.with_gamma(Gamma::Median)).ok()?;
        let resolved = ResolvedKernel::new(&kernel, rows).ok()?;
        Some(resolved.kernel().as_base()?.gamma_value())
    };
    match base {
        Base::Matern { .. } | Base::RationalQuadratic { .. } => {
            let gamma = median_gamma(Base::Rbf {
                gamma: Gamma::Median,
            })?;
            let width = three((0.5 / gamma).sqrt());
            let better = match base {
                Base::Matern { nu, .. } => format!("matern(nu={nu}, length={width})"),
                Base::RationalQuadratic { alpha, .. } => {
                    format!("rational_quadratic(alpha={alpha}, length={width})")
                }
                _ => return None,
            };
            Some((better, "length", width))
        }
        base => {
            let gamma = three(median_gamma(base)?);
            Some((format!("{}(gamma=median)", base.name()), "gamma", gamma))
        }
    }
}
