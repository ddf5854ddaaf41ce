//! What denoising did, as lines for a terminal.

use eigenspan::error::{counted, grouped};
use eigenspan_io::model::FittedRef;

use super::{heading_line, kernel};
use crate::job::heading;
use crate::project::denoise::Denoised;
use crate::words::short;

/// The rows, the model, and how much was taken out.
pub fn denoised(done: &Denoised) -> String {
    let fitted = done.fitted.view();
    let (method, by) = match fitted {
        FittedRef::Pca(_) => ("denoised by PCA", String::new()),
        FittedRef::KernelPca(kpca) => (
            "denoised by kernel PCA",
            format!(", {}", kpca.kernel().kernel()),
        ),
    };
    let mut out = heading_line(&heading(&done.table), method);
    out += "\n\n";
    out += &format!(
        " model      {} of the {} of {}{by}\n",
        counted(fitted.n_components(), "component"),
        counted(fitted.n_rows(), "row"),
        done.train,
    );
    out += &format!(
        " taken out  {} per cell (root of the mean square); most from row {}: {}\n",
        short(done.change.rms),
        grouped(done.change.row as u64 + 1),
        short(done.change.largest),
    );
    if let Some(residuals) = &done.residuals {
        out += &format!(" way back   {}\n", kernel::residuals(residuals));
    }
    out
}
