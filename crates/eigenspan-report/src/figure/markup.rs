//! Text that is never read as markup, for SVG and for the page.

/// A character of markup as text shows it; none for any other.
pub(crate) fn entity(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    }
}

/// Text as XML takes it: markup becomes letters, what XML does not know becomes `�`.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match (entity(c), c) {
            (Some(entity), _) => out += entity,
            (None, '\t' | '\n' | '\r') => out.push(' '),
            (None, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}')
            }
            (None, c) => out.push(c),
        }
    }
    out
}
