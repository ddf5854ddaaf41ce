//! What a text that is not a number looks like, and what to do about it.

use super::quoted_word;

/// What a text that is not a number looks like, which decides the tip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// `1,5`.
    DecimalComma,
    /// `1,234` or `1 234.5`.
    Thousands,
    /// `−5`, with a typographic minus.
    Minus,
    /// A number with a unit, a currency or a percent sign.
    Unit,
    /// Anything else.
    Other,
}

impl Looks {
    /// What `token` looks like.
    pub(crate) fn from_token(token: &str) -> Looks {
        let word = token.trim();
        let minus = word.strip_prefix('\u{2212}');
        if minus.is_some_and(|rest| rest.trim().parse::<f64>().is_ok()) {
            return Looks::Minus;
        }
        let unsigned = word.trim_start_matches(['-', '+']);
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let whole = unsigned.split('.').next().unwrap_or_default();
        let groups: Vec<&str> = whole
            .split([',', '\'', ' ', '_', '\u{a0}', '\u{202f}', '\u{2009}', '’'])
            .collect();
        if let [first, rest @ ..] = groups.as_slice()
            && !rest.is_empty()
            && digits(first)
            && first.len() <= 3
            && rest.iter().all(|g| digits(g) && g.len() == 3)
        {
            return Looks::Thousands;
        }
        if let Some((left, right)) = unsigned.split_once(',')
            && digits(left)
            && digits(right)
        {
            return Looks::DecimalComma;
        }
        let bare = unsigned
            .trim_start_matches(['$', '€', '£', '¥'])
            .trim_end_matches(|c: char| c.is_alphabetic() || "%€$£°".contains(c))
            .trim();
        if bare.len() < unsigned.len() && bare.parse::<f64>().is_ok() {
            return Looks::Unit;
        }
        Looks::Other
    }

    /// What to do about it.
    pub(crate) fn tip(self, token: &str, column: &str, mostly_text: bool) -> String {
        let column = quoted_word(column);
        match self {
            Looks::DecimalComma => "--decimal , reads commas as decimal marks".to_owned(),
            Looks::Thousands => {
                "write numbers without thousands separators: 1234, not 1,234".to_owned()
            }
            Looks::Minus => format!(
                "one cell alone with a typographic minus is taken for a slip: write {}",
                token.trim().replacen('\u{2212}', "-", 1)
            ),
            Looks::Unit => format!(
                "write the number alone, without unit or sign; --exclude {column} leaves the column out"
            ),
            Looks::Other if mostly_text => {
                format!("--exclude {column} leaves the column out")
            }
            Looks::Other => format!(
                "--missing-values {} reads such cells as missing; --missing mean then fills them",
                quoted_word(token)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Looks;

    #[test]
    fn what_a_text_looks_like_decides_the_tip() {
        assert_eq!(Looks::from_token("1,234"), Looks::Thousands);
        assert_eq!(Looks::from_token("1\u{a0}000.5"), Looks::Thousands);
        assert_eq!(Looks::from_token("-1,5"), Looks::DecimalComma);
        assert_eq!(Looks::from_token("$5"), Looks::Unit);
        assert_eq!(Looks::from_token("−5.5"), Looks::Minus);
        assert_eq!(Looks::from_token("12 kg"), Looks::Unit);
        assert_eq!(Looks::from_token("oops"), Looks::Other);
    }
}
