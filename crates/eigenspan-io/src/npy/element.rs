//! The element types of NPY files, and how their bytes become numbers.

use crate::error::NpyFault;

/// An element type that holds real numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

impl Element {
    /// The type and whether it is big-endian, from text such as `<f8`.
    pub(crate) fn parse(descr: &str) -> Result<(Element, bool), NpyFault> {
        let kind = descr.trim_start_matches(['<', '>', '|', '=']);
        let big_endian = match descr.chars().next() {
            Some('>') => true,
            Some('<' | '|') => false,
            _ => cfg!(target_endian = "big"),
        };
        let element = match kind {
            "b1" | "?" => Element::Bool,
            "i1" => Element::I8,
            "i2" => Element::I16,
            "i4" => Element::I32,
            "i8" => Element::I64,
            "u1" => Element::U8,
            "u2" => Element::U16,
            "u4" => Element::U32,
            "u8" => Element::U64,
            "f2" => Element::F16,
            "f4" => Element::F32,
            "f8" => Element::F64,
            _ => return Err(refused(descr, kind)),
        };
        Ok((element, big_endian))
    }

    /// Bytes of one element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Element::Bool | Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 | Element::F16 => 2,
            Element::I32 | Element::U32 | Element::F32 => 4,
            Element::I64 | Element::U64 | Element::F64 => 8,
        }
    }

    /// Turns a run of elements into numbers, appended to `out`.
    pub(crate) fn convert(self, big_endian: bool, bytes: &[u8], out: &mut Vec<f64>) {
        macro_rules! take {
            ($type:ty, $number:expr) => {{
                let chunks = bytes.as_chunks::<{ size_of::<$type>() }>().0;
                if big_endian {
                    out.extend(chunks.iter().map(|c| $number(<$type>::from_be_bytes(*c))));
                } else {
                    out.extend(chunks.iter().map(|c| $number(<$type>::from_le_bytes(*c))));
                }
            }};
        }
        match self {
            Element::Bool => out.extend(bytes.iter().map(|b| f64::from(u8::from(*b != 0)))),
            Element::I8 => take!(i8, f64::from),
            Element::I16 => take!(i16, f64::from),
            Element::I32 => take!(i32, f64::from),
            Element::I64 => take!(i64, |x: i64| x as f64),
            Element::U8 => take!(u8, f64::from),
            Element::U16 => take!(u16, f64::from),
            Element::U32 => take!(u32, f64::from),
            Element::U64 => take!(u64, |x: u64| x as f64),
            Element::F16 => take!(u16, half_to_f64),
            Element::F32 => take!(f32, f64::from),
            Element::F64 => take!(f64, |x: f64| x),
        }
    }
}

/// A half-precision float (IEEE 754 binary16): 1 bit sign, 5 bits exponent, 10 bits fraction. Exact.
pub(crate) fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    }
}

fn refused(descr: &str, kind: &str) -> NpyFault {
    let what = match kind.chars().next() {
        Some('O') => "holds Python objects (a pickle), which are never opened",
        Some('U' | 'S' | 'a') => "holds text, not numbers",
        Some('V') => "holds raw bytes (void), not numbers",
        Some('c') => "holds complex numbers, but real ones are needed",
        Some('M' | 'm') => "holds dates or times, not numbers",
        Some('f') if kind == "f16" || kind == "f12" => {
            "holds extended floats, which only some machines have"
        }
        _ => "is not known",
    };
    NpyFault::Type {
        descr: format!("{descr:?}"),
        what,
    }
}

#[cfg(test)]
mod tests {
    use super::half_to_f64;

    #[test]
    fn half_floats_are_exact() {
        for (bits, number) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 2f64.powi(-14)),
            (0x0001, 2f64.powi(-24)),
            (0x3555, 0.333251953125),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half_to_f64(bits), number, "{bits:#x}");
        }
        assert!(half_to_f64(0x7e00).is_nan());
    }
}
