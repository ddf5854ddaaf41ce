//! Lines of text that fit into a terminal: measured by their visible width, shortened or wrapped if they are too long.

/// The visible width of a text in columns: color codes take none, wide letters two.
pub(crate) fn columns(text: &str) -> usize {
    let mut count = 0;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\x1b' => {
                letters.by_ref().find(char::is_ascii_alphabetic);
            }
            c => count += columns_of(c),
        }
    }
    count
}

fn columns_of(c: char) -> usize {
    let wide = matches!(u32::from(c),
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f
        | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd);
    if wide { 2 } else { 1 }
}

/// A plain text shortened to this many columns; `…` marks what is left out.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += columns_of(c);
        if used > most {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end_matches([' ', ',', '·', ':', '(']).len());
    out + "…"
}

/// A name shortened to this many columns: `…` replaces its middle, because names that begin alike often differ at their end.
pub(crate) fn cut_name(name: &str, most: usize) -> String {
    if columns(name) <= most || most < 6 {
        return cut(name, most);
    }
    let letters: Vec<char> = name.chars().collect();
    let mut kept = letters.len() - 1;
    loop {
        let (start, end) = (kept - kept / 2, kept / 2);
        let first: String = letters[..start].iter().collect();
        let last: String = letters[letters.len() - end..].iter().collect();
        let shorter = format!("{}…{}", first.trim_end(), last.trim_start()).replace("……", "…");
        if columns(&shorter) <= most || kept <= 2 {
            return shorter;
        }
        kept -= 1;
    }
}

/// Texts one after another with this many spaces between them, in as many lines as necessary; each line begins with a space,
/// those after the first with two more.
pub(crate) fn flow(texts: &[String], blanks: usize, width: usize) -> String {
    let mut out = String::new();
    let mut line = String::from(" ");
    let mut fresh = true;
    for text in texts {
        let gap = if fresh { 0 } else { blanks };
        if !fresh && columns(&line) + gap + columns(text) > width {
            out += line.trim_end();
            out.push('\n');
            line = format!("   {text}");
        } else {
            line += &" ".repeat(gap);
            line += text;
        }
        fresh = false;
    }
    out += line.trim_end();
    out.push('\n');
    out
}

/// Words in as many lines as necessary.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let words: Vec<String> = text
        .split(' ')
        .map(|word| cut(word, width.saturating_sub(4).max(4)))
        .collect();
    flow(&words, 1, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_take_no_room_and_wide_letters_two() {
        assert_eq!(columns("\x1b[31mab\x1b[0m"), 2);
        assert_eq!(columns("日本"), 4);
    }

    #[test]
    fn texts_flow_within_the_width() {
        let texts: Vec<String> = (0..9).map(|i| format!("class {i} (1,000)")).collect();
        let out = flow(&texts, 3, 40);
        assert!(out.lines().all(|line| columns(line) <= 40), "{out}");
        assert_eq!(out.lines().count(), 5);
        assert_eq!(
            cut_name("a long name of a column (mg/l)", 14),
            "a long…(mg/l)"
        );
    }
}
