//! The only module that calls the linear-algebra backend: products, decompositions, and matrices known by their products.
//!
//! Everything here gives the same bits on any number of threads: results are cut into tiles whose size does not depend on the
//! number of threads, and every tile is computed by one thread.

mod absolute;
mod cholesky;
mod dot;
mod eigen;
mod exp;
mod inner;
mod jacobi;
mod map;
mod min_plus;
mod order;
mod orthonormal;
mod product;
mod qr;
mod scan;
mod simd;
mod skinny;
mod svd;
mod symmetric;
mod tridiagonal;

pub(crate) use absolute::absolute_image_norms;
pub use cholesky::solve_positive;
pub(crate) use dot::power_of_two_near;
pub use dot::{dot, norm, sum};
pub use eigen::{leading_eigen, symmetric_eigen, symmetric_eigenvalues, symmetric_inverse};
pub use exp::exp_all;
pub(crate) use exp::{gaussian_row, gaussian_row_relative};
pub(crate) use inner::{write_inner, write_inner_single};
pub use jacobi::{JacobiSvd, Side, jacobi_svd};
pub use map::LinearMap;
pub(crate) use min_plus::{LANES, Lanes, min_plus};
pub use order::{largest_first, sort_largest_first};
pub use orthonormal::{orthonormalize_from, orthonormalize_rows, polish_rows};
pub(crate) use product::ColumnsMut;
pub use product::{add_product, gram_of_rows, product, times_transposed};
pub use qr::triangular_factor;
pub(crate) use scan::{Compared, each_at_most, each_between, subtract_twice};
pub(crate) use simd::{Loops, prefetch_all, with_wide_registers};
pub use skinny::Columns;
pub(crate) use skinny::{
    BandedRows, LowerTiles, SIDE, Scratch, add_sparse_gram_times, add_sums, add_times, panel_rows,
    pays_to_band, project_out, sparse_step, symmetric_times, times,
};
pub use svd::right_svd;
pub(crate) use symmetric::{CHUNK, Centered, Gram};
pub use symmetric::{add_gram, mirror_lower};

use crate::mat::{MatView, Real};

/// Our view as a view of the backend.
fn backend<'a, T: Real>(view: &MatView<'a, T>) -> faer::MatRef<'a, T> {
    let (data, offset, row_stride, col_stride) = view.parts();
    let (n_rows, n_cols) = (view.n_rows(), view.n_cols());
    if n_rows == 0 || n_cols == 0 {
        return faer::MatRef::from_column_major_slice(&[], n_rows, n_cols);
    }
    // SAFETY: `MatView` was checked at construction: every (i, j) lies inside `data`, which lives for 'a.
    unsafe {
        faer::MatRef::from_raw_parts(
            data.as_ptr().add(offset),
            n_rows,
            n_cols,
            row_stride,
            col_stride,
        )
    }
}
