//! Opens a table: finds the files, opens and joins them, transposes, selects rows, and encodes texts as numbers.

use eigenspan::Context;

use crate::error::ReadError;
use crate::file::{open_file, transposed_after_reading};
use crate::input::Input;
use crate::options::ReadOptions;
use crate::table::Table;
use crate::{files, image, onehot, sample, shards, transpose};

/// Opens a table: one file, or several that are one table together (shards, a folder, a pattern such as `part-*.csv`).
///
/// The options apply to the whole table: `rows` and `sample` count through all files.
pub fn open(input: &Input, options: &ReadOptions, ctx: &Context) -> Result<Table, ReadError> {
    open_table(input, options, ctx).map_err(|error| match error {
        ReadError::NoNumericColumns { file, set_aside }
            if set_aside.is_empty() && !options.exclude.is_empty() =>
        {
            let excluded = options.exclude.clone();
            ReadError::NothingLeft { file, excluded }
        }
        error => error,
    })
}

fn open_table(input: &Input, options: &ReadOptions, ctx: &Context) -> Result<Table, ReadError> {
    let found = files::find(input)?;
    let mut table = match found.inputs.as_slice() {
        [one] => open_file(one, options, ctx)?,
        several if image::are_pictures(several, options) => {
            image::open_several(input.name(), several, options, ctx)?
        }
        several => shards::open(&input.name(), several, options, ctx)?,
    };
    table.notes.extend(found.notes);
    // Several files are joined before they are transposed, whatever their format.
    let several = found.inputs.len() > 1;
    let turned = options.transpose && (several || transposed_after_reading(table.format));
    if turned {
        table = transpose::transpose(table, options, ctx)?;
    }
    // The reader of a single file has already selected the rows.
    if turned || several {
        table = sample::range(table, options)?;
    }
    table.notes.extend(sample::note_first(options));
    table.notes.extend(sample::note_end(&table, options));
    table = sample::random(table, options)?;
    onehot::encode(table, options, ctx)
}
