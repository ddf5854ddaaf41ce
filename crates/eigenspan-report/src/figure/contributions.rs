//! Contributions and cos²: which columns or rows make up a component, and which are well represented by it?

use eigenspan::error::grouped;
use eigenspan::linalg::sort_largest_first;

use super::bars::{Bar, Bars};
use super::measure;
use super::palette::{BLUE, GREEN};
use super::scene::Ink;
use super::{Csv, Figure, Size, capital, cell, listed};
use crate::words::percent;

/// Which shares are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareKind {
    /// Contributions: how much of the component's variance each member makes up; they sum to 1.
    Contribution,
    /// Cos²: how much of a member the component shows, from 0 to 1.
    Cos2,
}

/// Contributions or cos² of columns or rows, for one component or several together.
#[derive(Debug, Clone, Copy)]
pub struct Contributions<'a> {
    /// Which shares.
    pub kind: ShareKind,
    /// The component or components: `PC1`, `the first 3 components`.
    pub of: &'a str,
    /// Whether that is more than one component.
    pub several: bool,
    /// What a member is called: `column`, `row`.
    pub noun: &'a str,
    /// One share per member, from 0 to 1.
    pub shares: &'a [f64],
    /// Their names.
    pub names: &'a [String],
}

/// At most this many bars are drawn.
const MOST: usize = 24;

impl Contributions<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let order = self.order();
        let n = order.len();
        let even = 1.0 / n.max(1) as f64;
        let rows = Bars::room(size.height - 24.0).min(MOST).min(n);
        let mark = match self.kind {
            ShareKind::Contribution => Some(even),
            ShareKind::Cos2 => None,
        };
        let strong = |share: f64| match self.kind {
            ShareKind::Contribution => share > even,
            ShareKind::Cos2 => share >= 0.5,
        };
        let bars: Vec<Bar> = order
            .iter()
            .take(rows)
            .map(|&j| Bar {
                name: measure::label(&self.names[j]),
                value: 100.0 * self.shares[j],
                ink: match (strong(self.shares[j]), self.kind) {
                    (false, _) => Ink::Other,
                    (true, ShareKind::Contribution) => BLUE,
                    (true, ShareKind::Cos2) => GREEN,
                },
                interval: None,
            })
            .collect();
        let heading = match self.kind {
            ShareKind::Contribution => {
                format!("share of {} made up by each {}", self.of, self.noun)
            }
            ShareKind::Cos2 => format!("share of each {} shown by {} (cos²)", self.noun, self.of),
        };
        let drawn = Bars {
            bars: &bars,
            heading,
            mark: mark.map(|m| 100.0 * m),
            unit: " %",
            span: (self.kind == ShareKind::Cos2).then_some((0.0, 102.0)),
            names: None,
        };
        let scene = drawn.alone(size);
        Figure {
            id: self.id(),
            title: self.finding(&order),
            subtitle: self.subtitle(n, rows, even),
            caption: self.caption(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.shares.len().min(self.names.len()))
            .filter(|&j| self.shares[j].is_finite())
            .collect();
        sort_largest_first(&mut order, &|j| self.shares[j]);
        order
    }

    fn id(&self) -> String {
        let word = match self.kind {
            ShareKind::Contribution => "contributions",
            ShareKind::Cos2 => "cos2",
        };
        let of: String = self
            .of
            .chars()
            .filter(|c| c.is_ascii_alphanumeric())
            .collect();
        format!("{word}-{}s-{}", self.noun, of.to_lowercase())
    }

    fn finding(&self, order: &[usize]) -> String {
        let names: Vec<String> = order
            .iter()
            .take(3)
            .map(|&j| measure::label(&self.names[j]))
            .collect();
        let top: f64 = order.iter().take(3).map(|&j| self.shares[j]).sum();
        match (self.kind, order.first()) {
            (_, None) => format!("There is no {} to show", self.noun),
            (ShareKind::Contribution, Some(_)) => {
                let verb = if names.len() == 1 { "makes" } else { "make" };
                format!(
                    "{} {verb} up {} of {}",
                    listed(&names),
                    percent(top),
                    self.of
                )
            }
            (ShareKind::Cos2, Some(_)) => {
                let well = order.iter().filter(|&&j| self.shares[j] >= 0.5).count();
                let verb = if self.several { "show" } else { "shows" };
                format!(
                    "{} {verb} at least half of {} of {} {}s",
                    capital(self.of),
                    grouped(well as u64),
                    grouped(order.len() as u64),
                    self.noun
                )
            }
        }
    }

    fn subtitle(&self, n: usize, rows: usize, even: f64) -> String {
        let mut parts = Vec::new();
        match self.kind {
            ShareKind::Contribution => parts.push(format!(
                "dashed: {}, what each {} would make up if all were equal",
                percent(even),
                self.noun
            )),
            ShareKind::Cos2 => parts.push("green: more than half is shown".to_owned()),
        }
        if n > rows {
            let rest = grouped((n - rows) as u64);
            parts.push(format!("the {rows} largest, and {rest} more"));
        }
        let missing = self.shares.len() - n.min(self.shares.len());
        if missing > 0 {
            parts.push(format!("{missing} without a value not drawn"));
        }
        parts.join(" · ")
    }

    fn caption(&self) -> String {
        match self.kind {
            ShareKind::Contribution => format!(
                "Which {}s make {}? Each bar is a {}'s share of the component's variance; those beyond the dashed line matter \
                 more than an even share.",
                self.noun, self.of, self.noun
            ),
            ShareKind::Cos2 => format!(
                "Which {}s are well shown? Each bar is the part of a {} that lies in {}; where a bar is short, other \
                 components show more.",
                self.noun, self.noun, self.of
            ),
        }
    }

    fn csv(&self) -> String {
        let word = match self.kind {
            ShareKind::Contribution => "contribution",
            ShareKind::Cos2 => "cos2",
        };
        let mut csv = Csv::new([self.noun, word]);
        for (name, share) in self.names.iter().zip(self.shares) {
            csv.line([name.clone(), cell(*share)]);
        }
        csv.0
    }
}
