//! The report on a PCA: a subject is fitted and analyzed, and the results become a page.

use eigenspan::solve::Keep;
use eigenspan::{Context, Pca};

use crate::JobError;
use crate::analysis::{self, Analysis, AnalysisOptions, ExportedTable};
use crate::fit::{self, Fit};
use crate::front::Front;
use crate::page::{self, Page};
use crate::story::{self, SmallMap, Story};
use crate::subject::{Fitting, Subject};

/// A report as values.
#[derive(Debug)]
pub struct Report {
    /// The data and its PCA.
    pub fit: Fit<Pca>,
    /// The analysis.
    pub analysis: Analysis,
    /// The content of the page. Each sentence is written once, for the page; the terminal prints the same sentences.
    pub page: Page,
    /// The map of the rows on the first two components for a terminal; `None` if no component has variance.
    pub map: Option<SmallMap>,
}

impl Report {
    /// The page as an HTML file.
    pub fn html(&self) -> String {
        page::html(&self.page)
    }

    /// The tables for other programs.
    pub fn tables(&self) -> Vec<ExportedTable> {
        analysis::tables(&self.fit.fitted, &self.analysis)
    }
}

/// Makes a report on a subject, for a front.
pub fn report(
    ctx: &Context,
    subject: &Subject,
    options: &AnalysisOptions,
    front: &Front,
) -> Result<Report, JobError> {
    let fit = fit::fit(ctx, subject)?;
    report_on_fit(ctx, fit, subject.fitting(), options, front)
}

/// The report on a model that was just fitted.
pub(crate) fn report_on_fit(
    ctx: &Context,
    fit: Fit,
    fitting: Option<&Fitting>,
    options: &AnalysisOptions,
    front: &Front,
) -> Result<Report, JobError> {
    let fit = fit.into_pca()?;
    // With `n_components = auto`, the user gave no number.
    let auto = fit.fitted.parts().options.n_components == Keep::Auto;
    let given = fitting.is_some_and(|fitting| fitting.explicit.n_components) && !auto;
    let analysis = analysis::analyze(ctx, &fit, given, options)?;
    let story = Story {
        fit: &fit,
        analysis: &analysis,
        front,
        seed: options.choose.seed,
    };
    let (page, map) = (story::page(&story), story::small_map(&story));
    Ok(Report {
        fit,
        analysis,
        page,
        map,
    })
}
