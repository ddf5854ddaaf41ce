//! The first reading of a text file: every line, in parallel, to learn what its columns hold.
//!
//! The file is cut into ranges of a fixed size, each extended to the next line end. A line end inside a quoted field makes a
//! wrong cut. The range before the cut notices this, because its last line then ends elsewhere, and the next range is read
//! again from there. So one reading is enough, and only ranges that were cut inside a quoted field are read twice.

use eigenspan::Context;

use super::cell::{Cell, is_date};
use super::records::{Odd, Records, Step, Want};
use super::shape::Shape;
use super::{NoText, TextFile};
use crate::error::ReadError;
use crate::parallel::each_in;

/// Bytes of a range; larger if lines are so long that the facts about each column would outweigh the data.
const RANGE_BYTES: usize = 2 << 20;
const RANGE_LINES: usize = 64;

/// A run of whole lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) first_row: usize,
    pub(crate) n_rows: usize,
}

/// A cell worth remembering.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// Line, from the start of the range while it is read, then from the start of the file.
    pub(crate) line: u64,
    pub(crate) token: String,
    pub(crate) count: u64,
}

/// The cells of a column that are not plain numbers; most columns have none.
#[derive(Debug, Clone, Default)]
pub(crate) struct OddCells {
    pub(crate) missing: Option<Seen>,
    pub(crate) text: Option<Seen>,
    pub(crate) infinite: Option<Seen>,
    pub(crate) large: Option<Seen>,
    /// Texts that are dates.
    pub(crate) dates: u64,
    /// Texts that look like numbers or truth values; counted as long as all texts do.
    like_numbers: u64,
}

/// What the reading learned about the whole file.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) ranges: Vec<Range>,
    pub(crate) n_rows: usize,
    pub(crate) columns: Vec<Option<Box<OddCells>>>,
    /// The wanted numbers of each range, where they fit the budget.
    pub(crate) numbers: Option<Vec<Vec<f64>>>,
    /// Blank lines with rows below them: the first, and how many.
    pub(crate) blank: Option<(u64, u64)>,
    /// Comments, rows that begin like a comment, and rows with a quote that is never closed.
    pub(crate) tallies: Tallies,
    /// Whether the first wanted number of every row counts up from 0 or 1.
    pub(crate) counts_up: bool,
    tail_blank: Option<(u64, u64)>,
    /// Lines up to the end of what was read.
    pub(crate) lines: u64,
}

/// Lines worth a note: for each kind the first line, and how many there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tallies {
    pub(crate) comments: Option<(u64, u64)>,
    pub(crate) like_comments: Option<(u64, u64)>,
    pub(crate) stray_quotes: Option<(u64, u64)>,
}

impl Tallies {
    fn note(&mut self, line: u64, records: &Records<'_>) {
        if records.like_comment {
            self.like_comments = joined(self.like_comments, Some((line, 1)));
        }
        if records.stray_quote {
            self.stray_quotes = joined(self.stray_quotes, Some((line, 1)));
        }
    }

    fn merge(&mut self, later: Tallies, moved: impl Fn((u64, u64)) -> (u64, u64)) {
        let pairs = [
            (&mut self.comments, later.comments),
            (&mut self.like_comments, later.like_comments),
            (&mut self.stray_quotes, later.stray_quotes),
        ];
        for (mine, later) in pairs {
            *mine = joined(*mine, later.map(&moved));
        }
    }
}

/// What the reading learned about one range.
struct RangeScan {
    start: usize,
    end: usize,
    n_rows: usize,
    lines: u64,
    columns: Vec<Option<Box<OddCells>>>,
    numbers: Vec<f64>,
    blank: Option<(u64, u64)>,
    tail_blank: Option<(u64, u64)>,
    tallies: Tallies,
    counts_from: Option<f64>,
    fault: Option<Fault>,
}

/// A fault that stops the reading, on a line counted from the start of the range.
enum Fault {
    Ragged { line: u64, found: usize },
    OpenQuote { line: u64 },
    NoText { line: u64, what: NoText },
}

/// Reads the whole file once; keeps the wanted numbers if they take at most `budget` bytes.
pub(crate) fn scan(
    file: &TextFile,
    wants: &[Want],
    budget: u64,
    ctx: &Context,
) -> Result<Scan, ReadError> {
    let body = file.dialect.body;
    let length = file.end;
    let step = RANGE_BYTES.max(RANGE_LINES * file.dialect.line_bytes);
    let starts: Vec<usize> = (body..length).step_by(step).collect();
    let n_slots = wants.iter().filter(|want| want.number).count() as u64;
    let rows = ((length - body) / file.dialect.line_bytes) as u64;
    let keep = rows.saturating_mul(n_slots).saturating_mul(8) <= budget;
    let mut total = Scan {
        columns: vec![None; wants.len()],
        numbers: keep.then(Vec::new),
        counts_up: true,
        lines: file.dialect.body_line,
        ..Scan::default()
    };
    ctx.begin("reading", Some((length - body) as u64));
    let (mut at, mut kept) = (body, 0u64);
    // Results are merged in the file's order, so the number of waiting results affects only the memory in use.
    for wave in starts.chunks(4 * ctx.threads()) {
        let keep = total.numbers.is_some();
        let read = |start: usize, tentative: usize| {
            let end = tentative.saturating_add(step).min(length);
            let range = scan_range(file, wants, (start, end), keep);
            ctx.advance((range.end.max(start) - start) as u64);
            range
        };
        let done: Vec<Option<RangeScan>> = each_in(ctx, wave.len(), |i| {
            let cut = wave[i];
            let start = file.line_after(cut, body);
            (start < cut.saturating_add(step)).then(|| read(start, cut))
        });
        for (guess, &cut) in done.into_iter().zip(wave) {
            ctx.check()?;
            if at >= cut.saturating_add(step).min(length) {
                continue; // The last line read reaches beyond this range.
            }
            let range = match guess {
                Some(range) if range.start == at => range,
                _ => read(at, cut),
            };
            at = range.end;
            kept += 8 * range.numbers.len() as u64;
            if kept > budget {
                total.numbers = None;
            }
            total.merge(file, range)?;
        }
    }
    Ok(total)
}

fn scan_range(file: &TextFile, wants: &[Want], range: (usize, usize), keep: bool) -> RangeScan {
    let mut records = file.records(wants, range);
    let mut scan = RangeScan {
        start: range.0,
        end: range.1,
        n_rows: 0,
        lines: 0,
        columns: vec![None; wants.len()],
        numbers: Vec::new(),
        blank: None,
        tail_blank: None,
        tallies: Tallies::default(),
        counts_from: None,
        fault: None,
    };
    if keep {
        // Slightly more than lines of the usual length need, so that the numbers are rarely moved.
        let bytes = range.1 - range.0;
        let n_slots = wants.iter().filter(|want| want.number).count();
        let likely = (bytes / file.dialect.line_bytes + 1).saturating_mul(n_slots);
        // A number takes at least a digit and the character that ends it.
        scan.numbers
            .reserve_exact((likely / 32).saturating_mul(33).min(bytes / 2));
    }
    let mut counts_up = true;
    let mut row: Vec<f64> = Vec::new();
    loop {
        let line = records.lines();
        let out = if keep { &mut scan.numbers } else { &mut row };
        let before = out.len();
        match records.next(out) {
            Step::Row => {
                let first = out.get(before).copied().unwrap_or(f64::NAN);
                let from = *scan.counts_from.get_or_insert(first);
                counts_up &= first == from + scan.n_rows as f64;
                scan.n_rows += 1;
                scan.blank = joined(scan.blank, scan.tail_blank.take());
                scan.note_odd(file, line, &records);
                scan.tallies.note(line, &records);
            }
            Step::Comment => {
                scan.tallies.comments = joined(scan.tallies.comments, Some((line, 1)));
            }
            Step::Blank => scan.tail_blank = joined(scan.tail_blank, Some((line, 1))),
            Step::Ragged { found } => scan.fault = Some(Fault::Ragged { line, found }),
            Step::OpenQuote => scan.fault = Some(Fault::OpenQuote { line }),
            Step::End => break,
        }
        row.clear();
        if scan.fault.is_some() {
            break;
        }
    }
    scan.lines = records.lines();
    scan.end = records.at();
    if !counts_up {
        scan.counts_from = None;
    }
    // A line with the wrong number of fields may have it because of a byte that is not text.
    let end = match scan.fault {
        Some(_) => file.splitter().next_line(scan.end),
        None => scan.end,
    };
    if let Some((line, what)) = file.check(scan.start, end) {
        scan.fault = Some(Fault::NoText { line, what });
    }
    file.bytes.drop_pages(scan.start, scan.end);
    scan
}

impl RangeScan {
    fn note_odd(&mut self, file: &TextFile, line: u64, records: &Records<'_>) {
        for odd in &records.odd {
            let Some(column) = self.columns.get_mut(odd.col) else {
                continue;
            };
            column.get_or_insert_default().note(file, line, odd);
        }
    }
}

impl OddCells {
    fn note(&mut self, file: &TextFile, line: u64, odd: &Odd) {
        let seen = match odd.cell {
            Cell::Number(_) => return,
            Cell::LargeInteger(_) => &mut self.large,
            Cell::Missing => &mut self.missing,
            Cell::Infinite => &mut self.infinite,
            Cell::Text => {
                let content = file.bytes.get(odd.field.start..odd.field.end);
                let content = content.unwrap_or_default();
                self.dates += u64::from(is_date(content));
                // One text that cannot be a number is enough: the column is text.
                if self.like_numbers == self.text.as_ref().map_or(0, |seen| seen.count) {
                    let shape = Shape::from_cell(&String::from_utf8_lossy(content));
                    self.like_numbers += u64::from(shape != Shape::Other);
                }
                &mut self.text
            }
        };
        match seen {
            Some(seen) => seen.count += 1,
            None => {
                *seen = Some(Seen {
                    line,
                    token: file.splitter().text(&odd.field).trim().to_owned(),
                    count: 1,
                });
            }
        }
    }

    /// Whether all texts of the column could be numbers or truth values.
    pub(crate) fn looks_like_numbers(&self) -> bool {
        let texts = self.text.as_ref().map_or(0, |seen| seen.count);
        texts > 0 && self.like_numbers == texts && self.infinite.is_none()
    }

    fn merge(&mut self, mut later: OddCells, lines_before: u64) {
        self.dates += later.dates;
        self.like_numbers += later.like_numbers;
        let pairs = [
            (&mut self.missing, &mut later.missing),
            (&mut self.text, &mut later.text),
            (&mut self.infinite, &mut later.infinite),
            (&mut self.large, &mut later.large),
        ];
        for (seen, later) in pairs {
            match (seen.as_mut(), later.take()) {
                (Some(seen), Some(later)) => seen.count += later.count,
                (None, Some(mut later)) => {
                    later.line += lines_before;
                    *seen = Some(later);
                }
                (_, None) => {}
            }
        }
    }
}

impl Scan {
    fn merge(&mut self, file: &TextFile, range: RangeScan) -> Result<(), ReadError> {
        if let Some(fault) = range.fault {
            return Err(self.error(file, fault));
        }
        let lines = self.lines;
        for (column, later) in self.columns.iter_mut().zip(range.columns) {
            if let Some(later) = later {
                column.get_or_insert_default().merge(*later, lines);
            }
        }
        if range.n_rows > 0 {
            let from = range.counts_from.unwrap_or(f64::NAN);
            let first = from - self.n_rows as f64;
            self.counts_up &= first == 0.0 || first == 1.0;
            self.blank = joined(self.blank, self.tail_blank.take());
            self.ranges.push(Range {
                start: range.start,
                end: range.end,
                first_row: self.n_rows,
                n_rows: range.n_rows,
            });
            if let Some(numbers) = &mut self.numbers {
                numbers.push(range.numbers);
            }
        }
        let moved = |(line, count): (u64, u64)| (line + lines, count);
        self.blank = joined(self.blank, range.blank.map(moved));
        self.tail_blank = joined(self.tail_blank, range.tail_blank.map(moved));
        self.tallies.merge(range.tallies, moved);
        self.n_rows += range.n_rows;
        self.lines += range.lines;
        Ok(())
    }

    fn error(&self, file: &TextFile, fault: Fault) -> ReadError {
        match fault {
            Fault::Ragged { line, found } => file.ragged(self.lines + line, found),
            Fault::OpenQuote { line } => file.open_quote(self.lines + line),
            Fault::NoText { line, what } => file.fault(self.lines + line, what),
        }
    }
}

/// The first of two places, and the sum of both counts.
fn joined(first: Option<(u64, u64)>, second: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (first, second) {
        (Some((line, a)), Some((_, b))) => Some((line, a + b)),
        (first, second) => first.or(second),
    }
}
