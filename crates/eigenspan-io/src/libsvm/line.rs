//! One line of libsvm's text.

use crate::error::SvmFault;
use crate::sparse::{fields, text_lines};

/// A line that holds a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    label: &'a [u8],
    rest: &'a [u8],
    pub(super) has_qid: bool,
}

impl<'a> Line<'a> {
    /// The row of a line; `None` for blank lines and comments.
    pub(super) fn new(text: &'a [u8]) -> Option<Self> {
        let comment = memchr::memchr(b'#', text).unwrap_or(text.len());
        let text = text.get(..comment).unwrap_or(text);
        let (label, rest) = match first_word(text) {
            ([], _) => return None,
            // A line may have no label.
            (word, _) if word.contains(&b':') => (&b""[..], text),
            found => found,
        };
        match first_word(rest) {
            (word, rest) if word.starts_with(b"qid:") => Some(Line {
                label,
                rest,
                has_qid: true,
            }),
            _ => Some(Line {
                label,
                rest,
                has_qid: false,
            }),
        }
    }

    /// The label as it is written: a number, or several with commas between them.
    pub(super) fn label(&self) -> Result<&'a str, SvmFault> {
        let number = |part: &[u8]| fast_float2::parse::<f64, _>(unsigned(part)).is_ok();
        let ok = self.label.is_empty() || self.label.split(|b| *b == b',').all(number);
        let text = std::str::from_utf8(self.label).ok().filter(|_| ok);
        text.ok_or_else(|| SvmFault::Label {
            token: String::from_utf8_lossy(self.label).into_owned(),
        })
    }

    /// Index, value, and how the cell is written.
    pub(super) fn cells(&self) -> impl Iterator<Item = Result<(u32, f64, &'a [u8]), SvmFault>> {
        fields(self.rest).map(cell)
    }
}

fn cell(token: &[u8]) -> Result<(u32, f64, &[u8]), SvmFault> {
    let text = || String::from_utf8_lossy(token).into_owned();
    let wrong = || SvmFault::Cell { token: text() };
    let colon = memchr::memchr(b':', token).ok_or_else(wrong)?;
    let (index, value) = token.split_at(colon);
    let mut number = 0u32;
    for byte in index {
        let digit = byte.wrapping_sub(b'0');
        let next = number
            .checked_mul(10)
            .and_then(|n| n.checked_add(digit.into()));
        number = next.filter(|_| digit <= 9).ok_or_else(wrong)?;
    }
    if index.is_empty() || number == u32::MAX {
        return Err(wrong());
    }
    let value = unsigned(value.get(1..).unwrap_or_default());
    let value: f64 = fast_float2::parse(value).map_err(|_| wrong())?;
    if value.is_infinite() {
        return Err(SvmFault::Infinite { token: text() });
    }
    Ok((number, value, token))
}

/// The text without a leading `+`: `+1` is a number too.
fn unsigned(text: &[u8]) -> &[u8] {
    match text.strip_prefix(b"+") {
        Some(rest) if !rest.starts_with(b"-") => rest,
        _ => text,
    }
}

/// The first word, and the text after it.
fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace);
    text.split_at(end.unwrap_or(text.len()))
}

/// Whether each of the first lines is a number and cells with rising indices, and some lines have cells.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    const LOOKED_AT: usize = 64;
    let head = head.get(..head.len().min(1 << 16)).unwrap_or_default();
    // The last line may be cut.
    let end = memchr::memrchr(b'\n', head).map_or(head.len(), |at| at + 1);
    let mut any = false;
    for (_, text) in text_lines(head, 0..end).take(LOOKED_AT) {
        let Some(line) = Line::new(text) else {
            continue;
        };
        if line.label.is_empty() || line.label().is_err() {
            return false;
        }
        let mut last = None;
        for cell in line.cells() {
            match cell {
                Ok((index, ..)) if last.is_none_or(|last| last < index) => last = Some(index),
                _ => return false,
            }
        }
        any |= last.is_some();
    }
    any
}
