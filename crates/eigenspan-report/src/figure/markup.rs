//! Escapes text so that it is never read as markup, for SVG and for the page.

/// The entity of a markup character; `None` for any other character.
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

/// Text escaped for XML: markup characters become entities, characters that XML forbids become `�`.
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
