//! A size as people write it: `4GB`, `300MB`, `1.5GiB`, or plain bytes.

use std::str::FromStr;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let split = text
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "k" | "kb" => 1e3,
            "m" | "mb" => 1e6,
            "g" | "gb" => 1e9,
            "t" | "tb" => 1e12,
            "kib" => 1024.0,
            "mib" => 1_048_576.0,
            "gib" => 1_073_741_824.0,
            _ => return Err("a size is a number and a unit, such as 300MB, 4GB or 2GiB".to_owned()),
        };
        match number.trim().parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(Size((number * factor) as u64)),
            _ => Err("a size is a number and a unit, such as 300MB, 4GB or 2GiB".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("4GB", 4_000_000_000),
            ("300mb", 300_000_000),
            ("1.5 GiB", 1_610_612_736),
            ("12", 12),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "GB", "-1GB", "0", "4 parsecs", "nan"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
