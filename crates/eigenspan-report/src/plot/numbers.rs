//! The few numbers behind figures that the model does not hold: scores and distances of rows, correlations of columns.
//!
//! This is the one place of `plot` that computes; formulas that find a home in the core are to be called from here.
//!
//! Correlation of column j with component c: v_cj √λ_c ÷ s_j, with s_j the deviation of the prepared column. T² = Σ t²/λ over
//! the first k components, Q = ‖x‖² − Σ t² for the prepared row x. Their limits are quantiles of g·χ² with the mean and
//! variance that the rows show (Box 1954), by Wilson and Hilferty's approximation (1931).

use eigenspan::prepare::{Missing, Scale};
use eigenspan::source::{Pick, Source, fold};
use eigenspan::{Context, Error, Pca, Real};
use eigenspan_io::{Numbers, Table};

use crate::JobError;

/// A table opened for a model, and where the model's columns are in it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) table: Table,
    pub(super) pick: Option<Vec<usize>>,
}

/// What rows look like from some components.
#[derive(Debug, Default)]
pub(super) struct RowNumbers {
    /// Scores on each component asked for.
    pub(super) scores: Vec<Vec<f64>>,
    /// T² over the first `k` components, and Q, where they were asked for.
    pub(super) t2: Vec<f64>,
    pub(super) q: Vec<f64>,
}

/// Share of ordinary rows below a limit.
pub(super) const LEVEL: f64 = 0.95;

/// Reads all rows once. `distances` is the number of components for T² and Q.
pub(super) fn rows(
    ctx: &Context,
    pca: &Pca,
    opened: &Opened,
    components: &[usize],
    distances: Option<usize>,
) -> Result<RowNumbers, JobError> {
    let name = opened.table.name();
    let wide = components.len() + 2 * usize::from(distances.is_some());
    let bytes = (opened.table.n_rows() * wide * 8) as u64;
    if ctx.memory().is_some_and(|memory| 2 * bytes > memory) {
        return Err(JobError::Usage {
            what: format!("the scores of {name} do not fit into the memory allowed"),
            tip: Some("--sample 10000 draws that many rows".to_owned()),
        });
    }
    let cells = match opened.table.numbers() {
        Numbers::F32(source) => picked(ctx, pca, source, opened, components, distances),
        Numbers::F64(source) => picked(ctx, pca, source, opened, components, distances),
    };
    let cells = cells.map_err(|e| JobError::core(name, e))?;
    let column = |at: usize| cells.iter().skip(at).step_by(wide).copied().collect();
    let k = components.len();
    Ok(RowNumbers {
        scores: (0..k).map(column).collect(),
        t2: distances.map(|_| column(k)).unwrap_or_default(),
        q: distances.map(|_| column(k + 1)).unwrap_or_default(),
    })
}

fn picked<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    opened: &Opened,
    components: &[usize],
    distances: Option<usize>,
) -> Result<Vec<f64>, Error> {
    match &opened.pick {
        Some(pick) => {
            let source = Pick::new(source, pick.clone())?;
            read(ctx, pca, &source, components, distances)
        }
        None => read(ctx, pca, source, components, distances),
    }
}

/// Row by row: the scores asked for, then T² and Q.
fn read<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    components: &[usize],
    distances: Option<usize>,
) -> Result<Vec<f64>, Error> {
    ctx.begin("projecting", source.n_rows().map(|n| n as u64));
    let variances = pca.explained_variance();
    let whitened = pca.parts().options.whiten;
    let fills = pca.parts().options.missing == Missing::Mean;
    fold(
        ctx,
        source,
        16,
        Vec::new,
        |out: &mut Vec<f64>, rows| {
            let scores = pca.transform_rows(ctx, source, rows)?;
            let prepared = distances.map(|_| pca.parts().preparation.apply(&rows.block));
            for i in 0..scores.n_rows() {
                let row = scores.row(i);
                out.extend(components.iter().map(|&c| row[c]));
                let Some((prepared, k)) = prepared.as_ref().zip(distances) else {
                    continue;
                };
                let squares = |x: &f64| if fills && x.is_nan() { 0.0 } else { x * x };
                let all: f64 = prepared.row(i).iter().map(squares).sum();
                let (mut t2, mut within) = (0.0, 0.0);
                for (t, variance) in row
                    .iter()
                    .zip(&variances)
                    .take(k)
                    .filter(|(_, v)| **v > 0.0)
                {
                    let plain = if whitened { t * t * variance } else { t * t };
                    within += plain;
                    t2 += plain / variance;
                }
                // What rounding leaves of nothing is nothing.
                let q = all - within;
                out.extend([t2, if q.abs() <= 1e-12 * all { 0.0 } else { q }]);
            }
            Ok(())
        },
        |all, more| all.extend(more),
    )
}

/// A limit that so many ordinary rows stay below, from the mean and variance of the distances; none where they do not vary.
pub(super) fn limit(distances: &[f64]) -> f64 {
    let known: Vec<f64> = distances
        .iter()
        .copied()
        .filter(|x| x.is_finite())
        .collect();
    let n = known.len() as f64;
    let mean = known.iter().sum::<f64>() / n;
    let variance = known.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    if !(mean > 0.0 && variance > 0.0) {
        return f64::NAN;
    }
    let (g, freedom) = (variance / (2.0 * mean), 2.0 * mean * mean / variance);
    // 95 % of the normal distribution lie below this.
    const Z: f64 = 1.644_853_626_951_472_2;
    let part = 2.0 / (9.0 * freedom);
    g * freedom * (1.0 - part + Z * part.sqrt()).max(0.0).powi(3)
}

/// Correlations of all columns with some components; an error where the model alone does not know its columns' variances.
pub(super) fn correlations(
    ctx: &Context,
    pca: &Pca,
    opened: Option<&Opened>,
    components: &[usize],
) -> Result<Vec<Vec<f64>>, JobError> {
    let d = pca.n_cols();
    let lambda = pca.explained_variance();
    let v = pca.components();
    let squares: Vec<f64> = match (pca.parts().options.scale, opened) {
        (Scale::Std, _) => vec![1.0; d],
        _ if pca.spectrum().total_share() >= 1.0 - 1e-9 => (0..d)
            .map(|j| {
                (0..lambda.len())
                    .map(|c| lambda[c] * v[(c, j)].powi(2))
                    .sum()
            })
            .collect(),
        (_, Some(opened)) => column_variances(ctx, pca, opened)?,
        (_, None) => {
            return Err(JobError::Usage {
                what: "correlations need the variance of every column, which a model with some components of unscaled columns \
                       does not know"
                    .to_owned(),
                tip: Some("give the data instead of the model, or after it".to_owned()),
            });
        }
    };
    let of = |c: usize, j: usize| {
        let r = v[(c, j)] * lambda[c].sqrt() / squares[j].sqrt();
        if r.is_finite() {
            r.clamp(-1.0, 1.0)
        } else {
            0.0
        }
    };
    Ok(components
        .iter()
        .map(|&c| (0..d).map(|j| of(c, j)).collect())
        .collect())
}

fn column_variances(ctx: &Context, pca: &Pca, opened: &Opened) -> Result<Vec<f64>, JobError> {
    let sums = match (opened.table.numbers(), &opened.pick) {
        (Numbers::F32(source), None) => square_sums(ctx, pca, source),
        (Numbers::F64(source), None) => square_sums(ctx, pca, source),
        (Numbers::F32(source), Some(pick)) => {
            Pick::new(source, pick.clone()).and_then(|source| square_sums(ctx, pca, &source))
        }
        (Numbers::F64(source), Some(pick)) => {
            Pick::new(source, pick.clone()).and_then(|source| square_sums(ctx, pca, &source))
        }
    };
    let (sums, n) = sums.map_err(|e| JobError::core(opened.table.name(), e))?;
    let divisor = pca
        .parts()
        .options
        .convention
        .divisor(n)
        .max(f64::MIN_POSITIVE);
    Ok(sums.into_iter().map(|sum| sum / divisor).collect())
}

/// Sums of squares of the prepared columns, missing cells left out, and the rows.
fn square_sums<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
) -> Result<(Vec<f64>, f64), Error> {
    let d = pca.n_cols();
    ctx.begin("reading variances", source.n_rows().map(|n| n as u64));
    fold(
        ctx,
        source,
        8 * d,
        || (vec![0.0; d], 0.0),
        |(sums, n), rows| {
            let prepared = pca.parts().preparation.apply(&rows.block);
            for i in 0..prepared.n_rows() {
                let cells = prepared.row(i).iter();
                let known = sums.iter_mut().zip(cells).filter(|(_, x)| x.is_finite());
                known.for_each(|(sum, x)| *sum += x * x);
            }
            *n += prepared.n_rows() as f64;
            Ok(())
        },
        |all, more| {
            all.0.iter_mut().zip(more.0).for_each(|(a, b)| *a += b);
            all.1 += more.1;
        },
    )
}
