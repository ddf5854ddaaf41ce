//! What the name of a column says about it: `PatientId` names rows, `model_year` is a time, `Pclass` a class.

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// It names rows.
    Id,
    /// It is a code of something else: a place, a telephone.
    Code,
    /// It is a point in time, counted so.
    Time(Unit),
    /// It stands for classes.
    Class,
    /// It is a measurement that may well be whole and sorted.
    Measure,
}

/// In what a point in time is counted.
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
    /// Whether numbers between these two can be that.
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
/// Names that are ids only as they stand: `index`, not `refractive_index`.
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
/// Names that are classes only as they stand.
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
/// Words that may follow the one that matters: `class_code`, `species.id`.
const TAILS: [&str; 6] = ["code", "codes", "id", "no", "nr", "number"];

/// What a name says, where it says anything.
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

/// The words of a name in small letters: `PatientId` and `patient_id` have the same.
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
