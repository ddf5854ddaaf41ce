//! Components as pictures, for rows that are pictures: which pixels does each component brighten, and which does it darken?

use eigenspan::error::counted;

use super::heatmap::draw_scale;
use super::measure;
use super::palette::diverging;
use super::scene::{Area, Cells, Ink, Item, Scene, Style, Text};
use super::{Component, Csv, Figure, Size, cell};
use crate::words::percent;

/// Components of pictures.
#[derive(Debug, Clone, Copy)]
pub struct Pictures<'a> {
    /// The components.
    pub components: &'a [Component<'a>],
    /// The loadings of each component: the picture row by row, the channels of a pixel together.
    pub loadings: &'a [&'a [f64]],
    /// Pixels across.
    pub width: usize,
    /// Pixels downward.
    pub height: usize,
    /// Numbers per pixel: 1 for gray, 3 for color.
    pub channels: usize,
}

/// At most this many pictures are drawn.
pub(super) const MOST: usize = 12;
/// The width for a picture and its name.
const SLOT: f64 = 130.0;
/// At most this many cells along a side; larger pictures are averaged.
const MOST_CELLS: usize = 48;

impl Pictures<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let k = self.components.len().min(self.loadings.len()).min(MOST);
        let across = ((size.width - 122.0) / SLOT).clamp(1.0, 4.0) as usize;
        let n_cols = k.clamp(1, across);
        let n_rows = k.div_ceil(n_cols).max(1);
        let room = (size.width - 32.0 - 90.0, size.height - 24.0);
        let (across, down) = (self.width.max(1) as f64, self.height.max(1) as f64);
        let slot = (room.0 / n_cols as f64 - 16.0, room.1 / n_rows as f64 - 34.0);
        let pixel = (slot.0 / across).min(slot.1 / down).max(0.1);
        let (w, h) = (pixel * across, pixel * down);
        let mut scene = Scene::new(
            size.width,
            size.height
                .min(12.0 + n_rows as f64 * (h + 34.0))
                .max(130.0),
        );
        for i in 0..k {
            let area = Area {
                left: 16.0 + (i % n_cols) as f64 * (w + 16.0),
                top: 26.0 + (i / n_cols) as f64 * (h + 34.0),
                width: w,
                height: h,
            };
            let c = self.components[i];
            let name = measure::fit(&c.heading(), w, 12.0, true);
            scene.text(Text::new(area.left, area.top - 6.0, name, 12.0).bold());
            let (n_across, cells) = self.averaged(self.loadings[i], MOST_CELLS);
            let largest = cells
                .iter()
                .map(|x| x.abs())
                .filter(|x| x.is_finite())
                .fold(0.0, f64::max);
            let inks = cells
                .iter()
                .map(|x| {
                    x.is_finite()
                        .then(|| diverging(if largest > 0.0 { x / largest } else { 0.0 }))
                })
                .collect();
            scene.items.push(Item::Cells(Cells {
                area,
                n_cols: n_across,
                inks,
            }));
            scene.rect(area, Style::stroke(Ink::Grid, 1.0));
        }
        draw_scale(
            &mut scene,
            16.0 + n_cols as f64 * (w + 16.0) + 8.0,
            26.0,
            1.0,
        );
        Figure {
            id: "pictures".to_owned(),
            title: self.finding(k),
            subtitle: self.subtitle(k),
            caption: "What do the components look like? Each picture is a component: a row with a high score is brighter where it \
                      is orange and darker where it is blue. Each has its own scale, from its largest weight to its opposite."
                .to_owned(),
            scene,
            narrow: None,
            csv: self.csv(k),
        }
    }

    /// The picture with its channels averaged; neighboring pixels are averaged too if there are too many.
    pub(super) fn averaged(&self, loadings: &[f64], most: usize) -> (usize, Vec<f64>) {
        let (w, h, channels) = (self.width.max(1), self.height.max(1), self.channels.max(1));
        let every = w.max(h).div_ceil(most.max(1));
        let (across, down) = (w.div_ceil(every), h.div_ceil(every));
        let (mut sums, mut counts) = (vec![0.0; across * down], vec![0.0; across * down]);
        for (i, x) in loadings.iter().enumerate().take(w * h * channels) {
            let pixel = i / channels;
            let at = (pixel / w / every) * across + (pixel % w) / every;
            sums[at] += x;
            counts[at] += 1.0;
        }
        (
            across,
            sums.iter().zip(&counts).map(|(s, n)| s / n).collect(),
        )
    }

    fn finding(&self, k: usize) -> String {
        let share: Option<f64> = self.components[..k].iter().map(|c| c.share).sum();
        let verb = if k == 1 { "makes" } else { "make" };
        let pictures = counted(k, "picture");
        let Some(share) = share else {
            return format!("{pictures} of components");
        };
        format!(
            "{pictures} {verb} up {} of how the rows differ",
            percent(share)
        )
    }

    fn subtitle(&self, k: usize) -> String {
        let mut parts = vec![format!("{} × {} pixels", self.width, self.height)];
        if self.channels > 1 {
            parts.push("colors averaged".to_owned());
        }
        if self.width.max(self.height) > MOST_CELLS {
            parts.push(format!("shown at {MOST_CELLS} cells along the longer side"));
        }
        if self.components.len() > k {
            parts.push(format!(
                "the first {k} of {} components",
                self.components.len()
            ));
        }
        parts.join(" · ")
    }

    fn csv(&self, k: usize) -> String {
        let names = self.components[..k].iter().map(|c| c.name);
        let mut csv = Csv::new(["x", "y", "channel"].into_iter().chain(names));
        let (w, channels) = (self.width.max(1), self.channels.max(1));
        for i in 0..w * self.height.max(1) * channels {
            let pixel = i / channels;
            let place = [pixel % w, pixel / w, i % channels].map(|x| x.to_string());
            let cells = self.loadings[..k]
                .iter()
                .map(|l| cell(l.get(i).copied().unwrap_or(f64::NAN)));
            csv.line(place.into_iter().chain(cells));
        }
        csv.0
    }
}
