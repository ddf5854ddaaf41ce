//! A drawing as PNG, with glyphs of the bundled font; characters that the font lacks are drawn as boxes.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};
use ttf_parser::OutlineBuilder;

use super::measure::{advance, face, glyph};
use super::palette::rgb;
use super::scene::{Anchor, Cells, Ink, Item, Marks, Scene, Shape, Step, Style, Text};

/// The largest number of pixels: a mistyped size must not fill the memory.
const MOST_PIXELS: f64 = 64e6;

/// Why a drawing could not become a PNG.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The size is too large or zero.
    #[error(
        "a picture of {width} × {height} pixels cannot be drawn; 64 million pixels are the most"
    )]
    Size {
        /// The requested width.
        width: f64,
        /// The requested height.
        height: f64,
    },
    /// The encoder failed.
    #[error("the picture could not be encoded: {0}")]
    Encode(#[from] png::EncodingError),
}

/// Draws a scene; each of its pixels becomes this many pixels of the picture.
pub fn draw(scene: &Scene, scale: f64, dark: bool) -> Result<Vec<u8>, PngError> {
    let (width, height) = (
        (scene.width * scale).round(),
        (scene.height * scale).round(),
    );
    let size = PngError::Size { width, height };
    if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_PIXELS) {
        return Err(size);
    }
    let Some(pixmap) = Pixmap::new(width as u32, height as u32) else {
        return Err(size);
    };
    let mut pen = Pen {
        pixmap,
        scale: Transform::from_scale(scale as f32, scale as f32),
        dark,
    };
    pen.pixmap.fill(color(Ink::Ground, 1.0, dark));
    for item in &scene.items {
        pen.put(item);
    }
    encode(&pen.pixmap)
}

fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, PngError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let rgb: Vec<u8> = pixmap
        .pixels()
        .iter()
        .flat_map(|p| [p.red(), p.green(), p.blue()])
        .collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(out)
}

fn color(ink: Ink, opacity: f64, dark: bool) -> Color {
    let [r, g, b] = rgb(ink, dark);
    Color::from_rgba8(r, g, b, (opacity.clamp(0.0, 1.0) * 255.0).round() as u8)
}

struct Pen {
    pixmap: Pixmap,
    scale: Transform,
    dark: bool,
}

impl Pen {
    fn put(&mut self, item: &Item) {
        match item {
            Item::Rect { area, style } => {
                let (l, t) = (area.left as f32, area.top as f32);
                let rect = Rect::from_xywh(l, t, area.width as f32, area.height as f32);
                if let Some(rect) = rect {
                    self.path(&PathBuilder::from_rect(rect), style);
                }
            }
            Item::Line { from, to, style } => {
                let steps = [Step::Move(from.0, from.1), Step::Line(to.0, to.1)];
                self.steps(&steps, style);
            }
            Item::Circle {
                center,
                radius,
                style,
            } => {
                let mut builder = PathBuilder::new();
                builder.push_circle(center.0 as f32, center.1 as f32, *radius as f32);
                if let Some(path) = builder.finish() {
                    self.path(&path, style);
                }
            }
            Item::Path { steps, style } => self.steps(steps, style),
            Item::Text(text) => self.text(text),
            Item::Marks(marks) => self.marks(marks),
            Item::Cells(cells) => self.cells(cells),
        }
    }

    fn steps(&mut self, steps: &[Step], style: &Style) {
        let mut builder = PathBuilder::new();
        for step in steps {
            match *step {
                Step::Move(x, y) => builder.move_to(x as f32, y as f32),
                Step::Line(x, y) => builder.line_to(x as f32, y as f32),
                Step::Curve(c) => {
                    let c = c.map(|x| x as f32);
                    builder.cubic_to(c[0], c[1], c[2], c[3], c[4], c[5]);
                }
                Step::Close => builder.close(),
            }
        }
        if let Some(path) = builder.finish() {
            self.path(&path, style);
        }
    }

    fn paint(&self, ink: Ink, opacity: f64) -> Paint<'static> {
        let mut paint = Paint::default();
        paint.set_color(color(ink, opacity, self.dark));
        paint.anti_alias = true;
        paint
    }

    fn path(&mut self, path: &Path, style: &Style) {
        if let Some(ink) = style.fill {
            let paint = self.paint(ink, style.opacity);
            self.pixmap
                .fill_path(path, &paint, FillRule::Winding, self.scale, None);
        }
        if let Some(ink) = style.stroke {
            let paint = self.paint(ink, style.opacity);
            let stroke = Stroke {
                width: style.width as f32,
                line_join: LineJoin::Round,
                line_cap: LineCap::Butt,
                dash: style
                    .dashed
                    .then(|| StrokeDash::new(vec![5.0, 4.0], 0.0))
                    .flatten(),
                ..Stroke::default()
            };
            self.pixmap
                .stroke_path(path, &paint, &stroke, self.scale, None);
        }
    }

    /// Draws points one by one, so that points on top cover those below according to their opacity.
    fn marks(&mut self, marks: &Marks) {
        let many = marks.points.len() > 1500;
        let style = Style {
            stroke: marks.style.stroke.filter(|_| !many),
            ..marks.style
        };
        for &(x, y) in &marks.points {
            let mut builder = PathBuilder::new();
            if marks.shape == Shape::Circle {
                builder.push_circle(x as f32, y as f32, marks.radius as f32);
            } else {
                for (i, corner) in marks.shape.corners().iter().enumerate() {
                    let x = (x + corner.0 * marks.radius) as f32;
                    let y = (y + corner.1 * marks.radius) as f32;
                    if i == 0 {
                        builder.move_to(x, y);
                    } else {
                        builder.line_to(x, y);
                    }
                }
                builder.close();
            }
            if let Some(path) = builder.finish() {
                self.path(&path, &style);
            }
        }
    }

    fn cells(&mut self, cells: &Cells) {
        let n_cols = cells.n_cols.max(1);
        let w = cells.area.width / n_cols as f64;
        let h = cells.area.height / cells.n_rows().max(1) as f64;
        for (i, ink) in cells.inks.iter().enumerate() {
            let left = cells.area.left + (i % n_cols) as f64 * w;
            let top = cells.area.top + (i / n_cols) as f64 * h;
            let rect = Rect::from_xywh(left as f32, top as f32, w as f32 + 0.15, h as f32 + 0.15);
            if let (Some(rect), Some(ink)) = (rect, ink) {
                self.path(&PathBuilder::from_rect(rect), &Style::fill(*ink));
            }
        }
    }

    fn text(&mut self, text: &Text) {
        let mut outline = Outline {
            builder: PathBuilder::new(),
            scale: 0.0,
            x: 0.0,
        };
        let mut boxes = PathBuilder::new();
        let mut x = 0.0;
        for c in text.text.chars() {
            self.letter(&mut outline, &mut boxes, c, text, x);
            x += advance(c, text.bold) * text.size;
        }
        let before = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => x / 2.0,
            Anchor::End => x,
        };
        let turn = if text.upward { -90.0 } else { 0.0 };
        let place = Transform::from_translate(-before as f32, 0.0)
            .post_rotate(turn)
            .post_translate(text.x as f32, text.y as f32);
        let moved = |builder: PathBuilder| builder.finish().and_then(|path| path.transform(place));
        if let Some(path) = moved(outline.builder) {
            if text.halo {
                self.path(&path, &Style::stroke(Ink::Ground, 3.0));
            }
            self.path(&path, &Style::fill(text.ink));
        }
        if let Some(path) = moved(boxes) {
            self.path(&path, &Style::stroke(text.ink, 0.8));
        }
    }

    fn letter(&self, out: &mut Outline, boxes: &mut PathBuilder, c: char, text: &Text, x: f64) {
        if c.is_whitespace() {
            return;
        }
        let Some(face) = face(text.bold) else { return };
        match glyph(face, c) {
            Some(glyph) => {
                out.scale = (text.size / f64::from(face.units_per_em())) as f32;
                out.x = x as f32;
                face.outline_glyph(glyph, out);
            }
            None => {
                let width = advance(c, text.bold) * text.size;
                let (left, top) = ((x + 1.0) as f32, (-0.72 * text.size) as f32);
                let size = ((width - 2.0) as f32, (0.72 * text.size) as f32);
                if let Some(rect) = Rect::from_xywh(left, top, size.0, size.1) {
                    boxes.push_rect(rect);
                }
            }
        }
    }
}

/// The outline of a glyph, with y downward.
struct Outline {
    builder: PathBuilder,
    scale: f32,
    x: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (a, b, c) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.builder.cubic_to(a.0, a.1, b.0, b.1, c.0, c.1);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}
