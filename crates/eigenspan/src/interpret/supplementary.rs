//! Supplementary columns and groups, which took no part in the fit, and how they relate to the components: does a component
//! just show batch, group or date? (Supplementary rows are those that [`Pca::transform`] projects.)
//!
//! - a number for every row: its correlation with the scores, over the rows that have it.
//! - a group for every row, over the n rows that have one: the mean scores of each of its levels, and how far these are from
//!   chance. A level of n_q rows drawn at random from the n would have mean scores t̄_q with mean t̄ and variance s²/n_q · (n
//!   − n_q)/n, where s² = Σ(t − t̄)²/(n − 1); v = (t̄_q − t̄) ÷ the root of that is FactoMineR's v-test, beyond ±1.96 about
//!   once in twenty (Lê, Josse & Husson 2008, doi:10.18637/jss.v025.i01).
//! - the share of a component that the levels explain, η² = Σ n_q (t̄_q − t̄)² ÷ Σ (t − t̄)², the correlation ratio, with the
//!   probability of a share at least this large by chance (the F test of an analysis of variance).
//!
//! Weights count as repeated rows. One reading for all columns and groups together.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::completed::for_each_panel;
use super::share_of;
use super::together::{Row, Together};
use crate::context::Context;
use crate::distribution::{f_tail, normal_two_sided};
use crate::error::{Error, ShapeFault, counted};
use crate::mat::{Mat, Real};
use crate::method::Pca;
use crate::on_numbers;
use crate::prepare::{Missing, find_not_finite};
use crate::source::{Numbers, Rows, Source, fold};

/// About how many running sums are in memory at the same time.
const COPIES: u64 = 6;

/// A number for every row; NaN where a row has none.
#[derive(Debug, Clone, PartialEq)]
pub struct NumericColumn {
    /// Its name.
    pub name: String,
    /// One value per row.
    pub values: Vec<f64>,
}

/// A group for every row.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryColumn {
    name: String,
    levels: Vec<String>,
    codes: Vec<Option<usize>>,
}

impl CategoryColumn {
    /// From one label per row; `None` if a row has no label. Levels come in the order in which they appear.
    pub fn new<'a>(
        name: impl Into<String>,
        labels: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Self {
        let mut places = HashMap::new();
        let mut levels: Vec<String> = Vec::new();
        let codes = labels
            .into_iter()
            .map(|label| {
                label.map(|label| {
                    *places.entry(label).or_insert_with(|| {
                        levels.push(label.to_owned());
                        levels.len() - 1
                    })
                })
            })
            .collect();
        CategoryColumn {
            name: name.into(),
            levels,
            codes,
        }
    }

    /// Its levels.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }
}

/// Supplementary columns and groups.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Supplementary {
    /// Numbers.
    pub numeric: Vec<NumericColumn>,
    /// Groups.
    pub categories: Vec<CategoryColumn>,
}

/// A supplementary column of numbers, compared with the components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumericFacts {
    /// Its name.
    pub name: String,
    /// Rows that have it.
    pub n_rows: usize,
    /// Correlation with the scores on each component; 0 where one of the two does not vary.
    pub correlations: Vec<f64>,
}

/// One level of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Category {
    /// Its label.
    pub level: String,
    /// Rows in it.
    pub n_rows: usize,
    /// Sum of their weights.
    pub weight: f64,
    /// Mean scores.
    pub centroid: Vec<f64>,
    /// v-test on each component; 0 if the scores are constant or every row is in this level.
    pub v_tests: Vec<f64>,
    /// Probability of a centroid at least this far out by chance, on each component.
    pub p_values: Vec<f64>,
}

/// A supplementary group, compared with the components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryFacts {
    /// Its name.
    pub name: String,
    /// Rows that have a level.
    pub n_rows: usize,
    /// Its levels that have rows.
    pub levels: Vec<Category>,
    /// Share of each component that the levels explain.
    pub eta2: Vec<f64>,
    /// Probability of a share at least this large by chance; None for one level, or for as many levels as rows.
    pub p_values: Vec<Option<f64>>,
}

/// Supplementary columns and groups, compared with the components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SupplementaryFacts {
    /// Numbers, in the order given.
    pub numeric: Vec<NumericFacts>,
    /// Groups, in the order given.
    pub categories: Vec<CategoryFacts>,
}

/// Reads the source once and compares supplementary columns and groups with the components.
pub fn supplementary<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    beside: &Supplementary,
) -> Result<SupplementaryFacts, Error> {
    supplementary_of_numbers(ctx, pca, Numbers::from_source(source), beside)
}

/// Compiled in this crate once, for both element types.
fn supplementary_of_numbers(
    ctx: &Context,
    pca: &Pca,
    numbers: Numbers<'_>,
    beside: &Supplementary,
) -> Result<SupplementaryFacts, Error> {
    on_numbers!(numbers, source => beside_rows(ctx, pca, source, beside))
}

fn beside_rows<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    beside: &Supplementary,
) -> Result<SupplementaryFacts, Error> {
    let (given, expected) = (source.n_cols(), pca.n_cols());
    if given != expected {
        return Err(Error::WrongWidth { given, expected });
    }
    check_lengths(source.n_rows(), beside)?;
    let k = pca.n_components();
    let n_levels: usize = beside.categories.iter().map(|c| c.levels.len()).sum();
    let bytes = 8 * Together::len(k) * (beside.numeric.len() + n_levels).max(1);
    if let Some(allowed) = ctx
        .memory()
        .filter(|allowed| COPIES * bytes as u64 > *allowed)
    {
        return Err(Error::Memory {
            what: format!("a table of mean scores of {}", counted(n_levels, "level")),
            needed: COPIES * bytes as u64,
            allowed,
        });
    }
    ctx.begin(
        "comparing supplementary columns",
        source.n_rows().map(|n| n as u64),
    );
    let sums = fold(
        ctx,
        source,
        bytes,
        || Sums::new(beside, k),
        |sums, rows| sums.add(ctx, pca, source, rows, beside),
        |a, b| a.merge(b),
    )?;
    check_lengths(Some(sums.n_rows), beside)?;
    Ok(sums.facts(beside))
}

/// Refuses columns that are longer or shorter than the table.
fn check_lengths(n_rows: Option<usize>, beside: &Supplementary) -> Result<(), Error> {
    let numeric = beside.numeric.iter().map(|c| (&c.name, c.values.len()));
    let categories = beside.categories.iter().map(|c| (&c.name, c.codes.len()));
    let mut lengths = numeric.chain(categories);
    match lengths.find(|(_, len)| n_rows.is_some_and(|n| n != *len)) {
        Some((name, given)) => Err(Error::Shape(ShapeFault::Column {
            column: name.clone(),
            given,
            n_rows: n_rows.unwrap_or(0),
        })),
        None => Ok(()),
    }
}

/// Sums of one reading.
struct Sums {
    n_rows: usize,
    numeric: Vec<Together>,
    categories: Vec<Vec<Together>>,
}

impl Sums {
    fn new(beside: &Supplementary, k: usize) -> Self {
        let levels = |c: &CategoryColumn| vec![Together::new(k); c.levels.len()];
        Sums {
            n_rows: 0,
            numeric: vec![Together::new(k); beside.numeric.len()],
            categories: beside.categories.iter().map(levels).collect(),
        }
    }

    fn add<T: Real>(
        &mut self,
        ctx: &Context,
        pca: &Pca,
        source: &dyn Source<T>,
        rows: &Rows<'_, T>,
        beside: &Supplementary,
    ) -> Result<(), Error> {
        let drop = pca.parts().options.missing == Missing::Drop;
        for_each_panel(&rows.block, |start, panel| {
            let mut scores = pca.plain_scores(&panel, pca.n_components())?;
            for i in 0..scores.n_rows() {
                // Scores along a component without variance are rounding and become 0.
                let row = scores.row_mut(i);
                let silent = row.iter_mut().skip(pca.spectrum().rank);
                silent.filter(|t| t.is_finite()).for_each(|t| *t = 0.0);
            }
            let weight = |i: usize| rows.weights.map_or(1.0, |w| w[start + i]);
            // The cells of a row with weight 0 may be anything; a row with a weight has scores, unless the model leaves it out.
            let counts = |i: &usize| weight(*i) > 0.0;
            let has_scores = |i: &usize| scores.row(*i).iter().all(|t| t.is_finite());
            let mut heard: Vec<usize> = (0..scores.n_rows()).filter(counts).collect();
            if !drop && !heard.iter().all(has_scores) {
                return Err(find_not_finite(ctx, source));
            }
            heard.retain(has_scores);
            self.add_scores(rows.first + start, &scores, &heard, &weight, beside);
            self.n_rows = self.n_rows.max(rows.first + start + scores.n_rows());
            Ok(())
        })
    }

    /// Rows that count, given by their place in a panel that starts at row `first` of the table.
    fn add_scores(
        &mut self,
        first: usize,
        scores: &Mat<f64>,
        heard: &[usize],
        weight: &dyn Fn(usize) -> f64,
        beside: &Supplementary,
    ) {
        for (sums, column) in self.numeric.iter_mut().zip(&beside.numeric) {
            let row = |&i: &usize| -> Option<Row<'_>> {
                let y = *column.values.get(first + i)?;
                y.is_finite().then(|| (weight(i), y, scores.row(i)))
            };
            sums.add(&heard.iter().filter_map(row).collect::<Vec<_>>());
        }
        for (sums, column) in self.categories.iter_mut().zip(&beside.categories) {
            let mut lots: BTreeMap<usize, Vec<Row<'_>>> = BTreeMap::new();
            for &i in heard {
                if let Some(Some(code)) = column.codes.get(first + i) {
                    let lot = lots.entry(*code).or_default();
                    lot.push((weight(i), 0.0, scores.row(i)));
                }
            }
            for (code, lot) in lots {
                sums[code].add(&lot);
            }
        }
    }

    fn merge(&mut self, other: Sums) {
        self.n_rows = self.n_rows.max(other.n_rows);
        let numeric = self.numeric.iter_mut().zip(other.numeric);
        numeric.for_each(|(a, b)| a.merge(b));
        let own = self.categories.iter_mut().flatten();
        let categories = own.zip(other.categories.into_iter().flatten());
        categories.for_each(|(a, b)| a.merge(b));
    }

    fn facts(self, beside: &Supplementary) -> SupplementaryFacts {
        let numeric = beside.numeric.iter().zip(self.numeric);
        let categories = beside.categories.iter().zip(self.categories);
        SupplementaryFacts {
            numeric: numeric
                .map(|(column, sums)| numeric_facts(&column.name, &sums))
                .collect(),
            categories: categories
                .map(|(column, sums)| category_facts(column, &sums))
                .collect(),
        }
    }
}

fn numeric_facts(name: &str, sums: &Together) -> NumericFacts {
    let root = sums.yy.sqrt();
    let correlation = |(yt, tt): (&f64, &f64)| share_of(share_of(*yt, root), tt.sqrt());
    NumericFacts {
        name: name.to_owned(),
        n_rows: sums.n_rows,
        correlations: sums.yt.iter().zip(&sums.tt).map(correlation).collect(),
    }
}

fn category_facts(column: &CategoryColumn, sums: &[Together]) -> CategoryFacts {
    let k = sums.first().map_or(0, |sums| sums.t.len());
    let mut all = Together::new(k);
    sums.iter().for_each(|sums| all.merge(sums.clone()));
    let present = || sums.iter().enumerate().filter(|(_, s)| s.weight > 0.0);
    let n_levels = present().count() as f64;
    let eta2: Vec<f64> = (0..k)
        .map(|c| {
            let within: f64 = present().map(|(_, s)| s.tt[c]).sum();
            share_of((all.tt[c] - within).max(0.0), all.tt[c])
        })
        .collect();
    let (d1, d2) = (n_levels - 1.0, all.weight - n_levels);
    let by_chance = |eta2: &f64| {
        let known = d1 > 0.0 && d2 > 0.0;
        known.then(|| f_tail((eta2 / d1) / ((1.0 - eta2) / d2), d1, d2))
    };
    CategoryFacts {
        name: column.name.clone(),
        n_rows: all.n_rows,
        p_values: eta2.iter().map(by_chance).collect(),
        levels: present()
            .map(|(i, level)| category(&column.levels[i], level, &all))
            .collect(),
        eta2,
    }
}

fn category(name: &str, level: &Together, all: &Together) -> Category {
    let v_test = |c: usize| {
        // s²/n_q · (n − n_q)/n, with s² = tt/(n − 1).
        let chance = all.tt[c] / (all.weight - 1.0) * (all.weight - level.weight)
            / (all.weight * level.weight);
        match chance > 0.0 {
            true => (level.t[c] - all.t[c]) / chance.sqrt(),
            false => 0.0,
        }
    };
    let v_tests: Vec<f64> = (0..level.t.len()).map(v_test).collect();
    Category {
        level: name.to_owned(),
        n_rows: level.n_rows,
        weight: level.weight,
        centroid: level.t.clone(),
        p_values: v_tests.iter().map(|v| normal_two_sided(*v)).collect(),
        v_tests,
    }
}
