//! What happens to missing cells in new rows that are given to a model.

use eigenspan::Note;
use eigenspan::error::counted;
use eigenspan::method::Fitted;
use eigenspan::prepare::Missing;
use eigenspan_io::Table;

use super::opened::count_missing;
use crate::JobError;

/// A note on what happens to missing cells in new rows, by the model's `missing` option; `None` if no cell is missing.
pub(crate) fn note_missing(
    table: &Table,
    pick: Option<&[usize]>,
    fitted: &dyn Fitted,
) -> Result<Option<Note>, JobError> {
    let how = fitted.common().missing;
    if how == Missing::Error {
        return Ok(None);
    }
    let (cells, rows) = count_missing(table, pick)?;
    let is = if cells == 1 { "is" } else { "are" };
    let cells_words = format!("{} {is} missing", counted(cells, "cell"));
    let text = match how {
        Missing::Mean => {
            format!("{cells_words}: filled with the means of the rows that the model was fitted to")
        }
        Missing::Em => {
            format!("{cells_words}: filled with what the model predicts from the row's other cells")
        }
        _ => {
            let has = if rows == 1 { "has" } else { "have" };
            format!("{} {has} missing cells and no scores", counted(rows, "row"))
        }
    };
    Ok((cells > 0).then_some(Note::reading(text)))
}
