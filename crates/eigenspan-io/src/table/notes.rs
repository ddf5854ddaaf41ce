//! Notes with the same words for every format: which columns are set aside, and which one names the rows.

use eigenspan::Note;
use eigenspan::note::listed;

use super::{IdColumn, SetAside, Table, Why};
use crate::error::quoted_word;

/// The note about a column that was guessed to name the rows.
pub(crate) fn guessed_id(id: &IdColumn) -> String {
    format!(
        "id: {} (its texts are all different; --id-column takes another)",
        id.name
    )
}

/// The notes about columns that are not analyzed: dates, empty columns, nested values, text.
pub(crate) fn set_aside(columns: &[SetAside]) -> Vec<String> {
    let named = |why: Why| -> Vec<String> {
        let of_kind = columns.iter().filter(|column| column.why == why);
        of_kind.map(|column| column.name.clone()).collect()
    };
    let mut notes = Vec::new();
    match named(Why::Dates).as_slice() {
        [] => {}
        [name] => notes.push(format!("column {name:?} holds dates: set aside")),
        names => notes.push(format!("columns {} hold dates: set aside", listed(names))),
    }
    match named(Why::Empty).as_slice() {
        [] => {}
        [name] => notes.push(format!("column {name:?} is empty: set aside")),
        names => notes.push(format!("columns {} are empty: set aside", listed(names))),
    }
    match named(Why::Nested).as_slice() {
        [] => {}
        [name] => notes.push(format!("column {name:?} holds no single values: set aside")),
        names => notes.push(format!(
            "columns {} hold no single values: set aside",
            listed(names)
        )),
    }
    notes.extend(text(&named(Why::Text)));
    notes
}

fn text(names: &[String]) -> Option<String> {
    let (verb, it) = match names.len() {
        0 => return None,
        1 => ("is", "it"),
        _ => ("are", "them"),
    };
    let keep = if names.len() <= 6 {
        let words: Vec<String> = names.iter().map(|name| quoted_word(name)).collect();
        words.join(",")
    } else {
        "NAME".to_owned()
    };
    Some(format!(
        "{} {verb} text: set aside (to keep {it} in the scores file: --keep {keep}; to analyze {it} as columns of 0 and 1: --one-hot)",
        listed(names)
    ))
}

/// The notes of a table without the ones above, which change when its columns get other roles.
pub(crate) fn others(table: &Table) -> Vec<String> {
    let mut about_roles = set_aside(&table.set_aside);
    about_roles.extend(table.id.as_ref().map(guessed_id));
    let texts = table.notes.iter().map(Note::to_string);
    texts.filter(|text| !about_roles.contains(text)).collect()
}
