//! The map of the rows for a terminal, as a value: a report makes it once, and the terminal that prints it gives the width.

use crate::figure::Component;
use crate::figure::coloring::Coloring;
use crate::figure::rows::Rows;
use crate::figure::scores::Scores;

/// The rows of a report on the first two components, or on a number line if there is only one.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallMap {
    /// Scores across and upward.
    scores: [Vec<f64>; 2],
    /// The components across and upward: name, share and meaning.
    axes: [(String, Option<f64>, String); 2],
    names: Option<Vec<String>>,
    numbers: Option<Vec<usize>>,
    /// The column that colors the rows, and the class of each row.
    classes: Option<(String, Vec<String>)>,
    ellipses: bool,
    /// How many rows are drawn, if that is not all.
    sampled: String,
}

impl SmallMap {
    /// The map that a figure shows, with a sentence on how many of the rows it draws.
    pub(super) fn new(plane: &Scores<'_>, sampled: Option<String>) -> Self {
        let axis = |axis: Component<'_>| (axis.name.to_owned(), axis.share, axis.words.to_owned());
        SmallMap {
            scores: [plane.x.to_vec(), plane.y.to_vec()],
            axes: [axis(plane.x_axis), axis(plane.y_axis)],
            names: plane.rows.names.map(<[String]>::to_vec),
            numbers: plane.rows.numbers.map(<[usize]>::to_vec),
            classes: match plane.coloring {
                Coloring::Classes { name, classes } => Some((name.to_owned(), classes.to_vec())),
                Coloring::None | Coloring::Values { .. } => None,
            },
            ellipses: plane.ellipses,
            sampled: sampled.map_or(String::new(), |sampled| format!("{sampled}\n")),
        }
    }

    /// The map for a terminal of this width.
    pub fn text(&self, width: usize) -> String {
        let component = |c: usize| {
            let (name, share, words) = &self.axes[c];
            Component {
                name,
                share: *share,
                words,
            }
        };
        let plane = Scores {
            x: &self.scores[0],
            y: &self.scores[1],
            x_axis: component(0),
            y_axis: component(1),
            rows: Rows {
                names: self.names.as_deref(),
                numbers: self.numbers.as_deref(),
            },
            coloring: match &self.classes {
                Some((name, classes)) => Coloring::Classes { name, classes },
                None => Coloring::None,
            },
            ellipses: self.ellipses,
        };
        plane.terminal(width) + &self.sampled
    }
}
