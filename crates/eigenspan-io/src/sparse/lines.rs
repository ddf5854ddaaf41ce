//! Text cut into pieces at line ends, so that many threads read it at once; the cuts depend on the text alone.

use std::ops::Range;

/// Bytes of a piece, about.
const PIECE: usize = 1 << 20;

/// Pieces of whole lines, from `start` to the end.
pub(crate) fn pieces(bytes: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = start.min(bytes.len());
    while at < bytes.len() {
        let cut = at.saturating_add(PIECE).min(bytes.len());
        let rest = bytes.get(cut..).unwrap_or_default();
        let end = match bytes.get(cut.wrapping_sub(1)) {
            Some(b'\n') => cut,
            _ => memchr::memchr(b'\n', rest).map_or(bytes.len(), |found| cut + found + 1),
        };
        pieces.push(at..end);
        at = end;
    }
    pieces
}

/// The lines of a piece, without their ends, each with its offset in the whole text.
pub(crate) fn text_lines(
    bytes: &[u8],
    piece: Range<usize>,
) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = piece.start;
    let end = piece.end.min(bytes.len());
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let start = at;
        let rest = bytes.get(at..end)?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        at += length + 1;
        let line = rest.get(..length)?;
        Some((start, line.strip_suffix(b"\r").unwrap_or(line)))
    })
}

/// The number, from 1, of the line that begins at `at`.
pub(crate) fn line_number(bytes: &[u8], at: usize) -> u64 {
    let before = bytes.get(..at).unwrap_or(bytes);
    memchr::memchr_iter(b'\n', before).count() as u64 + 1
}

/// Fields separated by blanks.
pub(crate) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c'))
        .filter(|field| !field.is_empty())
}
