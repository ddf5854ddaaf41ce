//! The data in words: how much of it was read, which columns name, label and weight the rows, and how the columns were prepared.

use eigenspan::PcaOptions;
use eigenspan::error::counted;
use eigenspan::note::Clause;
use eigenspan::prepare::Scale;
use eigenspan_io::{ReadOptions, Table};

use super::Story;
use crate::front::Front;
use crate::page::Prose;
use crate::words::shown;

/// The answer to the first question.
pub(super) fn answer(story: &Story) -> Prose {
    let read = &story.analysis.read;
    let prepared = prepared(&story.pca().parts().options);
    described(&story.fit.rows.table, read, story.data_name(), story.front)
        .words(format!(". {prepared}"))
}

/// The table in words, without the last period: how much of it was read, and which columns name, label and weight its rows.
pub(super) fn described(
    table: &Table,
    read: &ReadOptions,
    data_name: &str,
    front: &Front,
) -> Prose {
    let columns = match read.one_hot {
        true => "column of numbers",
        false => "numeric column",
    };
    let (rows, columns) = (
        counted(table.n_rows(), "row"),
        counted(table.columns().len(), columns).replace("column of numberss", "columns of numbers"),
    );
    let name = Prose::new().name(data_name);
    let mut said = match is_whole(read) {
        true => name.words(format!(": {rows} and {columns}")),
        // Rows that were skipped are not counted, so the total is unknown.
        false => {
            let were = match (table.n_rows(), table.columns().len()) {
                (1, 0) | (0, 1) => "was",
                _ => "were",
            };
            let name = Prose::from("From ").name(data_name);
            name.words(format!(", {rows} and {columns} {were} taken"))
        }
    };
    if read.transpose {
        said = said.words("; the file's columns are the rows here");
    } else if let Some(id) = table.id() {
        said = match is_number_of(table.all_columns(), &id.name) {
            // A column without a name is called by its number.
            true => said.words(format!("; rows are named by column {}", id.name)),
            false => said.words("; rows are named by ").name(shown(&id.name)),
        };
        let option = front.advice(&Clause::name("id_column").into());
        if let Some(option) = option {
            said = said.words(" (").code(option).words(" takes another)");
        }
    }
    if let Some(label) = table.label() {
        said = said.words("; ").name(shown(label)).words(" labels them");
    }
    if let Some(weight) = table.weight() {
        said = said.words("; ").name(shown(weight)).words(" weighs them");
    }
    said
}

/// Whether all rows and columns of the data were read.
fn is_whole(read: &ReadOptions) -> bool {
    let all_columns = read.columns.is_empty() && read.exclude.is_empty() && !read.one_hot;
    let roles = [&read.id_column, &read.label_column, &read.weight_column];
    let no_roles = roles.iter().all(|column| column.is_none());
    all_columns && no_roles && read.rows.is_none() && read.sample.is_none() && !read.transpose
}

/// Whether a name is only the number of its column, from 1.
fn is_number_of(columns: &[String], name: &str) -> bool {
    let place = columns.iter().position(|column| column == name);
    place.is_some_and(|place| name == (place + 1).to_string())
}

/// How the columns were prepared: `Columns were centered and keep their own scales.`
fn prepared(options: &PcaOptions) -> String {
    let centered = match options.center {
        true => "Columns were centered",
        false => "Columns were not centered",
    };
    let scaled = match options.scale {
        Scale::None => "and keep their own scales",
        Scale::Std => "and scaled to variance 1",
        Scale::Genotype => "and scaled by their allele frequencies",
    };
    let whitened = match options.whiten {
        true => "; scores are whitened",
        false => "",
    };
    let about = match options.center {
        true => "",
        false => " Shares are therefore shares of sums of squares about zero, not of variances.",
    };
    format!("{centered} {scaled}{whitened}.{about}")
}
