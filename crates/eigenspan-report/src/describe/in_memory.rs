//! What rows in memory hold: columns of numbers, and no texts beside them.

use eigenspan::summary::{ColumnProfile, Profile, summarize};
use eigenspan::{Context, Error};
use eigenspan_io::Numbers;

use super::{Description, numbers, warn};

/// Describes rows whose columns have these names. Rows that repeat are not looked for.
pub fn describe_numbers(
    ctx: &Context,
    rows: Numbers<'_>,
    names: &[String],
    data: &str,
) -> Result<Description, Error> {
    let n_cols = rows.n_cols();
    let share = usize::try_from(ctx.memory().unwrap_or(u64::MAX) / 8).unwrap_or(usize::MAX);
    let new = || Profile::within(n_cols, share);
    let profile = match rows {
        Numbers::F32(source) => summarize(ctx, source, new)?,
        Numbers::F64(source) => summarize(ctx, source, new)?,
    };
    let columns = names.iter().zip(profile.columns());
    let error = |column: &ColumnProfile| column.quantiles.rank_error();
    let mut description = Description {
        data: data.to_owned(),
        format: "array",
        n_rows: profile.n_rows(),
        columns: columns
            .map(|(name, column)| numbers(name, column))
            .collect(),
        duplicate_rows: None,
        rank_error: profile.columns().iter().map(error).fold(0.0, f64::max),
        warnings: Vec::new(),
        notes: Vec::new(),
    };
    description.warnings = warn::warnings(&description, None);
    let before_fit = warn::before_fit(&description, &[]);
    description.warnings.extend(before_fit);
    Ok(description)
}
