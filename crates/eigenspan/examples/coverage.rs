//! How often bootstrap intervals contain the true value, over tables drawn from known distributions, for
//! `benches/coverage.py`: one JSON object per case.
//!
//! `coverage DRAWS REPLICATES [MOST_ROWS [FEWEST_ROWS]]`.

use std::error::Error;

use eigenspan::evaluate::{Bootstrap, BootstrapOptions, Interval};
use eigenspan::linalg::{orthonormalize_rows, symmetric_eigen};
use eigenspan::prepare::Scale;
use eigenspan::rng::{Rng, stream};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};
use rayon::prelude::*;
use serde_json::json;

/// Components looked at.
const LOOKED_AT: usize = 5;

/// A distribution of rows.
struct Truth {
    /// Largest first, with the components as rows: of the covariance, or of the correlations.
    values: Vec<f64>,
    components: Mat<f64>,
    /// Deviations of the columns, in the units of the values.
    deviations: Vec<f64>,
}

fn spectrum(gap: &str, d: usize) -> Vec<f64> {
    let (lead, rest): (&[f64], f64) = match gap {
        "wide" => (&[16.0, 6.0, 2.5], 0.5),
        "close" => (&[5.0, 4.0, 3.0], 1.0),
        "equal" => (&[6.0, 3.0, 3.0], 1.0),
        "weak" => (&[10.0, 5.0], 1.0),
        _ => (&[], 1.0),
    };
    let mut values: Vec<f64> = lead.iter().copied().take(d).collect();
    match gap {
        "falling" => (0..d).map(|i| 10.0 * 0.6f64.powi(i as i32)).collect(),
        _ => {
            values.resize(d, rest);
            values
        }
    }
}

/// Sums of how often intervals held, and how often there were any.
#[derive(Clone, Default)]
struct Count {
    eigenvalues: Vec<f64>,
    shares: Vec<f64>,
    cumulative: Vec<f64>,
    given: Vec<f64>,
    loadings: Vec<f64>,
    correlations: Vec<f64>,
    draws: Vec<f64>,
}

fn holds(interval: &Interval, truth: f64) -> Option<f64> {
    let [low, high] = interval.interval?;
    let slack = 1e-9 * truth.abs();
    Some(f64::from(u8::from(
        low - slack <= truth && truth <= high + slack,
    )))
}

fn one(
    n: usize,
    gap: &str,
    rows: &str,
    d: usize,
    scaled: bool,
    seed: u64,
    replicates: usize,
) -> Count {
    let mut rng = Rng::new(seed);
    let values = spectrum(gap, d);
    let mut turn = Mat::from_fn(d, d, |_, _| rng.normal());
    if seed.is_multiple_of(2) && !scaled {
        turn = Mat::from_fn(d, d, |i, j| f64::from(u8::from(i == j)));
    }
    orthonormalize_rows(&mut turn);
    let mut x: Mat<f64> = Mat::zeros(n, d);
    for i in 0..n {
        let z: Vec<f64> = values
            .iter()
            .map(|v| {
                v.sqrt()
                    * match rows {
                        "normal" => rng.normal(),
                        "uniform" => 12f64.sqrt() * (rng.uniform() - 0.5),
                        _ => -(1.0 - rng.uniform()).ln() - 1.0,
                    }
            })
            .collect();
        for j in 0..d {
            x[(i, j)] = (0..d).map(|l| z[l] * turn[(l, j)]).sum();
        }
    }
    let options = PcaOptions {
        scale: if scaled { Scale::Std } else { Scale::None },
        ..Default::default()
    };
    let ctx = Context::new();
    let source = Dense::new(x.view());
    let bootstrap = BootstrapOptions {
        n_replicates: replicates,
        n_components: LOOKED_AT,
        seed,
        ..Default::default()
    };
    let fitted = options.fit(&ctx, &source);
    let pca = fitted.expect("a fit");
    let sure = bootstrap.run(&ctx, &pca, &source).expect("a bootstrap");
    count(&sure, &truth(values, turn, scaled), pca.components())
}

fn truth(values: Vec<f64>, turn: Mat<f64>, scaled: bool) -> Truth {
    let d = values.len();
    let at = |i: usize, j: usize| {
        (0..d)
            .map(|l| values[l] * turn[(l, i)] * turn[(l, j)])
            .sum::<f64>()
    };
    let covariance = Mat::from_fn(d, d, at);
    let deviations: Vec<f64> = (0..d).map(|j| covariance[(j, j)].sqrt()).collect();
    match scaled {
        false => Truth {
            values,
            components: turn,
            deviations,
        },
        true => {
            let unit = |i, j| covariance[(i, j)] / deviations[i] / deviations[j];
            let (values, components) = symmetric_eigen(&Mat::from_fn(d, d, unit)).expect("pairs");
            Truth {
                values,
                components,
                deviations: vec![1.0; d],
            }
        }
    }
}

fn count(sure: &Bootstrap, truth: &Truth, found: &Mat<f64>) -> Count {
    let (d, k) = (truth.values.len(), sure.eigenvalues.len());
    let total: f64 = truth.values.iter().sum();
    let zeros = vec![0.0; LOOKED_AT];
    let mut count = Count {
        eigenvalues: zeros.clone(),
        shares: zeros.clone(),
        cumulative: zeros.clone(),
        given: zeros.clone(),
        loadings: zeros.clone(),
        correlations: zeros.clone(),
        draws: zeros,
    };
    for i in 0..k {
        let value = truth.values[i];
        let so_far: f64 = truth.values[..=i].iter().sum::<f64>() / total;
        count.draws[i] = 1.0;
        count.eigenvalues[i] = holds(&sure.eigenvalues[i], value).unwrap_or(0.0);
        count.shares[i] = holds(&sure.shares[i], value / total).unwrap_or(0.0);
        count.cumulative[i] = holds(&sure.cumulative_shares[i], so_far).unwrap_or(0.0);
        let own = truth.components.row(i);
        let along: f64 = own.iter().zip(found.row(i)).map(|(a, b)| a * b).sum();
        for (j, own) in own.iter().enumerate() {
            let v = own * along.signum();
            let r = v * value.sqrt() / truth.deviations[j];
            if let (Some(a), Some(b)) = (
                holds(&sure.loadings[i][j], v),
                holds(&sure.correlations[i][j], r),
            ) {
                count.loadings[i] += a / d as f64;
                count.correlations[i] += b / d as f64;
                count.given[i] += 1.0 / d as f64;
            }
        }
    }
    count
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [draws, replicates, rest @ ..] = args.as_slice() else {
        return Err("usage: coverage DRAWS REPLICATES [MOST_ROWS [FEWEST_ROWS]]".into());
    };
    let (draws, replicates): (u64, usize) = (draws.parse()?, replicates.parse()?);
    let limit = |place: usize, usual: usize| rest.get(place).map_or(Ok(usual), |n| n.parse());
    let (most, fewest) = (limit(0, 1000)?, limit(1, 0)?);
    let shapes = [
        (30, 3),
        (30, 10),
        (30, 40),
        (50, 20),
        (100, 3),
        (100, 10),
        (100, 40),
        (300, 3),
        (300, 10),
        (1000, 3),
        (1000, 40),
    ];
    for (rows, scaled) in [
        ("normal", false),
        ("normal", true),
        ("uniform", false),
        ("exponential", false),
    ] {
        for gap in ["wide", "falling", "close", "equal", "weak", "none"] {
            for (n, d) in shapes
                .into_iter()
                .filter(|(n, _)| (fewest..=most).contains(n))
            {
                let counts: Vec<Count> = (0..draws)
                    .into_par_iter()
                    .map(|t| one(n, gap, rows, d, scaled, stream(t, n * 1000 + d), replicates))
                    .collect();
                let sum = |of: &dyn Fn(&Count) -> &Vec<f64>| -> Vec<f64> {
                    (0..LOOKED_AT)
                        .map(|i| counts.iter().map(|c| of(c)[i]).sum())
                        .collect()
                };
                let share = |of: Vec<f64>, among: &[f64]| -> Vec<Option<f64>> {
                    let each = of.iter().zip(among);
                    each.map(|(a, b)| (*b > 0.0).then(|| (1000.0 * a / b).round() / 1000.0))
                        .collect()
                };
                let (all, given) = (sum(&|c| &c.draws), sum(&|c| &c.given));
                println!(
                    "{}",
                    json!({
                        "rows": rows, "scaled": scaled, "gap": gap, "n": n, "d": d, "draws": draws, "replicates": replicates,
                        "eigenvalues": share(sum(&|c| &c.eigenvalues), &all),
                        "shares": share(sum(&|c| &c.shares), &all),
                        "cumulative_shares": share(sum(&|c| &c.cumulative), &all),
                        "loadings_given": share(given.clone(), &all),
                        "loadings": share(sum(&|c| &c.loadings), &given),
                        "correlations": share(sum(&|c| &c.correlations), &given),
                    })
                );
            }
        }
    }
    Ok(())
}
