//! What every method offers to the fronts, so that no front has to know which method a model comes from.
//!
//! A method implements [`MethodOptions`] for its options (what they are, how a model is fitted, how it is read from a file) and
//! [`Fitted`] for its model. [`Fitted`] has a part that every model has and capabilities that a method implements only where
//! its mathematics has them: a spectrum, new rows, a way back, directions in the columns, labels. A front asks for a
//! capability and tells the user where a model lacks it; it never asks which method a model comes from. [`Method`] is
//! [`MethodOptions`] as a trait object, and is implemented for every type that implements [`MethodOptions`].

use std::any::Any;
use std::fmt::Debug;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::measure::Measure;
pub use super::predict::Predict;
use super::project::project_all;
pub use super::project::{Project, ProjectRows, Scores, project_rows};
use super::record::Record;
use super::{Inverted, MapMeasures, MapOf, PcaOptions, PreImageOptions};
use crate::context::Context;
use crate::error::{Error, ShapeFault};
use crate::graph::Metric;
use crate::mat::{Mat, MatView};
use crate::note::Note;
use crate::prepare::{Missing, Preparation};
use crate::solve::{Keep, Plan, Spectrum};
use crate::source::{Numbers, col_label};

/// Rows to fit, and the classes that belong to them.
#[derive(Debug, Clone, Copy)]
pub struct Training<'a> {
    /// The rows, with their weights if they have any.
    pub rows: Numbers<'a>,
    /// The class of every row, for methods that learn from classes.
    pub labels: Option<&'a [String]>,
}

impl<'a> Training<'a> {
    /// Rows without labels.
    pub fn new(rows: Numbers<'a>) -> Self {
        Training { rows, labels: None }
    }

    /// The class of every row, for a method that cannot be fitted without them: an error where there are none, or not one per row.
    pub fn must_have_labels(&self, method: &'static str) -> Result<&'a [String], Error> {
        let labels = self.labels.ok_or(Error::NoLabels { method })?;
        let given = labels.len();
        match self.rows.n_rows() {
            Some(n_rows) if n_rows != given => {
                Err(Error::Shape(ShapeFault::Labels { given, n_rows }))
            }
            _ => Ok(labels),
        }
    }
}

/// Options that the command line can take as arguments.
#[cfg(feature = "clap")]
pub trait Arguments: clap::Args {}
#[cfg(feature = "clap")]
impl<O: clap::Args> Arguments for O {}
/// Options of a build without a command line: every type qualifies.
#[cfg(not(feature = "clap"))]
pub trait Arguments {}
#[cfg(not(feature = "clap"))]
impl<O> Arguments for O {}

/// The options of one method, as a value.
pub trait MethodOptions:
    Arguments
    + Debug
    + Clone
    + Default
    + Serialize
    + DeserializeOwned
    + JsonSchema
    + Send
    + Sync
    + 'static
{
    /// The name on the command line and in model files: `pca`.
    const NAME: &'static str;
    /// The method in words, for help: `Principal component analysis`.
    const TITLE: &'static str;
    /// The heading above its options in help: `PCA`.
    const HEADING: &'static str;
    /// Other names under which people know the method.
    const ALIASES: &'static [&'static str] = &[];
    /// Commands to try, for help.
    const EXAMPLES: &'static str = "";
    /// Whether rows can be rebuilt from scores, and how.
    const REBUILDS: Rebuilds = Rebuilds::Nothing;
    /// Whether it learns from labels.
    const LEARNS_FROM_LABELS: bool = false;
    /// The fitted model.
    type Model: Fitted;

    /// The plan of a fit: solver, cost and reason; reads no rows.
    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error>;

    /// Fits the method.
    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Self::Model, Error>;

    /// The model in a record that [`Fitted::record`] made.
    fn from_record(record: &Record<'_>) -> Result<Self::Model, Error>;

    /// How missing cells are treated.
    fn missing(&self) -> Missing;

    /// The seed of everything random.
    fn seed(&self) -> u64;

    /// Sets the defaults of the command line for options that were not typed.
    fn complete_for_terminal(&mut self) {}

    /// The same options with `k` components; unchanged if the method has no such option.
    fn with_n_components(&self, _k: usize) -> Self {
        self.clone()
    }

    /// Whether some of the rows can be fitted without the others. A kernel matrix has a column for each of its rows.
    fn fits_some_rows(&self) -> bool {
        true
    }

    /// About how many operations a fit of this many rows, columns and cells takes, if that is known without a plan.
    fn operations(&self, _n_rows: u64, _n_cols: u64, _n_cells: u64) -> Option<u64> {
        None
    }

    /// The options of a PCA that treats columns and missing cells in the same way, for methods whose report compares them with a
    /// PCA of the same rows; how many components it has is up to the report.
    fn pca_to_compare(&self) -> Option<PcaOptions> {
        None
    }
}

/// How a method rebuilds rows from scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rebuilds {
    /// It cannot.
    Nothing,
    /// Directly.
    Directly,
    /// By a search for rows with these scores, which has options of its own ([`PreImageOptions`]).
    BySearch,
}

/// The options of some method.
pub trait Method: Debug + Send + Sync {
    /// The name of the method on the command line and in model files.
    fn name(&self) -> &'static str;
    /// The plan of a fit: solver, cost and reason; reads no rows.
    fn plan(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error>;
    /// Fits the method.
    fn fit(&self, ctx: &Context, training: &Training<'_>) -> Result<Box<dyn Fitted>, Error>;
    /// How missing cells are treated.
    fn missing(&self) -> Missing;
    /// The seed of everything random.
    fn seed(&self) -> u64;
    /// About how many operations a fit of this many rows, columns and cells takes, if that is known without a plan.
    fn operations(&self, n_rows: u64, n_cols: u64, n_cells: u64) -> Option<u64>;
    /// Whether it learns from labels.
    fn learns_from_labels(&self) -> bool;
    /// The same options with `k` components; unchanged if the method has no such option.
    fn with_n_components(&self, k: usize) -> Box<dyn Method>;
    /// Whether some of the rows can be fitted without the others.
    fn fits_some_rows(&self) -> bool;
    /// The options of a PCA of the same rows, for methods whose report compares them with one.
    fn pca_to_compare(&self) -> Option<PcaOptions>;
    /// A copy.
    fn boxed(&self) -> Box<dyn Method>;
    /// The options themselves, for code that serves one method only.
    fn as_any(&self) -> &dyn Any;
}

impl<O: MethodOptions> Method for O {
    fn name(&self) -> &'static str {
        O::NAME
    }
    fn plan(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        self.plan_for(ctx, rows)
    }
    fn fit(&self, ctx: &Context, training: &Training<'_>) -> Result<Box<dyn Fitted>, Error> {
        Ok(Box::new(self.fit_to(ctx, training)?))
    }
    fn missing(&self) -> Missing {
        MethodOptions::missing(self)
    }
    fn seed(&self) -> u64 {
        MethodOptions::seed(self)
    }
    fn operations(&self, n_rows: u64, n_cols: u64, n_cells: u64) -> Option<u64> {
        MethodOptions::operations(self, n_rows, n_cols, n_cells)
    }
    fn learns_from_labels(&self) -> bool {
        O::LEARNS_FROM_LABELS
    }
    fn with_n_components(&self, k: usize) -> Box<dyn Method> {
        Box::new(MethodOptions::with_n_components(self, k))
    }
    fn fits_some_rows(&self) -> bool {
        MethodOptions::fits_some_rows(self)
    }
    fn pca_to_compare(&self) -> Option<PcaOptions> {
        MethodOptions::pca_to_compare(self)
    }
    fn boxed(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Clone for Box<dyn Method> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// What every fitted model has.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// Rows it was fitted to.
    pub n_rows: usize,
    /// Columns that rows must have.
    pub n_cols: usize,
    /// Names of the columns, where they have names.
    pub columns: Option<&'a [String]>,
    /// Components, which is the number of coordinates of a row.
    pub n_components: usize,
    /// The requested number of components.
    pub asked: Keep,
    /// How missing cells of new rows are treated.
    pub missing: Missing,
    /// How rows are centered and scaled, where they are.
    pub preparation: Option<&'a Preparation>,
    /// How it was computed.
    pub plan: &'a Plan,
    /// Notes on the fit.
    pub notes: &'a [Note],
}

/// A number, list, matrix or text of a model, as fronts show it under a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not known, or absent in this model.
    Nothing,
    /// A count.
    Count(usize),
    /// A number.
    Number(f64),
    /// A word or a sentence.
    Text(String),
    /// A list of numbers.
    List(Vec<f64>),
    /// A matrix.
    Matrix(Mat<f64>),
}

/// How the eigenvalues of a model are named in texts for people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// The heading of the column: `variance`, `eigenvalue`.
    pub heading: &'static str,
    /// The factor by which a variance is multiplied.
    pub factor: f64,
    /// Where that variance is, to follow "variance": `""`, `" in feature space"`.
    pub place: &'static str,
    /// Whether means were subtracted, so that the variance is zero exactly where all rows are equal.
    pub is_centered: bool,
}

/// A fitted model.
pub trait Fitted: Debug + Send + Sync + Any {
    /// The name of the method on the command line and in model files.
    fn method(&self) -> &'static str;

    /// The method in a sentence: `PCA`, `kernel PCA`.
    fn short_name(&self) -> &'static str;

    /// The method and how rows were prepared, for a heading: `PCA, centered, not scaled`.
    fn headline(&self) -> String {
        self.short_name().to_owned()
    }

    /// What every model has.
    fn common(&self) -> Common<'_>;

    /// The name of component `i`, counted from 0.
    fn axis_name(&self, i: usize) -> String;

    /// Eigenvalues with their residuals, for methods that have eigenvalues.
    fn spectrum(&self) -> Option<&Spectrum> {
        None
    }

    /// How eigenvalues are named in texts for people.
    fn shown(&self) -> Shown {
        Shown {
            heading: "variance",
            factor: 1.0,
            place: "",
            is_centered: true,
        }
    }

    /// The training rows' own coordinates, where the model keeps them.
    fn embedding(&self) -> Option<&Mat<f64>> {
        None
    }

    /// Whether the coordinates that are kept of the training rows are others than those that these rows would have as new rows, so that
    /// a fit hands out the former.
    fn places_its_rows_otherwise(&self) -> bool {
        self.projection().is_none()
    }

    /// The training rows' own coordinates: kept in the model, or computed again from the rows in it.
    fn training_scores(&self, _ctx: &Context) -> Result<Option<Mat<f64>>, Error> {
        Ok(self.embedding().cloned())
    }

    /// How much of the rows' neighborhoods and distances the kept coordinates keep, where it was measured after the fit.
    fn map_measures(&self) -> Option<&MapMeasures> {
        None
    }

    /// Where the model keeps these numbers; `None` for methods that make no map of their rows.
    fn map_measures_mut(&mut self) -> Option<&mut Option<MapMeasures>> {
        None
    }

    /// The distances that a map of the rows is to keep.
    fn map_of(&self) -> MapOf {
        MapOf::Rows(Metric::Euclidean)
    }

    /// Coordinates of new rows, for methods that have them.
    fn projection(&self) -> Option<&dyn Project> {
        None
    }

    /// Coordinates of new rows on the first component alone, with the same bits, for methods that need not compute the others.
    fn first_projection(&self) -> Option<Box<dyn Project + '_>> {
        None
    }

    /// An object that measures rows in the space whose variance the spectrum divides, for methods that know distances there.
    fn measure<'a>(&'a self, _ctx: &Context) -> Result<Option<Box<dyn Measure + 'a>>, Error> {
        Ok(None)
    }

    /// About how many operations each cell of a new row takes.
    fn operations_per_cell(&self) -> usize {
        self.common().n_components
    }

    /// The map from coordinates back to rows, with everything precomputed; an error for methods that have none.
    fn way_back<'a>(
        &'a self,
        _ctx: &Context,
        _options: PreImageOptions,
    ) -> Result<Box<dyn WayBack + 'a>, Error> {
        Err(Error::NoWayBack {
            method: self.short_name(),
        })
    }

    /// Components as directions in the space of the columns (k × d), for methods whose components are directions.
    fn directions(&self) -> Option<&Mat<f64>> {
        None
    }

    /// The weights of the columns by which component `i` is put into words: its direction or, where directions depend on the units of
    /// the columns, what a column of usual spread adds to a score.
    fn weights_in_words(&self, i: usize) -> Option<Vec<f64>> {
        Some(self.directions()?.row(i).to_vec())
    }

    /// The largest number of components that a model of such rows can have, where it does not follow from rows and columns.
    fn most_components(&self) -> Option<usize> {
        None
    }

    /// Classes of new rows, for methods that predict them.
    fn predictor(&self) -> Option<&dyn Predict> {
        None
    }

    /// Standard deviation of the training rows' coordinates on component `i`, where it is known.
    fn deviation(&self, i: usize) -> Option<f64> {
        Some(self.spectrum()?.variance(i).sqrt())
    }

    /// Facts about the model for `describe`, each a keyword and a sentence.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// Names of the values that only this method has and that its JSON results contain.
    fn details(&self) -> &'static [&'static str] {
        &[]
    }

    /// A value that only this method has, by its name; `None` if there is no such name.
    fn value(&self, _name: &str) -> Option<Value> {
        None
    }

    /// The options it was fitted with, as JSON; an error where they hold something that JSON cannot express, such as a
    /// function.
    fn options(&self) -> Result<serde_json::Value, Error>;

    /// The model as data.
    fn record(&self) -> Result<Record<'_>, Error>;

    /// The same model for columns of these names.
    fn renamed(&self, columns: Vec<String>) -> Result<Box<dyn Fitted>, Error>;

    /// A copy.
    fn boxed(&self) -> Box<dyn Fitted>;
}

impl Clone for Box<dyn Fitted> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl dyn Fitted {
    /// The model as a concrete type; `None` if it comes from another method.
    pub fn downcast<M: Fitted>(&self) -> Option<&M> {
        (self as &dyn Any).downcast_ref()
    }

    /// The same, owned; the model itself where it comes from another method.
    pub fn into_downcast<M: Fitted>(self: Box<Self>) -> Result<Box<M>, Box<Self>> {
        match self.downcast::<M>() {
            None => Err(self),
            Some(_) => Ok((self as Box<dyn Any>)
                .downcast()
                .unwrap_or_else(|_| unreachable!("the type was compared just now"))),
        }
    }

    /// The columns by name, or by number where they have none.
    pub fn column_names(&self) -> Vec<String> {
        let common = self.common();
        (0..common.n_cols)
            .map(|j| col_label(common.columns, j))
            .collect()
    }

    /// Names of the components.
    pub fn axis_names(&self) -> Vec<String> {
        let k = self.common().n_components;
        (0..k).map(|i| self.axis_name(i)).collect()
    }

    /// Coordinates of new rows; an error where the method has coordinates only for its training rows.
    pub fn must_project(&self) -> Result<&dyn Project, Error> {
        self.projection().ok_or(Error::NoNewRows {
            method: self.short_name(),
        })
    }

    /// The coordinates that the model keeps of the rows it was fitted to, which these are: NaN for rows that the fit left out because
    /// cells are missing. An error where these cannot be those rows, and where the model keeps no coordinates.
    pub fn embedded(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error> {
        super::kept::embedded(ctx, self, rows)
    }

    /// Classes of new rows; an error where the method predicts none.
    pub fn must_predict(&self) -> Result<&dyn Predict, Error> {
        self.predictor().ok_or(Error::NoClasses {
            method: self.short_name(),
        })
    }

    /// Coordinates of all rows (n × k), in their element type.
    pub fn transform(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Scores, Error> {
        self.transform_by(ctx, self.must_project()?, rows, self.common().n_components)
    }

    /// Coordinates of all rows on the first component, where that takes little more than reading them: where a component is a
    /// direction among the columns.
    pub fn first_scores(
        &self,
        ctx: &Context,
        rows: Numbers<'_>,
    ) -> Result<Option<Vec<f64>>, Error> {
        let scores = match (self.first_projection(), self.projection()) {
            (Some(first), _) => self.transform_by(ctx, &*first, rows, 1)?,
            (None, Some(_)) if self.directions().is_some() => self.transform(ctx, rows)?,
            _ => return Ok(None),
        };
        Ok(Some(match scores {
            Scores::F32(scores) => scores.col(0).into_iter().map(f64::from).collect(),
            Scores::F64(scores) => scores.col(0),
        }))
    }

    /// Coordinates of all rows on `k` components, by a projection of this model.
    fn transform_by(
        &self,
        ctx: &Context,
        by: &dyn Project,
        rows: Numbers<'_>,
        k: usize,
    ) -> Result<Scores, Error> {
        let common = self.common();
        if rows.n_cols() != common.n_cols {
            return Err(Error::WrongWidth {
                given: rows.n_cols(),
                expected: common.n_cols,
            });
        }
        let missing = common.missing;
        Ok(match rows {
            Numbers::F32(rows) => {
                let by: &dyn ProjectRows<f32> = by;
                Scores::F32(project_all(ctx, (by, missing), rows, k)?)
            }
            Numbers::F64(rows) => {
                let by: &dyn ProjectRows<f64> = by;
                Scores::F64(project_all(ctx, (by, missing), rows, k)?)
            }
        })
    }

    /// A value by the name that every front uses: values that all models have, and values that only its method has.
    pub fn named(&self, name: &str) -> Option<Value> {
        let own = self.value(name);
        if own.is_some() {
            return own;
        }
        let common = self.common();
        let spectrum = self.spectrum();
        let each = |f: &dyn Fn(&Spectrum, usize) -> f64| {
            spectrum.map(|s| Value::List((0..s.len()).map(|i| f(s, i)).collect()))
        };
        match name {
            "n_rows" => Some(Value::Count(common.n_rows)),
            "n_cols" => Some(Value::Count(common.n_cols)),
            "n_components" => Some(Value::Count(common.n_components)),
            "explained_variance" => each(&Spectrum::variance),
            "explained_variance_ratio" => each(&Spectrum::share),
            "singular_values" => each(&|s, i| s.singular_values[i]),
            "residuals" => each(&|s, i| s.residuals[i]),
            "total_variance" => spectrum.map(|s| Value::Number(s.total_variance())),
            "components" => self.directions().map(|m| Value::Matrix(m.clone())),
            "embedding" => self.embedding().map(|m| Value::Matrix(m.clone())),
            "mean" => {
                let mean = common.preparation.map(|p| p.center.clone());
                Some(mean.map_or(Value::Nothing, Value::List))
            }
            "scale" => {
                let scale = common.preparation.and_then(|p| p.scale.clone());
                Some(scale.map_or(Value::Nothing, Value::List))
            }
            _ => None,
        }
    }
}

/// The way from coordinates back to rows.
pub trait WayBack: Sync {
    /// Rows for coordinates (n × k), in the units of the data; an iteration begins at `start` if that is given.
    fn rows(
        &self,
        ctx: &Context,
        scores: MatView<'_, f64>,
        start: Option<MatView<'_, f64>>,
    ) -> Result<Inverted, Error>;
}
