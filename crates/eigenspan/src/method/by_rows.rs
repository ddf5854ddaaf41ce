//! What methods that are fitted to rows of either number type have in common.

/// The part of [`MethodOptions`](super::contract::MethodOptions) that is the same for all options with `plan` and `fit` on a source of
/// rows and with the fields `n_components`, `missing` and `seed`.
macro_rules! fitted_to_rows {
    ($model:ty) => {
        type Model = $model;

        fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
            crate::on_numbers!(rows, source => self.plan(ctx, source))
        }

        fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<$model, Error> {
            crate::on_numbers!(training.rows, source => self.fit(ctx, source))
        }

        fn from_record(record: &Record<'_>) -> Result<$model, Error> {
            <$model>::from_record(record)
        }

        fn missing(&self) -> Missing {
            self.missing
        }

        fn seed(&self) -> u64 {
            self.seed
        }

        fn with_n_components(&self, k: usize) -> Self {
            Self {
                n_components: Keep::Count(k),
                ..self.clone()
            }
        }
    };
}
pub(super) use fitted_to_rows;
