//! What the name of a column suggests: `PatientId` identifies rows, `model_year` is a time, `Pclass` is a class.

/// What a name suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// The column identifies rows.
    Id,
    /// The column holds codes such as postal codes or telephone numbers.
    Code,
    /// The column is a point in time, counted in this unit.
    Time(Unit),
    /// The column holds classes.
    Class,
    /// The column is a measurement, even if its values are whole numbers or sorted.
    Measure,
}

/// The unit in which a point in time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Year,
    Month,
    Day,
    Weekday,
    Hour,
    Seconds,
}

impl Unit {
    /// Whether values between `low` and `high` are plausible in this unit.
    pub(super) fn holds(self, min: f64, max: f64) -> bool {
        let within = |low: f64, high: f64| min >= low && max <= high;
        match self {
            Unit::Year => within(1000.0, 2300.0) || within(0.0, 99.0),
            Unit::Month => within(1.0, 12.0),
            Unit::Day => within(1.0, 31.0),
            Unit::Weekday => within(0.0, 7.0),
            Unit::Hour => within(0.0, 24.0),
            Unit::Seconds => min >= 1e8,
        }
    }
}

const IDS: [&str; 9] = [
    "id", "ids", "idx", "uid", "uuid", "guid", "rowid", "rowname", "rownames",
];
/// Words that mean an id only if they are the whole name: `index`, but not `refractive_index`.
const WHOLE_IDS: [&str; 6] = ["index", "nr", "row", "number", "rownum", "obs"];
const CODES: [&str; 10] = [
    "zip", "zipcode", "postcode", "postal", "phone", "barcode", "isbn", "sku", "fips", "ssn",
];
const CLASSES: [&str; 20] = [
    "target",
    "class",
    "label",
    "species",
    "group",
    "cluster",
    "category",
    "type",
    "kind",
    "diagnosis",
    "outcome",
    "survived",
    "treatment",
    "sex",
    "gender",
    "batch",
    "region",
    "variety",
    "churn",
    "fold",
];
/// Words that mean a class only if they are the whole name.
const WHOLE_CLASSES: [&str; 3] = ["digit", "channel", "response"];
const MEASURES: [&str; 24] = [
    "age",
    "amount",
    "area",
    "concentration",
    "count",
    "depth",
    "distance",
    "dose",
    "duration",
    "frequency",
    "height",
    "income",
    "length",
    "mass",
    "points",
    "price",
    "score",
    "size",
    "speed",
    "temp",
    "temperature",
    "wavelength",
    "weight",
    "width",
];
/// Words that may follow the deciding word: `class_code`, `species.id`.
const TAILS: [&str; 6] = ["code", "codes", "id", "no", "nr", "number"];

/// What a name suggests; `None` if it suggests nothing.
pub(super) fn named(name: &str) -> Option<Named> {
    let words = words(name);
    let last = words.last()?.as_str();
    let before = match words.as_slice() {
        [.., before, last] if TAILS.contains(&last.as_str()) => Some(before.as_str()),
        _ => None,
    };
    let whole = words.concat();
    let is = |list: &[&str]| list.contains(&last) || before.is_some_and(|w| list.contains(&w));
    if is(&CLASSES) || last.ends_with("class") || WHOLE_CLASSES.contains(&whole.as_str()) {
        return Some(Named::Class);
    }
    if is(&CODES) {
        return Some(Named::Code);
    }
    if IDS.contains(&last) || WHOLE_IDS.contains(&whole.as_str()) || whole.starts_with("unnamed") {
        return Some(Named::Id);
    }
    let unit = match last {
        "year" | "yr" | "jahr" | "annee" | "vintage" => Some(Unit::Year),
        "month" => Some(Unit::Month),
        "day" => Some(Unit::Day),
        "weekday" | "dayofweek" => Some(Unit::Weekday),
        "hour" => Some(Unit::Hour),
        "timestamp" | "epoch" | "unixtime" => Some(Unit::Seconds),
        _ => None,
    };
    if let Some(unit) = unit {
        return Some(Named::Time(unit));
    }
    let measure = words.iter().any(|word| MEASURES.contains(&word.as_str()));
    measure.then_some(Named::Measure)
}

/// The words of a name in lower case: `PatientId` and `patient_id` give the same words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        assert_eq!(words("PatientId"), ["patient", "id"]);
        assert_eq!(words("patient_ID"), ["patient", "id"]);
        assert_eq!(words("GNP.deflator (%)"), ["gnp", "deflator"]);
        assert_eq!(named("ID"), Some(Named::Id));
        assert_eq!(named("Unnamed: 0"), Some(Named::Id));
        assert_eq!(named("birth year"), Some(Named::Time(Unit::Year)));
        assert_eq!(named("n_groups"), None);
        assert_eq!(named("number_of_rooms"), None);
        assert_eq!(named("body_mass_index"), Some(Named::Measure));
        assert_eq!(named("acid"), None);
        assert_eq!(named(""), None);
    }
}
