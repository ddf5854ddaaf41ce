//! Warnings that come first: the first component only reflects the scale of a few columns, or a column that is not a measurement.

use eigenspan::error::counted;
use eigenspan::note::rounded;
use eigenspan::{Hint, Note};

use super::Story;
use crate::front::Command;
use crate::page::Prose;
use crate::words::{percent, shown, typed};

/// The first sentence of a report whose first component consists of only a few columns; `None` otherwise.
pub(super) fn first_sentence(story: &Story) -> Prose {
    let Some(Note::UnlikeScales {
        component,
        columns,
        largest,
        smallest,
        ratio,
        weight,
        scaled_components,
    }) = unlike(story)
    else {
        return Prose::new();
    };
    if let Some(note @ Note::NotMeasured { columns, role, .. }) = no_measurement(story) {
        let verb = if columns.len() == 1 { "is" } else { "are" };
        let said = Prose::new().names(columns).words(format!(
            " {verb} most of {component}, but {} like {}, not like a measurement: ",
            if columns.len() == 1 { "looks" } else { "look" },
            role.words(),
        ));
        return with_hint(story, said, note).words(". ");
    }
    let verb = if columns.len() == 1 { "is" } else { "are" };
    let columns: Vec<String> = columns.iter().map(|column| shown(column)).collect();
    let said = Prose::new()
        .words("The columns differ in scale: ")
        .names(&few(columns))
        .words(format!(
            " {verb} {} of {component}, and the variance of ",
            percent(*weight)
        ))
        .name(shown(largest))
        .words(format!(" is {} times that of ", rounded(*ratio)))
        .name(shown(smallest))
        .words("; ");
    let said = match unlike(story) {
        Some(note) => with_hint(story, said, note),
        None => said,
    };
    said.words(match scaled_components {
        Some(k) => format!(" (90 % then takes {}). ", counted(*k, "component")),
        None => ". ".to_owned(),
    })
}

/// At most six names in a sentence: six, or five and how many more.
fn few(mut names: Vec<String>) -> Vec<String> {
    const NAMED: usize = 6;
    if names.len() > NAMED {
        let more = names.len() - NAMED + 1;
        names.truncate(NAMED - 1);
        names.push(format!("{more} more"));
    }
    names
}

/// Whether the first sentence already contains this note or replaces it.
pub(super) fn is_already_said(story: &Story, note: &Note) -> bool {
    [unlike(story), no_measurement(story)].contains(&Some(note))
}

/// The command with the option that a note recommends.
pub(super) fn with_option(command: &Command, hint: &Hint) -> String {
    let settings = hint.settings();
    // What becomes of missing cells is not said twice.
    let settings = settings
        .iter()
        .filter(|setting| setting.option == hint.option || !command.names(&setting.option));
    let typed: Vec<String> = settings.map(typed).collect();
    format!("{} {}", command.line, typed.join(" "))
}

fn with_hint(story: &Story, said: Prose, note: &Note) -> Prose {
    match (note.hint(), story.front.command()) {
        (Some(hint), Some(command)) => said
            .code(with_option(command, &hint))
            .words(format!(" {}", hint.does)),
        (Some(hint), None) => said.words(story.front.hint(hint).unwrap_or_default()),
        (None, _) => said,
    }
}

/// The note on columns that dominate by their scale.
fn unlike<'a>(story: &'a Story) -> Option<&'a Note> {
    let is = |note: &&Note| matches!(note, Note::UnlikeScales { .. });
    story.fit.notes.iter().find(is)
}

/// The note that one of those columns is not a measurement, in which case scaling does not help.
fn no_measurement<'a>(story: &'a Story) -> Option<&'a Note> {
    let Some(Note::UnlikeScales { columns: large, .. }) = unlike(story) else {
        return None;
    };
    let is = |note: &&Note| match note {
        Note::NotMeasured { columns, .. } => {
            large.iter().any(|column| columns.contains(&shown(column)))
        }
        _ => false,
    };
    story.fit.notes.iter().find(is)
}
