//! The fit: the scatter, the scores of the rule, how many columns are kept, and what that explains.

use std::collections::BTreeSet;

use super::anova::ClassMoments;
use super::explained::Unexplained;
use super::information::Neighborhoods;
use super::model::{ColumnNumbers, Fate, Header, Selection};
use super::rule::{Ranked, by_correlation, by_scores};
use super::{Rule, SelectOptions};
use crate::context::Context;
use crate::error::{Error, TuningFault};
use crate::mat::{Mat, Real};
use crate::method::kept::incomplete_rows;
use crate::parallel::{self, lock};
use crate::prepare::{Complete, Missing, Scale, find_not_finite};
use crate::rng::stream;
use crate::solve::{Convention, Keep, Plan, Solver, checked_divisor};
use crate::source::{Numbers, Passes, Source, for_each_block};
use crate::summary::Scatter;

/// A share of the variance that misses the goal by less has reached it: sums are rounded.
const REACHED: f64 = 1e-12;

/// The class of every row as a number, and the classes.
struct Classes {
    codes: Vec<u32>,
    names: Vec<String>,
}

impl Classes {
    fn new(labels: &[String]) -> Result<Self, Error> {
        let names: Vec<&String> = labels.iter().collect::<BTreeSet<_>>().into_iter().collect();
        if names.len() < 2 {
            let label = names.first().map(|label| (*label).clone());
            return Err(Error::Tuning(TuningFault::OneLabel { label }));
        }
        let code = |label: &String| names.partition_point(|name| *name < label) as u32;
        Ok(Classes {
            codes: labels.iter().map(code).collect(),
            names: names.into_iter().cloned().collect(),
        })
    }

    fn numbered(&self) -> (&[u32], usize) {
        (&self.codes, self.names.len())
    }
}

impl SelectOptions {
    /// What a fit would do; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        self.check(source.n_cols())?;
        let (n, d) = (source.n_rows().unwrap_or(0) as f64, source.n_cols() as f64);
        let k = match self.n_components {
            Keep::Count(k) => k as f64,
            _ => d,
        };
        let (passes, columns, why) = match self.by {
            Rule::Anova => (
                2,
                0.0,
                "one reading for the scatter and one for the classes",
            ),
            Rule::MutualInformation => (
                2,
                n * d,
                "one reading for the scatter and one for the columns",
            ),
            _ => (1, 0.0, "one reading for the scatter"),
        };
        if passes > 1 && source.passes() == Passes::Once {
            return Err(Error::ReadTwice {
                what: "rules that compare columns with classes read the rows twice",
                instead: None,
            });
        }
        let plan = Plan {
            solver: Solver::None,
            reason: format!("{why}; columns are chosen, and nothing is decomposed"),
            passes,
            bytes: (8.0 * (3.0 * d * d + columns)) as u64,
            flops: n * d * d + 4.0 * k * d * d,
        };
        match ctx.affords(plan.bytes) {
            true => Ok(plan),
            false => Err(Error::Memory {
                what: "the scatter of the columns".to_owned(),
                needed: plan.bytes,
                allowed: ctx.allowed(),
            }),
        }
    }

    fn check(&self, d: usize) -> Result<(), Error> {
        self.limit()?;
        self.n_components.check()?;
        let unknown = |option, given: String, allowed| Error::UnknownValue {
            option,
            given,
            allowed,
        };
        if self.n_components == Keep::Auto {
            let allowed = "a count such as 5, a share such as 90%, or all";
            return Err(unknown("n_components", "auto".to_owned(), allowed));
        }
        if self.scale == Scale::Genotype {
            let allowed = "none or std where columns are chosen";
            return Err(unknown("scale", "genotype".to_owned(), allowed));
        }
        if self.n_neighbors == 0 {
            let allowed = "a whole number from 1 on";
            return Err(unknown("n_neighbors", "0".to_owned(), allowed));
        }
        if self.missing == Missing::Em {
            let allowed = "error, drop or mean: a selection of columns does not predict cells";
            return Err(unknown("missing", "em".to_owned(), allowed));
        }
        if d == 0 {
            return Err(Error::NoColumns);
        }
        self.n_components.check_shape(usize::MAX, d)
    }

    /// Chooses columns; `labels` has the class of every row, for rules that need it. Rows with missing cells are left out or filled, if
    /// that is asked for.
    pub fn fit<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: Option<&[String]>,
    ) -> Result<Selection, Error> {
        if self.missing == Missing::Error {
            return self.fit_complete(ctx, source, labels);
        }
        // Refuses options before the rows are read to count what is missing.
        self.plan(ctx, source)?;
        let complete = Complete::new(ctx, source, self.missing == Missing::Mean)?;
        let kept = match (labels, self.missing) {
            (Some(labels), Missing::Drop) => {
                let out = incomplete_rows(ctx, Numbers::from_source(source))?;
                let rows = (0..labels.len()).filter(|row| out.binary_search(row).is_err());
                Some(rows.map(|row| labels[row].clone()).collect::<Vec<String>>())
            }
            _ => None,
        };
        let mut model = self.fit_complete(ctx, &complete, kept.as_deref().or(labels))?;
        model.fill = complete.fill().map(<[f64]>::to_vec);
        model.header.plan.passes += 1;
        model.header.notes.splice(0..0, complete.note());
        Ok(model)
    }

    /// Chooses columns by rows without missing cells.
    fn fit_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: Option<&[String]>,
    ) -> Result<Selection, Error> {
        let plan = self.plan(ctx, source)?;
        let classes = match self.by.needs_labels() {
            true => Some(Classes::new(labels.ok_or(Error::NoLabels {
                method: self.by.name(),
            })?)?),
            false => None,
        };
        if classes.is_some() && source.is_weighted() {
            return Err(Error::OptionsConflict {
                what: "anova and mutual-information count rows, and these rows have weights",
            });
        }
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let scatter = Scatter::read(ctx, source, false)?;
        let divisor = checked_divisor(Convention::Unbiased, scatter.n_rows(), scatter.weight())?;
        if !scatter.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        if scatter.is_underflowed() {
            return Err(Error::Underflow);
        }
        let n_rows = scatter.n_rows();
        let scatter = ctx.install(|| scatter.into_matrix(true));
        let d = scatter.n_rows();
        let variances: Vec<f64> = (0..d).map(|j| scatter[(j, j)] / divisor).collect();
        let scores = match &classes {
            Some(classes) => Some(self.class_scores(ctx, source, classes)?),
            None => None,
        };
        let class_names = classes.map(|classes| classes.names);
        let header = Header {
            options: self.clone(),
            columns: source.col_names().map(<[String]>::to_vec),
            n_rows,
            n_cols: d,
            classes: class_names,
            kept: Vec::new(),
            fates: Vec::new(),
            explained: 0.0,
            plan,
            notes: Vec::new(),
        };
        ctx.install(|| self.choose(ctx, header, scatter, (variances, scores)))
    }

    /// Scores by the classes of the rows.
    fn class_scores<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        classes: &Classes,
    ) -> Result<Vec<f64>, Error> {
        ctx.begin("classes", source.n_rows().map(|n| n as u64));
        if classes.codes.len() <= classes.names.len() {
            return Err(Error::NotDetermined {
                what: "anova and mutual-information need a class of at least two rows, and here every row has a class of its own",
            });
        }
        if self.by == Rule::Anova {
            let moments = ClassMoments::read(ctx, source, classes.numbered())?;
            return Ok(moments.f_statistics());
        }
        let (n, d) = (classes.codes.len(), source.n_cols());
        let cells = std::sync::Mutex::new(Mat::zeros(n, d));
        for_each_block(ctx, source, |rows| {
            let mut block = vec![0.0; rows.block.n_rows() * d];
            rows.block.copy_to_f64(&mut block);
            let place = rows.first * d;
            lock(&cells).as_mut_slice()[place..place + block.len()].copy_from_slice(&block);
            Ok(())
        })?;
        let cells = cells
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let near = Neighborhoods::new(classes.numbered(), self.n_neighbors);
        let of_column = |j: usize| {
            ctx.check()?;
            Ok(near.information(&mut cells.col(j), stream(self.seed, j)))
        };
        ctx.install(|| parallel::try_collect(d, of_column))
    }

    /// The choice, from the scatter and the scores.
    fn choose(
        &self,
        ctx: &Context,
        header: Header,
        scatter: Mat<f64>,
        (variances, scores): (Vec<f64>, Option<Vec<f64>>),
    ) -> Result<Selection, Error> {
        let limit = self.limit()?;
        let ranked = match (self.by, scores) {
            (Rule::PrincipalFeatures, _) => None,
            (Rule::Correlation, _) => Some(by_correlation(&scatter, variances.clone(), limit)),
            (_, Some(scores)) => Some(by_scores(scores, &variances, limit)),
            (_, None) => Some(by_scores(variances.clone(), &variances, limit)),
        };
        let matrix = match self.scale {
            Scale::Std => correlations(scatter),
            _ => scatter,
        };
        let mut unexplained = Unexplained::new(matrix);
        let mut ranked = match ranked {
            Some(ranked) => self.take_first(ctx, ranked, &mut unexplained)?,
            None => self.take_greedily(ctx, &variances, &mut unexplained)?,
        };
        let n_passed = ranked.order.len();
        let asked = match self.n_components {
            Keep::Count(k) => k,
            _ => 1,
        };
        if n_passed < asked {
            return Err(Error::TooFewSelected {
                asked,
                passed: n_passed,
                n_cols: variances.len(),
                rule: self.by.name(),
            });
        }
        ranked.order.sort_unstable();
        let d = variances.len();
        let numbers = ColumnNumbers {
            share_lost: (0..d)
                .map(|j| unexplained.left(j) / unexplained.total())
                .collect(),
            determined: (0..d).map(|j| 1.0 - unexplained.share_left(j)).collect(),
            variances,
            scores: ranked.scores,
        };
        let header = Header {
            kept: ranked.order,
            fates: ranked.fates,
            explained: unexplained.explained(),
            ..header
        };
        Ok(Selection::new(header, numbers))
    }

    /// Whether enough columns are kept.
    fn is_enough(&self, kept: usize, unexplained: &Unexplained) -> bool {
        match self.n_components {
            Keep::Count(k) => kept >= k,
            Keep::Share(share) => unexplained.explained() >= share - REACHED,
            Keep::All | Keep::Auto => false,
        }
    }

    /// Keeps columns in the order of the rule until they are enough.
    fn take_first(
        &self,
        ctx: &Context,
        mut ranked: Ranked,
        unexplained: &mut Unexplained,
    ) -> Result<Ranked, Error> {
        let mut kept = 0;
        while kept < ranked.order.len() && !self.is_enough(kept, unexplained) {
            ctx.check()?;
            unexplained.take_out(ranked.order[kept]);
            kept += 1;
        }
        for j in ranked.order.drain(kept..) {
            ranked.fates[j] = Fate::NotNeeded;
        }
        Ok(ranked)
    }

    /// Keeps the column that explains most next, until they are enough or nothing is left.
    fn take_greedily(
        &self,
        ctx: &Context,
        variances: &[f64],
        unexplained: &mut Unexplained,
    ) -> Result<Ranked, Error> {
        let fate = |v: &f64| match *v > 0.0 {
            true => Fate::NotNeeded,
            false => Fate::Constant,
        };
        let mut ranked = Ranked {
            order: Vec::new(),
            scores: vec![0.0; variances.len()],
            fates: variances.iter().map(fate).collect(),
        };
        let mut before = 0.0;
        while !self.is_enough(ranked.order.len(), unexplained) {
            ctx.check()?;
            let Some(j) = unexplained.best() else { break };
            unexplained.take_out(j);
            let explained = unexplained.explained();
            ranked.scores[j] = explained - before;
            before = explained;
            ranked.order.push(j);
            ranked.fates[j] = Fate::Kept;
        }
        Ok(ranked)
    }
}

/// Correlations from a scatter; a column without variance has none with any other.
fn correlations(mut scatter: Mat<f64>) -> Mat<f64> {
    let d = scatter.n_rows();
    let root: Vec<f64> = (0..d).map(|j| scatter[(j, j)].sqrt()).collect();
    parallel::each_chunk(scatter.as_mut_slice(), d, |i, row| {
        for (j, x) in row.iter_mut().enumerate() {
            *x = match (root[i] > 0.0 && root[j] > 0.0, i == j) {
                (false, _) => 0.0,
                (true, true) => 1.0,
                (true, false) => *x / root[i] / root[j],
            };
        }
    });
    scatter
}
