//! A kernel PCA as lines for a terminal.

use eigenspan::KernelPca;
use eigenspan::error::{counted, grouped};
use eigenspan::note::at_most;
use eigenspan::solve::Road;
use eigenspan_io::model::Origin;

use super::{DESCRIBED, Heading, LISTED, heading_line, more, share_bar, told_origin};
use crate::project::Residuals;
use crate::summary::{RULE, Summary};
use crate::words::{percent, score, short};

/// What a fit found: components as numbers and bars, a sentence, the kernel and how sure the numbers are.
pub fn look(heading: &Heading, kpca: &KernelPca, summary: &Summary) -> String {
    let mut out = heading_line(heading, "kernel PCA");
    out += "\n\n";
    let shown = match summary.for_ninety {
        Some(k) => (k + 1).clamp(3, LISTED),
        None => LISTED,
    };
    out += &components(kpca, summary, shown);
    out += &format!("\n{}\n\n", sentence(kpca, summary));
    out + &facts(kpca)
}

/// What is in a model: its spectrum, its kernel, and how it came to be.
pub fn describe(heading: &Heading, kpca: &KernelPca, summary: &Summary, origin: &Origin) -> String {
    let mut out = heading_line(heading, "kernel PCA");
    out += "\n\n";
    out += &components(kpca, summary, DESCRIBED);
    out += &format!(
        " {:<5} {:>12}\n\n",
        "all",
        short(kpca.spectrum().total_variance() * kpca.spectrum().divisor)
    );
    out += &facts(kpca);
    out + &told_origin(origin)
}

fn components(kpca: &KernelPca, summary: &Summary, shown: usize) -> String {
    let axes = summary.axes.iter().zip(kpca.eigenvalues());
    let largest = summary.axes.first().map_or(0.0, |axis| axis.share);
    let mut out = format!(
        " {:<5} {:>12} {:>9} {:>9} {:>10}\n",
        "", "eigenvalue", "share", "total", "residual"
    );
    for (axis, eigenvalue) in axes.take(shown) {
        let line = format!(
            " {:<5} {:>12} {:>9} {:>9} {:>10}  {}",
            axis.name,
            short(eigenvalue),
            percent(axis.share),
            percent(axis.cumulative),
            at_most(axis.residual),
            share_bar(axis.share, largest),
        );
        out += line.trim_end();
        out.push('\n');
    }
    out + &more(summary, shown)
}

fn sentence(kpca: &KernelPca, summary: &Summary) -> String {
    if kpca.spectrum().total_variance() == 0.0 {
        return " All rows are the same in feature space: there is no variance to explain."
            .to_owned();
    }
    let (k, rule) = match summary.for_ninety {
        Some(k) => (k, format!(" ({:.0} % rule)", 100.0 * RULE)),
        None => (summary.axes.len(), String::new()),
    };
    let verb = if k == 1 { "keeps" } else { "keep" };
    let kept = summary.axes.get(k - 1).map_or(0.0, |axis| axis.cumulative);
    let mut out = format!(
        " {} {verb} {} of the variance in feature space{rule}.",
        counted(k, "component"),
        percent(kept)
    );
    if let Some(apart) = &summary.apart {
        out += &format!(
            " Farthest from the rest on PC1: {} ({}, next is {}).",
            apart.row,
            score(apart.score),
            score(apart.next)
        );
    }
    out
}

/// The kernel and its verdict, the road to the eigenpairs, and the largest residual.
fn facts(kpca: &KernelPca) -> String {
    let (kernel, plan) = (kpca.kernel().kernel(), &kpca.parts().plan);
    let residuals = kpca.spectrum().residuals.iter();
    let worst = residuals.fold(0.0f64, |m, r| m.max(*r));
    // Features have eigenpairs of their own kernel matrix, which is not that of the kernel.
    let (matrix, of) = match kpca.parts().road {
        Road::Exact { .. } => ("K̄", ""),
        Road::Nystrom { .. } => (
            "K̂",
            ", where K̂ is what the landmarks make of the kernel matrix",
        ),
        Road::Fourier { .. } => (
            "K̂",
            ", where K̂ is what the features make of the kernel matrix",
        ),
    };
    format!(
        " kernel    {kernel}: {}\n solver    {}: {}\n proof     every residual ‖{matrix}u − λu‖ ÷ λ is at most {}{of}\n",
        kernel.verdict(),
        plan.solver,
        plan.reason,
        at_most(worst),
    )
}

/// How near rows came on the way back.
pub fn residuals(residuals: &Residuals) -> String {
    format!(
        "distance in feature space from what the scores name: median {}, at most {} (row {})",
        short(residuals.median),
        short(residuals.largest),
        grouped(residuals.row as u64 + 1)
    )
}
