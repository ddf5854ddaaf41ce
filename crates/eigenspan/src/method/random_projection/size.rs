//! How many random directions keep distances: the bound of Johnson and Lindenstrauss, and the smallest distortion that some columns allow.

use super::RandomProjectionOptions;
use crate::error::Error;
use crate::solve::Keep;

/// The number of directions for which the squared distances of all pairs of n rows stay within 1 ± eps with positive probability:
/// ⌊4 ln n ÷ (eps²/2 − eps³/3)⌋, and at least 1. An error for an eps that is not above 0 and below 1.
///
/// ```
/// use eigenspan::method::johnson_lindenstrauss_size;
///
/// assert_eq!(johnson_lindenstrauss_size(1_000_000, 0.5)?, 663);
/// assert_eq!(johnson_lindenstrauss_size(1_000_000, 0.1)?, 11841);
/// # Ok::<(), eigenspan::Error>(())
/// ```
pub fn johnson_lindenstrauss_size(n_rows: usize, eps: f64) -> Result<usize, Error> {
    check_eps(eps)?;
    let size = 4.0 * (n_rows.max(1) as f64).ln() / (eps * eps / 2.0 - eps * eps * eps / 3.0);
    Ok((size as usize).max(1))
}

pub(super) fn check_eps(eps: f64) -> Result<(), Error> {
    match eps > 0.0 && eps < 1.0 {
        true => Ok(()),
        false => Err(Error::UnknownValue {
            option: "eps",
            given: eps.to_string(),
            allowed: "a number above 0 and below 1",
        }),
    }
}

impl RandomProjectionOptions {
    /// The number of directions for rows of this number and width.
    pub(super) fn size(&self, n_rows: usize, n_cols: usize) -> Result<usize, Error> {
        check_eps(self.eps)?;
        match self.n_components {
            Keep::Count(0) => Err(Error::NoComponents),
            Keep::Count(k) => Ok(k),
            Keep::Auto => {
                let needed = johnson_lindenstrauss_size(n_rows, self.eps)?;
                match needed > n_cols {
                    true => Err(Error::TooManyDirections {
                        eps: self.eps,
                        n_rows,
                        needed,
                        n_cols,
                        least_eps: least_eps(n_rows, n_cols),
                    }),
                    false => Ok(needed),
                }
            }
            Keep::All | Keep::Share(_) => Err(Error::UnknownValue {
                option: "n_components",
                given: self.n_components.to_string(),
                allowed: "a count such as 100, or auto",
            }),
        }
    }
}

/// The smallest eps of two decimals for which no more directions than columns are needed.
fn least_eps(n_rows: usize, n_cols: usize) -> Option<f64> {
    let hundredths = (1..100).map(|eps| f64::from(eps) / 100.0);
    let mut possible = hundredths.filter(|eps| {
        johnson_lindenstrauss_size(n_rows, *eps).is_ok_and(|needed| needed <= n_cols)
    });
    possible.next()
}
