//! Colors by how far a picture tears each row from its nearest rows, and words on how good the map of a model is.

use eigenspan::evaluate::torn;
use eigenspan::method::Fitted;
use eigenspan::note::Clause;
use eigenspan::source::Numbers;
use eigenspan::{Context, Mat};

use super::FigureOptions;
use super::rows::Color;
use crate::JobError;
use crate::figure::{Draw, Figure, Size};
use crate::subject::{OpenRows, on_columns};
use crate::words::wrapped;

/// The word that asks for these colors, unless a column has this name.
pub(super) const TORN: &str = "torn";
/// Every row is compared with all others; with more rows than this, it takes too long.
const MOST: usize = 20_000;

impl Color {
    /// The requested column, or how far the drawn coordinates (one row for each row) tear each row from its nearest rows.
    pub(super) fn of_drawn(
        ctx: &Context,
        (opened, fitted): (&OpenRows, &dyn Fitted),
        options: &FigureOptions,
        drawn: &Mat<f64>,
    ) -> Result<Self, JobError> {
        let asked = options.color.as_deref() == Some(TORN);
        let known = opened.table.all_columns();
        if !asked || known.iter().any(|name| name == TORN) {
            return Color::choose(opened, options);
        }
        let n = drawn.n_rows();
        if n > MOST {
            return Err(JobError::Usage {
                what: format!(
                    "how far rows are torn from their neighbors is compared with all {} rows, which is too many",
                    eigenspan::error::grouped(n as u64)
                ),
                advice: Clause::set("sample", "20000")
                    .then(" draws that many rows")
                    .into(),
            });
        }
        let found = on_columns!(ctx, opened, source => {
            torn(ctx, fitted, Numbers::from_source(source), drawn)
        });
        let of_rows = found.map_err(|error| opened.named(error))?;
        let of_rows = of_rows.ok_or_else(|| JobError::Usage {
            what: format!(
                "how far rows are torn from their neighbors is not known here: it takes distances of at least 3 rows, and {} of this table has none",
                fitted.short_name()
            ),
            advice: Clause::name("color_by").then(" takes a column").into(),
        })?;
        Ok(Color::Torn(of_rows))
    }

    /// What these colors mean, where the drawing alone does not say it.
    pub(super) fn caption(&self) -> Option<&'static str> {
        match self {
            Color::Torn(_) => Some(
                "Color says how far each row is torn from the 10 rows nearest to it in the table (all columns): 0 where all of them are \
                 also nearest in the picture, 1 where all of them lie as far from it as they can.",
            ),
            _ => None,
        }
    }
}

/// A drawing whose caption says more.
pub(super) struct Explained<'a> {
    pub(super) drawing: &'a dyn Draw,
    pub(super) sentences: Vec<String>,
}

impl Draw for Explained<'_> {
    fn figure(&self, size: Size) -> Figure {
        let mut figure = self.drawing.figure(size);
        for sentence in &self.sentences {
            figure.caption += &format!(" {sentence}");
        }
        figure
    }

    fn terminal(&self, width: usize) -> String {
        let mut out = self.drawing.terminal(width);
        for line in self.sentences.iter().flat_map(|said| wrapped(said, width)) {
            out += &format!("{line}\n");
        }
        out
    }
}
