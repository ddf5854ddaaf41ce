//! As much of Rust's grammar as the rules need: what is code and what is not, what is for tests, which names a path takes.
//!
//! Everything that is taken out is replaced by blanks, so that lines and columns stay what they were.

/// The text without comments, and without what stands between quotes.
pub(super) fn bare(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = match (at(i), at(i + 1)) {
            ('/', '/') => line_end(&chars, i),
            ('/', '*') => comment_end(&chars, i),
            ('"', _) => quote_end(&chars, i),
            ('r', '"' | '#') if !is_word(at(i.wrapping_sub(1))) || is_prefix(&chars, i) => {
                raw_quote_end(&chars, i).unwrap_or(i)
            }
            // 'x' and '\n' are characters, 'x without a second quote is a lifetime.
            ('\'', '\\') => char_end(&chars, i),
            ('\'', _) if at(i + 2) == '\'' => i + 3,
            _ => i,
        };
        if end == i {
            out.push(chars[i]);
            i += 1;
        } else {
            out.extend(
                chars[i..end]
                    .iter()
                    .map(|&c| if c == '\n' { '\n' } else { ' ' }),
            );
            i = end;
        }
    }
    out
}

/// `r` after a `b` or `c` that starts a word: `br"…"`.
fn is_prefix(chars: &[char], r: usize) -> bool {
    r >= 1 && matches!(chars[r - 1], 'b' | 'c') && (r < 2 || !is_word(chars[r - 2]))
}

fn line_end(chars: &[char], from: usize) -> usize {
    chars[from..]
        .iter()
        .position(|&c| c == '\n')
        .map_or(chars.len(), |n| from + n)
}

fn comment_end(chars: &[char], from: usize) -> usize {
    let (mut depth, mut i) = (0, from);
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

fn quote_end(chars: &[char], from: usize) -> usize {
    let mut i = from + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

fn char_end(chars: &[char], from: usize) -> usize {
    // The character after the backslash may itself be a quote.
    let rest = chars.iter().skip(from + 3).position(|&c| c == '\'');
    rest.map_or(chars.len(), |n| from + 3 + n + 1)
}

/// The end of `r"…"` or `r##"…"##`; nothing for a raw name such as `r#type`.
fn raw_quote_end(chars: &[char], from: usize) -> Option<usize> {
    let hashes = chars[from + 1..].iter().take_while(|&&c| c == '#').count();
    let open = from + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes =
        |&i: &usize| chars[i] == '"' && (1..=hashes).all(|n| chars.get(i + n) == Some(&'#'));
    Some(
        (open + 1..chars.len())
            .find(closes)
            .map_or(chars.len(), |i| i + 1 + hashes),
    )
}

/// Bare code without the items that are compiled for tests only.
pub(super) fn without_tests(code: &str) -> String {
    let mut out = code.to_owned();
    for marker in ["#[cfg(test)]", "#[cfg(all(test,"] {
        while let Some(start) = out.find(marker) {
            let end = item_end(&out, start);
            let blank: String = out[start..end]
                .chars()
                .map(|c| if c == '\n' { '\n' } else { ' ' })
                .collect();
            out.replace_range(start..end, &blank);
        }
    }
    out
}

/// Where the item that starts with an attribute at `from` ends: after its `;`, or after its braces.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (i, c) in code[from..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if c == '}' && depth == 0 {
                    return from + i + 1;
                }
            }
            ';' if depth == 0 => return from + i + 1,
            _ => {}
        }
    }
    code.len()
}

/// The names that directly follow `root::` in bare code, with their lines: `crate::a::b` and `crate::{a, b::c}` both
/// name `a`.
pub(super) fn names_below<'c>(code: &'c str, root: &str) -> Vec<(usize, &'c str)> {
    let mut names = Vec::new();
    for start in words(code, root) {
        let Some(rest) = code[start + root.len()..].strip_prefix("::") else {
            continue;
        };
        let from = code.len() - rest.len();
        for at in heads(code, from) {
            names.push((line_of(code, at), word_at(code, at)));
        }
    }
    names
}

/// Where the first names of a path's continuation stand: one for `a::b`, several for `{a, b::{c, d}}`.
fn heads(code: &str, from: usize) -> Vec<usize> {
    if !code[from..].starts_with('{') {
        return vec![from];
    }
    let (mut depth, mut fresh, mut found) = (0_usize, false, Vec::new());
    for (i, c) in code[from..].char_indices() {
        match c {
            '{' => (depth, fresh) = (depth + 1, depth == 0),
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            ',' => fresh = depth == 1,
            _ if fresh && is_word(c) => {
                found.push(from + i);
                fresh = false;
            }
            _ => {}
        }
    }
    found
}

/// Where `word` stands in bare code as a whole word.
pub(super) fn words<'c>(code: &'c str, word: &'c str) -> impl Iterator<Item = usize> + 'c {
    code.match_indices(word)
        .map(|(start, _)| start)
        .filter(move |&start| {
            let before = code[..start].chars().next_back();
            let after = code[start + word.len()..].chars().next();
            let starts = !word.starts_with(is_word) || !before.is_some_and(is_word);
            let ends = !word.ends_with(is_word) || !after.is_some_and(is_word);
            starts && ends
        })
}

/// The line of a place in a text, from 1.
pub(super) fn line_of(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count() + 1
}

fn word_at(code: &str, place: usize) -> &str {
    let rest = &code[place..];
    &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_quotes_are_not_code() {
        let code = bare("let a = \"x // y\"; // z\n/* p /* q */ r */ let b = r#\"s\"t\"#;");
        assert_eq!(
            code.split_whitespace().collect::<Vec<_>>(),
            ["let", "a", "=", ";", "let", "b", "=", ";"]
        );
    }

    #[test]
    fn places_stay_where_they_were() {
        let text = "a /* ü\n */ \"b\\\"\nc\" d";
        let code = bare(text);
        assert_eq!(code.lines().count(), text.lines().count());
        assert_eq!(line_of(&code, code.find('d').unwrap_or(0)), 3);
    }

    #[test]
    fn lifetimes_are_code_and_characters_are_not() {
        assert_eq!(
            bare("f::<'a>('\"', '\\'', b'x') + 'b"),
            "f::<'a>(   ,     , b   ) + 'b"
        );
    }

    #[test]
    fn raw_names_are_code_and_raw_bytes_are_not() {
        assert_eq!(bare("r#type br\"x\" for\"y\""), "r#type b     for   ");
    }

    #[test]
    fn test_items_are_left_out_and_what_follows_is_not() {
        let code = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { x[1]; } }\nfn c() {}\n#[cfg(test)]\nuse d;\nfn e() {}";
        let kept: String = without_tests(code).split_whitespace().collect();
        assert_eq!(kept, "fna(){}fnc(){}fne(){}");
    }

    #[test]
    fn test_items_with_several_parameters_are_left_out_whole() {
        let code = "#[cfg(test)]\nimpl<A, B> Pair<A, B> { fn f<C, D>() {} }\nfn g() {}";
        assert_eq!(without_tests(code).trim(), "fn g() {}");
    }

    #[test]
    fn both_ways_to_write_a_path_give_its_first_names() {
        let code =
            "use crate::a::b;\nuse crate::{\n    c::{d, e},\n    f,\n};\nmy_crate::g(); crate::h()";
        assert_eq!(
            names_below(code, "crate"),
            [(1, "a"), (3, "c"), (4, "f"), (6, "h")]
        );
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(
            words("faer faer_ext myfaer faer::x", "faer").collect::<Vec<_>>(),
            [0, 21]
        );
    }
}
