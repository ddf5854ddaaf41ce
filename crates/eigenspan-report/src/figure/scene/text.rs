//! Lines of text in a drawing.

use super::Ink;

/// Which point of a text is at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The start.
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The x position of the anchor.
    pub x: f64,
    /// The y position of the baseline.
    pub y: f64,
    /// The text.
    pub text: String,
    /// The font size.
    pub size: f64,
    /// Which point of the text is at x.
    pub anchor: Anchor,
    /// Whether it is rotated by a quarter turn to the left, to be read upward.
    pub upward: bool,
    /// Whether it is bold.
    pub bold: bool,
    /// Its color.
    pub ink: Ink,
    /// Whether it has a rim in the color of the paper.
    pub halo: bool,
}

impl Text {
    /// Plain text that starts at a position.
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

    /// The same text with its middle at the position.
    pub fn middle(self) -> Self {
        Text {
            anchor: Anchor::Middle,
            ..self
        }
    }

    /// The same text with its end at the position.
    pub fn end(self) -> Self {
        Text {
            anchor: Anchor::End,
            ..self
        }
    }

    /// The same text in another ink.
    pub fn ink(self, ink: Ink) -> Self {
        Text { ink, ..self }
    }

    /// The same text in bold.
    pub fn bold(self) -> Self {
        Text { bold: true, ..self }
    }

    /// The same text, rotated to be read upward.
    pub fn upward(self) -> Self {
        Text {
            upward: true,
            ..self
        }
    }

    /// The same text with a rim in the color of the paper.
    pub fn halo(self) -> Self {
        Text { halo: true, ..self }
    }
}
