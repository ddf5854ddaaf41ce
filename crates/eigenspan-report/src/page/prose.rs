//! Sentences in which our words and names from the data are kept apart until they are written.

use super::escape::{escape, name};

/// One or more sentences.
///
/// ```
/// use eigenspan_report::page::Prose;
///
/// let said = Prose::new().name("N Ireland").words(" stands apart on ").strong("PC1").words(".");
/// assert_eq!(said.plain(), "N Ireland stands apart on PC1.");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prose {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Words(String),
    Name(String),
    Strong(String),
    Code(String),
}

impl Prose {
    /// An empty text.
    pub fn new() -> Self {
        Prose::default()
    }

    /// Adds words of ours.
    pub fn words(self, text: impl Into<String>) -> Self {
        self.with(Part::Words(text.into()))
    }

    /// Adds a name from the data: of a column, a row, a level, a file.
    pub fn name(self, text: impl Into<String>) -> Self {
        self.with(Part::Name(text.into()))
    }

    /// Adds names with commas between them and an `and` before the last.
    pub fn names<S: AsRef<str>>(mut self, names: &[S]) -> Self {
        for (i, name) in names.iter().enumerate() {
            let before = match i {
                0 => "",
                _ if i + 1 == names.len() => " and ",
                _ => ", ",
            };
            self = self.words(before).name(name.as_ref());
        }
        self
    }

    /// Adds the number or word that matters, in bold.
    pub fn strong(self, text: impl Into<String>) -> Self {
        self.with(Part::Strong(text.into()))
    }

    /// Adds a command or an option to type.
    pub fn code(self, text: impl Into<String>) -> Self {
        self.with(Part::Code(text.into()))
    }

    /// Appends other sentences.
    pub fn joined(mut self, other: Prose) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text without emphasis.
    pub fn plain(&self) -> String {
        let text = |part: &Part| match part {
            Part::Words(text) | Part::Name(text) | Part::Strong(text) | Part::Code(text) => {
                text.clone()
            }
        };
        self.parts.iter().map(text).collect()
    }

    /// The text as HTML for the inside of a paragraph.
    pub(super) fn html(&self) -> String {
        let html = |part: &Part| match part {
            Part::Words(text) => escape(text),
            Part::Name(text) => name(text),
            Part::Strong(text) => format!("<strong>{}</strong>", escape(text)),
            Part::Code(text) => format!("<code>{}</code>", escape(text)),
        };
        self.parts.iter().map(html).collect()
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

impl From<&str> for Prose {
    fn from(text: &str) -> Self {
        Prose::new().words(text)
    }
}

impl From<String> for Prose {
    fn from(text: String) -> Self {
        Prose::new().words(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_escaped() {
        let all = Prose::new().words("<").name("<").strong("<").code("<");
        assert_eq!(
            all.html(),
            "&lt;<bdi>&lt;</bdi><strong>&lt;</strong><code>&lt;</code>"
        );
    }

    #[test]
    fn names_are_listed_as_people_list_them() {
        assert_eq!(Prose::new().names(&["a"]).plain(), "a");
        assert_eq!(Prose::new().names(&["a", "b", "c"]).plain(), "a, b and c");
    }
}
