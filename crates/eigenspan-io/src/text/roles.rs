//! Decides what each column of a text file is used for: by the options before the reading, by the cells after it.

use eigenspan::Note;
use eigenspan::error::counted;
use eigenspan::note::Clause;

use super::TextFile;
use super::records::Want;
use super::scan::{OddCells, Scan, Seen};
use crate::columns::unique_names;
use crate::error::{Looks, Place, ReadError, Unit};
use crate::options::ReadOptions;
use crate::select::Names;
use crate::table::{MissingCells, Why};

/// What the options say about the columns.
#[derive(Debug)]
pub(crate) struct Plan {
    /// One name per column of the file, no two alike.
    pub(crate) names: Vec<String>,
    /// What the reading should take from each column.
    pub(crate) wants: Vec<Want>,
    /// Whether the user listed the columns to use.
    explicit: bool,
    /// Whether columns of text are used.
    takes_text: bool,
    pub(crate) id: Option<usize>,
    pub(crate) label: Option<usize>,
    pub(crate) weight: Option<usize>,
    /// Columns without a name in the header.
    unnamed: Vec<bool>,
    /// Columns of 0 and 1 that a model has made from texts.
    one_hot_columns: Vec<String>,
    pub(crate) notes: Vec<Note>,
}

/// What the columns are used for, decided by their cells.
#[derive(Debug, Default)]
pub(crate) struct Roles {
    /// Columns of numbers in use.
    pub(crate) used: Vec<usize>,
    /// Columns left out, and why, in the order of the file.
    pub(crate) set_aside: Vec<(usize, Why)>,
    pub(crate) missing: Option<MissingCells>,
    pub(crate) notes: Vec<Note>,
}

impl Plan {
    /// The name of a column.
    pub(crate) fn name(&self, col: usize) -> String {
        self.names.get(col).cloned().unwrap_or_default()
    }

    /// Whether the model encodes the column as text, whatever its cells look like.
    pub(crate) fn stays_text(&self, col: usize) -> bool {
        let texts = format!("{}=", self.name(col));
        self.one_hot_columns
            .iter()
            .any(|known| known.starts_with(&texts))
    }
}

/// Resolves names and selections.
pub(crate) fn plan(file: &TextFile, options: &ReadOptions) -> Result<Plan, ReadError> {
    let mut notes = Vec::new();
    let (names, unnamed) = match &file.dialect.header {
        Some(given) => unique_names(given, &mut notes),
        None => {
            let n = file.dialect.n_fields;
            ((1..=n).map(|i| i.to_string()).collect(), vec![false; n])
        }
    };
    let chosen = Names::new(&file.name, &names).choose(options)?;
    let want = |(col, &analyzed): (usize, &bool)| Want {
        number: analyzed || chosen.weight == Some(col),
        text: false,
    };
    Ok(Plan {
        wants: chosen.columns.iter().enumerate().map(want).collect(),
        explicit: !options.columns.is_empty(),
        takes_text: options.takes_text(),
        id: chosen.id,
        label: chosen.label,
        weight: chosen.weight,
        unnamed,
        one_hot_columns: options.one_hot_columns.clone(),
        notes,
        names,
    })
}

/// Decides what each column is used for; an error names the cell that prevents it.
pub(crate) fn decide(file: &TextFile, plan: &Plan, scan: &Scan) -> Result<Roles, ReadError> {
    let rules = RoleRules { file, plan, scan };
    rules.refuse_odd_cells()?;
    if let Some(weight) = plan.weight {
        rules.refuse_text(weight)?;
    }
    let mut roles = Roles::default();
    for (col, want) in plan.wants.iter().enumerate() {
        if !want.number || plan.weight == Some(col) {
            continue;
        }
        match rules.why_aside(col)? {
            Some(why) => roles.set_aside.push((col, why)),
            None => roles.used.push(col),
        }
    }
    // Weights without a column of numbers would weigh nothing.
    if roles.used.is_empty() && (!plan.takes_text || plan.weight.is_some()) {
        let empty = |(_, why): &(usize, Why)| *why == Why::Empty;
        if !roles.set_aside.is_empty() && roles.set_aside.iter().all(empty) {
            let file = file.name.clone();
            return Err(ReadError::NoValues { file });
        }
        return Err(ReadError::NoNumericColumns {
            file: file.name.clone(),
            set_aside: rules.names_of(&roles.set_aside, |_| true),
        });
    }
    roles.missing = rules.missing(&roles.used);
    rules.add_notes(&mut roles);
    Ok(roles)
}

/// Everything that decides the role of a column.
struct RoleRules<'a> {
    file: &'a TextFile,
    plan: &'a Plan,
    scan: &'a Scan,
}

impl RoleRules<'_> {
    fn odd(&self, col: usize) -> Option<&OddCells> {
        self.scan.columns.get(col)?.as_deref()
    }

    fn name(&self, col: usize) -> String {
        self.plan.name(col)
    }

    fn place(&self, col: usize, line: u64) -> Place {
        Place {
            line,
            column: self.name(col),
            named: self.file.dialect.header.is_some(),
            unit: Unit::Line,
        }
    }

    fn names_of(&self, columns: &[(usize, Why)], wanted: impl Fn(Why) -> bool) -> Vec<String> {
        let wanted = columns.iter().filter(|(_, why)| wanted(*why));
        wanted.map(|(col, _)| self.name(*col)).collect()
    }

    /// Cells of a column that are numbers.
    fn numbers(&self, odd: &OddCells) -> u64 {
        let others = [&odd.missing, &odd.text, &odd.infinite].map(count);
        (self.scan.n_rows as u64).saturating_sub(others.iter().sum())
    }

    /// Refuses the first text or infinity in a column of numbers, by line and then by column.
    fn refuse_odd_cells(&self) -> Result<(), ReadError> {
        let mut first: Option<(u64, ReadError)> = None;
        for col in 0..self.plan.names.len() {
            let Some(odd) = self.odd(col) else { continue };
            let numeric = self.numbers(odd) > 0;
            let seen = match (&odd.text, &odd.infinite) {
                (Some(text), _) if numeric => text,
                (None, Some(infinite)) => infinite,
                _ => continue,
            };
            if first.as_ref().is_none_or(|(line, _)| seen.line < *line) {
                first = Some((seen.line, self.refusal(col, seen, odd.text.is_some())));
            }
        }
        first.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn refusal(&self, col: usize, seen: &Seen, text: bool) -> ReadError {
        let (file, place, token) = (
            self.file.name.clone(),
            self.place(col, seen.line),
            seen.token.clone(),
        );
        let (like_it, cells) = (seen.count, self.scan.n_rows as u64);
        if text {
            ReadError::NotANumber {
                file,
                place,
                looks: Looks::from_token(&token),
                token,
                like_it,
                cells,
                edge: None,
            }
        } else {
            ReadError::Infinite {
                file,
                place,
                token,
                like_it,
                cells,
            }
        }
    }

    /// Why a column is not used; an error if the user asked for it by name and it is text.
    fn why_aside(&self, col: usize) -> Result<Option<Why>, ReadError> {
        let index_name = |name: &str| name == "Unnamed: 0";
        let unnamed = self.plan.unnamed.get(col) == Some(&true) || index_name(&self.name(col));
        if col == 0 && unnamed && self.scan.counts_up && !self.plan.explicit {
            return Ok(Some(Why::RowNumbers));
        }
        let Some(odd) = self.odd(col) else {
            return Ok(None);
        };
        if self.numbers(odd) > 0 {
            return Ok(None);
        }
        if self.plan.explicit && !self.plan.takes_text {
            self.refuse_text(col)?;
        }
        Ok(Some(match &odd.text {
            None => Why::Empty,
            Some(text) if odd.dates == text.count => Why::Dates,
            Some(_) => Why::Text,
        }))
    }

    /// An error if a column that must hold numbers is text.
    fn refuse_text(&self, col: usize) -> Result<(), ReadError> {
        match self.odd(col).and_then(|odd| odd.text.as_ref()) {
            Some(text) => Err(ReadError::TextColumn {
                file: self.file.name.clone(),
                column: self.name(col),
                line: text.line,
                token: text.token.clone(),
            }),
            None => Ok(()),
        }
    }

    fn missing(&self, used: &[usize]) -> Option<MissingCells> {
        let seen = |col: usize| Some((col, self.odd(col)?.missing.as_ref()?));
        let all = || used.iter().filter_map(|&col| seen(col));
        let (col, first) = all().min_by_key(|(col, seen)| (seen.line, *col))?;
        Some(MissingCells {
            file: self.file.name.clone(),
            count: all().map(|(_, seen)| seen.count).sum(),
            cells: (self.scan.n_rows * used.len()) as u64,
            place: self.place(col, first.line),
            token: first.token.clone(),
        })
    }

    /// Notes about lines: comments, and quotes that are never closed.
    fn line_notes(&self) -> Vec<Note> {
        let tallies = &self.scan.tallies;
        let lines = |count: u64| counted(count as usize, "line");
        let above = self.file.dialect.comments_above;
        let comments = match (above, tallies.comments) {
            (Some((line, a)), b) => Some((line, a + b.map_or(0, |(_, b)| b))),
            (None, below) => below,
        };
        let comments = comments.map(|(line, count)| match count {
            1 => format!("line {line} begins with #: skipped as a comment"),
            _ => format!(
                "{} that begin with # skipped as comments, the first is line {line}",
                lines(count)
            ),
        });
        let whole = tallies.like_comments.map(|(line, count)| match count {
            1 => format!("line {line} begins with # and has all its cells: read as a row"),
            _ => format!(
                "{} that begin with # have all their cells: read as rows, the first is line {line}",
                lines(count)
            ),
        });
        let quotes = tallies.stray_quotes.map(|(line, count)| match count {
            1 => format!("line {line} has a quote that is never closed: read as part of its cell"),
            _ => format!(
                "{} have a quote that is never closed: read as part of its cell, the first is line {line}",
                lines(count)
            ),
        });
        let all = comments.into_iter().chain(whole).chain(quotes);
        all.map(Note::reading).collect()
    }

    fn add_notes(&self, roles: &mut Roles) {
        roles.notes.extend(self.line_notes());
        let notes = &mut roles.notes;
        if let Some((line, count)) = self.scan.blank {
            notes.push(Note::reading(match count {
                1 => format!("line {line} is blank: skipped"),
                _ => format!(
                    "{} among the rows skipped, the first is line {line}",
                    counted(count as usize, "blank line")
                ),
            }));
        }
        if roles.set_aside.contains(&(0, Why::RowNumbers)) {
            let all = format!("1-{}", self.plan.names.len());
            notes.push(Note::advised(
                "the first column has no name and counts the rows: taken for an index and set aside",
                Clause::list("columns", [all]).then(" uses it"),
            ));
        }
        for &col in &roles.used {
            if let Some(large) = self.odd(col).and_then(|odd| odd.large.as_ref()) {
                notes.push(Note::BeyondExact {
                    holder: "column".to_owned(),
                    column: Some(self.name(col)),
                    example: Some(format!("line {}: {}", large.line, large.token)),
                });
                break;
            }
        }
    }
}

fn count(seen: &Option<Seen>) -> u64 {
    seen.as_ref().map_or(0, |seen| seen.count)
}
