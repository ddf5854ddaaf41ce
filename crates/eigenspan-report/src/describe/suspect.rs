//! Columns of numbers that are no measurements: counters, ids, years, codes for classes; and numbers that stand for missing cells.
//!
//! What is said is what was seen in every row: a column that counts the rows does so to the last. Names decide where numbers
//! cannot: 0, 1 and 2 are classes in a column called `target`, and counts in one called `children`.

use eigenspan::error::grouped;
use eigenspan::prepare::dominating;
use eigenspan::source::Rows;
use eigenspan::summary::{Summary, summarize};
use eigenspan::{ColumnRole, Context, Error, Note, Pca, Real};
use eigenspan_io::{Format, Numbers, Table};

use super::column_words::{self, Named};
use crate::JobError;
use crate::words::{short, shown};

/// Different numbers that a column of classes may have.
const MOST_CODES: usize = 20;
/// Rows that a counter needs: fewer rise by chance.
const COUNTED: usize = 5;
/// Rows that whole numbers which rise, but not by 1, need.
const RISEN: usize = 10;
/// Columns that get a note each; more share one.
const EACH: usize = 3;

/// What looks like something other than a measurement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Suspects {
    /// A note on each.
    pub(crate) notes: Vec<Note>,
    /// Variance of every numeric column; 0 for those that are no measurements.
    variances: Vec<f64>,
    /// Whether a column is none.
    is_role: Vec<bool>,
}

/// Finds what looks like something other than a measurement, in one reading.
pub(crate) fn suspects(ctx: &Context, table: &Table) -> Result<Suspects, JobError> {
    // Pixels and alleles have no roles.
    let n_cols = table.columns().len();
    if table.picture().is_some() || table.format() == Format::Plink || n_cols == 0 {
        return Ok(Suspects::default());
    }
    let named = |e| JobError::core(table.name(), e);
    let new = || Scan::new(n_cols);
    let held = table.held(ctx);
    let scan = match held.numbers(table) {
        Numbers::F32(source) => summarize(ctx, source, new).map_err(named)?,
        Numbers::F64(source) => summarize(ctx, source, new).map_err(named)?,
    };
    let (mut notes, is_role) = roles(table, &scan);
    notes.extend(missing_codes(table, &scan));
    let variance = |(seen, is_role): (&Seen, &bool)| match is_role {
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
    /// A note of a fit on unlike scales in the light of what was found: codes such as 1 and 2 are no small measurements, so the
    /// columns have to be unlike without them. A column that dwarfs the others and is no measurement itself stays named.
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

/// Notes on columns with a role, the first of each kind on its own; and which columns those are.
fn roles(table: &Table, scan: &Scan) -> (Vec<Note>, Vec<bool>) {
    let columns = || table.columns().iter().zip(&scan.columns);
    let rising = columns().filter(|(_, seen)| seen.is_rising()).count();
    // Where many columns rise together, rows are in an order and the columns are what is ordered.
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

/// A column as options take it: its name, or its number where a comma would cut the name in two.
fn spelled(table: &Table, name: &str) -> String {
    let place = table.all_columns().iter().position(|column| column == name);
    match place {
        Some(place) if name.contains(',') || name.trim() != name => (place + 1).to_string(),
        _ => name.to_owned(),
    }
}

/// What a column looks like, and what gives it away.
fn role(name: &str, seen: &Seen, one_rises: bool, has_x: bool) -> Option<(ColumnRole, String)> {
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
        // Ages or doses may well rise from row to row.
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
        // Years are not grouped.
        size if size < 10_000.0 => format!("{sign}{size:.0}"),
        size => format!("{sign}{}", grouped(size as u64)),
    }
}

/// Notes on numbers that look like codes for missing cells, one for each code.
fn missing_codes(table: &Table, scan: &Scan) -> Vec<Note> {
    let mut found: Vec<(f64, Vec<(String, &Seen, usize)>)> = Vec::new();
    for (name, seen) in table.columns().iter().zip(&scan.columns) {
        for (code, cells) in seen.missing_codes() {
            let known = found.iter_mut().find(|(known, _)| *known == code);
            match known {
                Some((_, columns)) => columns.push((shown(name), seen, cells)),
                None => found.push((code, vec![(shown(name), seen, cells)])),
            }
        }
    }
    let note = |(code, columns): (f64, Vec<(String, &Seen, usize)>)| {
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
    };
    found.into_iter().map(note).collect()
}

/// Whether a number is written in nines, as codes for missing cells are: −99, −999, 9999, −999.9.
fn is_code(x: f64) -> bool {
    let digits = x.abs().to_string().replace('.', "");
    let nines = x.abs() >= 99.0 && digits.len() <= 8 && digits.bytes().all(|b| b == b'9');
    nines || [-9.0, -999.25, -32_768.0, -2_147_483_648.0, 2_147_483_647.0].contains(&x)
}

/// An end of a column: its value, how often it occurs, and the next value towards the middle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct End {
    value: f64,
    count: usize,
    next: f64,
}

impl End {
    /// Takes in a value; `beyond` says which of two lies farther out.
    fn add(&mut self, value: f64, count: usize, beyond: fn(f64, f64) -> bool) {
        if beyond(value, self.value) {
            self.next = self.value;
            (self.value, self.count) = (value, count);
        } else if value == self.value {
            self.count += count;
        } else if beyond(value, self.next) {
            self.next = value;
        }
    }

    fn merge(&mut self, other: End, beyond: fn(f64, f64) -> bool) {
        if other.count > 0 {
            self.add(other.value, other.count, beyond);
            if other.next.is_finite() {
                self.add(other.next, 0, beyond);
            }
        }
    }
}

fn below(a: f64, b: f64) -> bool {
    a < b
}

fn above(a: f64, b: f64) -> bool {
    a > b
}

/// What one column shows.
#[derive(Debug, Clone)]
struct Seen {
    n: usize,
    mean: f64,
    /// Sum of squares about the mean.
    squares: f64,
    whole: bool,
    rising: bool,
    by_one: bool,
    first: f64,
    last: f64,
    min: End,
    max: End,
    /// Different values, one more than are looked at where there are many.
    codes: Vec<f64>,
}

impl Seen {
    fn new() -> Self {
        let end = |value: f64| End {
            value,
            count: 0,
            next: value,
        };
        Seen {
            n: 0,
            mean: 0.0,
            squares: 0.0,
            whole: true,
            rising: true,
            by_one: true,
            first: f64::NAN,
            last: f64::NAN,
            min: end(f64::INFINITY),
            max: end(f64::NEG_INFINITY),
            codes: Vec::new(),
        }
    }

    fn push(&mut self, x: f64) {
        if !x.is_finite() {
            (self.rising, self.by_one) = (false, false);
            return;
        }
        if self.n > 0 {
            self.rising &= x > self.last;
            self.by_one &= x == self.last + 1.0;
        } else {
            self.first = x;
        }
        self.last = x;
        self.n += 1;
        let away = x - self.mean;
        self.mean += away / self.n as f64;
        self.squares += away * (x - self.mean);
        self.whole &= x == x.trunc();
        self.min.add(x, 1, below);
        self.max.add(x, 1, above);
        self.note_code(x);
    }

    fn note_code(&mut self, x: f64) {
        if self.codes.len() <= MOST_CODES && !self.codes.contains(&x) {
            self.codes.push(x);
        }
    }

    fn merge(&mut self, other: Seen) {
        if other.n > 0 {
            let (n, more) = (self.n as f64, other.n as f64);
            let away = other.mean - self.mean;
            self.squares += other.squares + away * away * n * more / (n + more);
            self.mean += away * more / (n + more);
        }
        if other.n > 0 && self.n > 0 {
            self.rising &= other.first > self.last;
            self.by_one &= other.first == self.last + 1.0;
        }
        self.rising &= other.rising;
        self.by_one &= other.by_one;
        self.whole &= other.whole;
        if self.n == 0 {
            self.first = other.first;
        }
        if other.n > 0 {
            self.last = other.last;
        }
        self.n += other.n;
        self.min.merge(other.min, below);
        self.max.merge(other.max, above);
        other.codes.iter().for_each(|x| self.note_code(*x));
    }

    /// Whether whole numbers rise from every row to the next, in enough rows for that to be no chance.
    fn is_rising(&self) -> bool {
        self.whole && self.rising && (self.n >= RISEN || self.by_one && self.n >= COUNTED)
    }

    /// The least and the largest value that is no code.
    fn rest(&self) -> (f64, f64) {
        let inner = |end: End| match is_code(end.value) {
            true => end.next,
            false => end.value,
        };
        (inner(self.min), inner(self.max))
    }

    /// Values at the ends that are written like codes for missing cells and lie where no measurement would.
    fn missing_codes(&self) -> Vec<(f64, usize)> {
        let (low, high) = self.rest();
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let (min, range) = (self.min, high - low);
        if is_code(min.value) && min.value < 0.0 {
            let far = low - min.value > range && (min.value <= -99.0 || min.count > 1);
            let alone = low >= 0.0 && min.count > 1 && min.value <= -99.0;
            if far || alone {
                found.push((min.value, min.count));
            }
        }
        let max = self.max;
        if is_code(max.value) && max.value > 0.0 && max.count > 1 && max.value - high > 2.0 * range
        {
            found.push((max.value, max.count));
        }
        found
    }
}

/// What all columns show.
#[derive(Debug, Clone)]
struct Scan {
    columns: Vec<Seen>,
}

impl Scan {
    fn new(n_cols: usize) -> Self {
        Scan {
            columns: vec![Seen::new(); n_cols],
        }
    }
}

impl<T: Real> Summary<T> for Scan {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        let (given, expected) = (rows.block.n_cols(), self.columns.len());
        if given != expected {
            return Err(Error::WrongWidth { given, expected });
        }
        let mut row = vec![0.0; given];
        for i in 0..rows.block.n_rows() {
            rows.block.row_to_f64(i, &mut row);
            let cells = self.columns.iter_mut().zip(&row);
            cells.for_each(|(seen, x)| seen.push(*x));
        }
        Ok(())
    }

    fn merge(&mut self, other: Self) {
        let pairs = self.columns.iter_mut().zip(other.columns);
        pairs.for_each(|(a, b)| a.merge(b));
    }

    fn bytes(&self) -> usize {
        self.columns.len() * (std::mem::size_of::<Seen>() + 8 * MOST_CODES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(cells: &[f64]) -> Seen {
        let mut parts = cells.chunks(7).map(|chunk| {
            let mut seen = Seen::new();
            chunk.iter().for_each(|x| seen.push(*x));
            seen
        });
        let first = parts.next().expect("cells");
        parts.fold(first, |mut all, part| {
            all.merge(part);
            all
        })
    }

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
            // Measurements, whatever whole numbers they have.
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

    #[test]
    fn codes_for_missing_cells_are_told_from_numbers_that_belong() {
        let with = |codes: &[f64]| {
            let mut cells: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 71) / 2.0).collect();
            cells.extend(codes);
            let found = seen(&cells).missing_codes();
            found.iter().map(|(code, _)| *code).collect::<Vec<_>>()
        };
        for code in [-999.0, -9999.0, -99.0, -999.9, -999.25, -99999.0, -32768.0] {
            assert_eq!(with(&[code]), [code]);
        }
        assert_eq!(with(&[-999.0, -999.0, 9999.0, 9999.0]), [-999.0, 9999.0]);
        // 99 beside 35, one 999, and what is no code.
        for good in [
            &[99.0, 99.0][..],
            &[999.0],
            &[-9.0, -9.0],
            &[-35.0],
            &[-100.0],
        ] {
            assert!(with(good).is_empty(), "{good:?}");
        }
        let scale: Vec<f64> = (0..50)
            .map(|i| {
                if i % 9 == 0 {
                    -9.0
                } else {
                    f64::from(1 + i % 5)
                }
            })
            .collect();
        assert_eq!(seen(&scale).missing_codes(), [(-9.0, 6)]);
        let found = seen(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert!((found.squares - 42.0).abs() < 1e-12 && found.mean == 4.5);
        let cold: Vec<f64> = (0..200).map(|i| f64::from(i) - 99.0).collect();
        assert!(seen(&cold).missing_codes().is_empty());
        let pixels: Vec<f64> = (0..300).map(|i| f64::from(i % 256)).collect();
        assert!(seen(&pixels).missing_codes().is_empty());
    }
}
