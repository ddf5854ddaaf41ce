//! The numbers that each section of a report's page may contain: those that its JSON has for that section, and the sums that are printed.

use serde_json::Value;

/// What a part of the page may say.
#[derive(Default)]
pub(crate) struct Pool {
    pub(crate) plain: Vec<f64>,
    pub(crate) shares: Vec<f64>,
    pub(crate) angles: Vec<f64>,
    pub(crate) rows: Vec<f64>,
}

impl Pool {
    pub(crate) fn plain(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        self.plain.extend(values);
        self
    }

    /// Shares, which are percent in sentences and fractions in tables.
    pub(crate) fn shares(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        self.plain.extend(&values);
        self.shares.extend(values);
        self
    }
}

/// Every number below a value of JSON.
pub(crate) fn leaves(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(x) => x.as_f64().into_iter().collect(),
        Value::Array(all) => all.iter().flat_map(leaves).collect(),
        Value::Object(all) => all.values().flat_map(leaves).collect(),
        _ => Vec::new(),
    }
}

/// Every text below a value of JSON.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Object(all) => all.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn float(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("a number: {value}"))
}

fn sums(values: &[f64]) -> Vec<f64> {
    let add = |sum: &mut f64, x: &f64| {
        *sum += x;
        Some(*sum)
    };
    values.iter().scan(0.0, add).collect()
}

/// What the part of the page with this name may say, from the object.
pub(crate) fn pool(object: &Value, part: &str) -> Pool {
    let a = &object["analysis"];
    let shares = leaves(&object["explained_variance_ratio"]);
    let kept = sums(&shares);
    let counts = [
        &object["n_rows"],
        &object["n_cols"],
        &a["k"],
        &object["n_components"],
    ];
    let counts = counts.map(float);
    let possible = counts[1].min(counts[0] - 1.0);
    let rank = leaves(&object["explained_variance"])
        .iter()
        .filter(|v| **v > 1e-12)
        .count() as f64;
    let shown = &a["rows_shown"];
    let n_shown = shown["row"].as_array().expect("rows").len() as f64;
    let n_beside = leaves(&a["supplementary"]["categories"]).len().min(24) as f64;
    let mut pool = Pool::default()
        .plain(counts)
        .plain([
            possible,
            rank,
            n_shown,
            n_beside,
            float(&a["rows_looked_at"]),
        ])
        // What a figure's table leaves to its CSV: all but 20 rows of the map, all but 50 lines of others.
        .plain([n_shown - 20.0, n_shown + counts[1] - 50.0, counts[1] - 50.0])
        .shares(shares.clone())
        .shares(kept.clone())
        .shares([0.9, 1.0, 0.0]);
    pool.rows = leaves(&shown["row"]);
    pool.rows.extend(
        leaves(&a["outliers"]["farthest"])
            .iter()
            .map(|row| row + 1.0),
    );
    let residual = leaves(&object["residuals"]).into_iter().fold(0.0, f64::max);
    let outliers = &a["outliers"];
    let level = float(&outliers["limits"]["level"]);
    let chosen: Vec<f64> = a["choices"]["advices"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|advice| leaves(&advice["k"]))
        .chain(leaves(&a["choices"]["consensus"]))
        .collect();
    let rows = || {
        let scores = leaves(&shown["scores"]);
        scores
            .into_iter()
            .chain(leaves(&shown["t2"]))
            .chain(leaves(&shown["q"]))
    };
    let levels = || {
        let all = a["supplementary"]["categories"]
            .as_array()
            .into_iter()
            .flatten();
        let n_levels = all
            .clone()
            .map(|c| c["levels"].as_array().map_or(0.0, |l| l.len() as f64));
        let n_rows = all
            .clone()
            .flat_map(|c| c["levels"].as_array().into_iter().flatten());
        let n_rows = n_rows.map(|level| float(&level["n_rows"]));
        n_levels.chain(n_rows).collect::<Vec<_>>()
    };
    let eta2 = || {
        let all = a["supplementary"]["categories"]
            .as_array()
            .into_iter()
            .flatten();
        all.flat_map(|column| leaves(&column["eta2"]))
            .collect::<Vec<_>>()
    };
    match part {
        "part-words" => {
            let beyond = ["n_beyond", "n_beyond_t2", "n_beyond_q", "n_rows"]
                .map(|key| float(&outliers[key]));
            let centroids = a["supplementary"]["categories"]
                .as_array()
                .into_iter()
                .flatten();
            let centroids = centroids.flat_map(|c| c["levels"].as_array().into_iter().flatten());
            let centroids: Vec<f64> = centroids
                .flat_map(|level| leaves(&level["centroid"]))
                .collect();
            let scales = a["notes"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|n| n["kind"] == "unlike_scales");
            let (mut weights, mut ratios) = (Vec::new(), Vec::new());
            for note in scales {
                weights.push(float(&note["weight"]));
                let ratio = float(&note["ratio"]);
                let step = 10f64.powf(ratio.log10().floor() - 1.0);
                ratios.push((ratio / step).round() * step);
                ratios.extend(leaves(&note["scaled_components"]));
            }
            pool.plain(beyond)
                .plain([(1.0 - level) * beyond[3], residual])
                .plain(chosen)
                .plain(leaves(&a["axes"]))
                .plain(leaves(&a["apart"]))
                .plain(leaves(&a["adequacy"]["kmo"]["overall"]))
                .plain(leaves(&a["bootstrap"]["stability"]))
                .plain([counts[2] - 3.0])
                .plain(centroids)
                .plain(ratios)
                .shares([level, 1.0 - level])
                .shares(weights)
                .shares(eta2())
        }
        "part-how-many" => {
            let total = float(&object["total_variance"]);
            let band = leaves(&a["choices"]["advices"])
                .into_iter()
                .map(move |x| x / total);
            pool.plain(chosen).shares(band)
        }
        "part-scores" => {
            let drawn = leaves(&a["supplementary"]["numeric"]);
            let pool = pool
                .plain(rows())
                .plain(levels())
                .plain(drawn)
                .shares(eta2())
                .shares([0.95]);
            // The share of any two components together.
            let pairs = shares
                .iter()
                .enumerate()
                .flat_map(|(i, x)| shares[i + 1..].iter().map(move |y| x + y));
            pool.shares(pairs.collect::<Vec<_>>())
        }
        "part-loadings" => {
            let beside = leaves(&a["supplementary"]["numeric"]);
            let pool = pool
                .plain(leaves(&a["components"]))
                .plain(leaves(&a["correlations"]))
                .plain(beside);
            let cos2 = leaves(&a["cos2"]);
            let pool = pool
                .plain(leaves(&a["bootstrap"]["loadings"]))
                .plain(rows())
                .plain(levels())
                .plain(leaves(&a["rotated"]));
            // How many columns have their first strong correlation with a component, at most all.
            pool.shares(cos2)
                .shares([0.95])
                .plain((0..=counts[1] as usize).map(|n| n as f64))
        }
        "part-contributions" => {
            let told = leaves(&a["communalities"]);
            let mean = told.iter().sum::<f64>() / told.len() as f64;
            let contributions = leaves(&a["contributions"]);
            let as_shares: Vec<f64> = contributions.iter().map(|x| x / 100.0).collect();
            // Columns that give more than an even share, and what they give together.
            let even = 1.0 / counts[1];
            let mut sums_of_most = Vec::new();
            for component in a["contributions"].as_array().into_iter().flatten() {
                let mut all: Vec<f64> = leaves(component).iter().map(|x| x / 100.0).collect();
                all.sort_by(|x, y| y.total_cmp(x));
                sums_of_most.extend(sums(&all));
                sums_of_most.push(all.iter().filter(|x| **x > even).count() as f64);
            }
            let well = (0..=told.len()).map(|n| n as f64);
            pool.plain(contributions)
                .plain(well)
                .plain(leaves(&a["components"]))
                .plain(leaves(&a["correlations"]))
                .shares(sums_of_most)
                .shares(as_shares)
                .shares(told)
                .shares([mean, even, 0.5])
        }
        "part-reconstruction" => {
            let held = a["choices"]["advices"].as_array().into_iter().flatten();
            let held = held.filter(|advice| advice["detail"]["kind"] == "errors");
            let held = held.flat_map(|advice| {
                let errors = leaves(&advice["detail"]["numbers"]);
                let none = errors.first().copied().unwrap_or(1.0);
                errors
                    .into_iter()
                    .map(move |x| x / none)
                    .collect::<Vec<_>>()
            });
            let held: Vec<f64> = held.collect();
            let places = (0..held.len().max(shares.len() + 1)).map(|k| k as f64);
            pool.plain(places)
                .shares(held)
                .shares(kept.iter().map(|x| (1.0 - x).max(0.0)).collect::<Vec<_>>())
        }
        "part-outliers" => {
            let far = leaves(outliers);
            pool.plain(rows()).plain(far).shares([level])
        }
        "part-stability" => {
            let bootstrap = &a["bootstrap"];
            let mut pool = pool
                .plain(leaves(&bootstrap["eigenvalues"]))
                .plain(leaves(&bootstrap["stability"]));
            pool.angles = leaves(&bootstrap["angles"]);
            pool.angles.extend(leaves(&bootstrap["span_angles"]));
            pool.plain(leaves(&a["adequacy"]))
                .plain([0.0, 1.0, 0.5])
                .shares(leaves(&bootstrap["shares"]))
                .shares([float(&bootstrap["level"])])
        }
        "part-columns" => {
            let missing = a["columns"].as_array().expect("columns").iter();
            let missing: f64 = missing.map(|column| float(&column["missing"])).sum();
            pool.plain(leaves(&a["columns"])).plain([missing])
        }
        "part-computed" => {
            let cost = leaves(&a["cost"]);
            let units: Vec<f64> = [1.0, 1e3, 1e6, 1e9, 1024.0, 1048576.0].into();
            let scaled = cost
                .iter()
                .flat_map(|x| units.iter().map(move |unit| x / unit));
            pool.plain(scaled.collect::<Vec<_>>())
                .plain([residual])
                .plain(leaves(&a["options"]))
        }
        other => panic!("a part without numbers of its own: {other}"),
    }
}
