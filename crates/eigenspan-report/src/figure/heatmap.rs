//! Loadings as a heat map: all columns and components at once, with the columns of one component together.

use eigenspan::error::counted;
use eigenspan::linalg::sort_largest_first;

use super::measure;
use super::palette::{self, diverging};
use super::scene::{Area, Cells, Ink, Item, Scene, Text};
use super::{Component, Figure, Size, columns_csv};

/// What the colors stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Weights of columns in components.
    Weights,
    /// Correlations of columns with components.
    Correlations,
}

impl Measure {
    /// `weight of a column in a component`.
    fn words(self) -> &'static str {
        match self {
            Measure::Weights => "weight of a column in a component",
            Measure::Correlations => "correlation of a column with a component",
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Measure::Weights => "weight",
            Measure::Correlations => "correlation",
        }
    }
}

/// A heat map of columns × components.
#[derive(Debug, Clone, Copy)]
pub struct Heatmap<'a> {
    /// What the colors stand for.
    pub measure: Measure,
    /// The components.
    pub components: &'a [Component<'a>],
    /// The weights or correlations of each component, one per column.
    pub loadings: &'a [&'a [f64]],
    /// Names of the columns.
    pub names: &'a [String],
}

/// At most this many components are drawn.
const MOST: usize = 12;
/// The share of a column's largest weight from which a weight counts as strong.
const STRONG: f64 = 0.7;
const SIZE: f64 = 11.5;

impl Heatmap<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let k = self.components.len().min(self.loadings.len()).min(MOST);
        let order = self.order(k);
        let n = order.len();
        let room = size.height - 36.0 - 14.0;
        let height = room.min(24.0 * n.max(1) as f64).max(10.0);
        let mut scene = Scene::new(
            size.width,
            (height + 50.0).max(150.0).min(size.height.max(150.0)),
        );
        let named = self.named(&order, k, height, 190.0f64.min(0.36 * size.width));
        let widest = named
            .iter()
            .map(|(_, name)| measure::width(name, SIZE, false))
            .fold(0.0, f64::max);
        let left = 24.0 + widest;
        let area = Area {
            left,
            top: 36.0,
            width: (size.width - left - 110.0)
                .min(70.0 * k.max(1) as f64)
                .max(20.0),
            height,
        };
        let largest = self.largest(&order, k);
        let inks = order
            .iter()
            .flat_map(|&j| (0..k).map(move |c| (j, c)))
            .map(|(j, c)| {
                let value = self.loadings[c].get(j).copied().unwrap_or(f64::NAN);
                value.is_finite().then(|| diverging(value / largest))
            })
            .collect();
        scene.items.push(Item::Cells(Cells {
            area,
            n_cols: k.max(1),
            inks,
        }));
        let step = height / n.max(1) as f64;
        for (place, name) in named {
            let y = area.top + step * (place as f64 + 0.5) + 0.36 * SIZE;
            scene.text(Text::new(left - 8.0, y, name, SIZE).end());
        }
        self.draw_components(&mut scene, area, k);
        draw_scale(&mut scene, area.right() + 26.0, area.top, largest);
        Figure {
            id: "heatmap".to_owned(),
            title: self.finding(&order, k),
            subtitle: self.subtitle(n, k, step),
            caption: format!(
                "Which columns belong to which component? Each row is a column of the data, each color the {}; columns are \
                 sorted by the first component with which theirs is strong.",
                self.measure.words()
            ),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    pub(super) fn value(&self, j: usize, c: usize) -> f64 {
        let value = self.loadings[c].get(j).copied().unwrap_or(0.0);
        if value.is_finite() { value } else { 0.0 }
    }

    /// The first component in which a column has nearly its largest weight.
    fn home(&self, j: usize, k: usize) -> usize {
        let largest = (0..k).map(|c| self.value(j, c).abs()).fold(0.0, f64::max);
        (0..k)
            .find(|&c| self.value(j, c).abs() >= STRONG * largest)
            .unwrap_or(0)
    }

    /// The order of the columns: by component, then from positive to negative.
    pub(super) fn order(&self, k: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        if k > 0 {
            order.sort_by(|&a, &b| {
                let (ca, cb) = (self.home(a, k), self.home(b, k));
                ca.cmp(&cb)
                    .then(self.value(b, cb).total_cmp(&self.value(a, ca)))
            });
        }
        order
    }

    pub(super) fn largest(&self, order: &[usize], k: usize) -> f64 {
        let all = order.iter().flat_map(|&j| (0..k).map(move |c| (j, c)));
        let mut sizes: Vec<f64> = all.map(|(j, c)| self.value(j, c).abs()).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        // The scale ends at the 98 % quantile, so that one large weight does not make all others pale.
        let place = (sizes.len() as f64 * 0.98).ceil() as usize;
        let place = if sizes.len() < 100 {
            sizes.len()
        } else {
            place
        };
        match sizes.get(place.saturating_sub(1)) {
            Some(size) if *size > 0.0 => *size,
            _ => sizes
                .last()
                .copied()
                .filter(|size| *size > 0.0)
                .unwrap_or(1.0),
        }
    }

    /// The names that fit, those of the largest weights first, with their positions.
    fn named(&self, order: &[usize], k: usize, height: f64, widest: f64) -> Vec<(usize, String)> {
        let step = height / order.len().max(1) as f64;
        let apart = (1.15 * SIZE / step).ceil().max(1.0) as usize;
        let weight = |place: usize| {
            let j = order[place];
            (0..k).map(|c| self.value(j, c).abs()).fold(0.0, f64::max)
        };
        let mut wish: Vec<usize> = (0..order.len()).collect();
        sort_largest_first(&mut wish, &|j| weight(j));
        let mut taken = vec![false; order.len()];
        let mut out = Vec::new();
        for place in wish {
            let low = place.saturating_sub(apart - 1);
            let high = (place + apart).min(order.len());
            if taken[low..high].iter().any(|t| *t) {
                continue;
            }
            taken[place] = true;
            let name = measure::label(&self.names[order[place]]);
            out.push((place, measure::fit_name(&name, widest, SIZE)));
        }
        out.sort_by_key(|(place, _)| *place);
        out
    }

    fn draw_components(&self, scene: &mut Scene, area: Area, k: usize) {
        let step = area.width / k.max(1) as f64;
        let widest = self.components.iter().take(k);
        let widest = widest.map(|c| measure::width(c.name, 12.0, true));
        let every = ((widest.fold(0.0, f64::max) + 4.0) / step).ceil().max(1.0) as usize;
        for (i, c) in self.components.iter().take(k).enumerate().step_by(every) {
            let x = area.left + step * (i as f64 + 0.5);
            scene.text(Text::new(x, area.top - 9.0, c.name, 12.0).middle().bold());
        }
    }

    fn finding(&self, order: &[usize], k: usize) -> String {
        if k == 0 || order.is_empty() {
            return "There is nothing to show".to_owned();
        }
        let mut counts = vec![0usize; k];
        order.iter().for_each(|&j| counts[self.home(j, k)] += 1);
        let said: Vec<String> = counts
            .iter()
            .enumerate()
            .take(3)
            .filter(|(_, count)| **count > 0)
            .map(|(c, count)| format!("{count} in {}", self.components[c].name))
            .collect();
        let (all, of) = (counted(self.names.len(), "column"), super::listed(&said));
        format!(
            "{all}: {of} have their first strong {} there",
            self.measure.noun()
        )
    }

    fn subtitle(&self, n: usize, k: usize, step: f64) -> String {
        let mut parts = vec![format!("color: {}", self.measure.words())];
        if step < 1.15 * SIZE {
            parts.push(format!("not all of {} are named", counted(n, "column")));
        }
        if self.components.len() > k {
            let rest = counted(self.components.len() - k, "further component");
            parts.push(format!("{rest} not drawn"));
        }
        parts.join(" · ")
    }

    fn csv(&self) -> String {
        let measures = self.components.iter().zip(self.loadings);
        let measures: Vec<_> = measures.map(|(c, cells)| (c.name, *cells)).collect();
        columns_csv(self.names, &measures)
    }
}

/// The color scale from minus to plus, with its end values.
pub(super) fn draw_scale(scene: &mut Scene, left: f64, top: f64, largest: f64) {
    let area = Area {
        left,
        top,
        width: 14.0,
        height: 100.0,
    };
    let inks = (0..palette::DIVERGING)
        .rev()
        .map(|i| Some(Ink::Diverging(i)));
    scene.items.push(Item::Cells(Cells {
        area,
        n_cols: 1,
        inks: inks.collect(),
    }));
    let ends = [
        (area.top + 10.0, largest),
        (area.top + 54.0, 0.0),
        (area.bottom(), -largest),
    ];
    for (y, value) in ends {
        let value = format!("{value:.2}").replace('-', "−");
        let text = Text::new(left + 20.0, y, value, 12.0);
        scene.text(text.ink(Ink::Muted));
    }
}
