//! Notes with the same words for every format: which columns are set aside, and which one names the rows.

use eigenspan::Note;
use eigenspan::note::{Advice, Clause, Setting, listed};

use super::{IdColumn, SetAside, Table, Why};

/// The note about a column that was guessed to name the rows.
pub(crate) fn guessed_id(id: &IdColumn) -> Note {
    let advice = [
        Clause::say("its texts are all different"),
        Clause::name("id_column").then(" takes another"),
    ];
    Note::advised(format!("id: {}", id.name), advice)
}

/// The notes about columns that are not analyzed: dates, empty columns, nested values, text.
pub(crate) fn set_aside(columns: &[SetAside]) -> Vec<Note> {
    let about = |why: Why, one: &str, many: &str| {
        let of_kind = columns.iter().filter(|column| column.why == why);
        let names: Vec<String> = of_kind.map(|column| column.name.clone()).collect();
        match names.as_slice() {
            [] => None,
            [name] => Some(Note::reading(format!("column {name:?} {one}: set aside"))),
            names => Some(Note::reading(format!(
                "columns {} {many}: set aside",
                listed(names)
            ))),
        }
    };
    let dates = about(Why::Dates, "holds dates", "hold dates");
    let empty = about(Why::Empty, "is empty", "are empty");
    let nested = about(
        Why::Nested,
        "holds no single values",
        "hold no single values",
    );
    let texts = columns.iter().filter(|column| column.why == Why::Text);
    let texts: Vec<String> = texts.map(|column| column.name.clone()).collect();
    let notes = dates.into_iter().chain(empty).chain(nested);
    notes.chain(text(&texts)).collect()
}

fn text(names: &[String]) -> Option<Note> {
    /// The longest list of names that is spelled out in an option.
    const SPELLED: usize = 6;
    let (verb, it) = match names.len() {
        0 => return None,
        1 => ("is", "it"),
        _ => ("are", "them"),
    };
    let keep = match names.len() <= SPELLED {
        true => Setting::list("keep", names),
        false => Setting::new("keep", "NAME"),
    };
    let analyze = format!("to analyze {it} as columns of 0 and 1: ");
    let advice: Advice = [
        Clause::say(format!("to keep {it} in the scores file: ")).and(keep),
        Clause::say(analyze).and(Setting::new("one_hot", "true")),
    ]
    .into();
    Some(Note::advised(
        format!("{} {verb} text: set aside", listed(names)),
        advice,
    ))
}

/// The notes of a table without the ones above, which change when its columns get other roles.
pub(crate) fn others(table: &Table) -> Vec<Note> {
    let mut about_roles = set_aside(&table.set_aside);
    about_roles.extend(table.id.as_ref().map(guessed_id));
    let others = table
        .notes
        .iter()
        .filter(|note| !about_roles.contains(note));
    others.cloned().collect()
}
