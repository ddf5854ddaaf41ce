//! Prior probabilities of classes.

use crate::error::{ClassFault, Error};

/// The sum of priors may be off by this much, as numbers with five digits are.
const ROUNDED: f64 = 1e-5;

/// Priors that were given, or the classes' shares of the weight of all rows.
pub(in crate::method) fn checked_priors(
    given: Option<&[f64]>,
    names: &[String],
    weights: &[f64],
) -> Result<Vec<f64>, Error> {
    let Some(given) = given else {
        let total: f64 = weights.iter().sum();
        return Ok(weights.iter().map(|weight| weight / total).collect());
    };
    let refuse = |fault| Err(Error::Classes(fault));
    if given.len() != names.len() {
        return refuse(ClassFault::PriorCount {
            given: given.len(),
            classes: names.to_vec(),
        });
    }
    let wrong = given.iter().find(|p| !(p.is_finite() && **p > 0.0));
    if let Some(&given) = wrong {
        return refuse(ClassFault::BadPriors { given, sum: None });
    }
    let sum: f64 = given.iter().sum();
    match (sum - 1.0).abs() > ROUNDED {
        true => refuse(ClassFault::BadPriors {
            given: given[0],
            sum: Some(sum),
        }),
        false => Ok(given.to_vec()),
    }
}

/// The logarithm of each.
pub(in crate::method) fn log_of(priors: &[f64]) -> Vec<f64> {
    priors.iter().map(|p| p.ln()).collect()
}
