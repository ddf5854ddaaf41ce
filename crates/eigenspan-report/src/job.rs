//! Fitting, from a file to a model, its scores and what there is to say about it.

use std::path::PathBuf;

use eigenspan::error::{counted, grouped};
use eigenspan::interpret::column_variances;
use eigenspan::note::{listed, rounded};
use eigenspan::prepare::{Missing, Scale, dominating};
use eigenspan::solve::{Keep, Plan};
use eigenspan::{Context, Error, Note, Pca, PcaOptions};
use eigenspan_io::{
    Input, MissingCells, Numbers, Output, ReadError, ReadOptions, Sealed, Table, open,
};

use crate::JobError;
use crate::asked::{self, Asked};
use crate::describe::{self, Suspects};
use crate::project;
use crate::results::Results;
use crate::summary::{RULE, Summary};
use crate::text::Heading;
use crate::words::shown;

/// A PCA to be fitted.
#[derive(Debug, Clone)]
pub struct FitJob {
    /// The data.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// What to fit.
    pub options: PcaOptions,
    /// Which of those were given, and are not to be guessed from the data.
    pub asked: Asked,
    /// Whether this is a first look, which leaves rows with missing cells out where nothing was said about them.
    pub first_look: bool,
    /// Where the model goes.
    pub model: Option<PathBuf>,
    /// Where the scores go.
    pub scores: Option<Output>,
    /// Further columns to carry into the scores file.
    pub keep: Vec<String>,
    /// The command that repeats this job.
    pub command: Option<String>,
}

impl FitJob {
    /// A fit of which nothing is written.
    pub fn new(input: Input, read: ReadOptions, options: PcaOptions, asked: Asked) -> Self {
        FitJob {
            input,
            read,
            options,
            asked,
            first_look: false,
            model: None,
            scores: None,
            keep: Vec::new(),
            command: None,
        }
    }

    fn results(&self) -> Results<'_> {
        Results {
            input: &self.input,
            model: self.model.as_deref(),
            scores: self.scores.as_ref(),
            keep: &self.keep,
            command: self.command.as_deref(),
        }
    }
}

/// A PCA that has been fitted.
#[derive(Debug)]
pub struct Fit {
    /// The data.
    pub table: Table,
    /// The model.
    pub pca: Pca,
    /// What it says.
    pub summary: Summary,
    /// What a person should know, from reading and from fitting.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
}

/// Cells up to which a second look at the data costs next to nothing.
const SMALL: usize = 20_000_000;

fn is_small(table: &Table) -> bool {
    table.n_rows() * table.columns().len() <= SMALL
}

/// Runs the job: nothing is written unless everything before it went well.
pub fn fit(ctx: &Context, job: &FitJob) -> Result<Fit, JobError> {
    let (fit, files) = fit_unplaced(ctx, job)?;
    for file in files {
        file.place()?;
    }
    Ok(fit)
}

/// Runs the job, and leaves what it wrote to be placed.
pub(crate) fn fit_unplaced(ctx: &Context, job: &FitJob) -> Result<(Fit, Vec<Sealed>), JobError> {
    job.results().check()?;
    let table = open(&job.input, &job.read, ctx)?;
    for column in &job.keep {
        table.column_index(column)?;
    }
    let mut meant = asked::meant(&table, &job.options, job.asked);
    let may_drop = job.first_look && !job.asked.missing && meant.options.missing == Missing::Error;
    if may_drop && table.missing().is_some() {
        meant.options.missing = Missing::Drop;
    }
    refuse_missing(&table, meant.options.missing)?;
    table.fetch(ctx)?;
    let mut fitted = fit_table(ctx, &table, &meant.options);
    // The cells of an array are not looked at before they are used.
    if matches!(&fitted, Err(Error::NotFinite { nan, infinite: 0, .. }) if may_drop && *nan > 0) {
        meant.options.missing = Missing::Drop;
        fitted = fit_table(ctx, &table, &meant.options);
    }
    let dropped = may_drop && meant.options.missing == Missing::Drop;
    let fitted = fitted.map_err(|error| match (&error, table.missing()) {
        // Without the rows that have missing cells, too few are left: the cells are the fault.
        (Error::TooFewRows { .. }, Some(missing)) if dropped => missing_error(&table, missing),
        _ => explain(ctx, &meant.options, &table, error),
    })?;
    let (mut pca, kept) = meant.retained(fitted)?;
    add_scaled_count(ctx, &table, &mut pca);
    let squares = unlike_squares(ctx, &table, &pca);
    let summary = summarize(ctx, &table, &pca)?;
    let suspects = match is_small(&table) {
        true => describe::suspects(ctx, &table)?,
        false => Suspects::default(),
    };
    let fitted = pca.notes().iter();
    let fitted = fitted.filter_map(|note| suspects.judged(note, &pca, table.columns()));
    let read = table
        .notes()
        .iter()
        .chain(&meant.note)
        .chain(&suspects.notes);
    let mut notes: Vec<Note> = read
        .cloned()
        .chain(fitted)
        .chain(squares)
        .chain(kept)
        .collect();
    say_lost_digits(&mut notes);
    if dropped {
        say_dropped(&table, &mut notes);
    }
    let (outputs, files) = job.results().write(ctx, &table, (&pca).into())?;
    let fit = Fit {
        table,
        pca,
        summary,
        notes,
        outputs,
    };
    Ok((fit, files))
}

/// What would run, and what there is to know about it; numbers are read only of tables so small that a fit holds them.
pub fn plan(ctx: &Context, job: &FitJob) -> Result<(Table, Plan, Vec<Note>), JobError> {
    let table = open(&job.input, &job.read, ctx)?;
    let asked::Meant { options, note, .. } = asked::meant(&table, &job.options, job.asked);
    let held = table.held(ctx);
    let plan = match held.numbers(&table) {
        Numbers::F32(source) => options.plan(ctx, source),
        Numbers::F64(source) => options.plan(ctx, source),
    };
    match plan {
        Ok(plan) => {
            let notes = table.notes().iter().chain(&note).cloned().collect();
            Ok((table, plan, notes))
        }
        Err(error) => Err(explain(ctx, &options, &table, error)),
    }
}

/// The heading of a table.
pub fn heading(table: &Table) -> Heading {
    Heading {
        name: table.name().to_owned(),
        n_rows: table.n_rows(),
        n_cols: table.columns().len(),
        id: table.id().map(|id| id.name.clone()),
    }
}

fn fit_table(ctx: &Context, table: &Table, options: &PcaOptions) -> Result<Pca, Error> {
    let held = table.held(ctx);
    match held.numbers(table) {
        Numbers::F32(source) => options.fit(ctx, source),
        Numbers::F64(source) => options.fit(ctx, source),
    }
}

/// Missing cells are refused with their line and column, which only the reader knows.
pub(crate) fn refuse_missing(table: &Table, how: Missing) -> Result<(), JobError> {
    match table.missing() {
        Some(missing) if how == Missing::Error => Err(missing_error(table, missing)),
        _ => Ok(()),
    }
}

/// The refusal of missing cells, which knows how many rows have none where counting them costs little.
fn missing_error(table: &Table, missing: &MissingCells) -> JobError {
    let mut error = missing.error();
    let counted = is_small(table).then(|| project::count_missing(table, None));
    if let (ReadError::Missing { complete, .. }, Some(Ok((_, rows)))) = (&mut error, counted) {
        *complete = Some(table.n_rows().saturating_sub(rows));
    }
    error.into()
}

/// A column of integers beyond 2^53 may be constant only because its last digits are lost: then that is said instead.
fn say_lost_digits(notes: &mut Vec<Note>) {
    let is_large = |name: &String| {
        let start = format!("column {name:?} holds integers beyond 2^53");
        notes
            .iter()
            .any(|note| note.to_string().starts_with(&start))
    };
    let place = notes.iter().position(
        |note| matches!(note, Note::ConstantColumns { columns, .. } if columns.iter().any(is_large)),
    );
    let Some(place) = place else { return };
    let Note::ConstantColumns { columns, scaled } = notes[place].clone() else {
        return;
    };
    let (large, others): (Vec<String>, Vec<String>) =
        columns.into_iter().partition(|name| is_large(name));
    let text = format!(
        "{} {} constant as read, because integers beyond 2^53 that differ in their last digits alone are the same number here",
        listed(&large),
        if large.len() == 1 { "is" } else { "are" }
    );
    notes[place] = Note::Reading { text };
    if !others.is_empty() {
        let columns = others;
        notes.insert(place, Note::ConstantColumns { columns, scaled });
    }
}

/// Says which rows a first look left out, and how to keep them.
fn say_dropped(table: &Table, notes: &mut [Note]) {
    for note in notes {
        let Note::DroppedRows { rows } = note else {
            continue;
        };
        let (rows, all) = (*rows, table.n_rows());
        let cells = table.missing().map_or(String::new(), |missing| {
            let (count, cells) = (grouped(missing.count), grouped(missing.cells));
            format!(" ({count} of {cells} cells)")
        });
        let (has, is) = if rows == 1 {
            ("has", "is")
        } else {
            ("have", "are")
        };
        let text = format!(
            "{} of {} {has} missing cells{cells} and {is} left out of this look; --missing em fills the cells with what the others of their row predict, --missing mean with their column's mean",
            grouped(rows as u64),
            counted(all, "row"),
        );
        *note = Note::Reading { text };
    }
}

/// An error of the core with the best tip the data can give.
pub(crate) fn explain(ctx: &Context, asked: &PcaOptions, table: &Table, error: Error) -> JobError {
    let mut error = JobError::core(table.name(), error);
    if let JobError::Core {
        error: Error::TooFewRows { .. },
        tip,
        ..
    } = &mut error
    {
        let whole = table
            .picture()
            .is_some_and(|picture| picture.patch.is_none());
        *tip = whole.then(|| "--patch 12 makes a row of every 12 × 12 pixels".to_owned());
    }
    if let JobError::Core {
        error: Error::TooManyComponents { .. },
        tip,
        ..
    } = &mut error
    {
        let needed = |scale: Scale| {
            let options = PcaOptions {
                n_components: Keep::Share(RULE),
                scale,
                ..asked.clone()
            };
            fit_table(ctx, table, &options)
                .map(|pca| pca.n_components())
                .ok()
        };
        let small = is_small(table);
        *tip = match (needed(asked.scale), asked.scale) {
            (Some(here), Scale::None) if small => needed(Scale::Std).map(|scaled| {
                format!("-k 90% keeps as many as 90 % of the variance needs (here {here}; with --scale {scaled})")
            }),
            (Some(here), _) if small => {
                Some(format!("-k 90% keeps as many as 90 % of the variance needs (here {here})"))
            }
            _ => None,
        };
    }
    error
}

/// Where columns were not centered, a few may dwarf the others by their squares about zero, be it by their means alone.
fn unlike_squares(ctx: &Context, table: &Table, pca: &Pca) -> Option<Note> {
    let options = &pca.parts().options;
    if options.center || options.scale != Scale::None || !is_small(table) || table.n_rows() < 3 {
        return None;
    }
    let squares = match table.numbers() {
        Numbers::F32(source) => column_variances(ctx, pca, source),
        Numbers::F64(source) => column_variances(ctx, pca, source),
    };
    let weights: Vec<f64> = pca.components().row(0).iter().map(|v| v * v).collect();
    let found = dominating(&squares.ok()?, &weights)?;
    let name = |j: &usize| table.columns().get(*j).map(|name| shown(name));
    let large: Vec<String> = found.columns.iter().filter_map(name).collect();
    let text = format!(
        "columns were not centered, and the mean square of {} is {} times that of {}, so {} is mostly {}",
        name(&found.largest)?,
        rounded(found.ratio),
        name(&found.smallest)?,
        pca.component_name(0),
        listed(&large)
    );
    Some(Note::Reading { text })
}

/// Completes a note on unlike scales with what scaling would change.
fn add_scaled_count(ctx: &Context, table: &Table, pca: &mut Pca) {
    if !is_small(table) {
        return;
    }
    let options = PcaOptions {
        n_components: Keep::Share(RULE),
        scale: Scale::Std,
        ..pca.parts().options.clone()
    };
    for note in pca.notes_mut() {
        if let Note::UnlikeScales {
            scaled_components, ..
        } = note
        {
            *scaled_components = fit_table(ctx, table, &options)
                .map(|pca| pca.n_components())
                .ok();
        }
    }
}

fn summarize(ctx: &Context, table: &Table, pca: &Pca) -> Result<Summary, JobError> {
    if !is_small(table) {
        return Ok(Summary::new(pca, None));
    }
    let scores = project::first_scores(ctx, table, pca)?;
    let names = table.id().map(|id| table.texts(&id.name)).transpose()?;
    Ok(Summary::new(pca, Some((&scores, names.as_deref()))))
}
