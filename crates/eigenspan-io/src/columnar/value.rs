//! One cell of any type, as a number and as text.

use crate::table::TextColumn;

/// A unit of time as a power of ten: a second has 10^digits units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeUnit {
    pub(super) digits: u32,
}

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Missing,
    Bool(bool),
    Int(i128),
    F32(f32),
    F64(f64),
    /// Digits, and how many of them come after the decimal point.
    Decimal(i128, i32),
    Bytes(&'a [u8]),
    /// Days since 1970-01-01.
    Day(i64),
    /// Time since 1970-01-01.
    Stamp(i64, TimeUnit),
    /// Time since midnight.
    Time(i64, TimeUnit),
}

impl Value<'_> {
    /// Appends the cell as it would stand in a text file.
    pub(super) fn push_to(self, out: &mut TextColumn) {
        let mut digits = zmij::Buffer::new();
        match self {
            Value::Missing => out.push(""),
            Value::Bool(x) => out.push(if x { "true" } else { "false" }),
            Value::Int(x) => out.push(&x.to_string()),
            Value::F32(x) => out.push(digits.format(x)),
            Value::F64(x) => out.push(digits.format(x)),
            Value::Decimal(x, scale) => out.push(&decimal_text(x, scale)),
            Value::Bytes(bytes) => out.push(&String::from_utf8_lossy(bytes)),
            Value::Day(days) => out.push(&day_text(days)),
            Value::Stamp(ticks, unit) => {
                let day = 86_400 * 10i64.pow(unit.digits);
                let (days, rest) = (ticks.div_euclid(day), ticks.rem_euclid(day));
                out.push(&format!("{}T{}", day_text(days), time_text(rest, unit)));
            }
            Value::Time(ticks, unit) => out.push(&time_text(ticks, unit)),
        }
    }
}

/// Digits with a decimal point, as the nearest f64.
pub(super) fn decimal(digits: i128, scale: i32) -> f64 {
    const EXACT: i128 = 1 << 53;
    // Both exact, so that the division rounds once.
    if digits.abs() <= EXACT && (0..=22).contains(&scale) {
        return digits as f64 / 10f64.powi(scale);
    }
    let written = format!("{digits}e{}", -i64::from(scale));
    fast_float2::parse(written).unwrap_or(f64::NAN)
}

/// Big-endian two's complement of any length up to 16 bytes.
pub(super) fn big_endian(bytes: &[u8]) -> Option<i128> {
    let (&first, _) = bytes.split_first()?;
    let mut all = [if first & 0x80 == 0 { 0 } else { 0xff }; 16];
    let start = all.len().checked_sub(bytes.len())?;
    all.get_mut(start..)?.copy_from_slice(bytes);
    Some(i128::from_be_bytes(all))
}

fn decimal_text(digits: i128, scale: i32) -> String {
    let Some(scale) = usize::try_from(scale).ok().filter(|s| (1..=99).contains(s)) else {
        return format!(
            "{digits}{}",
            "0".repeat(scale.unsigned_abs().min(99) as usize)
        );
    };
    let sign = if digits < 0 { "-" } else { "" };
    let written = format!("{:0>1$}", digits.unsigned_abs(), scale + 1);
    let (whole, fraction) = written.split_at(written.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

/// The date in the proleptic Gregorian calendar: <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
fn day_text(days: i64) -> String {
    let shifted = i128::from(days) + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i128::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn time_text(ticks: i64, unit: TimeUnit) -> String {
    let second = 10i64.pow(unit.digits);
    let (seconds, fraction) = (ticks.div_euclid(second), ticks.rem_euclid(second));
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let whole = format!("{hour:02}:{minute:02}:{second:02}");
    if fraction == 0 {
        return whole;
    }
    let digits = format!("{fraction:00$}", unit.digits as usize);
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: Value<'_>) -> String {
        let mut out = TextColumn::default();
        value.push_to(&mut out);
        out.get(0).to_owned()
    }

    #[test]
    fn dates_and_times_are_written_as_iso_8601() {
        let (ms, ns) = (TimeUnit { digits: 3 }, TimeUnit { digits: 9 });
        assert_eq!(text(Value::Day(0)), "1970-01-01");
        assert_eq!(text(Value::Day(-1)), "1969-12-31");
        assert_eq!(text(Value::Day(19_782)), "2024-02-29");
        assert_eq!(text(Value::Stamp(1_500, ms)), "1970-01-01T00:00:01.5");
        assert_eq!(text(Value::Stamp(-1, ns)), "1969-12-31T23:59:59.999999999");
        assert_eq!(text(Value::Time(3_661_000, ms)), "01:01:01");
        text(Value::Stamp(i64::MIN, TimeUnit { digits: 0 }));
        text(Value::Day(i64::MAX));
    }

    #[test]
    fn decimals_are_the_nearest_numbers() {
        assert_eq!(decimal(-15, 1), -1.5);
        assert_eq!(
            decimal(123_456_789_012_345_678_901, 20),
            1.234_567_890_123_456_8
        );
        assert_eq!(decimal(3, -2), 300.0);
        assert_eq!(text(Value::Decimal(-5, 3)), "-0.005");
        assert_eq!(text(Value::Decimal(12_345, 2)), "123.45");
        assert_eq!(text(Value::Decimal(7, 0)), "7");
        assert_eq!(big_endian(&[0xff, 0xfe]), Some(-2));
        assert_eq!(big_endian(&[]), None);
    }
}
