//! Finds numeric columns that are not measurements (counters, ids, years, class codes) and numbers that stand for missing cells.
//!
//! A note states only what holds in every row: a column is called a counter only if it counts to the last row. Where the numbers do not
//! decide, the name does: 0, 1 and 2 are classes in a column called `target`, and counts in a column called `children`.

use eigenspan::error::grouped;
use eigenspan::prepare::dominating;
use eigenspan::summary::summarize;
use eigenspan::{ColumnRole, Context, Note, Pca};
use eigenspan_io::{Format, Numbers, Table};

use super::column_words::{self, Named};
use super::scan::{COUNTED, ColumnScan, MOST_CODES, Scan};
use crate::JobError;
use crate::subject::OpenRows;
use crate::words::{short, shown};

/// Up to this many columns get a note each; further columns share one note.
const EACH: usize = 3;

/// Columns that do not look like measurements.
#[derive(Debug, Clone, Default)]
pub(crate) struct Suspects {
    /// One note per finding.
    pub(crate) notes: Vec<Note>,
    /// The variance of every numeric column; 0 for columns that are not measurements.
    variances: Vec<f64>,
    /// For each column, whether it is not a measurement.
    is_role: Vec<bool>,
}

/// Finds columns that do not look like measurements, in one pass.
pub(crate) fn suspects(ctx: &Context, rows: &OpenRows) -> Result<Suspects, JobError> {
    let table = &*rows.table;
    // Pixels and alleles are always measurements.
    let n_cols = table.columns().len();
    if table.picture().is_some() || table.format() == Format::Plink || n_cols == 0 {
        return Ok(Suspects::default());
    }
    let named = |e| JobError::core(table.name(), e);
    let new = || Scan::new(n_cols);
    let scan = match rows.numbers(ctx) {
        Numbers::F32(source) => summarize(ctx, source, new).map_err(named)?,
        Numbers::F64(source) => summarize(ctx, source, new).map_err(named)?,
    };
    let (mut notes, is_role) = roles(table, &scan);
    notes.extend(missing_codes(table, &scan));
    let variance = |(seen, is_role): (&ColumnScan, &bool)| match is_role {
        true => 0.0,
        false => seen.squares / (seen.n as f64 - 1.0).max(1.0),
    };
    let variances = scan.columns.iter().zip(&is_role).map(variance);
    Ok(Suspects {
        notes,
        variances: variances.collect(),
        is_role,
    })
}

impl Suspects {
    /// Revises a fit's note on unlike scales: class codes such as 1 and 2 are not small measurements, so the columns must differ in
    /// scale without them. A column that dominates the others stays in the note even if it is not a measurement.
    pub(crate) fn judged(&self, note: &Note, pca: &Pca, names: &[String]) -> Option<Note> {
        let Note::UnlikeScales { columns, .. } = note else {
            return Some(note.clone());
        };
        let is_role = |name: &String| {
            let place = names.iter().position(|column| column == name);
            place.is_some_and(|j| self.is_role.get(j) == Some(&true))
        };
        if !self.is_role.contains(&true) || columns.iter().any(is_role) {
            return Some(note.clone());
        }
        let first = pca.components().row(0).iter().zip(&self.is_role);
        let weights: Vec<f64> = first
            .map(|(v, is_role)| if *is_role { 0.0 } else { v * v })
            .collect();
        let total: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let found = dominating(&self.variances, &weights)?;
        let mut note = note.clone();
        if let Note::UnlikeScales {
            smallest, ratio, ..
        } = &mut note
        {
            smallest.clone_from(names.get(found.smallest)?);
            *ratio = found.ratio;
        }
        Some(note)
    }
}

/// Notes on columns that are not measurements (the first of each kind gets its own note), and which columns those are.
fn roles(table: &Table, scan: &Scan) -> (Vec<Note>, Vec<bool>) {
    let columns = || table.columns().iter().zip(&scan.columns);
    let rising = columns().filter(|(_, seen)| seen.is_rising()).count();
    // If many columns rise together, the rows are sorted and the columns are measurements.
    let one_rises = rising == 1 || 3 * rising <= table.columns().len();
    let has_x = table
        .columns()
        .iter()
        .any(|name| name.eq_ignore_ascii_case("x"));
    let mut found: Vec<(ColumnRole, String, String)> = Vec::new();
    let mut is_role = vec![false; scan.columns.len()];
    for (j, (name, seen)) in columns().enumerate() {
        if let Some((role, why)) = role(name, seen, one_rises, has_x) {
            found.push((role, name.clone(), why));
            is_role[j] = true;
        }
    }
    let mut notes = Vec::new();
    for kind in [
        ColumnRole::Id,
        ColumnRole::Code,
        ColumnRole::Time,
        ColumnRole::Class,
    ] {
        let all: Vec<_> = found.iter().filter(|(role, ..)| *role == kind).collect();
        let mut taken = match kind {
            ColumnRole::Id => table.id().is_some(),
            ColumnRole::Class => table.label().is_some(),
            _ => true,
        };
        if all.len() > EACH {
            let columns: Vec<String> = all.iter().map(|(_, name, _)| shown(name)).collect();
            let spelled: Vec<String> = all
                .iter()
                .map(|(_, name, _)| spelled(table, name))
                .collect();
            notes.push(Note::NotMeasured {
                columns,
                role: kind,
                why: "their names or their whole numbers say so".to_owned(),
                spelled: spelled.join(","),
                taken: true,
            });
            continue;
        }
        for (_, name, why) in all {
            notes.push(Note::NotMeasured {
                columns: vec![shown(name)],
                role: kind,
                why: why.clone(),
                spelled: spelled(table, name),
                taken,
            });
            taken = true;
        }
    }
    (notes, is_role)
}

/// A column as options accept it: its name, or its number if the name contains a comma.
fn spelled(table: &Table, name: &str) -> String {
    let place = table.all_columns().iter().position(|column| column == name);
    match place {
        Some(place) if name.contains(',') || name.trim() != name => (place + 1).to_string(),
        _ => name.to_owned(),
    }
}

/// The role of a column that is not a measurement, and the evidence for it.
fn role(
    name: &str,
    seen: &ColumnScan,
    one_rises: bool,
    has_x: bool,
) -> Option<(ColumnRole, String)> {
    if !seen.whole || seen.n == 0 || seen.min.value == seen.max.value {
        return None;
    }
    let (min, max) = (whole(seen.min.value), whole(seen.max.value));
    let named = column_words::named(name);
    let few = seen.codes.len() <= MOST_CODES && seen.n >= 3 * seen.codes.len();
    let is_y = name.eq_ignore_ascii_case("y") && !has_x && seen.codes.len() <= MOST_CODES / 2;
    if few && (named == Some(Named::Class) || is_y) {
        let why = format!("its name, and {} different whole numbers", seen.codes.len());
        return Some((ColumnRole::Class, why));
    }
    if let Some(Named::Time(unit)) = named
        && unit.holds(seen.min.value, seen.max.value)
    {
        return Some((
            ColumnRole::Time,
            format!("its name, and whole numbers from {min} to {max}"),
        ));
    }
    match named {
        Some(Named::Id) if seen.min.value >= 0.0 => {
            return Some((
                ColumnRole::Id,
                "its name, and nothing but whole numbers".to_owned(),
            ));
        }
        Some(Named::Code) if seen.min.value >= 0.0 => {
            return Some((
                ColumnRole::Code,
                "its name, and nothing but whole numbers".to_owned(),
            ));
        }
        // Ages or doses may rise from row to row.
        Some(Named::Measure) => return None,
        _ => {}
    }
    if seen.by_one && seen.n >= COUNTED && one_rises {
        return Some((
            ColumnRole::Id,
            format!("it counts the rows, {min} to {max}"),
        ));
    }
    (seen.is_rising() && one_rises).then(|| {
        let why = "whole numbers that rise from every row to the next".to_owned();
        (ColumnRole::Id, why)
    })
}

fn whole(x: f64) -> String {
    let sign = if x < 0.0 { "−" } else { "" };
    match x.abs() {
        // Years are printed without a thousands separator.
        size if size < 10_000.0 => format!("{sign}{size:.0}"),
        size => format!("{sign}{}", grouped(size as u64)),
    }
}

/// A column in which a code for missing cells occurs: its name, its scan, and how many cells hold the code.
type Coded<'a> = (String, &'a ColumnScan, usize);

/// Notes on numbers that look like codes for missing cells, one note per code.
fn missing_codes(table: &Table, scan: &Scan) -> Vec<Note> {
    let mut found: Vec<(f64, Vec<Coded>)> = Vec::new();
    for (name, seen) in table.columns().iter().zip(&scan.columns) {
        for (code, cells) in seen.missing_codes() {
            let column = (shown(name), seen, cells);
            match found.iter_mut().find(|(known, _)| *known == code) {
                Some((_, columns)) => columns.push(column),
                None => found.push((code, vec![column])),
            }
        }
    }
    found.into_iter().map(missing_code).collect()
}

fn missing_code((code, columns): (f64, Vec<Coded>)) -> Note {
    let why = match columns.as_slice() {
        [(_, seen, _)] => {
            let (low, high) = seen.rest();
            format!(
                "all other cells lie between {} and {}",
                short(low),
                short(high)
            )
        }
        _ => "all other cells lie far from it".to_owned(),
    };
    Note::MissingCode {
        cells: columns.iter().map(|(_, _, cells)| cells).sum(),
        columns: columns.into_iter().map(|(name, ..)| name).collect(),
        code: code.to_string(),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::tests::seen;
    use super::*;

    fn role_of(name: &str, cells: &[f64]) -> Option<ColumnRole> {
        role(name, &seen(cells), true, false).map(|(role, _)| role)
    }

    #[test]
    fn counters_ids_years_and_classes_are_told_from_measurements() {
        let upward: Vec<f64> = (0..40).map(|i| f64::from(i + 1)).collect();
        let gaps: Vec<f64> = (0..40).map(|i| f64::from(7 * i + i % 5 + 1000)).collect();
        let random: Vec<f64> = (0..40).map(|i| f64::from(i * 7919 % 83)).collect();
        let codes: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
        let years: Vec<f64> = (0..40).map(|i| f64::from(1990 + i % 9)).collect();
        for (name, cells, role) in [
            ("anything", &upward, Some(ColumnRole::Id)),
            ("rownames", &upward, Some(ColumnRole::Id)),
            ("PatientId", &random, Some(ColumnRole::Id)),
            ("account", &gaps, Some(ColumnRole::Id)),
            ("zip_code", &random, Some(ColumnRole::Code)),
            ("Year", &years, Some(ColumnRole::Time)),
            ("model_year", &years, Some(ColumnRole::Time)),
            ("target", &codes, Some(ColumnRole::Class)),
            ("Species.code", &codes, Some(ColumnRole::Class)),
            ("Pclass", &codes, Some(ColumnRole::Class)),
            ("y", &codes, Some(ColumnRole::Class)),
            // Measurements, although they are whole numbers.
            ("children", &codes, None),
            ("age", &upward, None),
            ("age", &random, None),
            ("width", &random, None),
            ("years", &codes, None),
            ("grid", &random, None),
            ("pixel_1", &codes, None),
            ("group_size", &random, None),
            ("target", &random, None),
            ("y", &random, None),
            ("refractive_index", &random, None),
        ] {
            assert_eq!(role_of(name, cells), role, "{name}");
        }
        let half: Vec<f64> = upward.iter().map(|x| x / 2.0).collect();
        assert_eq!(role_of("sorted", &half), None);
        assert_eq!(role("y", &seen(&codes), true, true), None);
    }
}
