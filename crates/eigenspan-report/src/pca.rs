//! What only PCA has when it is fitted: presets of other programs, defaults for genotypes, the rules of a first look, and notes that need
//! the data.

use eigenspan::error::{counted, grouped};
use eigenspan::interpret::{Columns, column_variances};
use eigenspan::method::{Fitted, Like, Method, Retain};
use eigenspan::note::{Clause, Setting};
use eigenspan::note::{listed, rounded};
use eigenspan::prepare::{Missing, Scale, dominating};
use eigenspan::solve::Keep;
use eigenspan::{Context, Note, Pca, PcaOptions, on_numbers};
use eigenspan_io::Table;

use crate::describe::{self, Suspects};
use crate::explicit::Explicit;
use crate::subject::{OpenRows, is_small};
use crate::summary::RULE;
use crate::words::shown;
use crate::{JobError, genotypes};

/// A method resolved for a table: the options of a PCA are completed by its preset and by the kind of data.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// The method to fit.
    pub(crate) method: Box<dyn Method>,
    /// Which of the fitted components to keep.
    retain: Option<(Like, Retain)>,
    /// Notes on what was filled in because of the data.
    pub(crate) note: Option<Note>,
}

/// Whether a method is PCA.
pub(crate) fn is_pca(method: &dyn Method) -> bool {
    method.as_any().is::<PcaOptions>()
}

/// Loadings and correlations of the columns on the first components; `None` unless the model is a PCA that knows its columns'
/// variances.
pub(crate) fn columns_of(fitted: &dyn Fitted, most: usize) -> Option<Columns> {
    let pca = fitted.downcast::<Pca>()?;
    Columns::leading(pca, pca.n_components().min(most), None).ok()
}

/// Resolves the method for a table: a PCA is completed by its preset and by the kind of data, any other method stays as it is.
pub(crate) fn resolve(table: &Table, method: &dyn Method, explicit: Explicit) -> Resolved {
    match method.as_any().downcast_ref::<PcaOptions>() {
        Some(options) => {
            let (options, retain, note) = resolve_options(table, options, explicit);
            Resolved {
                method: Box::new(options),
                retain,
                note,
            }
        }
        None => Resolved {
            method: method.boxed(),
            retain: None,
            note: None,
        },
    }
}

/// The options of a PCA for a table, which components to keep, and notes on what was filled in because of the data.
pub(crate) fn resolve_options(
    table: &Table,
    options: &PcaOptions,
    mut explicit: Explicit,
) -> (PcaOptions, Option<(Like, Retain)>, Option<Note>) {
    let mut options = options.clone();
    let mut retain = None;
    if let Some(like) = explicit.like {
        fill_in(like, &mut options, &mut explicit);
        if !explicit.n_components {
            options.n_components = like.retain().before(table.n_rows(), table.columns().len());
            retain = Some((like, like.retain()));
        }
    }
    let note = genotypes::fill_in(table, &mut options, explicit);
    (options, retain, note)
}

/// Fills in the conventions of another program for options that were not given. Options that the program has a convention for then count as
/// given.
fn fill_in(like: Like, options: &mut PcaOptions, explicit: &mut Explicit) {
    let preset = like.options();
    if !explicit.scale {
        options.scale = preset.scale;
        explicit.scale = true;
    }
    if !explicit.whiten {
        options.whiten = preset.whiten;
    }
    if !explicit.convention {
        options.convention = preset.convention;
    }
    if !explicit.sign {
        options.sign = preset.sign;
    }
    if !explicit.names {
        options.names = preset.names;
    }
    if !explicit.missing {
        options.missing = preset.missing;
        explicit.missing = preset.missing != PcaOptions::default().missing;
    }
}

impl Resolved {
    /// Drops rows with missing cells, if the method is PCA.
    pub(crate) fn drop_incomplete_rows(&mut self) {
        if let Some(options) = self.method.as_any().downcast_ref::<PcaOptions>() {
            let missing = Missing::Drop;
            self.method = Box::new(PcaOptions {
                missing,
                ..options.clone()
            });
        }
    }

    /// A fitted model with its notes: a PCA reduced to the components to keep, any other model as it is.
    pub(crate) fn finish(
        &self,
        ctx: &Context,
        rows: &OpenRows,
        fitted: Box<dyn Fitted>,
        dropped: bool,
    ) -> Result<(Box<dyn Fitted>, Vec<Note>), JobError> {
        match fitted.into_downcast::<Pca>() {
            Ok(pca) => {
                let (pca, notes) = self.finish_pca(ctx, rows, *pca, dropped)?;
                Ok((Box::new(pca), notes))
            }
            Err(fitted) => {
                let read = rows.table.notes().iter();
                let notes = read.chain(fitted.common().notes).cloned().collect();
                Ok((fitted, notes))
            }
        }
    }

    fn finish_pca(
        &self,
        ctx: &Context,
        rows: &OpenRows,
        pca: Pca,
        dropped: bool,
    ) -> Result<(Pca, Vec<Note>), JobError> {
        let table = &*rows.table;
        let (mut pca, kept) = self.retained(pca)?;
        add_scaled_count(ctx, rows, &mut pca);
        let squares = unlike_squares(ctx, rows, &pca);
        let suspects = match is_small(table) {
            true => describe::suspects(ctx, rows)?,
            false => Suspects::default(),
        };
        let fitted = pca.notes().iter();
        let fitted = fitted.filter_map(|note| suspects.judged(note, &pca, table.columns()));
        let read = table
            .notes()
            .iter()
            .chain(&self.note)
            .chain(&suspects.notes);
        let mut notes: Vec<Note> = read
            .cloned()
            .chain(fitted)
            .chain(squares)
            .chain(kept)
            .collect();
        say_lost_digits(&mut notes);
        if dropped {
            say_dropped(table, &mut notes);
        }
        Ok((pca, notes))
    }

    /// The number of components to keep, and a note if that is fewer than were fitted.
    fn retained(&self, pca: Pca) -> Result<(Pca, Option<Note>), JobError> {
        let Some((like, retain)) = self.retain else {
            return Ok((pca, None));
        };
        let all = pca.n_cols().min(pca.parts().n_rows.saturating_sub(1));
        let k = retain
            .after(&pca)
            .map_err(|e| JobError::core(like.name(), e))?;
        if k >= all {
            return Ok((pca, None));
        }
        let which = match retain {
            Retain::Kaiser => "those with an eigenvalue above the mean",
            _ => "the first",
        };
        let text = format!(
            "components kept: {k} of {all}, {which}, as {} does",
            like.name()
        );
        let all = Clause::set("n_components", "all").then(" keeps all");
        Ok((pca.truncated(k), Some(Note::advised(text, all))))
    }
}

/// How many components 90 % of the variance needs, if the user requested more than possible and the table is small.
pub(crate) fn enough_components(
    ctx: &Context,
    method: &dyn Method,
    rows: &OpenRows,
) -> Option<Clause> {
    let options = method.as_any().downcast_ref::<PcaOptions>()?;
    let needed = |scale: Scale| n_components_of_share(ctx, rows, options, scale);
    if !is_small(&rows.table) {
        return None;
    }
    let here = needed(options.scale)?;
    let enough = Clause::set("n_components", "90%").then(format!(
        " keeps as many as 90 % of the variance needs (here {here}"
    ));
    match options.scale {
        Scale::None => needed(Scale::Std).map(|scaled| {
            enough
                .then("; with ")
                .and(Setting::new("scale", "std"))
                .then(format!(" {scaled})"))
        }),
        _ => Some(enough.then(")")),
    }
}

/// How many components the 90 % rule keeps under another scaling.
fn n_components_of_share(
    ctx: &Context,
    rows: &OpenRows,
    options: &PcaOptions,
    scale: Scale,
) -> Option<usize> {
    let options = PcaOptions {
        n_components: Keep::Share(RULE),
        scale,
        ..options.clone()
    };
    let pca = on_numbers!(rows.numbers(ctx), source => options.fit(ctx, source));
    pca.map(|pca| pca.n_components()).ok()
}

/// A column of integers beyond 2^53 may seem constant only because its last digits are lost; the note then says that instead.
fn say_lost_digits(notes: &mut Vec<Note>) {
    let is_large = |name: &String| {
        let holds = |note: &Note| matches!(note, Note::BeyondExact { column: Some(column), .. } if column == name);
        notes.iter().any(holds)
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
    notes[place] = Note::reading(text);
    if !others.is_empty() {
        let columns = others;
        notes.insert(place, Note::ConstantColumns { columns, scaled });
    }
}

/// A note on which rows a first look dropped, and how to keep them.
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
            "{} of {} {has} missing cells{cells} and {is} left out of this look",
            grouped(rows as u64),
            counted(all, "row"),
        );
        let fill = Clause::set("missing", "em")
            .then(" fills the cells with what the others of their row predict, ")
            .and(Setting::new("missing", "mean"))
            .then(" with their column's mean");
        *note = Note::advised(text, fill);
    }
}

/// If columns were not centered, a few may dominate by their sums of squares about zero, perhaps only because of their means.
fn unlike_squares(ctx: &Context, rows: &OpenRows, pca: &Pca) -> Option<Note> {
    let table = &*rows.table;
    let options = &pca.parts().options;
    if options.center || options.scale != Scale::None || !is_small(table) || table.n_rows() < 3 {
        return None;
    }
    let squares = on_numbers!(rows.numbers(ctx), source => column_variances(ctx, pca, source));
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
    Some(Note::reading(text))
}

/// Completes a note on unlike scales with what scaling would change.
fn add_scaled_count(ctx: &Context, rows: &OpenRows, pca: &mut Pca) {
    if !is_small(&rows.table) {
        return;
    }
    let options = pca.parts().options.clone();
    for note in pca.notes_mut() {
        if let Note::UnlikeScales {
            scaled_components, ..
        } = note
        {
            *scaled_components = n_components_of_share(ctx, rows, &options, Scale::Std);
        }
    }
}
