//! What the core computes about the rows of a figure.

use eigenspan::choose::ChooseOptions;
use eigenspan::evaluate::{Bootstrap, BootstrapOptions};
use eigenspan::interpret::{
    Columns, RowFacts, RowOptions, Supplementary, SupplementaryFacts, row_facts, supplementary,
};
use eigenspan::method::Chosen;
use eigenspan::note::Clause;
use eigenspan::{Context, Error, Pca};

use crate::JobError;
use crate::analysis;
use crate::subject::{OpenRows, on_columns};

impl OpenRows {
    /// Scores on the first components, T² and Q.
    pub(super) fn rows(
        &self,
        ctx: &Context,
        pca: &Pca,
        options: &RowOptions,
    ) -> Result<RowFacts, JobError> {
        let rows = on_columns!(ctx, self, source => row_facts(ctx, pca, source, None, options));
        rows.map_err(|error| match error {
            error @ Error::Memory { .. } => JobError::Core {
                name: self.table.name().into(),
                error,
                advice: Clause::set("sample", "10000")
                    .then(" draws that many rows")
                    .into(),
            },
            error => self.named(error),
        })
    }

    /// Loadings, correlations, cos² and contributions for the first `k` components.
    pub(super) fn columns(&self, ctx: &Context, pca: &Pca, k: usize) -> Result<Columns, JobError> {
        let columns = on_columns!(ctx, self, source => analysis::columns_of(ctx, pca, source, k));
        columns.map_err(|error| self.named(error))
    }

    /// The results of the rules for the number of components.
    pub(super) fn choices(
        &self,
        ctx: &Context,
        pca: &Pca,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        on_columns!(ctx, self, source => analysis::choices(ctx, pca, source, rules))
    }

    /// Bootstrap intervals of the first components.
    pub(super) fn bootstrap(
        &self,
        ctx: &Context,
        pca: &Pca,
        options: &BootstrapOptions,
    ) -> Result<Bootstrap, Error> {
        on_columns!(ctx, self, source => options.run(ctx, pca, source))
    }

    /// Results for the supplementary columns.
    pub(super) fn beside(
        &self,
        ctx: &Context,
        pca: &Pca,
        columns: &[String],
    ) -> Result<SupplementaryFacts, JobError> {
        let mut beside = Supplementary::default();
        analysis::add_requested(&self.table, columns, &mut beside)?;
        let facts = on_columns!(ctx, self, source => supplementary(ctx, pca, source, &beside));
        facts.map_err(|error| self.named(error))
    }
}
