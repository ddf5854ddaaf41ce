//! Random Fourier features (Rahimi & Recht 2007, Advances in Neural Information Processing Systems 20, 1177–1184).
//!
//! A kernel of differences is the mean of cos(wᵀ(x − x')) over frequencies w drawn from its Fourier transform (Bochner's
//! theorem): normal for the Gaussian kernel, Cauchy in every column for the laplacian, Student's t with 2ν degrees of freedom
//! for Matérn's. Features are cos(wᵀx)/√m and sin(wᵀx)/√m for m frequencies; inner products have an error of about 1/√m, for
//! any rows. Cost m·d per row; only open parameters of the kernel depend on the rows.

use super::super::{Base, Kernel, ResolvedKernel};
use super::FeatureMap;
use super::landmarks::{resolve_kernel, uniform};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::times_transposed;
use crate::mat::{Mat, Real};
use crate::rng::{Rng, stream};
use crate::source::Source;

/// Random Fourier features of a kernel of differences.
#[derive(Debug, Clone, PartialEq)]
pub struct Fourier {
    /// m × d.
    frequencies: Mat<f64>,
}

/// The number of rows from which open parameters of a kernel are found.
const ROWS: usize = 20_000;

fn refuse(kernel: &Kernel) -> Error {
    Error::KernelParameter {
        kernel: "fourier",
        parameter: "kernel",
        given: kernel.to_string().into(),
        allowed: "rbf, laplacian or matern alone",
    }
}

impl Fourier {
    /// Refuses kernels that have no random Fourier features.
    pub(crate) fn check(kernel: &Kernel) -> Result<(), Error> {
        match kernel.as_base() {
            Some(Base::Rbf { .. } | Base::Laplacian { .. } | Base::Matern { .. }) => Ok(()),
            _ => Err(refuse(kernel)),
        }
    }

    /// Draws frequencies for a kernel whose open parameters are found on rows of a source; gives that kernel, too.
    pub fn fit<T: Real>(
        ctx: &Context,
        kernel: &Kernel,
        source: &dyn Source<T>,
        n_frequencies: usize,
        seed: u64,
    ) -> Result<(ResolvedKernel, Fourier), Error> {
        Fourier::check(kernel)?;
        let mut rng = Rng::new(stream(seed, 1));
        let rows = uniform(ctx, source, ROWS, &mut rng)?;
        let kernel = resolve_kernel(ctx, (kernel, false), source, &rows)?;
        let map = Fourier::new(&kernel, n_frequencies, seed)?;
        Ok((kernel, map))
    }

    /// Frequencies that were drawn before.
    pub fn from_frequencies(frequencies: Mat<f64>) -> Fourier {
        Fourier { frequencies }
    }

    /// The frequencies, m × d.
    pub fn frequencies(&self) -> &Mat<f64> {
        &self.frequencies
    }

    /// Draws `n_frequencies` frequencies (half as many as features) from a seed, for a base kernel whose parameters are all numbers.
    pub fn new(kernel: &ResolvedKernel, n_frequencies: usize, seed: u64) -> Result<Fourier, Error> {
        if n_frequencies == 0 {
            return Err(Error::UnknownValue {
                option: "n_frequencies",
                given: "0".to_owned(),
                allowed: "a whole number from 1 on",
            });
        }
        let refuse = || refuse(kernel.kernel());
        let base = kernel.kernel().as_base().ok_or_else(refuse)?;
        let gamma = base.gamma_value();
        let (d, mut rng) = (kernel.n_cols(), Rng::new(seed));
        let mut frequencies = Mat::zeros(n_frequencies, d);
        for i in 0..n_frequencies {
            let row = frequencies.row_mut(i);
            match base {
                Base::Rbf { .. } => {
                    let scale = (2.0 * gamma).sqrt();
                    row.iter_mut().for_each(|w| *w = scale * rng.normal());
                }
                // The ratio of two normals is Cauchy's.
                Base::Laplacian { .. } => row.iter_mut().for_each(|w| {
                    let (a, b) = (rng.normal(), rng.normal());
                    *w = gamma * a / b;
                }),
                Base::Matern { nu, length } => {
                    let scale = match nu.is_finite() {
                        true => {
                            // 2ν is a whole number: χ² is a sum of that many squares.
                            let squares = (0..(2.0 * nu) as usize).map(|_| rng.normal().powi(2));
                            (2.0 * nu / squares.sum::<f64>()).sqrt() / length
                        }
                        false => 1.0 / length,
                    };
                    row.iter_mut().for_each(|w| *w = scale * rng.normal());
                }
                _ => return Err(refuse()),
            }
        }
        Ok(Fourier { frequencies })
    }
}

impl FeatureMap for Fourier {
    fn n_cols(&self) -> usize {
        self.frequencies.n_cols()
    }

    fn n_features(&self) -> usize {
        2 * self.frequencies.n_rows()
    }

    fn features(&self, rows: Mat<f64>, _: usize) -> Result<Mat<f64>, Error> {
        if rows.n_cols() != self.n_cols() {
            return Err(Error::WrongWidth {
                given: rows.n_cols(),
                expected: self.n_cols(),
            });
        }
        let m = self.frequencies.n_rows();
        let scale = 1.0 / (m as f64).sqrt();
        let angles = times_transposed(rows.view(), self.frequencies.view());
        let mut out = Mat::zeros(rows.n_rows(), 2 * m);
        for (i, angles) in angles.rows().enumerate() {
            let (cosines, sines) = out.row_mut(i).split_at_mut(m);
            for (angle, (cosine, sine)) in angles.iter().zip(cosines.iter_mut().zip(sines)) {
                *cosine = scale * angle.cos();
                *sine = scale * angle.sin();
            }
        }
        Ok(out)
    }
}
