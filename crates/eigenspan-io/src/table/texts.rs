//! The cells of a column as text, one after the other in one piece of memory.

/// The cells of a column as text, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextColumn {
    text: String,
    ends: Vec<usize>,
}

impl TextColumn {
    /// Adds a cell.
    pub fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of all cells, one after the other.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where each cell ends.
    pub(crate) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Bytes of all cells.
    pub(crate) fn n_bytes(&self) -> usize {
        self.text.len()
    }

    /// One cell; an empty text beyond the last row.
    pub fn get(&self, row: usize) -> &str {
        let start = match row {
            0 => 0,
            _ => self.ends.get(row - 1).copied().unwrap_or_default(),
        };
        let end = self.ends.get(row).copied().unwrap_or(start);
        self.text.get(start..end).unwrap_or_default()
    }

    /// All cells in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// All cells in order, each as its own `String`.
    pub fn into_strings(self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }
}

impl<S: AsRef<str>> FromIterator<S> for TextColumn {
    fn from_iter<I: IntoIterator<Item = S>>(cells: I) -> Self {
        let mut column = TextColumn::default();
        for cell in cells {
            column.push(cell.as_ref());
        }
        column
    }
}
