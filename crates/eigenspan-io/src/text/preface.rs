//! What stands above a table without being part of it: a byte-order mark, Excel's `sep=;`, comments.

use super::fields::{Delimiter, Splitter};

/// Which lines that begin with `#` are comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Comments {
    /// None of them: cells in the first column begin with `#`.
    #[default]
    None,
    /// All of them: the first column holds numbers.
    All,
    /// Those whose number of cells differs from that of a row.
    UnlessWhole,
}

/// What stands above a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Preface {
    /// Where the table begins, and on which line.
    pub(crate) start: usize,
    pub(crate) line: u64,
    /// The delimiter that `sep=` names.
    pub(crate) delimiter: Option<u8>,
    /// The start of the last comment, if the table begins right below it: the comment may hold the names.
    pub(crate) last_comment: Option<usize>,
    /// The line of the first comment, and the number of comments.
    pub(crate) comments: Option<(u64, u64)>,
    /// Whether all lines begin with `#`.
    pub(crate) only_comments: bool,
}

/// Whether a line may be a comment: it begins with `#`, but not with an error value of a spreadsheet such as `#N/A`.
pub(crate) fn begins_comment(bytes: &[u8], at: usize) -> bool {
    const ERRORS: [&[u8]; 8] = [
        b"N/A", b"NA", b"DIV/0!", b"REF!", b"VALUE!", b"NUM!", b"NAME?", b"NULL!",
    ];
    let line = bytes.get(at..).unwrap_or_default();
    let rest = line.strip_prefix(b"#");
    rest.is_some_and(|rest| !ERRORS.iter().any(|error| rest.starts_with(error)))
}

/// Reads what stands above the table.
pub(crate) fn read(bytes: &[u8], lone_cr: bool) -> Preface {
    let split = Splitter {
        bytes,
        delimiter: Delimiter::Byte(b','),
        lone_cr,
        literal: true,
    };
    let mut preface = Preface {
        start: if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        },
        line: 1,
        ..Preface::default()
    };
    let first = split.next_line(preface.start);
    if let Some(delimiter) = separator(bytes.get(preface.start..first).unwrap_or_default()) {
        (preface.start, preface.line) = (first, 2);
        preface.delimiter = Some(delimiter);
    }
    let (mut at, mut line, mut found) = (preface.start, preface.line, preface);
    while at < bytes.len() {
        let next = split.next_line(at);
        if begins_comment(bytes, at) {
            let (first, count) = found.comments.unwrap_or((line, 0));
            found.comments = Some((first, count + 1));
            found.last_comment = Some(at);
            (found.start, found.line) = (next, line + 1);
        } else if split.blank_line(at).is_none() {
            break;
        } else {
            found.last_comment = None;
        }
        (at, line) = (next, line + 1);
    }
    if at < bytes.len() {
        return found;
    }
    // The file holds only lines that begin with #: they may be cells of a first column and are not skipped as comments.
    preface.only_comments = found.comments.is_some();
    preface
}

/// The delimiter of a line such as `sep=;`, as Excel reads and writes it.
fn separator(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let bare = line.strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\""));
    let line = bare.unwrap_or(line);
    let (name, rest) = line.split_at_checked(4)?;
    if !name.eq_ignore_ascii_case(b"sep=") {
        return None;
    }
    match rest {
        // The blanks at the end were trimmed away.
        [] | b"\\t" => Some(b'\t'),
        [first, others @ ..] => {
            let usable = first.is_ascii_punctuation() && *first != b'"';
            (usable && others.iter().all(|b| b == first)).then_some(*first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_line_of_excel_is_known() {
        for (line, expected) in [
            (&b"sep=;\r\n"[..], Some(b';')),
            (b"SEP=,\n", Some(b',')),
            (b"\"sep=;\"\n", Some(b';')),
            (b"sep=\t\n", Some(b'\t')),
            (b"sep=;;;\n", Some(b';')),
            (b"separate;b\n", None),
            (b"sep=a\n", None),
            (b"x\n", None),
        ] {
            assert_eq!(separator(line), expected, "{line:?}");
        }
    }

    #[test]
    fn comments_above_a_table_are_counted_and_blank_lines_stay() {
        let preface = read(b"# a\n\n# b\nx,y\n1,2\n", false);
        assert_eq!((preface.start, preface.line), (9, 4));
        assert_eq!(preface.comments, Some((1, 2)));
        assert_eq!(preface.last_comment, Some(5));
        assert_eq!(read(b"\n\nx,y\n", false).start, 0);
        assert!(read(b"#1,2\n#2,3\n", false).only_comments);
    }
}
