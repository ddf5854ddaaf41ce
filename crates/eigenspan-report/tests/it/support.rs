//! Checks that tests of figures share: text is readable, and XML is well-formed.

use eigenspan_report::figure::scene::{Area, Item, Scene};
use eigenspan_report::figure::{Figure, Theme, measure, svg};
use quick_xml::events::Event;
use quick_xml::reader::Reader;

/// No two texts touch, and none leaves the paper.
pub(crate) fn assert_readable(scene: &Scene, what: &str) {
    let paper = Area {
        left: 0.0,
        top: 0.0,
        width: scene.width,
        height: scene.height,
    };
    let texts: Vec<(&str, Area)> = scene
        .texts()
        .filter(|text| !text.text.is_empty())
        .map(|text| (text.text.as_str(), measure::area(text)))
        .collect();
    for (i, (text, area)) in texts.iter().enumerate() {
        assert!(
            paper.holds(area),
            "{what}: {text:?} leaves the paper: {area:?} of {} × {}",
            scene.width,
            scene.height
        );
        for (other, place) in &texts[..i] {
            assert!(
                !area.overlaps(place),
                "{what}: {text:?} at {area:?} is on {other:?} at {place:?}"
            );
        }
    }
}

/// The figure is readable with and without its head, its SVG is XML and holds nothing but drawing, its numbers are finite.
pub(crate) fn assert_sound(figure: &Figure) {
    assert_readable(&figure.scene, &figure.id);
    assert_readable(&figure.headed(), &figure.id);
    assert!(!figure.title.is_empty() && !figure.caption.is_empty());
    let text = svg::file(figure, Theme::Page);
    assert!(
        !text.contains("NaN") && !text.contains("inf"),
        "{}: {text}",
        figure.id
    );
    let mut elements = elements(&text);
    elements.sort();
    elements.dedup();
    let known = [
        "circle", "desc", "path", "rect", "style", "svg", "text", "title",
    ];
    for element in &elements {
        assert!(
            known.contains(&element.as_str()),
            "{}: <{element}>",
            figure.id
        );
    }
}

/// The names of all elements; fails where the text is not well-formed.
pub(crate) fn elements(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let mut open = 0i64;
    let mut names = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                open += 1;
                check_attributes(&tag, &mut names);
            }
            Ok(Event::Empty(tag)) => check_attributes(&tag, &mut names),
            Ok(Event::End(_)) => open -= 1,
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => panic!("not XML: {error} at {}", reader.error_position()),
        }
    }
    assert_eq!(open, 0, "an element stays open");
    names
}

fn check_attributes(tag: &quick_xml::events::BytesStart<'_>, names: &mut Vec<String>) {
    for attribute in tag.attributes() {
        let attribute = attribute.expect("an attribute is a name and a value");
        let key = attribute.key.as_ref().to_owned();
        assert!(!key.starts_with("on"), "a handler in a figure: {key}");
    }
    names.push(tag.name().as_ref().to_owned());
}

/// Numbers from a seed, between −1 and 1.
pub(crate) fn noise(seed: u64, n: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Text for the terminal, its colors taken out.
pub(crate) fn without_colors(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        out + part.split_once('m').map_or("", |(_, rest)| rest)
    })
}

/// Nothing of a drawing lies beyond its paper, not even a mark or a line.
pub(crate) fn assert_inside(scene: &Scene, what: &str) {
    let inside = |x: f64, y: f64, slack: f64, item: &Item| {
        let across = x >= -slack && x <= scene.width + slack;
        let down = y >= -slack && y <= scene.height + slack;
        let (width, height) = (scene.width, scene.height);
        assert!(
            across && down,
            "{what}: ({x}, {y}) of {width} × {height}: {item:?}"
        );
    };
    for item in &scene.items {
        match item {
            Item::Rect { area, .. } => {
                inside(area.left, area.top, 0.5, item);
                inside(area.right(), area.bottom(), 0.5, item);
            }
            Item::Line { from, to, .. } => {
                inside(from.0, from.1, 0.5, item);
                inside(to.0, to.1, 0.5, item);
            }
            Item::Circle { center, radius, .. } => {
                inside(center.0 - radius, center.1 - radius, 0.5, item);
                inside(center.0 + radius, center.1 + radius, 0.5, item);
            }
            Item::Marks(marks) => marks.points.iter().for_each(|&(x, y)| {
                inside(x - marks.radius, y - marks.radius, 0.5, item);
                inside(x + marks.radius, y + marks.radius, 0.5, item);
            }),
            Item::Cells(cells) => {
                inside(cells.area.left, cells.area.top, 0.5, item);
                inside(cells.area.right(), cells.area.bottom(), 0.5, item);
            }
            Item::Text(_) | Item::Path { .. } => {}
        }
    }
}
