//! How similar components are in halves of the rows: would other rows give the same map?

use super::bars::{Bar, Bars};
use super::measure;
use super::palette::GREEN;
use super::scene::Ink;
use super::{Csv, Figure, Size, cell};
use crate::words::hundredths;

/// Correlations of components with the components of models of halves of the rows.
#[derive(Debug, Clone, Copy)]
pub struct Alike<'a> {
    /// Names of the components.
    pub names: &'a [String],
    /// The median multiple correlation of each component, from 0 to 1.
    pub medians: &'a [f64],
    /// The interval that contains nine of ten draws, per component.
    pub ends: &'a [(f64, f64)],
    /// The number of draws.
    pub n_draws: usize,
}

/// From this correlation on, a component counts as the same.
pub(crate) const SAME: f64 = 0.9;

impl Alike<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let rows = Bars::room(size.height - 24.0).min(self.medians.len());
        let bars: Vec<Bar> = self.bars().take(rows).collect();
        let drawn = Bars {
            bars: &bars,
            heading: "correlation with the components of half of the rows".to_owned(),
            mark: Some(SAME),
            unit: "",
            span: Some((0.0, 1.02)),
            names: None,
        };
        let scene = drawn.alone(size);
        Figure {
            id: "stability".to_owned(),
            title: self.finding(),
            subtitle: format!("dashed: {}", hundredths(SAME)),
            caption: format!(
                "Would other rows give the same components? Each bar is the multiple correlation of a component with the components \
                 that half of the rows give, the median of {} halves; the whisker holds nine of ten of them. At 1 a component is the \
                 same in every half; the dashed line is at {}.",
                self.n_draws,
                hundredths(SAME)
            ),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn bars(&self) -> impl Iterator<Item = Bar> + '_ {
        let all = self.names.iter().zip(self.medians).zip(self.ends);
        all.map(|((name, median), ends)| Bar {
            name: measure::label(name),
            value: *median,
            ink: if *median >= SAME { GREEN } else { Ink::Other },
            interval: Some(*ends),
        })
    }

    /// The main result, as the title of the figure.
    fn finding(&self) -> String {
        let same = self.medians.iter().filter(|r| **r >= SAME).count();
        match (same, self.medians) {
            (_, [one]) => format!(
                "{} correlates by {} with the component of half of the rows",
                self.names.first().map_or("The component", String::as_str),
                hundredths(*one)
            ),
            (0, _) => format!(
                "No component correlates by {} or more with those of half of the rows",
                hundredths(SAME)
            ),
            (same, all) => format!(
                "{same} of {} components correlate by {} or more with those of half of the rows",
                all.len(),
                hundredths(SAME)
            ),
        }
    }

    fn csv(&self) -> String {
        let mut csv = Csv::new(["component", "median", "low", "high"]);
        let all = self.names.iter().zip(self.medians).zip(self.ends);
        for ((name, median), (low, high)) in all {
            csv.line([name.clone(), cell(*median), cell(*low), cell(*high)]);
        }
        csv.0
    }
}
