//! Finds where fields and lines end: delimiters, quotes, line ends. It does not know what a field means.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

/// The delimiter between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// One byte, such as a comma.
    Byte(u8),
    /// Any run of spaces and tabs.
    Blanks,
}

impl Delimiter {
    /// Its name in a message.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Delimiter::Byte(b',') => "comma",
            Delimiter::Byte(b';') => "semicolon",
            Delimiter::Byte(b'\t') => "tab",
            Delimiter::Byte(b'|') => "bar",
            Delimiter::Byte(b' ') | Delimiter::Blanks => "blank",
            Delimiter::Byte(_) => "special character",
        }
    }
}

/// What ended a field, and where the next one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A delimiter: another field follows.
    Field(usize),
    /// The end of the line, or of the file.
    Line(usize),
}

/// A field's place in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// First byte of the content, quotes and blanks around it left out.
    pub(crate) start: usize,
    /// End of the content.
    pub(crate) end: usize,
    /// Whether the content holds doubled quotes, each of which stands for one.
    pub(crate) escaped: bool,
    /// Line ends inside the field.
    pub(crate) lines: u64,
    /// What ended the field.
    pub(crate) stop: Stop,
}

/// A quote that is never closed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenQuote;

/// A quoted field longer than this counts as never closed, which bounds the search for its end.
const LONGEST_QUOTED: usize = 16 << 20;

/// Splits the bytes of a file into fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Splitter<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) delimiter: Delimiter,
    /// Whether a lone carriage return ends a line (files from old Macs).
    pub(crate) lone_cr: bool,
    /// Whether a quote is a character like any other.
    pub(crate) literal: bool,
}

impl<'a> Splitter<'a> {
    /// The delimiter or line end at `at`, where a field's content has ended; `None` if the field goes on.
    #[inline]
    pub(crate) fn stop_at(&self, mut at: usize) -> Option<Stop> {
        let begin = at;
        loop {
            let byte = match self.bytes.get(at) {
                Some(byte) => *byte,
                None => return Some(Stop::Line(at)),
            };
            if Delimiter::Byte(byte) == self.delimiter {
                return Some(Stop::Field(at + 1));
            }
            if byte == b'\n' || byte == b'\r' {
                return self.line_end(at).map(Stop::Line);
            }
            if byte == b' ' || byte == b'\t' {
                at += 1;
            } else {
                let apart = self.delimiter == Delimiter::Blanks && at > begin;
                return apart.then_some(Stop::Field(at));
            }
        }
    }

    /// The start of the next line, if a line ends at `at`.
    #[inline]
    pub(crate) fn line_end(&self, at: usize) -> Option<usize> {
        match (self.bytes.get(at), self.bytes.get(at + 1)) {
            (Some(b'\n'), _) => Some(at + 1),
            (Some(b'\r'), Some(b'\n')) => Some(at + 2),
            (Some(b'\r'), None) => Some(at + 1),
            (Some(b'\r'), _) if self.lone_cr => Some(at + 1),
            _ => None,
        }
    }

    /// Skips blanks that belong to no field.
    #[inline]
    pub(crate) fn skip_blanks(&self, mut at: usize) -> usize {
        while let Some(&byte) = self.bytes.get(at) {
            let blank = byte == b' ' || byte == b'\t';
            if !blank || Delimiter::Byte(byte) == self.delimiter {
                break;
            }
            at += 1;
        }
        at
    }

    /// The start of the next line if nothing but blanks is left on this one.
    #[inline]
    pub(crate) fn blank_line(&self, at: usize) -> Option<usize> {
        let at = self.skip_blanks(at);
        if at >= self.bytes.len() {
            return Some(at);
        }
        self.line_end(at)
    }

    /// The field that begins at `at`.
    pub(crate) fn field(&self, at: usize) -> Result<Field, OpenQuote> {
        let start = self.skip_blanks(at);
        if self.bytes.get(start) == Some(&b'"') && !self.literal {
            return self.quoted(start);
        }
        Ok(self.plain(start))
    }

    /// The number of fields of the line at `at`, with quotes read as ordinary characters, and where the next line begins.
    pub(crate) fn literal_line(&self, at: usize) -> (usize, usize) {
        let split = Splitter {
            literal: true,
            ..*self
        };
        let (mut found, mut at) = (1, split.skip_blanks(at));
        loop {
            match split.plain(split.skip_blanks(at)).stop {
                Stop::Field(next) => at = next,
                Stop::Line(next) => return (found, next),
            }
            found += 1;
        }
    }

    /// The start of the line after the one at `at`, whatever stands on it.
    pub(crate) fn next_line(&self, at: usize) -> usize {
        let mut from = at;
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let Some(end) = memchr2(b'\n', b'\r', rest) else {
                return self.bytes.len();
            };
            if let Some(next) = self.line_end(from + end) {
                return next;
            }
            from += end + 1;
        }
    }

    fn plain(&self, start: usize) -> Field {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mut from = 0;
        let end = loop {
            let tail = rest.get(from..).unwrap_or_default();
            let found = match self.delimiter {
                Delimiter::Byte(byte) if self.lone_cr => memchr3(byte, b'\n', b'\r', tail),
                Delimiter::Byte(byte) => memchr2(byte, b'\n', tail),
                Delimiter::Blanks => tail
                    .iter()
                    .position(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')),
            };
            let end = start + from + found.unwrap_or(tail.len());
            // A carriage return within a line is content, unless such returns end lines.
            if self.stop_at(end).is_some() {
                break end;
            }
            from = end + 1 - start;
        };
        // This also removes the carriage return of a line end.
        let content = self.bytes.get(start..end).unwrap_or_default();
        let content = content.trim_ascii_end();
        Field {
            start,
            end: start + content.len(),
            escaped: false,
            lines: 0,
            stop: self.stop_at(end).unwrap_or(Stop::Line(end)),
        }
    }

    fn quoted(&self, open: usize) -> Result<Field, OpenQuote> {
        let start = open + 1;
        let mut at = start;
        let mut escaped = false;
        // With blanks as delimiters, a cell ends with its line, so a lone quote is an ordinary word.
        let limit = match self.delimiter {
            Delimiter::Blanks => self.next_line(open),
            Delimiter::Byte(_) => self.bytes.len().min(start.saturating_add(LONGEST_QUOTED)),
        };
        let close = loop {
            let rest = self.bytes.get(at..limit).unwrap_or_default();
            let Some(quote) = memchr(b'"', rest).map(|found| at + found) else {
                return match self.delimiter {
                    Delimiter::Blanks => Ok(self.plain(open)),
                    Delimiter::Byte(_) => Err(OpenQuote),
                };
            };
            if self.bytes.get(quote + 1) != Some(&b'"') {
                break quote;
            }
            escaped = true;
            at = quote + 2;
        };
        let inside = self.bytes.get(start..close).unwrap_or_default();
        let eol = if self.lone_cr { b'\r' } else { b'\n' };
        let lines = memchr::memchr_iter(eol, inside).count() as u64;
        if let Some(stop) = self.stop_at(close + 1) {
            return Ok(Field {
                start,
                end: close,
                escaped,
                lines,
                stop,
            });
        }
        // `"a"b` is not a quoted field after all but plain text, quotes included.
        if lines > 0 {
            return Ok(self.plain(open));
        }
        let rest = self.plain(close + 1);
        Ok(Field {
            start: open,
            end: rest.end.max(close + 1),
            escaped: false,
            lines,
            stop: rest.stop,
        })
    }

    /// The content of a field, with doubled quotes replaced by single ones.
    pub(crate) fn content(&self, field: &Field) -> Cow<'a, [u8]> {
        let bytes = self.bytes.get(field.start..field.end).unwrap_or_default();
        if !field.escaped {
            return Cow::Borrowed(bytes);
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(quote) = memchr(b'"', rest) {
            out.extend_from_slice(&rest[..=quote]);
            rest = rest.get(quote + 2..).unwrap_or_default();
        }
        out.extend_from_slice(rest);
        Cow::Owned(out)
    }

    /// The content of a field as text; bytes that are not UTF-8 become `�`.
    pub(crate) fn text(&self, field: &Field) -> String {
        String::from_utf8_lossy(&self.content(field)).into_owned()
    }
}
