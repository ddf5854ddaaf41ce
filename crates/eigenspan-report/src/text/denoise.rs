//! The result of denoising as lines for a terminal.

use eigenspan::error::{counted, grouped};
use eigenspan::method::contract::Value;

use super::residuals as residuals_text;
use crate::heading::Heading;
use crate::project::denoise::Denoised;
use crate::words::short;

/// The rows, the model, and how much the rows were changed.
pub fn denoised(done: &Denoised) -> String {
    let fitted = &*done.fitted;
    let common = fitted.common();
    let by = match fitted.named("kernel") {
        Some(Value::Text(kernel)) => format!(", {kernel}"),
        _ => String::new(),
    };
    let method = format!("denoised by {}", fitted.short_name());
    let mut out = Heading::from_table(&done.table).line(&method);
    out += "\n\n";
    out += &format!(
        " model      {} of the {} of {}{by}\n",
        counted(common.n_components, "component"),
        counted(common.n_rows, "row"),
        done.train,
    );
    out += &format!(
        " taken out  {} per cell (root of the mean square); most from row {}: {}\n",
        short(done.change.rms),
        grouped(done.change.row as u64 + 1),
        short(done.change.largest),
    );
    if let Some(residuals) = &done.residuals {
        out += &format!(" way back   {}\n", residuals_text(residuals));
    }
    out
}
