//! Placement of labels: no label covers another, few cover points and lines, and none leaves the area; labels without room are left out.
//!
//! A label is tried at positions around its anchor, the near ones first. Every position has a cost (points and lines covered,
//! distance), and may not touch another label. The most important labels choose first; then each label in turn may move to a better
//! position while the others stay. As in J. Christensen, J. Marks, S. Shieber, "An empirical study of algorithms for
//! point-feature label placement", ACM Transactions on Graphics 14 (1995) 203–232, but without randomness.

use eigenspan::linalg::sort_largest_first;

use super::measure;
use super::scene::{Area, Ink, Scene, Style, Text};

/// A label to be placed.
#[derive(Debug, Clone)]
pub struct Label {
    /// The point that it belongs to.
    pub at: (f64, f64),
    /// The text.
    pub text: String,
    /// Font size.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// Its color.
    pub ink: Ink,
    /// The priority: labels with larger values choose first.
    pub weight: f64,
    /// The radius of the mark at its anchor.
    pub clear: f64,
    /// The preferred direction from the anchor, as at the tip of an arrow; (0, 0) for no preference.
    pub toward: (f64, f64),
}

/// A line between two points.
pub type Segment = ((f64, f64), (f64, f64));

/// What labels should not cover.
#[derive(Debug, Default)]
pub struct Ground<'a> {
    /// The area in which labels may stand.
    pub bounds: Area,
    /// Points.
    pub points: &'a [(f64, f64)],
    /// Lines.
    pub lines: &'a [Segment],
    /// Areas in which no label may stand.
    pub taken: &'a [Area],
}

/// Draws the labels that found room, and returns how many did not.
pub fn place(scene: &mut Scene, labels: &[Label], ground: &Ground<'_>) -> usize {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    sort_largest_first(&mut order, &|j| labels[j].weight);
    let crowd = Crowd::new(ground);
    let mut chosen: Vec<Option<Spot>> = vec![None; labels.len()];
    let tries: Vec<Vec<Spot>> = labels
        .iter()
        .map(|label| spots(label, ground, &crowd))
        .collect();
    for &i in &order {
        chosen[i] = cheapest(i, &tries[i], &chosen);
    }
    // Labels placed early may have taken a better position of others; three rounds resolve nearly all such cases.
    for _ in 0..3 {
        for &i in &order {
            chosen[i] = cheapest(i, &tries[i], &chosen);
        }
    }
    for (label, spot) in labels.iter().zip(&chosen) {
        if let Some(spot) = spot {
            draw(scene, label, spot);
        }
    }
    chosen.iter().filter(|spot| spot.is_none()).count()
}

/// A position of a label, and its cost.
#[derive(Debug, Clone, Copy)]
struct Spot {
    area: Area,
    price: f64,
    /// The leader line from the anchor to a label that stands apart.
    leader: Option<Segment>,
}

/// The cheapest position that touches no other label and whose leader line crosses no label.
fn cheapest(own: usize, tries: &[Spot], chosen: &[Option<Spot>]) -> Option<Spot> {
    let free = |spot: &&Spot| {
        chosen.iter().enumerate().all(|(i, other)| match other {
            Some(other) if i != own => {
                !spot.area.overlaps(&other.area)
                    && !spot.leader.is_some_and(|l| crosses(l, &other.area))
                    && !other.leader.is_some_and(|l| crosses(l, &spot.area))
            }
            _ => true,
        })
    };
    let mut best: Option<Spot> = None;
    for spot in tries {
        if best.is_none_or(|best| spot.price < best.price) && free(&spot) {
            best = Some(*spot);
        }
    }
    best
}

const AROUND: [(f64, f64); 16] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.707, -0.707),
    (0.707, 0.707),
    (-0.707, -0.707),
    (-0.707, 0.707),
    (0.924, -0.383),
    (0.924, 0.383),
    (-0.924, -0.383),
    (-0.924, 0.383),
    (0.383, -0.924),
    (0.383, 0.924),
    (-0.383, -0.924),
    (-0.383, 0.924),
];

/// Positions around an anchor, with their costs.
fn spots(label: &Label, ground: &Ground<'_>, crowd: &Crowd) -> Vec<Spot> {
    let mut out = Vec::new();
    let text = Text {
        bold: label.bold,
        ..Text::new(0.0, 0.0, label.text.as_str(), label.size)
    };
    let size = measure::area(&text);
    let (half_w, half_h) = (size.width / 2.0 + 2.0, size.height / 2.0 + 1.0);
    for (ring, distance) in [3.0, 8.0, 16.0, 28.0, 44.0].into_iter().enumerate() {
        for &(ux, uy) in &AROUND {
            let reach = label.clear + distance;
            let center = (
                label.at.0 + ux * (reach + half_w),
                label.at.1 + uy * (reach + half_h),
            );
            let area = Area::between(
                center.0 - half_w,
                center.1 - half_h,
                center.0 + half_w,
                center.1 + half_h,
            );
            if !ground.bounds.holds(&area) || ground.taken.iter().any(|t| t.overlaps(&area)) {
                continue;
            }
            let end = (
                label.at.0.clamp(area.left + 2.0, area.right() - 2.0),
                label.at.1.clamp(area.top + 2.0, area.bottom() - 2.0),
            );
            let leader = (distance > 8.0).then_some((label.at, end));
            let away = 1.0 - (ux * label.toward.0 + uy * label.toward.1);
            let toward = if label.toward == (0.0, 0.0) {
                0.0
            } else {
                2.5 * away
            };
            let price = 1.6 * ring as f64
                + toward
                + if ux == 0.0 || uy == 0.0 { 0.0 } else { 0.3 }
                + crowd.points_in(&area)
                + 3.0 * ground.lines.iter().filter(|l| crosses(**l, &area)).count() as f64;
            out.push(Spot {
                area,
                price,
                leader,
            });
        }
    }
    out
}

fn draw(scene: &mut Scene, label: &Label, spot: &Spot) {
    if let Some((from, to)) = spot.leader {
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(1e-9);
        let start = (
            from.0 + (to.0 - from.0) * label.clear / length,
            from.1 + (to.1 - from.1) * label.clear / length,
        );
        scene.line(start, to, Style::stroke(Ink::Axis, 0.8));
    }
    let baseline = spot.area.top + spot.area.height / 2.0 + 0.29 * label.size;
    let x = spot.area.left + spot.area.width / 2.0;
    scene.text(Text {
        bold: label.bold,
        ..Text::new(x, baseline, label.text.as_str(), label.size)
            .middle()
            .ink(label.ink)
            .halo()
    });
}

/// Whether a line touches a rectangle (Liang and Barsky's clipping).
fn crosses(line: Segment, area: &Area) -> bool {
    let ((x0, y0), (x1, y1)) = line;
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (d, low, high) in [
        (x1 - x0, area.left - x0, area.right() - x0),
        (y1 - y0, area.top - y0, area.bottom() - y0),
    ] {
        if d == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / d, high / d);
        from = from.max(a.min(b));
        to = to.min(a.max(b));
    }
    from < to
}

/// Points counted in small squares, so that the number of points under a label is quick to estimate.
struct Crowd {
    counts: Vec<u32>,
    n_cols: usize,
    n_rows: usize,
    origin: (f64, f64),
}

const SQUARE: f64 = 6.0;

impl Crowd {
    fn new(ground: &Ground<'_>) -> Self {
        let n_cols = (ground.bounds.width / SQUARE).ceil().clamp(1.0, 2000.0) as usize;
        let n_rows = (ground.bounds.height / SQUARE).ceil().clamp(1.0, 2000.0) as usize;
        let origin = (ground.bounds.left, ground.bounds.top);
        let mut counts = vec![0; n_cols * n_rows];
        for &(x, y) in ground.points {
            let (i, j) = ((x - origin.0) / SQUARE, (y - origin.1) / SQUARE);
            if i >= 0.0 && j >= 0.0 && (i as usize) < n_cols && (j as usize) < n_rows {
                counts[j as usize * n_cols + i as usize] += 1;
            }
        }
        Crowd {
            counts,
            n_cols,
            n_rows,
            origin,
        }
    }

    /// The cost of the points under a label: each costs less than the one before.
    fn points_in(&self, area: &Area) -> f64 {
        let place = |x: f64, origin: f64, most: usize| {
            (((x - origin) / SQUARE).max(0.0) as usize).min(most.saturating_sub(1))
        };
        let (i0, i1) = (
            place(area.left, self.origin.0, self.n_cols),
            place(area.right(), self.origin.0, self.n_cols),
        );
        let (j0, j1) = (
            place(area.top, self.origin.1, self.n_rows),
            place(area.bottom(), self.origin.1, self.n_rows),
        );
        let mut sum = 0;
        for j in j0..=j1 {
            let row = &self.counts[j * self.n_cols..(j + 1) * self.n_cols];
            sum += row[i0..=i1].iter().sum::<u32>();
        }
        2.0 * f64::from(sum).sqrt()
    }
}
