//! The width of a text, from the advances of the font that PNG files are drawn with (DejaVu Sans, wider than most fonts).
//!
//! A browser may use another font. The fonts that the SVG names are at most as wide, so what fits here fits there.

use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId};

use super::scene::{Anchor, Area, Text};
use crate::words;

static REGULAR: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");
static BOLD: &[u8] = include_bytes!("../../fonts/DejaVuSans-Bold.ttf");

/// The ascent above the baseline, relative to the font size.
const ASCENT: f64 = 0.8;
/// The descent below the baseline, relative to the font size.
const DESCENT: f64 = 0.23;

/// The bundled font; `None` only if the program was built without it.
pub(super) fn face(bold: bool) -> Option<&'static Face<'static>> {
    static FACES: [OnceLock<Option<Face<'static>>>; 2] = [OnceLock::new(), OnceLock::new()];
    let bytes = if bold { BOLD } else { REGULAR };
    FACES[usize::from(bold)]
        .get_or_init(|| Face::parse(bytes, 0).ok())
        .as_ref()
}

/// The glyph of a character; `None` if the font does not have it.
pub(super) fn glyph(face: &Face<'_>, c: char) -> Option<GlyphId> {
    face.glyph_index(c).filter(|glyph| glyph.0 != 0)
}

/// The width of one character, relative to the font size. Characters that the font lacks are drawn as boxes, wide ones as wide boxes.
pub(super) fn advance(c: char, bold: bool) -> f64 {
    // Most texts consist of these, and every text is measured often: the font is asked about each of them once.
    static ASCII: [OnceLock<[f64; 128]>; 2] = [OnceLock::new(), OnceLock::new()];
    let ascii = || std::array::from_fn(|code| advance_in_font(char::from(code as u8), bold));
    match usize::try_from(u32::from(c)) {
        Ok(code) if code < 128 => ASCII[usize::from(bold)].get_or_init(ascii)[code],
        _ => advance_in_font(c, bold),
    }
}

fn advance_in_font(c: char, bold: bool) -> f64 {
    // The replacement character `�` is 1.03 wide in DejaVu Sans; other fonts may differ.
    const REPLACEMENT: f64 = 1.05;
    if c.is_control() || c == '\u{FFFD}' {
        return REPLACEMENT;
    }
    let known = face(bold).and_then(|face| {
        let advance = face.glyph_hor_advance(glyph(face, c)?)?;
        Some(f64::from(advance) / f64::from(face.units_per_em()))
    });
    known.unwrap_or(if c >= '\u{1100}' { 1.0 } else { 0.66 })
}

/// The width of a text.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    text.chars().map(|c| advance(c, bold)).sum::<f64>() * size
}

/// The rectangle that a text occupies.
pub fn area(text: &Text) -> Area {
    let long = width(&text.text, text.size, text.bold);
    let before = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => long / 2.0,
        Anchor::End => long,
    };
    let (up, down) = (ASCENT * text.size, DESCENT * text.size);
    if text.upward {
        Area {
            left: text.x - up,
            top: text.y + before - long,
            width: up + down,
            height: long,
        }
    } else {
        Area {
            left: text.x - before,
            top: text.y - up,
            width: long,
            height: up + down,
        }
    }
}

/// A text shortened to this width; `…` marks what is left out.
pub fn fit(text: &str, most: f64, size: f64, bold: bool) -> String {
    if width(text, size, bold) <= most {
        return text.to_owned();
    }
    let room = most - width("…", size, bold);
    let mut out = String::new();
    let mut used = 0.0;
    for c in text.chars() {
        used += advance(c, bold) * size;
        if used > room {
            break;
        }
        out.push(c);
    }
    if room < 0.0 {
        return String::new();
    }
    out.truncate(out.trim_end_matches([' ', ',', '·', ':', '(']).len());
    out + "…"
}

/// A title shortened to this width, between words if enough of it remains.
pub fn fit_words(text: &str, most: f64, size: f64) -> String {
    if width(text, size, false) <= most {
        return text.to_owned();
    }
    let mut kept = text;
    while let Some((shorter, _)) = kept.rsplit_once(' ') {
        kept = shorter.trim_end_matches([' ', ',', '·', ':', '(']);
        // A title must not end in `more`, `less` or half a parenthesis, which mean nothing alone.
        let bare = kept.ends_with(" more") || kept.ends_with(" less");
        let open = kept.matches('(').count() > kept.matches(')').count();
        let said = format!("{kept}…");
        if !bare && !open && width(&said, size, false) <= most {
            return said;
        }
    }
    fit(text, most, size, false)
}

/// A text in at most this many lines, broken at spaces; the last line is shortened with `…` if necessary.
pub fn wrap(text: &str, most: f64, size: f64, bold: bool, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.peek() {
        let longer = if line.is_empty() {
            (*word).to_owned()
        } else {
            format!("{line} {word}")
        };
        if width(&longer, size, bold) <= most {
            line = longer;
            words.next();
        } else if out.len() + 1 < lines && line.is_empty() {
            // A word wider than a line is shortened, and the text after it is kept.
            out.push(fit(word, most, size, bold));
            words.next();
        } else if out.len() + 1 >= lines {
            // The last line gets the rest.
            let rest = words.by_ref().collect::<Vec<_>>().join(" ");
            let all = if line.is_empty() {
                rest
            } else {
                format!("{line} {rest}")
            };
            out.push(fit(&all, most, size, bold));
            return out;
        } else {
            out.push(std::mem::take(&mut line));
        }
    }
    if !line.is_empty() {
        out.push(line);
    }
    out
}

/// Longer names than this are shortened.
const LONGEST_NAME: usize = 36;

/// A name as a figure shows it: on one line, never empty and, if it is long, without its middle, because names that begin
/// alike often differ at their end.
pub fn label(name: &str) -> String {
    let shown = words::on_one_line(name);
    if shown.trim().is_empty() {
        return "(no name)".to_owned();
    }
    let letters: Vec<char> = shown.chars().collect();
    if letters.len() <= LONGEST_NAME {
        return shown;
    }
    let (start, end) = (LONGEST_NAME * 5 / 9, LONGEST_NAME * 4 / 9 - 1);
    cut(&letters, start, end)
}

/// A name shortened to this width: `…` replaces its middle.
pub fn fit_name(name: &str, most: f64, size: f64) -> String {
    if width(name, size, false) <= most {
        return name.to_owned();
    }
    // A name that was already shortened is cut at the same place again.
    let letters: Vec<char> = name.chars().collect();
    for kept in (2..letters.len()).rev() {
        let (start, end) = (kept - kept / 2, kept / 2);
        let shorter = cut(&letters, start, end).replace("……", "…");
        if width(&shorter, size, false) <= most {
            return shorter;
        }
    }
    fit(name, most, size, false)
}

fn cut(letters: &[char], start: usize, end: usize) -> String {
    let first: String = letters[..start.min(letters.len())].iter().collect();
    let last: String = letters[letters.len().saturating_sub(end)..]
        .iter()
        .collect();
    format!("{}…{}", first.trim_end(), last.trim_start())
}
