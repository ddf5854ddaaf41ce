//! Accuracies in the terminal: for each classifier a line of bars per reduction, one bar for each number of components.

use super::super::accuracy::{Line, Panels};
use super::super::measure;
use super::lines::{cut, cut_name};

/// Bars from the lowest to the highest accuracy of the figure.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Panels {
    /// Draws the figure for a terminal of this width.
    pub fn terminal(&self, width: usize) -> String {
        let names: Vec<String> = (self.names.iter())
            .map(|name| cut_name(&measure::label(name), (width / 3).max(8)))
            .collect();
        let name = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let room = width.saturating_sub(name + 4).max(1);
        let (low, high) = self.ends();
        let mut out = cut(
            &format!(" each bar is one number of components; ▁ {low:.3}  █ {high:.3}"),
            width,
        );
        out.push('\n');
        for panel in &self.panels {
            out += &format!(
                "\n {}\n",
                cut(&measure::label(&panel.title), width.saturating_sub(1))
            );
            for (line, text) in panel.lines.iter().zip(&names) {
                let bars = bars(line, (low, high), room);
                let pad = " ".repeat(name - text.chars().count().min(name));
                out += format!(" {text}{pad}  {bars}").trim_end();
                out.push('\n');
            }
        }
        out
    }

    /// The lowest and the highest accuracy with a fixed number of components.
    fn ends(&self) -> (f64, f64) {
        let lines = self.panels.iter().flat_map(|panel| &panel.lines);
        let means = lines.flat_map(|line| line.points.iter().map(|point| point.1));
        let ends = means.filter(|mean| mean.is_finite());
        let ends = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| {
            (low.min(mean), high.max(mean))
        });
        if ends.0 > ends.1 { (0.0, 1.0) } else { ends }
    }
}

fn bars(line: &Line, (low, high): (f64, f64), room: usize) -> String {
    let bar = |mean: f64| match (mean - low) / (high - low) {
        _ if !mean.is_finite() => ' ',
        share if share.is_finite() => BARS[((share * 8.0) as usize).min(7)],
        _ => BARS[7],
    };
    let all = line.points.iter().map(|point| bar(point.1));
    cut(&all.collect::<String>(), room)
}
