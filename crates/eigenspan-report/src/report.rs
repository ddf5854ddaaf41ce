//! The report on a PCA: a subject is fitted and analyzed, and the results become a page.

use eigenspan::solve::Keep;
use eigenspan::{Context, Pca};

use crate::JobError;
use crate::analysis::{self, Analysis, AnalysisOptions, ExportedTable};
use crate::fit::{self, Fit};
use crate::front::Front;
use crate::page::{self, Page};
use crate::story::{self, Story};
use crate::subject::Subject;

/// A report as values.
#[derive(Debug)]
pub struct Report {
    /// The data and its PCA.
    pub fit: Fit<Pca>,
    /// The analysis.
    pub analysis: Analysis,
    /// The content of the page. Each sentence is written once, for the page; the terminal prints the same sentences.
    pub page: Page,
    seed: u64,
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

    /// The map of the first two components for a terminal of this width; `None` if there is only one component.
    pub fn small_map(&self, width: usize) -> Option<String> {
        story::small_map(&self.story(Front::UNKNOWN), width)
    }

    fn story<'a>(&'a self, front: &'a Front) -> Story<'a> {
        Story {
            fit: &self.fit,
            analysis: &self.analysis,
            front,
            seed: self.seed,
        }
    }
}

/// Makes a report on a subject, for a front.
pub fn report(
    ctx: &Context,
    subject: &Subject,
    options: &AnalysisOptions,
    front: &Front,
) -> Result<Report, JobError> {
    let fit = fit::fit(ctx, subject)?.into_pca()?;
    // With `n_components = auto`, the user gave no number.
    let auto = fit.fitted.parts().options.n_components == Keep::Auto;
    let fitting = subject.fitting();
    let given = fitting.is_some_and(|fitting| fitting.explicit.n_components) && !auto;
    let analysis = analysis::analyze(ctx, &fit, given, options)?;
    let mut report = Report {
        fit,
        analysis,
        page: Page::default(),
        seed: options.choose.seed,
    };
    report.page = story::page(&report.story(front));
    Ok(report)
}
