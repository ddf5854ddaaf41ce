//! A drawing as SVG: colors are variables of a style sheet, so that one file suits light and dark pages, alone or inside HTML.
//!
//! All text is escaped. Points of one class form one path of moves in tenths of a pixel.

use std::fmt::Write as _;

use super::markup::escape;
use super::palette::{hex, inks, name};
use super::scene::{Anchor, Cells, Ink, Item, Marks, Scene, Shape, Step, Style, Text};
use super::{Figure, Theme};

/// Up to this many points of one path, each gets a rim.
const RIMMED: usize = 1500;

/// A figure as a file of its own, with title and style sheet.
pub fn file(figure: &Figure, theme: Theme) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &drawing(figure, &figure.headed(), theme, true);
    out.push('\n');
    out
}

/// A page contains a drawing larger than this (in bytes) only once: hundreds of points look alike on a small screen, and pages stay
/// below a megabyte.
const MANY: usize = 40_000;

/// A figure for a page that holds [`style`] once: without title and style sheet. If it was also drawn for
/// narrow screens, that drawing follows, and the classes `wide` and `narrow` distinguish the two.
pub fn inline(figure: &Figure) -> String {
    let wide = drawing(figure, &figure.scene, Theme::Page, false);
    let Some(narrow) = figure.narrow.as_ref().filter(|_| wide.len() <= MANY) else {
        return wide;
    };
    let small = Figure {
        id: format!("{}-narrow", figure.id),
        title: figure.title.clone(),
        caption: figure.caption.clone(),
        ..Figure::default()
    };
    let narrow = drawing(&small, narrow, Theme::Page, false);
    let classed = |svg: &str, class: &str| {
        let plain = "class=\"eigenspan-figure\"";
        svg.replacen(plain, &format!("class=\"eigenspan-figure {class}\""), 1)
    };
    format!("{}\n{}", classed(&wide, "wide"), classed(&narrow, "narrow"))
}

/// The style sheet of all figures: `.eigenspan-figure` holds the colors as variables `--ground`, `--text`, `--c0`, …
pub fn style() -> String {
    let mut out = String::from(".eigenspan-figure{");
    for ink in inks() {
        let _ = write!(out, "--{}:{};", name(ink), hex(ink, false));
    }
    out += "font-family:\"Helvetica Neue\",Arial,\"Liberation Sans\",\"DejaVu Sans\",sans-serif;max-width:100%;height:auto}";
    let mut dark = String::new();
    for ink in inks() {
        let _ = write!(dark, "--{}:{};", name(ink), hex(ink, true));
    }
    let _ = write!(
        out,
        ".eigenspan-figure.dark,[data-theme=dark] .eigenspan-figure{{{dark}}}\
         @media(prefers-color-scheme:dark){{.eigenspan-figure:not(.light){{{dark}}}\
         [data-theme=light] .eigenspan-figure:not(.dark){{"
    );
    for ink in inks() {
        let _ = write!(out, "--{}:{};", name(ink), hex(ink, false));
    }
    out += "}}.eigenspan-figure .h{paint-order:stroke;stroke:var(--ground);stroke-width:3px;stroke-linejoin:round}\
            .eigenspan-figure text{white-space:pre;unicode-bidi:isolate}";
    for ink in inks() {
        let name = name(ink);
        let _ = write!(
            out,
            ".eigenspan-figure .f-{name}{{fill:var(--{name})}}.eigenspan-figure .s-{name}{{stroke:var(--{name})}}"
        );
    }
    out
}

fn drawing(figure: &Figure, scene: &Scene, theme: Theme, alone: bool) -> String {
    let class = match theme {
        Theme::Light => " light",
        Theme::Dark => " dark",
        Theme::Page => "",
    };
    let id = escape(&figure.id);
    let (w, h) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"eigenspan-figure{class}\" id=\"{id}\" width=\"{w}\" \
         height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\"{}>\n\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>\n",
        frames(scene),
        escape(&figure.title),
        escape(&figure.caption),
    );
    if alone {
        let _ = writeln!(out, "<style>{}</style>", style());
    }
    let _ = writeln!(
        out,
        "<rect class=\"f-ground\" width=\"{w}\" height=\"{h}\"/>"
    );
    for item in &scene.items {
        put(&mut out, item);
    }
    out + "</svg>"
}

/// The frames of the drawing, for a script: `left top width height x0 x1 y0 y1` per frame.
fn frames(scene: &Scene) -> String {
    if scene.frames.is_empty() {
        return String::new();
    }
    let all: Vec<String> = scene
        .frames
        .iter()
        .map(|f| {
            let a = f.area;
            format!(
                "{} {} {} {} {} {} {} {}",
                number(a.left),
                number(a.top),
                number(a.width),
                number(a.height),
                f.x.0,
                f.x.1,
                f.y.0,
                f.y.1
            )
        })
        .collect();
    format!(" data-frames=\"{}\"", all.join(";"))
}

fn put(out: &mut String, item: &Item) {
    match item {
        Item::Rect { area, style } => {
            let _ = writeln!(
                out,
                "<rect{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                attributes(style),
                number(area.left),
                number(area.top),
                number(area.width.max(0.0)),
                number(area.height.max(0.0))
            );
        }
        Item::Line { from, to, style } => {
            let _ = writeln!(
                out,
                "<path{} d=\"M{} {}L{} {}\"/>",
                attributes(style),
                number(from.0),
                number(from.1),
                number(to.0),
                number(to.1)
            );
        }
        Item::Circle {
            center,
            radius,
            style,
        } => {
            let _ = writeln!(
                out,
                "<circle{} cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                attributes(style),
                number(center.0),
                number(center.1),
                number(*radius)
            );
        }
        Item::Path { steps, style } => {
            let _ = writeln!(out, "<path{} d=\"{}\"/>", attributes(style), path(steps));
        }
        Item::Text(text) => put_text(out, text),
        Item::Marks(marks) => put_marks(out, marks),
        Item::Cells(cells) => put_cells(out, cells),
    }
}

fn attributes(style: &Style) -> String {
    let fill = match style.fill {
        Some(ink) => format!("f-{}", name(ink)),
        None => String::new(),
    };
    let stroke = style.stroke.map(|ink| format!("s-{}", name(ink)));
    let classes = [fill.clone(), stroke.clone().unwrap_or_default()];
    let mut out = format!(" class=\"{}\"", classes.join(" ").trim());
    if fill.is_empty() {
        out += " fill=\"none\"";
    }
    if stroke.is_some() {
        let _ = write!(out, " stroke-width=\"{}\"", number(style.width));
        if style.dashed {
            out += " stroke-dasharray=\"5 4\"";
        }
    }
    if style.opacity < 1.0 {
        let _ = write!(
            out,
            " opacity=\"{}\"",
            (style.opacity * 100.0).round() / 100.0
        );
    }
    out
}

fn path(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        let _ = match step {
            Step::Move(x, y) => write!(out, "M{} {}", number(*x), number(*y)),
            Step::Line(x, y) => write!(out, "L{} {}", number(*x), number(*y)),
            Step::Curve(c) => write!(out, "C{}", c.map(number).join(" ")),
            Step::Close => write!(out, "Z"),
        };
    }
    out
}

fn put_text(out: &mut String, text: &Text) {
    let (x, y) = (number(text.x), number(text.y));
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let halo = if text.halo { " h" } else { "" };
    let bold = if text.bold {
        " font-weight=\"700\""
    } else {
        ""
    };
    let turn = if text.upward {
        format!(" transform=\"rotate(-90 {x} {y})\"")
    } else {
        String::new()
    };
    let _ = writeln!(
        out,
        "<text class=\"f-{}{halo}\" x=\"{x}\" y=\"{y}\" font-size=\"{}\"{anchor}{bold}{turn}>{}</text>",
        name(text.ink),
        number(text.size),
        escape(&text.text)
    );
}

/// One path for all points; points without a rim are strokes of zero length with round or square ends if possible.
fn put_marks(out: &mut String, marks: &Marks) {
    let many = marks.points.len() > RIMMED;
    let mut style = marks.style;
    if many {
        style.stroke = None;
    }
    let cap = match marks.shape {
        Shape::Circle => "round",
        _ => "square",
    };
    let stamped = many && matches!(marks.shape, Shape::Circle | Shape::Square);
    let outline = outline(marks.shape, marks.radius);
    let mut d = String::new();
    let mut at = (0i64, 0i64);
    for &(x, y) in &marks.points {
        let place = (tenths(x), tenths(y));
        d.push('m');
        d += &pair(place.0 - at.0, place.1 - at.1);
        if stamped {
            d += "h0";
        } else {
            d += &outline;
        }
        // The outline ends where it began, so the pen is back at its start.
        at = place;
    }
    // An outline begins beside its point; the first move accounts for that.
    let start = first_corner(marks.shape, marks.radius);
    let shift = if stamped { (0, 0) } else { start };
    let ink = style.fill.or(style.stroke).unwrap_or(Ink::Text);
    if stamped {
        let side = match marks.shape {
            Shape::Circle => 2.0 * marks.radius,
            _ => 1.76 * marks.radius,
        };
        let _ = writeln!(
            out,
            "<path class=\"s-{}\" fill=\"none\" stroke-linecap=\"{cap}\" stroke-width=\"{}\" opacity=\"{}\" d=\"{d}\"/>",
            name(ink),
            number(side),
            (style.opacity * 100.0).round() / 100.0,
        );
    } else {
        let _ = writeln!(
            out,
            "<path{} d=\"m{}{d}\"/>",
            attributes(&style),
            pair(shift.0, shift.1)
        );
    }
}

fn first_corner(shape: Shape, radius: f64) -> (i64, i64) {
    match shape.corners().first() {
        Some(&(x, y)) => (tenths(x * radius), tenths(y * radius)),
        None => (-tenths(radius), 0),
    }
}

/// The outline of a mark as relative steps from its first corner and back to it.
fn outline(shape: Shape, radius: f64) -> String {
    let corners = shape.corners();
    if corners.is_empty() {
        let (r, two) = (number(radius), number(2.0 * radius));
        return format!("a{r} {r} 0 1 0 {two} 0a{r} {r} 0 1 0-{two} 0z");
    }
    let mut out = String::from("l");
    let place = |corner: &(f64, f64)| (tenths(corner.0 * radius), tenths(corner.1 * radius));
    for (i, pairs) in corners.windows(2).enumerate() {
        let ((x0, y0), (x1, y1)) = (place(&pairs[0]), place(&pairs[1]));
        let step = pair(x1 - x0, y1 - y0);
        if i > 0 && !step.starts_with('-') {
            out.push(' ');
        }
        out += &step;
    }
    out + "z"
}

fn put_cells(out: &mut String, cells: &Cells) {
    let n_cols = cells.n_cols.max(1);
    let (w, h) = (
        cells.area.width / n_cols as f64,
        cells.area.height / cells.n_rows().max(1) as f64,
    );
    let mut used: Vec<Ink> = cells.inks.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    for ink in used {
        let mut d = String::new();
        for (i, _) in cells
            .inks
            .iter()
            .enumerate()
            .filter(|(_, x)| **x == Some(ink))
        {
            let left = cells.area.left + (i % n_cols) as f64 * w;
            let top = cells.area.top + (i / n_cols) as f64 * h;
            // Slightly larger than a cell, so that neighbors of one color show no seam.
            let _ = write!(
                d,
                "M{} {}h{}v{}h-{}z",
                number2(left),
                number2(top),
                number2(w + 0.15),
                number2(h + 0.15),
                number2(w + 0.15)
            );
        }
        let _ = writeln!(out, "<path class=\"f-{}\" d=\"{d}\"/>", name(ink));
    }
}

fn tenths(x: f64) -> i64 {
    if x.is_finite() {
        (x * 10.0).round() as i64
    } else {
        0
    }
}

/// Two numbers given in tenths, in the shortest form that a path allows.
fn pair(x: i64, y: i64) -> String {
    let one = |t: i64| {
        let sign = if t < 0 { "-" } else { "" };
        let (whole, tenth) = (t.unsigned_abs() / 10, t.unsigned_abs() % 10);
        match (whole, tenth) {
            (_, 0) => format!("{sign}{whole}"),
            (0, _) => format!("{sign}.{tenth}"),
            _ => format!("{sign}{whole}.{tenth}"),
        }
    };
    let (x, y) = (one(x), one(y));
    if y.starts_with('-') {
        x + &y
    } else {
        format!("{x} {y}")
    }
}

/// A number rounded to a tenth of a pixel.
fn number(x: f64) -> String {
    trimmed(x, 10.0)
}

fn number2(x: f64) -> String {
    trimmed(x, 100.0)
}

fn trimmed(x: f64, parts: f64) -> String {
    let rounded = (x * parts).round() / parts;
    if rounded == 0.0 || !rounded.is_finite() {
        return "0".to_owned();
    }
    format!("{rounded}")
}
