//! The report on a model of any method as lines for a terminal.

use crate::method_report::MethodReport;

use super::{components, n_listed, page_words, spectrum_table};

/// The components, a small map of the rows, and the page's answer to each question.
pub fn report(report: &MethodReport, width: usize) -> String {
    let fitted = &*report.fitted;
    let mut out = report.heading().line(&fitted.headline());
    out += "\n\n";
    // Components without variance are left out.
    if fitted.spectrum().is_some_and(|spectrum| spectrum.rank > 0) {
        out += &match fitted.directions() {
            Some(_) => components(&report.summary),
            None => spectrum_table(fitted, &report.summary, n_listed(&report.summary)),
        };
    }
    out + &page_words(&report.page, report.map.as_ref(), width)
}
