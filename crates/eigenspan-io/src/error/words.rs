//! Words that several errors share: what the system said, a cell as it is shown, a word as it is typed.

use std::io;

use eigenspan::error::grouped;
use eigenspan::note::listed;

/// What the operating system said, without its number.
pub(crate) fn io_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the disk".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
        _ => {
            // Errors of `tempfile` keep the system's number nowhere but in their text, with a path of its own after it.
            let text = error.to_string();
            match text.find(" (os error") {
                Some(end) => text[..end].to_lowercase(),
                None => text,
            }
        }
    }
}

/// A cell as a message shows it: quoted, with odd characters escaped, and not too long.
pub(crate) fn shown(token: &str) -> String {
    const LONGEST: usize = 40;
    if token.chars().count() <= LONGEST {
        return format!("{token:?}");
    }
    let cut: String = token.chars().take(LONGEST).collect();
    format!("{cut:?}…")
}

/// A word as it is typed on a command line.
pub(crate) fn quoted_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./+:%@,=-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

pub(super) fn kinds_words(kinds: &[(String, usize)]) -> String {
    let words = |(kind, count): &(String, usize)| match kind.as_str() {
        "" => format!("{} without an ending", grouped(*count as u64)),
        kind => format!("{} .{kind}", grouped(*count as u64)),
    };
    listed(&kinds.iter().map(words).collect::<Vec<_>>())
}

pub(super) fn missing_words(token: &str) -> String {
    if token.is_empty() {
        "the cell is empty:".to_owned()
    } else {
        format!("{} reads as", shown(token))
    }
}

pub(super) fn beyond(token: &str) -> &'static str {
    if token.bytes().any(|b| b.is_ascii_digit()) {
        " (beyond the range of a 64-bit float)"
    } else {
        ""
    }
}
