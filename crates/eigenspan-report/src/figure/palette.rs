//! Colors for light and dark paper that people with any kind of color vision can distinguish.
//!
//! Classes: the eight colors of M. Okabe and K. Ito, "Color Universal Design" (2008), then eight more that lie far from them
//! and from each other, together with five shapes: 16 classes have a color of their own, and no two of 80 share both color
//! and shape. The yellow is darker on white paper, where it could not be seen. Sequential scale: points of viridis (S. van
//! der Walt and N. Smith, 2015) without the end that is invisible on the paper. Diverging scale: blue to orange over the color of
//! the paper.

use super::scene::{Ink, Shape};

/// Steps of the diverging scale, from minus to plus.
pub const DIVERGING: u8 = 21;
/// Steps of the sequential scale, from little to much.
pub const SEQUENTIAL: u8 = 16;
/// Colors for classes.
pub const N_COLORS: usize = 16;
/// Up to this many classes get their own combination of color and shape; further classes are grouped as "other".
pub const MOST_CLASSES: usize = 24;

/// The first color: used if rows are not compared.
pub const BLUE: Ink = Ink::Class(0);
/// The color of highlights.
pub const VERMILLION: Ink = Ink::Class(3);
/// The color of chosen or confirmed values.
pub const GREEN: Ink = Ink::Class(2);

type Rgb = [u8; 3];

const LIGHT: [Rgb; N_COLORS] = [
    [0x00, 0x72, 0xb2],
    [0xe6, 0x9f, 0x00],
    [0x00, 0x9e, 0x73],
    [0xd5, 0x5e, 0x00],
    [0xcc, 0x79, 0xa7],
    [0x56, 0xb4, 0xe9],
    [0x30, 0x30, 0x30],
    [0xcd, 0xbf, 0x10],
    [0x8a, 0x3f, 0xfc],
    [0x6b, 0x9e, 0x00],
    [0xa3, 0x00, 0x3c],
    [0x1b, 0x2a, 0x80],
    [0xff, 0x3f, 0xae],
    [0x7a, 0x4a, 0x20],
    [0x00, 0x70, 0x6b],
    [0xb9, 0xa0, 0xff],
];

const DARK: [Rgb; N_COLORS] = [
    [0x3d, 0xa5, 0xe8],
    [0xe6, 0x9f, 0x00],
    [0x1f, 0xc0, 0x94],
    [0xf0, 0x7a, 0x2a],
    [0xe0, 0x8f, 0xbe],
    [0x8f, 0xd0, 0xf5],
    [0xe4, 0xe6, 0xe8],
    [0xf0, 0xe4, 0x42],
    [0xb8, 0x84, 0xff],
    [0x7f, 0xd1, 0x4a],
    [0xff, 0x5c, 0x7a],
    [0x4e, 0x5b, 0xe0],
    [0xff, 0x4f, 0xd0],
    [0xb0, 0x7a, 0x3c],
    [0x0f, 0x80, 0x88],
    [0xc9, 0xb8, 0xff],
];

const VIRIDIS: [Rgb; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x28, 0xae, 0x80],
    [0x5e, 0xc9, 0x62],
    [0xad, 0xdc, 0x30],
    [0xfd, 0xe7, 0x25],
];

const MINUS_TO_PLUS_LIGHT: [Rgb; 5] = [
    [0x08, 0x45, 0x94],
    [0x7f, 0xb2, 0xdc],
    [0xf7, 0xf7, 0xf6],
    [0xf3, 0xa8, 0x66],
    [0xa6, 0x43, 0x05],
];

const MINUS_TO_PLUS_DARK: [Rgb; 5] = [
    [0x7c, 0xc3, 0xff],
    [0x2c, 0x66, 0x99],
    [0x24, 0x28, 0x2d],
    [0xa3, 0x55, 0x1a],
    [0xff, 0xb0, 0x70],
];

/// The color of a class: first, second, …
pub fn class_ink(class: usize) -> Ink {
    Ink::Class((class % N_COLORS) as u8)
}

/// The shape of a class; combinations of sixteen colors and five shapes repeat only after 80 classes.
pub fn class_shape(class: usize) -> Shape {
    const SHAPES: [Shape; 5] = [
        Shape::Circle,
        Shape::Triangle,
        Shape::Square,
        Shape::Diamond,
        Shape::Wedge,
    ];
    SHAPES[class % SHAPES.len()]
}

/// A note for figures with more classes than colors.
pub fn repeats(n_classes: usize) -> Option<String> {
    (n_classes > N_COLORS)
        .then(|| format!("colors repeat after {N_COLORS} classes: their shapes tell them apart"))
}

/// The diverging step for a value between −1 and 1.
pub fn diverging(value: f64) -> Ink {
    let middle = f64::from(DIVERGING / 2);
    Ink::Diverging((middle + middle * value.clamp(-1.0, 1.0)).round() as u8)
}

/// The sequential step for a value between 0 and 1.
pub fn sequential(value: f64) -> Ink {
    Ink::Sequential((value.clamp(0.0, 1.0) * f64::from(SEQUENTIAL - 1)).round() as u8)
}

/// The color of an ink on light or dark paper.
pub fn rgb(ink: Ink, dark: bool) -> [u8; 3] {
    let pick = |light: Rgb, night: Rgb| if dark { night } else { light };
    match ink {
        Ink::Ground => pick([0xff, 0xff, 0xff], [0x16, 0x1a, 0x1f]),
        Ink::Text => pick([0x1b, 0x1f, 0x24], [0xec, 0xee, 0xf0]),
        Ink::Muted => pick([0x57, 0x60, 0x6a], [0xa6, 0xad, 0xb5]),
        Ink::Grid => pick([0xe4, 0xe7, 0xea], [0x2d, 0x33, 0x3a]),
        Ink::Axis => pick([0x8c, 0x95, 0x9f], [0x6e, 0x77, 0x81]),
        Ink::Other => pick([0xae, 0xb4, 0xba], [0x5c, 0x64, 0x6c]),
        Ink::Class(i) => {
            let i = usize::from(i) % N_COLORS;
            pick(LIGHT[i], DARK[i])
        }
        Ink::Diverging(step) => {
            let at = f64::from(step) / f64::from(DIVERGING - 1);
            let stops = if dark {
                &MINUS_TO_PLUS_DARK
            } else {
                &MINUS_TO_PLUS_LIGHT
            };
            between(stops, at)
        }
        Ink::Sequential(step) => {
            let at = f64::from(step) / f64::from(SEQUENTIAL - 1);
            between(&VIRIDIS, if dark { 0.2 + 0.8 * at } else { 0.88 * at })
        }
    }
}

/// A color interpolated between the stops of a scale; 0 is the first stop and 1 the last.
fn between(stops: &[Rgb], at: f64) -> Rgb {
    let place = at.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let low = (place.floor() as usize).min(stops.len() - 2);
    let part = place - low as f64;
    std::array::from_fn(|c| {
        let (a, b) = (f64::from(stops[low][c]), f64::from(stops[low + 1][c]));
        (a + (b - a) * part).round() as u8
    })
}

/// Every ink, for a style sheet.
pub fn inks() -> impl Iterator<Item = Ink> {
    let plain = [
        Ink::Ground,
        Ink::Text,
        Ink::Muted,
        Ink::Grid,
        Ink::Axis,
        Ink::Other,
    ];
    plain
        .into_iter()
        .chain((0..N_COLORS as u8).map(Ink::Class))
        .chain((0..DIVERGING).map(Ink::Diverging))
        .chain((0..SEQUENTIAL).map(Ink::Sequential))
}

/// The name of an ink in a style sheet.
pub fn name(ink: Ink) -> String {
    match ink {
        Ink::Ground => "ground".to_owned(),
        Ink::Text => "text".to_owned(),
        Ink::Muted => "muted".to_owned(),
        Ink::Grid => "grid".to_owned(),
        Ink::Axis => "axis".to_owned(),
        Ink::Other => "other".to_owned(),
        Ink::Class(i) => format!("c{i}"),
        Ink::Diverging(i) => format!("d{i}"),
        Ink::Sequential(i) => format!("q{i}"),
    }
}

/// An ink as a CSS color: `#0072b2`.
pub fn hex(ink: Ink, dark: bool) -> String {
    let [r, g, b] = rgb(ink, dark);
    format!("#{r:02x}{g:02x}{b:02x}")
}
