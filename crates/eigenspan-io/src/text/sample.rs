//! The first lines of a text file, split by one delimiter: the guesses are made from them.

use super::cell::{Cell, CellRules};
use super::fields::{Field, Splitter, Stop};
use super::preface::{Comments, Preface, begins_comment};
use super::shape::{Marks, Shape};

/// One line of the sample.
pub(super) struct Line {
    pub(super) fields: Vec<Field>,
    pub(super) number: u64,
    pub(super) next: usize,
    /// Whether a quote is never closed; quotes were then read as ordinary characters.
    pub(super) torn: bool,
}

/// The first lines of a file, split by one delimiter.
pub(super) struct Sample<'a> {
    pub(super) split: Splitter<'a>,
    pub(super) lines: Vec<Line>,
    /// Which lines were left out as comments.
    pub(super) comments: Comments,
}

/// The most lines in the sample; with more cells than the second number, two lines are enough.
const SAMPLE_LINES: usize = 64;
const SAMPLE_CELLS: usize = 200_000;

impl<'a> Sample<'a> {
    /// The first lines, without those that are comments.
    pub(super) fn without_comments(split: Splitter<'a>, preface: &Preface) -> Self {
        if preface.only_comments {
            return Sample::take(split, preface, Comments::None).0;
        }
        let (mut sample, skipped) = Sample::take(split, preface, Comments::All);
        if skipped > sample.lines.len() {
            return Sample::take(split, preface, Comments::None).0;
        }
        let rules = CellRules::new(b'.', &[]);
        let texts = |line: usize| sample.cells(&rules, line).next() == Some(Cell::Text);
        if (1..sample.lines.len()).any(texts) {
            sample.comments = Comments::UnlessWhole;
        }
        sample
    }

    /// The first lines, and how many that begin with `#` were skipped.
    fn take(split: Splitter<'a>, preface: &Preface, comments: Comments) -> (Self, usize) {
        let mut lines: Vec<Line> = Vec::new();
        let (mut at, mut number, mut cells) = (preface.start, preface.line, 0);
        let mut skipped = 0;
        while at < split.bytes.len() {
            let enough = lines.len() >= 2 && cells > SAMPLE_CELLS;
            if enough || lines.len() >= SAMPLE_LINES {
                break;
            }
            if let Some(next) = split.blank_line(at) {
                at = next;
                number += 1;
                continue;
            }
            if comments == Comments::All && begins_comment(split.bytes, at) {
                at = split.next_line(at);
                number += 1;
                skipped += 1;
                if skipped > SAMPLE_LINES {
                    break;
                }
                continue;
            }
            let line = Line::read(&split, at, number);
            at = line.next;
            number += 1 + line.fields.iter().map(|f| f.lines).sum::<u64>();
            cells += line.fields.len();
            lines.push(line);
        }
        let sample = Sample {
            split,
            lines,
            comments,
        };
        (sample, skipped)
    }

    /// Whether all lines have the same number of fields, and more than one.
    pub(super) fn is_even(&self) -> bool {
        let usual = self.usual_width();
        usual > 1 && self.lines.iter().all(|line| line.fields.len() == usual)
    }

    /// The fields of a line as names.
    pub(super) fn names(&self, line: &Line) -> Vec<String> {
        let name = |field: &Field| self.split.text(field).trim().to_owned();
        line.fields.iter().map(name).collect()
    }

    /// How many numbers were found, and how many lines have the usual number of fields; both 0 if that number is 1.
    pub(super) fn score(&self) -> (usize, usize) {
        let usual = self.usual_width();
        if usual < 2 {
            return (0, 0);
        }
        let (point, comma) = (CellRules::new(b'.', &[]), CellRules::new(b',', &[]));
        let is_number = |field: &Field| {
            let content = self.split.content(field);
            matches!(
                point.cell(&content),
                Cell::Number(_) | Cell::LargeInteger(_)
            ) || matches!(comma.cell(&content), Cell::Number(_))
                || Shape::from_cell(&String::from_utf8_lossy(&content)) != Shape::Other
        };
        let of_usual = self.lines.iter().filter(|line| line.fields.len() == usual);
        let numbers = self
            .lines
            .iter()
            .flat_map(|line| &line.fields)
            .filter(|field| is_number(field))
            .count();
        (numbers, of_usual.count())
    }

    /// The number of fields that most lines have.
    pub(super) fn usual_width(&self) -> usize {
        let widths: Vec<usize> = self.lines.iter().map(|line| line.fields.len()).collect();
        let count = |width: usize| widths.iter().filter(|w| **w == width).count();
        let mut best = 0;
        for &width in &widths {
            if best == 0 || count(width) > count(best) {
                best = width;
            }
        }
        best
    }

    /// Whether the first cell of a column is written like all cells below it, such as `12 %` above `7 %`: then it is data and
    /// not a name.
    pub(super) fn is_like_below(&self, col: usize) -> bool {
        let missing = CellRules::new(b'.', &[]);
        let shape = |line: &Line| {
            let content = self.split.content(line.fields.get(col)?);
            let shown = (!missing.is_missing(&content)).then(|| String::from_utf8_lossy(&content));
            shown.map(|text| Shape::from_cell(&text))
        };
        let is_written = |shape: &Shape| match shape {
            Shape::Truth(_) => true,
            Shape::Number { affix, marks, .. } => affix.is_some() || *marks != Marks::None,
            Shape::Other => false,
        };
        let mut shapes = self.lines.iter().map(shape);
        let Some(first) = shapes.next().flatten().filter(is_written) else {
            return false;
        };
        let mut below = shapes.flatten().peekable();
        let alike = |shape: Shape| match (&first, &shape) {
            (Shape::Truth(_), Shape::Truth(_)) => true,
            (Shape::Number { affix: a, .. }, Shape::Number { affix: b, .. }) => a == b,
            _ => false,
        };
        below.peek().is_some() && below.all(alike)
    }

    pub(super) fn cells<'s>(
        &'s self,
        rules: &'s CellRules,
        line: usize,
    ) -> impl Iterator<Item = Cell> + 's {
        let fields = self.lines.get(line).map_or(&[][..], |line| &line.fields);
        fields.iter().map(|f| rules.cell(&self.split.content(f)))
    }
}

impl Line {
    /// Reads a line; if a quote is never closed, quotes are read as ordinary characters.
    pub(super) fn read(split: &Splitter<'_>, start: usize, number: u64) -> Line {
        let mut fields = Vec::new();
        let mut at = split.skip_blanks(start);
        loop {
            let Ok(field) = split.field(at) else {
                let literal = Splitter {
                    literal: true,
                    ..*split
                };
                return Line {
                    torn: true,
                    ..Line::read(&literal, start, number)
                };
            };
            fields.push(field);
            match field.stop {
                Stop::Field(next) => at = next,
                Stop::Line(next) => {
                    return Line {
                        fields,
                        number,
                        next,
                        torn: false,
                    };
                }
            }
        }
    }
}
