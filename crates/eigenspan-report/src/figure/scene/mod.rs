//! A drawing before it becomes SVG, PNG or anything else: shapes in pixels, y downward, in inks that light and dark pages color.

mod text;

pub use text::{Anchor, Text};

/// A drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// The items, from back to front.
    pub items: Vec<Item>,
    /// The frames in which data is drawn, for a page that follows the pointer.
    pub frames: Vec<Frame>,
}

/// One item of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A rectangle.
    Rect {
        /// Its place.
        area: Area,
        /// Its style.
        style: Style,
    },
    /// A straight line.
    Line {
        /// One end.
        from: (f64, f64),
        /// The other end.
        to: (f64, f64),
        /// Its style.
        style: Style,
    },
    /// A circle.
    Circle {
        /// Its center.
        center: (f64, f64),
        /// Its radius.
        radius: f64,
        /// Its style.
        style: Style,
    },
    /// Lines and curves.
    Path {
        /// The steps of the pen.
        steps: Vec<Step>,
        /// Its style.
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
    /// Move without drawing.
    Move(f64, f64),
    /// Draw a line.
    Line(f64, f64),
    /// Draw a cubic Bézier curve: two control points, then the end.
    Curve([f64; 6]),
    /// Draw a line back to where this stroke began.
    Close,
}

/// The position and size of a rectangle.
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
    /// The fill color.
    pub fill: Option<Ink>,
    /// The outline color.
    pub stroke: Option<Ink>,
    /// Width of the outline.
    pub width: f64,
    /// The opacity: 1 hides what is behind.
    pub opacity: f64,
    /// Whether the outline is dashed.
    pub dashed: bool,
}

impl Style {
    /// A fill without an outline.
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

    /// The same style with this opacity.
    pub fn with_opacity(self, opacity: f64) -> Self {
        Style { opacity, ..self }
    }

    /// The same style with a dashed outline.
    pub fn dashed(self) -> Self {
        Style {
            dashed: true,
            ..self
        }
    }
}

/// A color by its role; [`super::palette`] has the colors for light and dark paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ink {
    /// The background.
    Ground,
    /// Main text and important lines.
    Text,
    /// Secondary text.
    Muted,
    /// Lines of a grid.
    Grid,
    /// Axes and limits.
    Axis,
    /// The group "other".
    Other,
    /// A class color, one of [`super::palette::N_COLORS`].
    Class(u8),
    /// A step of the diverging scale, one of [`super::palette::DIVERGING`].
    Diverging(u8),
    /// A step of the sequential scale, one of [`super::palette::SEQUENTIAL`].
    Sequential(u8),
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A circle.
    Circle,
    /// A triangle on its base.
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
    /// The positions.
    pub points: Vec<(f64, f64)>,
    /// Their shape.
    pub shape: Shape,
    /// Their radius.
    pub radius: f64,
    /// Their style.
    pub style: Style,
}

impl Shape {
    /// Corners around (0, 0) for a radius of 1; empty for a circle.
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
    /// The position and size of the whole grid.
    pub area: Area,
    /// The number of cells in a row.
    pub n_cols: usize,
    /// Their colors; `None` leaves a cell empty.
    pub inks: Vec<Option<Ink>>,
}

impl Cells {
    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.inks.len().div_ceil(self.n_cols.max(1))
    }
}

/// A frame for data: a rectangle and the numbers at its edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The rectangle.
    pub area: Area,
    /// The numbers at the left and right edges.
    pub x: (f64, f64),
    /// The numbers at the lower and upper edges.
    pub y: (f64, f64),
}

impl Frame {
    /// The x position of a number.
    pub fn px(&self, x: f64) -> f64 {
        self.area.left + (x - self.x.0) / (self.x.1 - self.x.0) * self.area.width
    }

    /// The y position of a number.
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

    /// Draws a line through points; a point that is not finite interrupts it.
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
