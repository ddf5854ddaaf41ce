//! IDX files, the format of MNIST: two zeros, a type, the number of dimensions, their sizes, and the numbers, all big-endian.
//!
//! The format: <http://yann.lecun.com/exdb/mnist/>, last section.

use crate::error::PictureFault;
use crate::npy::Element;

/// What the header of an IDX file says, checked against the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IdxHeader {
    pub(super) element: Element,
    /// The first is the number of rows.
    pub(super) dims: Vec<usize>,
    /// Where the numbers begin.
    pub(super) offset: usize,
}

fn element(kind: u8) -> Option<Element> {
    Some(match kind {
        0x08 => Element::U8,
        0x09 => Element::I8,
        0x0b => Element::I16,
        0x0c => Element::I32,
        0x0d => Element::F32,
        0x0e => Element::F64,
        _ => return None,
    })
}

/// Reads and checks the header.
pub(super) fn read(bytes: &[u8]) -> Result<IdxHeader, PictureFault> {
    let header = |what: String| PictureFault::IdxHeader { what };
    let Some((&[0, 0, kind, n_dims], rest)) = bytes.split_first_chunk() else {
        return Err(header("it does not begin with two zeros".to_owned()));
    };
    let element =
        element(kind).ok_or_else(|| header(format!("0x{kind:02x} is no type of numbers")))?;
    if n_dims == 0 {
        return Err(header("it has no dimensions".to_owned()));
    }
    let sizes = rest.get(..4 * usize::from(n_dims));
    let sizes = sizes.ok_or_else(|| header("it ends inside its header".to_owned()))?;
    let sizes = sizes.as_chunks::<4>().0.iter();
    let sizes: Vec<u32> = sizes.map(|bytes| u32::from_be_bytes(*bytes)).collect();
    let words: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let shape = words.join(" × ");
    if sizes.contains(&0) {
        return Err(PictureFault::IdxEmpty { shape });
    }
    let expected = sizes
        .iter()
        .try_fold(element.bytes() as u64, |size, n| {
            size.checked_mul(u64::from(*n))
        })
        .filter(|size| isize::try_from(*size).is_ok())
        .unwrap_or(u64::MAX);
    let offset = 4 + 4 * sizes.len();
    let found = (bytes.len() - offset) as u64;
    if found != expected {
        return Err(PictureFault::IdxLength {
            shape,
            expected,
            found,
        });
    }
    Ok(IdxHeader {
        element,
        dims: sizes.iter().map(|n| *n as usize).collect(),
        offset,
    })
}

impl IdxHeader {
    /// Numbers of one row.
    pub(super) fn n_cols(&self) -> usize {
        self.dims.iter().skip(1).product()
    }

    /// A number as its own type prints it.
    pub(super) fn written(&self, number: f64) -> String {
        let mut digits = zmij::Buffer::new();
        match self.element {
            Element::F64 => digits.format(number).to_owned(),
            Element::F32 => digits.format(number as f32).to_owned(),
            _ => format!("{number:.0}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::is_idx;

    #[test]
    fn sizes_are_checked_before_they_are_used() {
        let huge = [&[0, 0, 8, 3][..], &[0xff; 12], &[1, 2, 3]].concat();
        let fault = read(&huge).unwrap_err();
        assert!(fault.to_string().starts_with("truncated"), "{fault}");
        let many = [&[0, 0, 8, 255][..], &[0, 0, 0, 1]].concat();
        assert!(matches!(read(&many), Err(PictureFault::IdxHeader { .. })));
        let empty = [0, 0, 8, 1, 0, 0, 0, 0];
        assert!(matches!(read(&empty), Err(PictureFault::IdxEmpty { .. })));
        let trailing = [0, 0, 8, 1, 0, 0, 0, 1, 7, 7];
        let fault = read(&trailing).unwrap_err();
        assert!(fault.to_string().starts_with("trailing"), "{fault}");
        assert!(is_idx(&trailing) && !is_idx(&[0, 0, 7, 1]) && !is_idx(&[0, 0, 8]));
    }
}
