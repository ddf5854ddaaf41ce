//! The header of an NPY file: a magic word, a version, and a Python dictionary with the array's type, order and shape.

use super::element::Element;
use crate::error::NpyFault;

/// What a header says, checked against the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(crate) element: Element,
    pub(crate) big_endian: bool,
    /// Whether columns are contiguous (Fortran order).
    pub(crate) fortran: bool,
    pub(crate) n_rows: usize,
    pub(crate) n_cols: usize,
    /// Where the data begin.
    pub(crate) offset: usize,
}

impl Header {
    /// Rows become columns: the same bytes, read in the other order.
    pub(crate) fn transposed(self) -> Header {
        Header {
            fortran: !self.fortran,
            n_rows: self.n_cols,
            n_cols: self.n_rows,
            ..self
        }
    }
}

/// The content of a header, unchecked.
#[derive(Debug)]
pub(crate) struct Described {
    /// The type, such as `<f8`.
    pub(crate) descr: String,
    /// Whether columns are contiguous (Fortran order).
    pub(crate) fortran: bool,
    /// The sizes of all dimensions.
    pub(crate) shape: Vec<u64>,
    /// Where the data begin.
    pub(crate) offset: usize,
}

/// Reads the header of an array of any type and shape; the data may be absent.
pub(crate) fn describe(bytes: &[u8]) -> Result<Described, NpyFault> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or(NpyFault::Magic)?;
    let (&[major, minor], rest) = rest.split_first_chunk().ok_or(NpyFault::HeaderCut)?;
    let (length, rest) = match (major, minor) {
        (1, 0) => {
            let (length, rest) = rest.split_first_chunk().ok_or(NpyFault::HeaderCut)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        (2 | 3, 0) => {
            let (length, rest) = rest.split_first_chunk().ok_or(NpyFault::HeaderCut)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        _ => return Err(NpyFault::Version { major, minor }),
    };
    let text = rest.get(..length).ok_or(NpyFault::HeaderCut)?;
    let text = String::from_utf8_lossy(text);
    let offset = bytes.len() - rest.len() + length;
    Described::parse(&text, offset)
}

/// The bytes of a header (version 1.0). Their length is always the same, so that the number of rows can be filled in at the
/// end.
pub(crate) fn written(descr: &str, fortran: bool, n_rows: u64, n_cols: usize) -> Vec<u8> {
    const LENGTH: usize = 128;
    let order = if fortran { "True" } else { "False" };
    let dict = format!(
        "{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({n_rows}, {n_cols}), }}"
    );
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&((LENGTH - 10) as u16).to_le_bytes());
    out.extend_from_slice(dict.as_bytes());
    out.resize(LENGTH - 1, b' ');
    out.push(b'\n');
    out
}

/// Reads and checks the header of a table.
pub(crate) fn read(bytes: &[u8]) -> Result<Header, NpyFault> {
    let dict = describe(bytes)?;
    let offset = dict.offset;
    let (element, big_endian) = Element::parse(&dict.descr)?;
    let (n_rows, n_cols) = dict.table_shape()?;
    let overflow = || NpyFault::Overflow {
        shape: dict.shape_words(),
    };
    let expected = n_rows
        .checked_mul(n_cols)
        .and_then(|cells| cells.checked_mul(element.bytes()))
        .filter(|size| isize::try_from(*size).is_ok())
        .ok_or_else(overflow)? as u64;
    let found = (bytes.len() - offset) as u64;
    if n_rows == 0 || n_cols == 0 {
        return Err(NpyFault::Empty {
            rows: n_rows,
            cols: n_cols,
        });
    }
    if found < expected {
        return Err(NpyFault::Truncated { found, expected });
    }
    if found > expected {
        let extra = found - expected;
        return Err(NpyFault::Trailing { extra, expected });
    }
    Ok(Header {
        element,
        big_endian,
        fortran: dict.fortran,
        n_rows,
        n_cols,
        offset,
    })
}

impl Described {
    fn parse(text: &str, offset: usize) -> Result<Described, NpyFault> {
        let mut reader = Reader { rest: text };
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        reader.expect('{')?;
        while !reader.take('}') {
            let key = reader.string()?;
            reader.expect(':')?;
            match key.as_str() {
                "descr" => descr = Some(reader.descr()?),
                "fortran_order" => fortran = Some(reader.boolean()?),
                "shape" => shape = Some(reader.tuple()?),
                _ => return Err(fault(format!("unknown key {key:?}"))),
            }
            if !reader.take(',') {
                reader.expect('}')?;
                break;
            }
        }
        if !reader.rest.trim().is_empty() {
            return Err(fault("text behind the dictionary".to_owned()));
        }
        let missing = |key: &str| fault(format!("no key {key:?} in the dictionary"));
        Ok(Described {
            offset,
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    /// Rows and columns; an array with one dimension is one column.
    fn table_shape(&self) -> Result<(usize, usize), NpyFault> {
        let overflow = |_| NpyFault::Overflow {
            shape: self.shape_words(),
        };
        let size = |n: u64| usize::try_from(n).map_err(overflow);
        match *self.shape.as_slice() {
            [rows] => Ok((size(rows)?, 1)),
            [rows, cols] => Ok((size(rows)?, size(cols)?)),
            _ => Err(NpyFault::Dimensions {
                shape: self.shape_words(),
            }),
        }
    }

    /// The shape as people write it: `6 × 3`.
    pub(crate) fn sizes(&self) -> String {
        let sizes: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        sizes.join(" × ")
    }

    fn shape_words(&self) -> String {
        let sizes: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("({})", sizes.join(", "))
    }
}

fn fault(what: String) -> NpyFault {
    NpyFault::Header { what }
}

/// Reads the few Python literals a header may hold. It evaluates nothing.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), NpyFault> {
        if self.take(wanted) {
            return Ok(());
        }
        let found: String = self.rest.chars().take(12).collect();
        Err(fault(format!("`{wanted}` expected, found {found:?}")))
    }

    fn string(&mut self) -> Result<String, NpyFault> {
        let quote = if self.take('"') {
            '"'
        } else {
            self.expect('\'')?;
            '\''
        };
        let unclosed = || fault("a string is not closed".to_owned());
        let (text, rest) = self.rest.split_once(quote).ok_or_else(unclosed)?;
        self.rest = rest;
        Ok(text.to_owned())
    }

    /// A type: a string, or the list of a structured type, which is kept as text.
    fn descr(&mut self) -> Result<String, NpyFault> {
        const SHOWN: usize = 60;
        if self.rest.trim_start().starts_with(['[', '(']) {
            return Err(NpyFault::Type {
                descr: self.rest.trim().chars().take(SHOWN).collect(),
                what: "is a structured type (records), which is not a table of numbers",
            });
        }
        self.string()
    }

    fn boolean(&mut self) -> Result<bool, NpyFault> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(fault("True or False expected".to_owned()))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, NpyFault> {
        let mut sizes = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            self.rest = self.rest.trim_start();
            let digits = self.rest.len()
                - self
                    .rest
                    .trim_start_matches(|c: char| c.is_ascii_digit())
                    .len();
            let (number, rest) = self.rest.split_at(digits);
            let bad = |_| fault(format!("a size expected in the shape, found {number:?}"));
            sizes.push(number.parse().map_err(bad)?);
            // Python 2 wrote long integers as 6L.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(sizes)
    }
}
