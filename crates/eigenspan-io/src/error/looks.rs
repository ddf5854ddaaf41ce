//! What a text that is not a number looks like, and what to do about it.

use eigenspan::note::{Advice, Clause};

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
    pub(crate) fn advice(self, token: &str, column: &str, mostly_text: bool) -> Advice {
        let exclude = || Clause::list("exclude", [column]).then(" leaves the column out");
        match self {
            Looks::DecimalComma => Clause::set("decimal", ",")
                .then(" reads commas as decimal marks")
                .into(),
            Looks::Thousands => {
                "write numbers without thousands separators: 1234, not 1,234".into()
            }
            Looks::Minus => format!(
                "one cell alone with a typographic minus is taken for a slip: write {}",
                token.trim().replacen('\u{2212}', "-", 1)
            )
            .into(),
            Looks::Unit => [
                Clause::say("write the number alone, without unit or sign"),
                exclude(),
            ]
            .into(),
            Looks::Other if mostly_text => exclude().into(),
            Looks::Other => [
                Clause::list("missing_values", [token]).then(" reads such cells as missing"),
                Clause::set("missing", "mean").then(" then fills them"),
            ]
            .into(),
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
