//! Lines of text in a drawing.

use super::Ink;

/// Which part of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Where its anchor is.
    pub x: f64,
    /// Its base line.
    pub y: f64,
    /// What it says.
    pub text: String,
    /// Height of the letters' body.
    pub size: f64,
    /// Which part of it stands at x.
    pub anchor: Anchor,
    /// Whether it is turned a quarter to the left, to be read from below.
    pub upward: bool,
    /// Whether it is bold.
    pub bold: bool,
    /// Its color.
    pub ink: Ink,
    /// Whether it stands out from what is behind it.
    pub halo: bool,
}

impl Text {
    /// Plain text that begins at a place.
    pub fn new(x: f64, y: f64, text: impl Into<String>, size: f64) -> Self {
        Text {
            x,
            y,
            text: text.into(),
            size,
            anchor: Anchor::Start,
            upward: false,
            bold: false,
            ink: Ink::Text,
            halo: false,
        }
    }

    /// The same, its middle there.
    pub fn middle(self) -> Self {
        Text {
            anchor: Anchor::Middle,
            ..self
        }
    }

    /// The same, its end there.
    pub fn end(self) -> Self {
        Text {
            anchor: Anchor::End,
            ..self
        }
    }

    /// The same in another ink.
    pub fn ink(self, ink: Ink) -> Self {
        Text { ink, ..self }
    }

    /// The same in bold.
    pub fn bold(self) -> Self {
        Text { bold: true, ..self }
    }

    /// The same, read from below.
    pub fn upward(self) -> Self {
        Text {
            upward: true,
            ..self
        }
    }

    /// The same with a rim in the color of the paper.
    pub fn halo(self) -> Self {
        Text { halo: true, ..self }
    }
}
