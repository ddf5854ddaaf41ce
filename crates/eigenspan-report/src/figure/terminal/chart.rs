//! A scatter plot of characters: braille dots, marks and names, with tick labels at its edges.

use super::lines::cut;
use crate::figure::scale::Scale;

/// The number of lines of a scatter plot.
const LINES: usize = 24;
/// The number of tick labels at its left, about.
const LABELS: usize = 6;

/// A rectangle of characters with tick labels at its left and below.
pub(super) struct Chart {
    n_cols: usize,
    width: usize,
    x: (f64, f64),
    y: (f64, f64),
    scales: (Scale, Scale),
    /// Characters with their colors.
    cells: Vec<(char, Option<u8>)>,
    /// Braille dots.
    dots: Vec<u8>,
}

impl Chart {
    pub(super) fn new(width: usize, x: (f64, f64), y: (f64, f64)) -> Self {
        Chart::scaled(width, x, y, (Scale::Even, Scale::Even))
    }

    /// A chart with these scales.
    pub(super) fn scaled(
        width: usize,
        x: (f64, f64),
        y: (f64, f64),
        scales: (Scale, Scale),
    ) -> Self {
        let labels = scales.1.ticks(y, LABELS);
        let labels = labels.iter().map(|(_, t)| t.chars().count()).max();
        let n_cols = width.saturating_sub(labels.unwrap_or(1) + 3).clamp(20, 96);
        Chart {
            n_cols,
            width,
            x,
            y,
            scales,
            cells: vec![(' ', None); n_cols * LINES],
            dots: vec![0; n_cols * LINES],
        }
    }

    /// The position of a point in characters, from the upper left; `None` if it is outside.
    fn place(&self, x: f64, y: f64, per_col: usize, per_line: usize) -> Option<(usize, usize)> {
        let (across, down) = (self.n_cols * per_col, LINES * per_line);
        let i = (x - self.x.0) / (self.x.1 - self.x.0) * across as f64;
        let j = (self.y.1 - y) / (self.y.1 - self.y.0) * down as f64;
        if !(i >= 0.0 && j >= 0.0 && i <= across as f64 && j <= down as f64) {
            return None;
        }
        Some(((i as usize).min(across - 1), (j as usize).min(down - 1)))
    }

    pub(super) fn lines(&mut self, x: f64, y: f64) {
        let col = self.place(x, self.y.0, 1, 1).map(|p| p.0);
        let line = self.place(self.x.0, y, 1, 1).map(|p| p.1);
        for i in 0..self.n_cols {
            if let Some(line) = line {
                self.cells[line * self.n_cols + i].0 = '┈';
            }
        }
        for j in 0..LINES {
            if let Some(col) = col {
                let crossing = line == Some(j);
                self.cells[j * self.n_cols + col].0 = if crossing { '┼' } else { '┊' };
            }
        }
    }

    pub(super) fn dot(&mut self, x: f64, y: f64) {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        if let Some((i, j)) = self.place(x, y, 2, 4) {
            self.dots[j / 4 * self.n_cols + i / 2] |= BITS[j % 4][i % 2];
        }
    }

    pub(super) fn mark(&mut self, x: f64, y: f64, mark: char, color: Option<u8>) {
        if let Some((i, j)) = self.place(x, y, 1, 1) {
            self.cells[j * self.n_cols + i] = (mark, color);
        }
    }

    /// Writes a name to the right or left of a point, if there is nothing yet.
    pub(super) fn name(&mut self, x: f64, y: f64, name: &str) {
        let Some((i, j)) = self.place(x, y, 1, 1) else {
            return;
        };
        let letters: Vec<char> = name.chars().take(20).collect();
        let n = letters.len();
        let right = i + 2;
        let left = i.checked_sub(n + 1);
        for start in [Some(right), left].into_iter().flatten() {
            let range = j * self.n_cols + start..j * self.n_cols + start + n;
            let free =
                |at: usize| matches!(self.cells[at].0, ' ' | '┈' | '┊' | '┼') && self.dots[at] == 0;
            if start + n <= self.n_cols && range.clone().all(free) {
                for (at, letter) in range.zip(letters) {
                    self.cells[at] = (letter, None);
                }
                return;
            }
        }
    }

    pub(super) fn print(&self, x_title: &str, y_title: &str) -> String {
        let labels = self.scales.1.ticks(self.y, LABELS);
        let wide = labels
            .iter()
            .map(|(_, t)| t.chars().count())
            .max()
            .unwrap_or(0);
        let mut out = format!(" {}\n", cut(y_title, self.width.saturating_sub(1)));
        for line in 0..LINES {
            let label = labels
                .iter()
                .find(|(y, _)| self.place(self.x.0, *y, 1, 1).map(|p| p.1) == Some(line));
            let (label, edge) = label.map_or(("", '│'), |(_, text)| (text.as_str(), '┤'));
            let mut text = String::new();
            for at in line * self.n_cols..(line + 1) * self.n_cols {
                let (mark, color) = self.cells[at];
                let plain = matches!(mark, ' ' | '┈' | '┊' | '┼');
                match (self.dots[at], color) {
                    (dots, _) if dots != 0 && plain => {
                        text.push(char::from_u32(0x2800 + u32::from(dots)).unwrap_or('·'));
                    }
                    (_, Some(color)) => text += &format!("\x1b[{color}m{mark}\x1b[0m"),
                    _ => text.push(mark),
                }
            }
            out += format!(" {label:>wide$}{edge}{text}").trim_end();
            out.push('\n');
        }
        let (edge, numbers) = axis_lines(self.n_cols, (self.x, self.scales.0));
        let pad = " ".repeat(wide + 1);
        let title = cut(x_title, self.width.saturating_sub(wide + 2));
        format!("{out}{pad}└{edge}\n{pad} {numbers}\n{pad} {title}\n")
    }
}

/// The column of a number; `None` if it is outside.
pub(super) fn place(x: f64, span: (f64, f64), n_cols: usize) -> Option<usize> {
    let at = (x - span.0) / (span.1 - span.0) * n_cols as f64;
    (at >= 0.0 && at <= n_cols as f64).then(|| (at as usize).min(n_cols - 1))
}

/// The tick labels below a line that begins at this column.
pub(super) fn lower_axis(n_cols: usize, axis: ((f64, f64), Scale), pad: usize) -> String {
    let (_, numbers) = axis_lines(n_cols, axis);
    format!("{}{numbers}", " ".repeat(pad))
}

/// The line at the bottom of a chart, and the tick labels below it, none of which goes beyond its end.
fn axis_lines(n_cols: usize, (span, scale): ((f64, f64), Scale)) -> (String, String) {
    let mut edge: Vec<char> = vec!['─'; n_cols];
    let mut numbers: Vec<char> = vec![' '; n_cols];
    let mut free = 0;
    for (x, text) in scale.ticks(span, (n_cols / 12).max(2)) {
        let Some(i) = place(x, span, n_cols) else {
            continue;
        };
        let n = text.chars().count();
        let start = i.saturating_sub(n / 2).min(n_cols.saturating_sub(n));
        if start < free || n > n_cols {
            continue;
        }
        edge[i] = '┬';
        for (slot, c) in numbers[start..].iter_mut().zip(text.chars()) {
            *slot = c;
        }
        free = start + n + 2;
    }
    let numbers: String = numbers.into_iter().collect();
    (edge.into_iter().collect(), numbers.trim_end().to_owned())
}
