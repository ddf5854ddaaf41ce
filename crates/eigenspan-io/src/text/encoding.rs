//! Text that is not UTF-8: UTF-16, recognized by its byte-order mark, and Windows-1252 (Latin-1 with more signs), which
//! almost any bytes could be.
//!
//! Both are rewritten as UTF-8 into an unnamed temporary file. Bytes that do not occur in Windows-1252 text, and files that
//! also hold letters in UTF-8, are refused: they are damaged or in yet another encoding.

use std::io::{self, BufWriter, Write};

use crate::error::ReadError;
use crate::input::Bytes;

/// The characters of 0x80 … 0x9f in Windows-1252; `\0` where none is defined.
const SIGNS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// The text in UTF-8, if it can be text in Windows-1252.
pub(super) fn from_windows_1252(file: &str, bytes: &[u8]) -> Result<Option<Bytes>, ReadError> {
    if !is_windows_1252(bytes) {
        return Ok(None);
    }
    let letter = |byte: u8| match byte {
        0x80..=0x9f => SIGNS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    };
    let chars = bytes.iter().map(|byte| letter(*byte));
    rewritten(file, chars).map(Some)
}

/// Whether every byte is defined in Windows-1252, and no letters are written in UTF-8.
fn is_windows_1252(bytes: &[u8]) -> bool {
    let nothing = |byte: &u8| match byte {
        0x80..=0x9f => SIGNS[usize::from(byte - 0x80)] == '\0',
        byte => *byte < 0x20 && !byte.is_ascii_whitespace(),
    };
    let in_utf8 = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    !in_utf8 && !bytes.iter().any(nothing)
}

/// Text that begins with the byte-order mark of UTF-16, as UTF-8; `None` for any other text. Half a surrogate pair is
/// refused.
pub(crate) fn from_utf16(file: &str, bytes: &[u8]) -> Result<Option<Bytes>, ReadError> {
    let Some((mark, rest)) = bytes.split_first_chunk::<2>() else {
        return Ok(None);
    };
    let unit: fn([u8; 2]) -> u16 = match mark {
        b"\xff\xfe" => u16::from_le_bytes,
        b"\xfe\xff" => u16::from_be_bytes,
        _ => return Ok(None),
    };
    let (pairs, left) = rest.as_chunks::<2>();
    let units = || pairs.iter().map(|pair| unit(*pair));
    let mut line = 1;
    for letter in char::decode_utf16(units()) {
        match letter {
            Ok('\n') => line += 1,
            Ok('\0') | Err(_) => return Err(damaged(file, line)),
            Ok(_) => {}
        }
    }
    if !left.is_empty() {
        return Err(damaged(file, line));
    }
    let letters = char::decode_utf16(units());
    rewritten(file, letters.filter_map(Result::ok)).map(Some)
}

fn damaged(file: &str, line: u64) -> ReadError {
    ReadError::HalfLetter {
        file: file.to_owned(),
        line,
    }
}

/// Writes letters as UTF-8 into an unnamed temporary file.
fn rewritten(file: &str, letters: impl Iterator<Item = char>) -> Result<Bytes, ReadError> {
    let write = || -> io::Result<Bytes> {
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
        let mut room = [0u8; 4];
        for letter in letters {
            out.write_all(letter.encode_utf8(&mut room).as_bytes())?;
        }
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Bytes::map(&file)
    };
    write().map_err(|source| ReadError::Io {
        file: file.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Option<Bytes>) -> String {
        String::from_utf8(bytes.expect("text").to_vec()).expect("UTF-8")
    }

    #[test]
    fn letters_and_signs_of_windows_are_read() {
        let found = from_windows_1252("t", b"K\xf6ln,\x80,\x96\n").expect("a file");
        assert_eq!(text(found), "Köln,€,–\n");
        for bad in [
            &b"a\x81b"[..],
            b"a\0\xf6",
            "ö\u{e9}".as_bytes(),
            b"\xc3\xb6 \xf6",
        ] {
            assert!(!is_windows_1252(bad), "{bad:?}");
        }
    }

    #[test]
    fn utf16_is_read_in_both_orders_and_never_in_halves() {
        let little: Vec<u8> = "\u{feff}a,ö\n1,2\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let big: Vec<u8> = "\u{feff}a,ö\n1,2\n"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        for bytes in [little, big] {
            let found = from_utf16("t", &bytes).expect("whole letters");
            assert_eq!(text(found), "a,ö\n1,2\n");
            assert!(from_utf16("t", &bytes[..bytes.len() - 1]).is_err());
        }
        assert!(from_utf16("t", b"a,b\n").expect("no fault").is_none());
    }
}
