//! The fit: one reading counts the rows, refuses cells that are not finite and draws the rows that are measured.

use super::distortion::{Distortion, RowDraw, sample_size};
use super::model::{Header, RandomProjection};
use super::size::check_eps;
use super::{Entries, RandomProjectionOptions};
use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::find_not_finite;
use crate::solve::{Keep, Plan, Solver};
use crate::source::{Block, Source, fold};

impl RandomProjectionOptions {
    /// What a fit would do; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        self.plan_for_shape(ctx, source.n_rows(), source.n_cols())
    }

    fn plan_for_shape(
        &self,
        ctx: &Context,
        n_rows: Option<usize>,
        d: usize,
    ) -> Result<Plan, Error> {
        check_eps(self.eps)?;
        if d == 0 {
            return Err(Error::NoColumns);
        }
        let density = self.density_for(d)?;
        let k = match (self.n_components, n_rows) {
            // A pipe: the rows are counted first, and there are at most as many directions as columns.
            (Keep::Auto, None) => d,
            _ => self.size(n_rows.unwrap_or(0), d)?,
        };
        let entries = k as f64 * d as f64 * density;
        let bytes_of_entry = match self.entries {
            Entries::Gaussian => 16.0,
            Entries::Sparse => 24.0,
        };
        let sample = sample_size(d) as f64;
        let plan = Plan {
            solver: Solver::None,
            reason: "directions are drawn at random, and nothing is decomposed".to_owned(),
            passes: 1,
            bytes: (bytes_of_entry * entries + 8.0 * sample * (d + k) as f64) as u64,
            flops: 20.0 * entries + 2.0 * sample * (entries + sample * (d + k) as f64),
        };
        match ctx.affords(plan.bytes) {
            true => Ok(plan),
            false => Err(Error::Memory {
                what: "the random directions".to_owned(),
                needed: plan.bytes,
                allowed: ctx.allowed(),
            }),
        }
    }

    /// Draws the directions, and measures how far they change the distances of the rows.
    pub fn fit<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<RandomProjection, Error> {
        let d = source.n_cols();
        self.plan_for_shape(ctx, source.n_rows(), d)?;
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let (drawn, is_finite) = fold(
            ctx,
            source,
            8 * d * sample_size(d),
            || (RowDraw::new(self.seed, d), true),
            |(drawn, is_finite), rows| {
                if rows.block.n_cols() != d {
                    let given = rows.block.n_cols();
                    return Err(Error::WrongWidth { given, expected: d });
                }
                *is_finite &= rows.block.is_finite();
                drawn.add(rows);
                Ok(())
            },
            |(drawn, is_finite), (more, is_also_finite)| {
                drawn.merge(more);
                *is_finite &= is_also_finite;
            },
        )?;
        if !is_finite {
            return Err(find_not_finite(ctx, source));
        }
        let columns = source.col_names().map(<[String]>::to_vec);
        self.fit_drawn(ctx, drawn, d, columns)
    }

    /// The fit after the rows were read.
    fn fit_drawn(
        &self,
        ctx: &Context,
        drawn: RowDraw,
        d: usize,
        columns: Option<Vec<String>>,
    ) -> Result<RandomProjection, Error> {
        let n_rows = drawn.n_rows;
        if n_rows == 0 {
            return Err(Error::TooFewRows { rows: 0, needed: 1 });
        }
        let k = self.size(n_rows, d)?;
        let map = ctx.install(|| self.draw(k, d))?;
        let mut notes = Vec::new();
        if k > d {
            let (n_components, n_cols) = (k, d);
            notes.push(Note::MoreThanColumns {
                n_components,
                n_cols,
            });
        }
        let header = Header {
            options: self.clone(),
            columns,
            n_rows,
            n_cols: d,
            n_components: k,
            density: self.density_for(d)?,
            distortion: None,
            plan: self.plan_for_shape(ctx, Some(n_rows), d)?,
            notes,
        };
        let mut model = RandomProjection::new(header, map);
        let sample = drawn.into_rows(d);
        let after: Mat<f64> = ctx.install(|| model.times(&Block::from(sample.view())));
        if after.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
        model.header.distortion = Distortion::measure(&sample, &after, self.eps);
        Ok(model)
    }
}
