//! What can be wrong with pictures.

use eigenspan::error::{bytes_words, counted, grouped};
use eigenspan::note::{Advice, Clause, Setting};

use super::ReadError;

/// What is wrong with a picture, or with several that are to be one table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureFault {
    /// Neither PNG nor JPEG.
    #[error("not a picture in PNG or JPEG")]
    NotAPicture,
    /// The decoder refused it.
    #[error("damaged {format} picture: {what}")]
    Damaged {
        /// PNG or JPEG.
        format: &'static str,
        /// What the decoder said.
        what: String,
    },
    /// A kind of picture that is not read.
    #[error("{what}, which is not read")]
    Kind {
        /// Its kind.
        what: &'static str,
    },
    /// More pixels than the memory allowed can hold.
    #[error(
        "the picture is too large: {} × {} pixels take {}, and {} are allowed",
        grouped(*.width), grouped(*.height), bytes_words(*.bytes), bytes_words(*.allowed)
    )]
    TooLarge {
        /// Pixels from left to right.
        width: u64,
        /// Pixels from top to bottom.
        height: u64,
        /// Bytes they take.
        bytes: u64,
        /// Bytes that are allowed.
        allowed: u64,
    },
    /// More columns than a table of pictures can have.
    #[error("one row per picture has {} columns, more than {}", grouped(*.columns), grouped(*.most))]
    TooWide {
        /// Columns.
        columns: u64,
        /// Columns that are allowed.
        most: u64,
    },
    /// Two pictures of one table with different sizes.
    #[error("{} × {} pixels, but {first} has {} × {}", .size.0, .size.1, .expected.0, .expected.1)]
    OtherSize {
        /// Width and height.
        size: (usize, usize),
        /// The picture it is compared with.
        first: String,
        /// Its width and height.
        expected: (usize, usize),
    },
    /// Two pictures of one table with different ranges of numbers.
    #[error(
        "{depth} bits per number, but {first} has {expected}: their brightnesses cannot be compared"
    )]
    OtherDepth {
        /// Bits per number.
        depth: u8,
        /// The picture it is compared with.
        first: String,
        /// Its bits per number.
        expected: u8,
    },
    /// A patch that is larger than the picture.
    #[error("too small for patches of {patch} × {patch} pixels: it has {} × {}", .size.0, .size.1)]
    TooSmall {
        /// Pixels on a side of a patch.
        patch: usize,
        /// Width and height of the picture.
        size: (usize, usize),
    },
    /// An IDX file whose rows are not pictures.
    #[error("patches are cut from pictures, but the rows of this file have {}", counted(*.dims, "dimension"))]
    NoPictures {
        /// Dimensions of a row.
        dims: usize,
    },
    /// An IDX file with an invalid header.
    #[error("not an IDX file: {what}")]
    IdxHeader {
        /// What was found.
        what: String,
    },
    /// An IDX file without rows or columns.
    #[error("the IDX file is empty: its shape is {shape}")]
    IdxEmpty {
        /// The shape.
        shape: String,
    },
    /// An IDX file with fewer or more bytes than its shape needs.
    #[error(
        "{}: the shape {shape} takes {} bytes, but {} are there",
        if *.found < *.expected { "truncated" } else { "trailing bytes" },
        grouped(*.expected), grouped(*.found)
    )]
    IdxLength {
        /// The shape.
        shape: String,
        /// Bytes that the shape needs.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// More or fewer labels than pictures.
    #[error("{} for {}", counted(*.labels, "label"), counted(*.pictures, "picture"))]
    Labels {
        /// Labels.
        labels: usize,
        /// Pictures.
        pictures: usize,
    },
    /// Rows that do not make a whole number of pictures.
    #[error(
        "a picture of {} × {} pixels takes {} of scores, but there {} {}",
        .size.0, .size.1, counted(*.per, "row"),
        if *.rows == 1 { "is" } else { "are" }, grouped(*.rows as u64)
    )]
    Rows {
        /// Width and height of the picture.
        size: (usize, usize),
        /// Rows it takes.
        per: usize,
        /// Rows there are.
        rows: usize,
    },
}

impl PictureFault {
    /// This fault as an error about a file.
    pub(crate) fn in_file(self, file: &str) -> ReadError {
        ReadError::Picture {
            file: file.to_owned(),
            fault: self,
        }
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Advice {
        match self {
            PictureFault::NotAPicture | PictureFault::Kind { .. } => {
                "save it as PNG or JPEG in gray or RGB".into()
            }
            PictureFault::Damaged { .. } | PictureFault::IdxLength { .. } => {
                "the file is damaged: write or copy it again".into()
            }
            PictureFault::TooLarge { .. } => Clause::say("make it smaller, or allow more: ")
                .and(Setting::new("memory", "8GB"))
                .into(),
            PictureFault::TooWide { .. } => [
                Clause::set("patch", "12").then(" makes a row of every 12 × 12 pixels"),
                Clause::say("or make the picture smaller"),
            ]
            .into(),
            PictureFault::OtherSize { .. } => Clause::say("bring all to one size first")
                .and_typed(": mogrify -resize '64x64!' *.png, for one, does so in place")
                .into(),
            PictureFault::OtherDepth { .. } => "save all with 8 bits per color".into(),
            PictureFault::TooSmall { size, .. } if size.0.min(size.1) > 1 => {
                let most = size.0.min(size.1);
                Clause::name("patch")
                    .then(format!(" takes at most {most} here"))
                    .into()
            }
            PictureFault::Rows { per: 1, .. } => Clause::typed("-o NAME/")
                .then(" writes each picture into a file of its own")
                .into(),
            PictureFault::Rows { .. } => [
                Clause::say("a picture of another size: ")
                    .and(Setting::new("size", "WIDTHxHEIGHT")),
                Clause::say("several pictures: ").and_typed("-o NAME/"),
            ]
            .into(),
            _ => Advice::default(),
        }
    }
}
