//! Rotations that make each axis depend on few columns: varimax, promax, oblimin.
//!
//! Loadings A (d × k) of standardized scores Z, X ≈ Z Aᵀ, become a pattern P = A T⁻ᵀ of scores F = Z T with correlations
//! Φ = TᵀT, so that P Φ Pᵀ = A Aᵀ: what the components explain together does not change, column by column. An orthogonal
//! rotation has TᵀT = I and P = A T. Kaiser's normalization (Kaiser 1958, doi:10.1007/BF02289233) gives every column the same
//! weight: rows of A are scaled to length 1 during the search.
//!
//! Rotated components are sorted by the variance they explain, (Φ PᵀP)_cc, largest first; the entry of largest magnitude is
//! positive.

mod oblimin;
mod promax;
mod varimax;

use std::str::FromStr;

use serde::Serialize;

use super::checked_count;
use crate::error::Error;
use crate::linalg::{largest_first, norm, product, symmetric_inverse, times_transposed};
use crate::mat::{Mat, MatView};
use crate::method::Pca;
use crate::note::Note;

/// Which rotation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rotation {
    /// Orthogonal: squared loadings of each component differ as much as possible
    Varimax,
    /// Oblique: varimax, then towards its loadings raised to a power (4 is usual)
    Promax {
        /// The power, above 1.
        kappa: f64,
    },
    /// Oblique: squared loadings of two components overlap as little as possible; 0 is quartimin
    Oblimin {
        /// How oblique axes may become: 0, or below for less, at most 0.8.
        gamma: f64,
    },
}

impl Rotation {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Rotation::Varimax => "varimax",
            Rotation::Promax { .. } => "promax",
            Rotation::Oblimin { .. } => "oblimin",
        }
    }
}

/// A rotation by its name, with the usual power (4) or obliqueness (0).
impl FromStr for Rotation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "varimax" => Ok(Rotation::Varimax),
            "promax" => Ok(Rotation::Promax { kappa: 4.0 }),
            "oblimin" => Ok(Rotation::Oblimin { gamma: 0.0 }),
            _ => Err(Error::UnknownValue {
                option: "rotation",
                given: text.to_owned(),
                allowed: "varimax, promax or oblimin",
            }),
        }
    }
}

/// Options of a rotation.
#[derive(Debug, Clone, PartialEq)]
pub struct RotateOptions {
    /// Which rotation
    pub rotation: Rotation,
    /// Kaiser's normalization: every column has the same weight
    pub kaiser: bool,
    /// Largest number of iterations; a rotation that has not converged by then gets a note
    pub max_iterations: usize,
}

impl Default for RotateOptions {
    fn default() -> Self {
        RotateOptions {
            rotation: Rotation::Varimax,
            kaiser: true,
            max_iterations: 5000,
        }
    }
}

/// Rotated axes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rotated {
    /// P (d × k): each column as a combination of the rotated components.
    pub pattern: Mat<f64>,
    /// P Φ (d × k): covariances of the columns with the rotated scores (correlations, if the loadings were).
    pub structure: Mat<f64>,
    /// T (k × k): rotated scores are standardized scores times this.
    pub rotation: Mat<f64>,
    /// Φ (k × k): correlations of the rotated components.
    pub phi: Mat<f64>,
    /// Variance that each rotated component explains; their sum is that of the unrotated loadings.
    pub variances: Vec<f64>,
    /// Notes.
    pub notes: Vec<Note>,
}

/// The result of a search: T, and its distance from convergence.
struct SearchResult {
    t: Mat<f64>,
    iterations: usize,
    residual: f64,
    tolerance: f64,
}

impl RotateOptions {
    /// Rotates loadings: columns × components, such as the leading ones of
    /// [`Columns::loadings`](super::Columns::loadings).
    ///
    /// ```
    /// use eigenspan::Mat;
    /// use eigenspan::interpret::RotateOptions;
    ///
    /// // Two pairs of columns, rotated by 45°.
    /// let seen = Mat::from_vec(4, 2, vec![0.6, 0.6, 0.6, 0.6, 0.5, -0.5, 0.5, -0.5])?;
    /// let rotated = RotateOptions::default().rotate(&seen)?;
    /// assert!((rotated.pattern[(0, 0)] - 0.72f64.sqrt()).abs() < 1e-12);
    /// assert!(rotated.pattern[(0, 1)].abs() < 1e-12);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn rotate(&self, loadings: &Mat<f64>) -> Result<Rotated, Error> {
        self.check(loadings)?;
        let (d, k) = (loadings.n_rows(), loadings.n_cols());
        // 1. Scale lengths to about 1, so that steps and tolerances have a meaning; with Kaiser's normalization, to exactly 1.
        let lengths: Vec<f64> = loadings.rows().map(norm).collect();
        let unit = norm(&lengths) / (d as f64).sqrt();
        let divisor = |j: usize| match self.kaiser {
            true if lengths[j] > 0.0 => lengths[j],
            true => 1.0,
            false => unit,
        };
        let a = Mat::from_fn(d, k, |j, c| loadings[(j, c)] / divisor(j));
        // 2. The rotation.
        let found = match self.rotation {
            _ if k == 1 => SearchResult {
                t: Mat::from_fn(1, 1, |_, _| 1.0),
                iterations: 0,
                residual: 0.0,
                tolerance: 0.0,
            },
            Rotation::Varimax => varimax::search(&a, self.max_iterations),
            Rotation::Promax { kappa } => {
                let found = varimax::search(&a, self.max_iterations);
                // As R does: the normalization is for varimax alone.
                let t = promax::from_varimax(loadings, &found.t, kappa)?;
                SearchResult { t, ..found }
            }
            Rotation::Oblimin { gamma } => oblimin::search(&a, gamma, self.max_iterations)?,
        };
        // 3. Apply the rotation to the loadings as given.
        let mut notes = Vec::new();
        if found.residual > found.tolerance {
            notes.push(Note::NotConverged {
                solver: self.name().to_owned(),
                iterations: found.iterations,
                residual: found.residual,
                tolerance: found.tolerance,
            });
        }
        finish(loadings, found.t, notes)
    }

    fn name(&self) -> &'static str {
        match self.rotation {
            Rotation::Varimax | Rotation::Promax { .. } => "varimax",
            Rotation::Oblimin { .. } => "oblimin",
        }
    }

    fn check(&self, loadings: &Mat<f64>) -> Result<(), Error> {
        let refuse = |option, given: f64, allowed| {
            Err(Error::UnknownValue {
                option,
                given: given.to_string(),
                allowed,
            })
        };
        match self.rotation {
            Rotation::Promax { kappa } if !(kappa > 1.0 && kappa.is_finite()) => {
                return refuse("kappa", kappa, "a number above 1, such as 4");
            }
            Rotation::Oblimin { gamma } if !(gamma <= 0.8 && gamma.is_finite()) => {
                return refuse("gamma", gamma, "a number of at most 0.8, such as 0");
            }
            _ => {}
        }
        if loadings.n_cols() == 0 || loadings.n_rows() == 0 {
            return Err(Error::NoComponents);
        }
        if loadings.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(Error::BadNumbers {
                what: "some loadings are not finite",
            });
        }
        let is_zero = |c: &usize| loadings.rows().all(|row| row[*c] == 0.0);
        match (0..loadings.n_cols()).find(is_zero) {
            Some(component) => Err(Error::NothingToRotate { component }),
            None => Ok(()),
        }
    }
}

impl Rotated {
    /// Rotated scores F = Z T of rows, from their scores on the components that were rotated (the first of `pca`), before
    /// whitening.
    pub fn scores(&self, pca: &Pca, scores: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        let k = checked_count(pca, Some(self.rotation.n_rows()))?;
        if scores.n_cols() < k {
            return Err(Error::WrongWidth {
                given: scores.n_cols(),
                expected: k,
            });
        }
        let variances = super::variances(pca);
        let z = Mat::from_fn(scores.n_rows(), k, |i, c| match variances[c] > 0.0 {
            true => scores.at(i, c) / variances[c].sqrt(),
            false => 0.0,
        });
        Ok(product(z.view(), self.rotation.view()))
    }
}

/// Pattern, structure and correlations of a rotation, in their order and with their signs.
fn finish(loadings: &Mat<f64>, t: Mat<f64>, notes: Vec<Note>) -> Result<Rotated, Error> {
    let (d, k) = (loadings.n_rows(), t.n_rows());
    let singular = || Error::NoConvergence { what: "rotation" };
    let pattern = pattern_of(loadings, &t)?.ok_or_else(singular)?;
    // (Φ PᵀP)_cc.
    let phi = product(t.view().transposed(), t.view());
    let inner = product(pattern.view().transposed(), pattern.view());
    let variance = |c: usize| (0..k).map(|b| phi[(c, b)] * inner[(b, c)]).sum::<f64>();
    let variances: Vec<f64> = (0..k).map(variance).collect();
    let order = largest_first(&variances);
    let sign = |c: usize| {
        let largest = (0..d).fold(0.0f64, |largest, j| match pattern[(j, c)] {
            x if x.abs() > largest.abs() * (1.0 + TIE) => x,
            _ => largest,
        });
        if largest < 0.0 { -1.0 } else { 1.0 }
    };
    let signs: Vec<f64> = order.iter().map(|&c| sign(c)).collect();
    let turned = |m: &Mat<f64>| {
        Mat::from_fn(m.n_rows(), k, |i, c| {
            // Avoids −0, which would be printed with its sign.
            signs[c] * m[(i, order[c])] + 0.0
        })
    };
    let (pattern, rotation) = (turned(&pattern), turned(&t));
    let mut phi = product(rotation.view().transposed(), rotation.view());
    (0..k).for_each(|c| phi[(c, c)] = 1.0);
    Ok(Rotated {
        structure: product(pattern.view(), phi.view()),
        variances: order.iter().map(|&c| variances[c]).collect(),
        pattern,
        rotation,
        phi,
        notes,
    })
}

/// Entries whose relative difference is below this count as equal: the first decides the sign.
const TIE: f64 = 1e-9;

/// P = A T⁻ᵀ; None if T has no inverse.
fn pattern_of(a: &Mat<f64>, t: &Mat<f64>) -> Result<Option<Mat<f64>>, Error> {
    let inverse = inverse_of(t)?;
    Ok(inverse.map(|inverse| times_transposed(a.view(), inverse.view())))
}

/// T⁻¹ = (TᵀT)⁻¹Tᵀ; None if T has no inverse.
fn inverse_of(t: &Mat<f64>) -> Result<Option<Mat<f64>>, Error> {
    let phi = product(t.view().transposed(), t.view());
    let inverse = symmetric_inverse(&phi)?;
    Ok(inverse.map(|inverse| times_transposed(inverse.view(), t.view())))
}
