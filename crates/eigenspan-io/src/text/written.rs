//! How the numbers of a column are written, if not plainly: thousands, percent, currencies, truth values.
//!
//! A column is read in such a way only if every cell that is not missing agrees; a single odd cell among plain numbers stays
//! an error. `1,234` alone is a thousand or a fraction. What decides, in this order: `--decimal`; other cells of the column
//! (`1,5`, `1,234,567`, `1,234.5`); other columns of the file; otherwise commas separate thousands and points are decimal
//! marks. A note reports the decision.

use eigenspan::note::{Clause, listed};
use eigenspan::{Context, Note};

use super::TextFile;
use super::cell::{Cell, CellRules, EXACT_INTEGERS};
use super::fields::Delimiter;
use super::records::{Step, Want};
use super::roles::Plan;
use super::scan::{Range, Scan};
use super::shape::{Affix, Group, Marks, Shape, separates, take_apart};
use crate::error::{ReadError, shown};
use crate::parallel::try_each;

/// How the numbers of one column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Writing {
    /// `TRUE` and `FALSE`.
    Truth,
    /// Digits with marks.
    Number {
        decimal: u8,
        group: Option<Group>,
        affix: Option<Affix>,
    },
}

impl Writing {
    /// The value of a field in a column that is written in this way.
    pub(crate) fn cell(&self, rules: &CellRules, content: &[u8]) -> Cell {
        if rules.is_missing(content) {
            return Cell::Missing;
        }
        let word = std::str::from_utf8(content).unwrap_or_default().trim();
        let number = match self {
            Writing::Truth => match Shape::from_cell(word) {
                Shape::Truth(truth) => Some(f64::from(u8::from(truth))),
                _ => None,
            },
            Writing::Number {
                decimal,
                group,
                affix,
            } => take_apart(word)
                .filter(|taken| taken.affix == *affix)
                .and_then(|taken| {
                    let number = digits(taken.core, *decimal, *group)?;
                    Some(if taken.negative { -number } else { number })
                }),
        };
        match number {
            None => Cell::Text,
            Some(number) if number.is_infinite() => Cell::Infinite,
            Some(number) if rules.is_missing_number(number) => Cell::Missing,
            Some(number) if number.abs() >= EXACT_INTEGERS => Cell::LargeInteger(number),
            Some(number) => Cell::Number(number),
        }
    }
}

impl Writing {
    /// What other files of the same table must agree on, in words; `None` if both ways of reading give the same numbers.
    pub(crate) fn convention(&self) -> Option<String> {
        match self {
            Writing::Number {
                affix: Some(Affix::Share(sign)),
                ..
            } => Some(format!("with {sign}")),
            Writing::Number {
                affix: Some(Affix::Currency(sign)),
                ..
            } => Some(format!("in {sign}")),
            _ => None,
        }
    }

    /// The decimal mark, if there is one.
    pub(crate) fn decimal(&self) -> Option<u8> {
        match self {
            Writing::Truth => None,
            Writing::Number { decimal, .. } => Some(*decimal),
        }
    }
}

/// Digits with these marks as a number.
fn digits(core: &str, decimal: u8, group: Option<Group>) -> Option<f64> {
    let mark = char::from(decimal);
    let mut plain = String::with_capacity(core.len());
    for c in core.chars() {
        match c {
            c if group.is_some_and(|group| separates(group, c)) => {}
            c if c == mark => plain.push('.'),
            '.' | ',' => return None,
            c => plain.push(c),
        }
    }
    fast_float2::parse(plain).ok()
}

/// What the cells of one column show about how they are written.
#[derive(Debug, Clone, Default)]
struct Evidence {
    /// Cells that are not missing.
    cells: u64,
    truths: u64,
    /// Cells with an affix, and that affix; two different affixes make the cells text.
    affixed: u64,
    affix: Option<Affix>,
    /// Cells that certainly have a decimal mark: points, commas.
    decimals: [u64; 2],
    /// Cells that may be grouped, by the separator of their groups.
    groups: [u64; 4],
    /// Whether commas or points certainly separate groups.
    sure: bool,
    /// Negative cells that are not written with a leading hyphen.
    odd_signs: u64,
    texts: u64,
    /// The first cell that shows how the column is written.
    example: Option<String>,
}

const GROUPS: [Group; 4] = [Group::Comma, Group::Point, Group::Blank, Group::Apostrophe];

impl Evidence {
    fn see(&mut self, rules: &CellRules, content: &[u8]) {
        if rules.is_missing(content) {
            return;
        }
        self.cells += 1;
        let text = String::from_utf8_lossy(content);
        let (marks, affix, odd_sign) = match Shape::from_cell(&text) {
            Shape::Truth(_) => return self.truths += 1,
            Shape::Other => return self.texts += 1,
            Shape::Number {
                marks,
                affix,
                odd_sign,
            } => (marks, affix, odd_sign),
        };
        let plain = matches!(marks, Marks::None | Marks::Decimal(b'.'));
        if self.example.is_none() && (!plain || affix.is_some() || odd_sign) {
            self.example = Some(text.trim().to_owned());
        }
        self.odd_signs += u64::from(odd_sign);
        if let Some(affix) = affix {
            self.affixed += 1;
            self.texts += u64::from(self.affix.as_ref().is_some_and(|known| *known != affix));
            self.affix.get_or_insert(affix);
        }
        match marks {
            Marks::None => {}
            Marks::Decimal(mark) => self.decimals[usize::from(mark == b',')] += 1,
            Marks::Either(b',') => self.groups[0] += 1,
            Marks::Either(_) => self.groups[1] += 1,
            Marks::Grouped(group, decimal) => {
                let at = GROUPS.iter().position(|known| *known == group);
                self.groups[at.unwrap_or_default()] += 1;
                self.sure |= matches!(group, Group::Comma | Group::Point);
                if let Some(mark) = decimal {
                    self.decimals[usize::from(mark == b',')] += 1;
                }
            }
        }
    }

    fn merge(&mut self, other: Evidence) {
        self.cells += other.cells;
        self.truths += other.truths;
        self.affixed += other.affixed;
        let unlike = matches!((&self.affix, &other.affix), (Some(a), Some(b)) if a != b);
        self.texts += other.texts + u64::from(unlike);
        if self.affix.is_none() {
            self.affix = other.affix;
        }
        for (mine, its) in self.decimals.iter_mut().zip(other.decimals) {
            *mine += its;
        }
        for (mine, its) in self.groups.iter_mut().zip(other.groups) {
            *mine += its;
        }
        self.sure |= other.sure;
        self.odd_signs += other.odd_signs;
        if self.example.is_none() {
            self.example = other.example;
        }
    }

    /// The decimal mark that the cells of this column show.
    fn decimal(&self) -> Option<u8> {
        let [comma, point, ..] = self.groups;
        let [points, commas] = self.decimals;
        match (points > 0, commas > 0) {
            (true, false) => Some(b'.'),
            (false, true) => Some(b','),
            _ if self.sure && comma > 0 && point == 0 => Some(b'.'),
            _ if self.sure && point > 0 && comma == 0 => Some(b','),
            _ => None,
        }
    }

    /// How the column is written, and whether a default rule decided instead of its cells; `None` if it is plain or text.
    fn writing(&self, marks: &FileMarks) -> Option<(Writing, bool)> {
        if self.cells == 0 || self.texts > 0 {
            return None;
        }
        if self.truths > 0 {
            return (self.truths == self.cells).then_some((Writing::Truth, false));
        }
        let partly = self.affixed > 0 && self.affixed < self.cells;
        let with = |mark: u8| self.decimals[usize::from(mark == b',')];
        let against = |mark: u8| with(if mark == b',' { b'.' } else { b',' }) > 0;
        let both = self.decimals.iter().all(|count| *count > 0);
        if partly || both || marks.given.is_some_and(against) {
            return None;
        }
        let known = marks.given.or_else(|| self.decimal());
        let decimal = known.or(marks.others).unwrap_or(b'.');
        // A comma or a point that is not the decimal mark separates groups.
        let [comma, point, blank, apostrophe] = self.groups;
        let counts = match decimal {
            b',' => [0, point, blank, apostrophe],
            _ => [comma, 0, blank, apostrophe],
        };
        let as_decimal = if decimal == b',' { comma } else { point };
        if as_decimal > 0 && self.sure && self.decimal() != Some(decimal) {
            return None;
        }
        let mut kinds = GROUPS.iter().zip(counts).filter(|(_, count)| *count > 0);
        let (group, count) = match (kinds.next(), kinds.next()) {
            (None, _) => (None, 0),
            (Some((group, count)), None) => (Some(*group), count),
            _ => return None,
        };
        // A single odd cell among plain numbers is more likely a slip than a way of writing.
        let other_mark = if decimal == marks.usual {
            0
        } else {
            with(decimal)
        };
        let shown = count + other_mark + self.odd_signs;
        if self.affix.is_none() && shown == 1 && self.cells > 1 {
            return None;
        }
        let plain = decimal == marks.usual && group.is_none() && self.affix.is_none();
        if plain && self.odd_signs == 0 {
            return None;
        }
        let by_rule = known.is_none() && matches!(group, Some(Group::Comma | Group::Point));
        let affix = self.affix.clone();
        let writing = Writing::Number {
            decimal,
            group,
            affix,
        };
        Some((writing, by_rule))
    }
}

/// What is known about decimal marks from outside one column.
struct FileMarks {
    /// From the options.
    given: Option<u8>,
    /// The decimal mark of plain columns.
    usual: u8,
    /// From the other columns.
    others: Option<u8>,
}

/// The columns that are not written plainly, and notes about them.
pub(super) struct Written {
    /// One per column of the file.
    pub(super) columns: Vec<Option<Writing>>,
    pub(super) notes: Vec<Note>,
}

/// Reads all cells again if a column of texts could be one of numbers; `None` if no column turns out to be.
pub(super) fn find(
    file: &TextFile,
    plan: &Plan,
    scan: &Scan,
    given: Option<u8>,
    ctx: &Context,
) -> Result<Option<Written>, ReadError> {
    let suspects = |col: &usize| {
        let odd = scan.columns.get(*col).and_then(|odd| odd.as_deref());
        plan.wants.get(*col).is_some_and(|want| want.number)
            && odd.is_some_and(|odd| odd.looks_like_numbers() && !plan.stays_text(*col))
    };
    if !(0..plan.wants.len()).any(|col| suspects(&col)) {
        return Ok(None);
    }
    let seen = evidence(file, plan, &scan.ranges, ctx)?;
    let mut columns = vec![None; plan.wants.len()];
    let mut said: Vec<(Writing, bool, Vec<usize>)> = Vec::new();
    // Where commas turn out to be decimal marks, points in columns that seemed plain separate thousands.
    for (col, column) in columns.iter_mut().enumerate() {
        if plan.stays_text(col) {
            continue;
        }
        let marks = FileMarks {
            given,
            usual: file.rules.decimal,
            others: others(&seen, col),
        };
        let found = seen.get(col).and_then(|seen| seen.writing(&marks));
        let Some((writing, by_rule)) = found else {
            continue;
        };
        match said
            .iter_mut()
            .find(|(w, rule, _)| *w == writing && *rule == by_rule)
        {
            Some((_, _, cols)) => cols.push(col),
            None => said.push((writing.clone(), by_rule, vec![col])),
        }
        *column = Some(writing);
    }
    if said.is_empty() {
        return Ok(None);
    }
    // A column whose cells read the same either way needs no note.
    let shows = |col: &usize| seen.get(*col).is_some_and(|seen| seen.example.is_some());
    for (writing, _, cols) in &mut said {
        cols.retain(|col| *writing == Writing::Truth || shows(col));
    }
    let notes = said
        .iter()
        .filter(|(_, _, cols)| !cols.is_empty())
        .map(|(writing, by_rule, cols)| note(file, plan, &seen, writing, *by_rule, cols));
    Ok(Some(Written {
        notes: notes.collect(),
        columns,
    }))
}

/// Columns of a semicolon-separated file in which every point stands before three digits, `1.234`: they are read as decimal
/// marks but may separate thousands, so a note says so. A column with other decimals rules this out.
pub(super) fn doubtful_points(
    file: &TextFile,
    plan: &Plan,
    scan: &Scan,
    given: Option<u8>,
    ctx: &Context,
) -> Result<Option<Note>, ReadError> {
    let usual = file.rules.decimal == b'.' && given.is_none();
    let (Some(first), true) = (
        scan.ranges.first(),
        usual && file.dialect.delimiter == Delimiter::Byte(b';'),
    ) else {
        return Ok(None);
    };
    let doubtful = |seen: &[Evidence]| -> Vec<usize> {
        let has_decimals = seen.iter().any(|seen| seen.decimals != [0, 0] || seen.sure);
        let is = |seen: &Evidence| seen.groups[1] > 1 && seen.texts == 0 && seen.affix.is_none();
        let all = seen.iter().enumerate();
        let some = all.filter(|(col, seen)| is(seen) && !plan.stays_text(*col));
        some.map(|(col, _)| col).filter(|_| !has_decimals).collect()
    };
    // Most files show other decimals at once, and need no further reading.
    if doubtful(&evidence(file, plan, std::slice::from_ref(first), ctx)?).is_empty() {
        return Ok(None);
    }
    let seen = evidence(file, plan, &scan.ranges, ctx)?;
    let cols = doubtful(&seen);
    let as_read = Writing::Number {
        decimal: b'.',
        group: None,
        affix: None,
    };
    Ok((!cols.is_empty()).then(|| note(file, plan, &seen, &as_read, true, &cols)))
}

/// The decimal mark of the other columns, where they agree.
fn others(seen: &[Evidence], col: usize) -> Option<u8> {
    let marks = seen.iter().enumerate();
    let marks = marks.filter(|(other, seen)| *other != col && seen.texts == 0);
    let mut marks = marks.filter_map(|(_, seen)| seen.decimal());
    let first = marks.next()?;
    marks.all(|mark| mark == first).then_some(first)
}

/// What the cells of all wanted columns show; one entry for each column of the file.
fn evidence(
    file: &TextFile,
    plan: &Plan,
    ranges: &[Range],
    ctx: &Context,
) -> Result<Vec<Evidence>, ReadError> {
    let want = |want: &Want| Want {
        number: false,
        text: want.number,
    };
    let wants: Vec<Want> = plan.wants.iter().map(want).collect();
    let wanted: Vec<usize> = (0..wants.len()).filter(|&col| wants[col].text).collect();
    let read = |range: &Range| -> Result<Vec<Evidence>, ReadError> {
        ctx.check()?;
        let mut seen = vec![Evidence::default(); wanted.len()];
        let mut records = file.records(&wants, (range.start, range.end));
        let mut numbers = Vec::new();
        loop {
            match records.next(&mut numbers) {
                Step::Row => {
                    for (seen, field) in seen.iter_mut().zip(&records.texts) {
                        seen.see(&file.rules, &file.splitter().content(field));
                    }
                }
                Step::End => break,
                _ => {}
            }
        }
        Ok(seen)
    };
    let parts = try_each(ctx, ranges.len(), |i| read(&ranges[i]));
    let mut all = vec![Evidence::default(); wants.len()];
    for part in parts? {
        for (&col, seen) in wanted.iter().zip(part) {
            all[col].merge(seen);
        }
    }
    Ok(all)
}

/// The note about columns that are written in the same way, with the first cell that shows it.
fn note(
    file: &TextFile,
    plan: &Plan,
    seen: &[Evidence],
    writing: &Writing,
    by_rule: bool,
    cols: &[usize],
) -> Note {
    let names: Vec<String> = cols.iter().map(|&col| plan.name(col)).collect();
    let which = match names.as_slice() {
        [name] => format!("column {name:?}"),
        names => format!("columns {}", listed(names)),
    };
    if *writing == Writing::Truth {
        return Note::reading(format!("{which}: true is read as 1, false as 0"));
    }
    let example = |&col: &usize| seen.get(col)?.example.as_deref();
    let token = cols.iter().find_map(example).unwrap_or_default();
    let number = |writing: &Writing| match writing.cell(&file.rules, token.as_bytes()) {
        Cell::Number(number) | Cell::LargeInteger(number) => number.to_string(),
        _ => "missing".to_owned(),
    };
    let Writing::Number {
        decimal,
        group,
        affix,
    } = writing
    else {
        return Note::reading(which);
    };
    let other = if *decimal == b',' { b'.' } else { b',' };
    let change = Writing::Number {
        decimal: other,
        // A comma or point that is not the decimal mark separates groups.
        group: group.is_none().then_some(Group::Point),
        affix: affix.clone(),
    };
    let text = format!("{which}: {} is read as {}", shown(token), number(writing));
    match by_rule {
        true => {
            let does = format!(" reads it as {}", number(&change));
            Note::advised(text, Clause::set("decimal", char::from(other)).then(does))
        }
        false => Note::reading(text),
    }
}
