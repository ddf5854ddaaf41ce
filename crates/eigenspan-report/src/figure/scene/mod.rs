//! A drawing before it is SVG, PNG or anything else: shapes in pixels, y downward, in inks that light and dark pages fill.

mod text;

pub use text::{Anchor, Text};

/// A drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// What is drawn, from back to front.
    pub items: Vec<Item>,
    /// Where data stands in it, for a page that follows the pointer.
    pub frames: Vec<Frame>,
}

/// One thing that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A rectangle.
    Rect {
        /// Where.
        area: Area,
        /// How.
        style: Style,
    },
    /// A straight line.
    Line {
        /// One end.
        from: (f64, f64),
        /// The other end.
        to: (f64, f64),
        /// How.
        style: Style,
    },
    /// A circle.
    Circle {
        /// Its center.
        center: (f64, f64),
        /// Its radius.
        radius: f64,
        /// How.
        style: Style,
    },
    /// Lines and curves.
    Path {
        /// The way of the pen.
        steps: Vec<Step>,
        /// How.
        style: Style,
    },
    /// A line of text.
    Text(Text),
    /// Many points of one kind.
    Marks(Marks),
    /// A grid of colored cells.
    Cells(Cells),
}

/// A step of the pen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Go there without drawing.
    Move(f64, f64),
    /// Draw a line.
    Line(f64, f64),
    /// Draw a cubic curve: two handles, then the end.
    Curve([f64; 6]),
    /// Draw back to where this stroke began.
    Close,
}

/// A rectangle's place.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Area {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    /// A rectangle between two corners.
    pub fn between(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Area {
            left,
            top,
            width: right - left,
            height: bottom - top,
        }
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Whether two rectangles share more than an edge.
    pub fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right()
            && other.left < self.right()
            && self.top < other.bottom()
            && other.top < self.bottom()
    }

    /// Whether another rectangle lies within this one.
    pub fn holds(&self, other: &Area) -> bool {
        other.left >= self.left
            && other.right() <= self.right()
            && other.top >= self.top
            && other.bottom() <= self.bottom()
    }
}

/// How a shape is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// What it is filled with.
    pub fill: Option<Ink>,
    /// What its outline is drawn with.
    pub stroke: Option<Ink>,
    /// Width of the outline.
    pub width: f64,
    /// 1 hides what is behind it.
    pub opacity: f64,
    /// Whether the outline is dashed.
    pub dashed: bool,
}

impl Style {
    /// Filled, without an outline.
    pub fn fill(ink: Ink) -> Self {
        Style {
            fill: Some(ink),
            stroke: None,
            width: 0.0,
            opacity: 1.0,
            dashed: false,
        }
    }

    /// An outline.
    pub fn stroke(ink: Ink, width: f64) -> Self {
        Style {
            fill: None,
            stroke: Some(ink),
            width,
            opacity: 1.0,
            dashed: false,
        }
    }

    /// The same, seen through.
    pub fn with_opacity(self, opacity: f64) -> Self {
        Style { opacity, ..self }
    }

    /// The same, dashed.
    pub fn dashed(self) -> Self {
        Style {
            dashed: true,
            ..self
        }
    }
}

/// What to draw with; [`super::palette`] knows the colors, light and dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ink {
    /// The paper.
    Ground,
    /// Text and what matters as much.
    Text,
    /// Text that may be overlooked.
    Muted,
    /// Lines of a grid.
    Grid,
    /// Axes and limits.
    Axis,
    /// Whatever is grouped as "other".
    Other,
    /// One of the colors for classes, [`super::palette::N_COLORS`] in all.
    Class(u8),
    /// A step of the scale from minus to plus, [`super::palette::DIVERGING`] in all.
    Diverging(u8),
    /// A step of the scale from little to much, [`super::palette::SEQUENTIAL`] in all.
    Sequential(u8),
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A dot.
    Circle,
    /// A triangle that stands.
    Triangle,
    /// A square.
    Square,
    /// A square on its corner.
    Diamond,
    /// A triangle on its tip.
    Wedge,
    /// A cell of a honeycomb.
    Hexagon,
}

/// Many points of one shape and color.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// Where they are.
    pub points: Vec<(f64, f64)>,
    /// Their shape.
    pub shape: Shape,
    /// Their radius.
    pub radius: f64,
    /// How.
    pub style: Style,
}

impl Shape {
    /// Corners around (0, 0) for a radius of 1; none for a circle.
    pub fn corners(self) -> &'static [(f64, f64)] {
        match self {
            Shape::Circle => &[],
            Shape::Triangle => &[(0.0, -1.15), (1.05, 0.8), (-1.05, 0.8)],
            Shape::Wedge => &[(0.0, 1.15), (-1.05, -0.8), (1.05, -0.8)],
            Shape::Square => &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
            Shape::Diamond => &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
            Shape::Hexagon => &[
                (0.0, -1.0),
                (0.866, -0.5),
                (0.866, 0.5),
                (0.0, 1.0),
                (-0.866, 0.5),
                (-0.866, -0.5),
            ],
        }
    }
}

/// A grid of colored cells, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// The place of the whole grid.
    pub area: Area,
    /// Cells in a row.
    pub n_cols: usize,
    /// Their colors; `None` leaves a cell empty.
    pub inks: Vec<Option<Ink>>,
}

impl Cells {
    /// Rows of the grid.
    pub fn n_rows(&self) -> usize {
        self.inks.len().div_ceil(self.n_cols.max(1))
    }
}

/// Where data stands: a rectangle and the numbers at its edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The rectangle.
    pub area: Area,
    /// Numbers at the left and right edge.
    pub x: (f64, f64),
    /// Numbers at the lower and upper edge.
    pub y: (f64, f64),
}

impl Frame {
    /// The place of a number across.
    pub fn px(&self, x: f64) -> f64 {
        self.area.left + (x - self.x.0) / (self.x.1 - self.x.0) * self.area.width
    }

    /// The place of a number upward.
    pub fn py(&self, y: f64) -> f64 {
        self.area.bottom() - (y - self.y.0) / (self.y.1 - self.y.0) * self.area.height
    }
}

impl Scene {
    /// An empty drawing.
    pub fn new(width: f64, height: f64) -> Self {
        Scene {
            width,
            height,
            ..Scene::default()
        }
    }

    /// Draws a line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), style: Style) {
        self.items.push(Item::Line { from, to, style });
    }

    /// Draws a rectangle.
    pub fn rect(&mut self, area: Area, style: Style) {
        self.items.push(Item::Rect { area, style });
    }

    /// Draws text.
    pub fn text(&mut self, text: Text) {
        self.items.push(Item::Text(text));
    }

    /// Draws a line through points; what is not finite interrupts it.
    pub fn polyline(&mut self, points: impl IntoIterator<Item = (f64, f64)>, style: Style) {
        let mut steps = Vec::new();
        let mut down = false;
        for (x, y) in points {
            if !(x.is_finite() && y.is_finite()) {
                down = false;
                continue;
            }
            steps.push(if down {
                Step::Line(x, y)
            } else {
                Step::Move(x, y)
            });
            down = true;
        }
        self.items.push(Item::Path { steps, style });
    }

    /// All texts.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.items.iter().filter_map(|item| match item {
            Item::Text(text) => Some(text),
            _ => None,
        })
    }
}
