//! Escapes text for HTML and JSON, so that it can never act as markup. All text enters the page through this module.
//!
//! A column may be called `</script>`, hold a line break, or run from right to left. Markup characters become
//! entities; characters that HTML forbids become visible signs; names are isolated in `<bdi>`, so that their
//! direction does not turn the sentence around them.

use crate::figure::markup::entity;

/// Text for the inside of an element or of a quoted attribute.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match (entity(c), c) {
            (Some(entity), _) => out += entity,
            (None, '\n') => out.push(c),
            (None, c) => out.push(visible(c)),
        }
    }
    out
}

/// A name from the data: escaped, on one line, and free to run in its own direction.
pub(super) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(&one_line(text)))
}

/// A name where no element is allowed (an option of a list): shortened, and isolated by Unicode characters.
pub(super) fn label(text: &str) -> String {
    let short: String = one_line(text).chars().take(LABEL + 1).collect();
    let cut = match short.char_indices().nth(LABEL) {
        Some((end, _)) => format!("{}…", &short[..end]),
        None => short,
    };
    escape(&format!("\u{2068}{cut}\u{2069}"))
}

/// The longest label, in characters.
const LABEL: usize = 60;

/// Replaces line breaks by a visible sign, so that a name stays on one line.
fn one_line(text: &str) -> String {
    text.replace("\r\n", "\n").replace(['\n', '\r'], "␊")
}

/// JSON for the inside of a `<script type="application/json">`: no `<` that could end it, no forbidden character.
pub(super) fn json(value: &serde_json::Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        // These characters occur only inside JSON strings, so the escape is always valid.
        if matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') || visible(c) != c {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out += &format!("\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The character itself, or its replacement if HTML forbids it.
fn visible(c: char) -> char {
    match c as u32 {
        // The Unicode pictures of control characters: ␀, ␉, ␛, …
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or('\u{FFFD}'),
        0x7F => '␡',
        0x80..0xA0 | 0xFDD0..0xFDF0 => '\u{FFFD}',
        code if code & 0xFFFE == 0xFFFE => '\u{FFFD}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escape("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;"
        );
    }

    #[test]
    fn a_name_keeps_to_one_line_and_its_own_direction() {
        assert_eq!(name("a\r\nb\tc\0"), "<bdi>a␊b␉c␀</bdi>");
    }

    #[test]
    fn characters_that_html_forbids_are_replaced() {
        assert_eq!(
            escape("\u{85}\u{FFFE}\u{1FFFF}\u{FDD0}"),
            "\u{FFFD}".repeat(4)
        );
        assert_eq!(escape("é漢שּׂ😀"), "é漢שּׂ😀");
    }

    #[test]
    fn a_label_is_cut_at_a_character() {
        assert_eq!(
            label(&"é".repeat(60)),
            format!("\u{2068}{}\u{2069}", "é".repeat(60))
        );
        assert_eq!(
            label(&"é".repeat(300)),
            format!("\u{2068}{}…\u{2069}", "é".repeat(60))
        );
    }

    #[test]
    fn json_cannot_end_its_element_and_comes_back_whole() {
        let hostile = "</script><!--\u{2028}\0\u{1FFFE}é";
        let text = json(&serde_json::Value::from(hostile));
        assert!(!text.contains('<') && !text.contains('\u{1FFFE}'), "{text}");
        let back: String = serde_json::from_str(&text).unwrap();
        assert_eq!(back, hostile);
    }
}
