//! The report on a model of any method: a model that was just fitted, or an existing model, alone or with new rows.

use std::sync::Arc;

use eigenspan::method::Fitted;
use eigenspan::{Context, Note};
use eigenspan_io::model::Origin;

use crate::JobError;
use crate::analysis::Overview;
use crate::fit::{self, Fit, Modeled};
use crate::front::Front;
use crate::heading::Heading;
use crate::page::{self, Page};
use crate::story::SmallMap;
use crate::story::overview::{self, OverviewStory};
use crate::subject::{Embedded, ExistingModel, Fitting, OpenRows, Rows, Subject, note_missing};
use crate::summary::Summary;

/// A report as values.
#[derive(Debug)]
pub struct MethodReport {
    /// The model.
    pub fitted: Arc<dyn Fitted>,
    /// The names of its columns.
    columns: Vec<String>,
    /// The summary of the model.
    pub summary: Summary,
    /// The overview: everything beyond the summary.
    pub overview: Overview,
    /// The rows of the report, if there are any.
    pub rows: Option<OpenRows>,
    /// The content of the page. Each sentence is written once, for the page; the terminal prints the same sentences.
    pub page: Page,
    /// The map of the rows on the first two components for a terminal; `None` if there are no rows to show.
    pub map: Option<SmallMap>,
    /// Notes for the user.
    pub notes: Vec<Note>,
    /// The name of an existing model and how it was made.
    model: Option<(String, Origin)>,
}

impl MethodReport {
    /// The page as an HTML file.
    pub fn html(&self) -> String {
        page::html(&self.page)
    }

    /// The heading of the report in a terminal.
    pub fn heading(&self) -> Heading {
        let common = self.fitted.common();
        match (&self.model, &self.rows) {
            (None, Some(rows)) => Heading::from_table(&rows.table),
            (model, _) => Heading {
                name: model
                    .as_ref()
                    .map(|(name, _)| name.clone())
                    .unwrap_or_default(),
                n_rows: common.n_rows,
                n_cols: common.n_cols,
                id: None,
            },
        }
    }

    /// How an existing model was made.
    pub fn origin(&self) -> Option<&Origin> {
        self.model.as_ref().map(|(_, origin)| origin)
    }

    /// The report with its page and its map, for a front.
    fn with_page(mut self, front: &Front) -> Self {
        let story = self.story(front);
        let (page, map) = (overview::page(&story), overview::small_map(&story));
        (self.page, self.map) = (page, map);
        self
    }

    fn story<'a>(&'a self, front: &'a Front) -> OverviewStory<'a> {
        OverviewStory {
            fitted: &*self.fitted,
            columns: &self.columns,
            summary: &self.summary,
            overview: &self.overview,
            table: self.rows.as_ref().map(|rows| &*rows.table),
            model: self
                .model
                .as_ref()
                .map(|(name, origin)| (name.as_str(), origin)),
            notes: &self.notes,
            front,
        }
    }
}

/// Makes a report on a subject, for a front.
pub fn report(ctx: &Context, subject: &Subject, front: &Front) -> Result<MethodReport, JobError> {
    if let Some(model) = subject.existing_model()? {
        let report = report_on_model(ctx, model, subject.rows.as_ref())?;
        return Ok(report.with_page(front));
    }
    let (rows, fitting) = subject.rows_to_fit()?;
    let fit = fit::fit_rows(ctx, rows.open(ctx)?, fitting)?;
    report_on_fit(ctx, fit, fitting, front)
}

/// The title of a subject's page.
pub(crate) fn title(subject: &Subject) -> String {
    let rows = subject.rows.as_ref().map(Rows::name);
    match (rows, subject.model_name()) {
        (Some(rows), Some(model)) => overview::title_of_both(&rows, &model),
        (rows, model) => rows.or(model).unwrap_or_default(),
    }
}

/// The report on a model that was just fitted.
pub(crate) fn report_on_fit(
    ctx: &Context,
    fit: Fit,
    fitting: &Fitting,
    front: &Front,
) -> Result<MethodReport, JobError> {
    let (rows, fitted) = (&fit.rows, &*fit.fitted);
    let scores = match (fitted.embedding(), fitted.projection()) {
        (Some(kept), _) if kept.n_rows() == rows.table.n_rows() => kept.clone(),
        // Rows that were dropped have no coordinates among those that the fit kept.
        (_, Some(_)) => rows.scores(ctx, fitted)?,
        (_, None) => Embedded::of_table(ctx, &rows.table, fitted)?.scores,
    };
    let overview = Overview::from_fit(ctx, (&*fitting.method, fitted), (rows, &scores))?;
    let report = MethodReport {
        overview,
        columns: fitted.column_names(),
        summary: fit.summary,
        fitted: Arc::from(fit.fitted),
        rows: Some(fit.rows),
        page: Page::default(),
        map: None,
        notes: fit.notes,
        model: None,
    };
    Ok(report.with_page(front))
}

/// The report on an existing model and, if given, new rows.
fn report_on_model(
    ctx: &Context,
    model: ExistingModel,
    rows: Option<&Rows>,
) -> Result<MethodReport, JobError> {
    let named = (model.name.clone(), model.origin.clone().unwrap_or_default());
    let Modeled {
        fitted,
        columns,
        rows,
        ..
    } = Modeled::from_existing(ctx, model, rows)?;
    let mut notes = fitted.common().notes.to_vec();
    if let Some(rows) = &rows {
        notes.extend(rows.table.notes().iter().cloned());
        let pick = rows.pick.as_deref();
        notes.extend(note_missing(&rows.table, pick, &*fitted)?);
    }
    let scores = rows.as_ref().map(|rows| rows.scores(ctx, &*fitted));
    let scores = scores.transpose()?;
    let overview = Overview::from_model(ctx, &*fitted, rows.as_ref().zip(scores.as_ref()))?;
    Ok(MethodReport {
        summary: Summary::with_columns(&*fitted, &columns, None),
        columns,
        fitted,
        overview,
        rows,
        page: Page::default(),
        map: None,
        notes,
        model: Some(named),
    })
}
