//! Kernel PCA as one of the methods: its capabilities, and the contents of a model file: of the training rows only what projections
//! and pre-images need.

use serde::{Deserialize, Serialize};

use super::{
    Basis, Inverted, KernelPca, KernelPcaOptions, KernelPcaParts, PreImageOptions, PreImages,
    SpectrumError,
};
use crate::context::Context;
use crate::error::Error;
use crate::graph::Metric;
use crate::kernel::{Fourier, Gamma, Kernel, ResolvedKernel};
use crate::mat::{Mat, MatView, Real};
use crate::method::MapOf;
use crate::method::by_rows::fitted_to_rows;
use crate::method::contract::{
    Common, Fitted, MethodOptions, Project, ProjectRows, Rebuilds, Shown, Training, Value, WayBack,
};
use crate::method::measure::Measure;
use crate::method::pca::{Names, PcaOptions};
use crate::method::record::{Record, SpectrumHeader, as_json, damaged};
use crate::note::{Note, at_most};
use crate::prepare::{Missing, Preparation};
use crate::solve::{Keep, Plan, Spectrum, Strategy};
use crate::source::{Numbers, Rows};

impl MethodOptions for KernelPcaOptions {
    const NAME: &'static str = "kpca";
    const TITLE: &'static str = "Kernel principal component analysis: principal components in the feature space of a kernel";
    const HEADING: &'static str = "Kernel PCA";
    const ALIASES: &'static [&'static str] = &["kernel-pca", "kernelpca", "kernel_pca"];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit kpca rings.csv -k 2 --kernel rbf -o scores.csv
                                 Gaussian kernel, γ from the median distance of rows
  eigenspan fit kpca rings.csv -k 2 --gamma auto -m rings.safetensors
                                 γ = 1 ÷ columns, as scikit-learn
  eigenspan fit kpca rings.csv -k 2 --kernel 'rbf(sigma=0.5)'
                                 exp(−‖x − x'‖² ÷ 2σ²)
  eigenspan fit kpca rings.csv --kernel 'poly(degree=2, gamma=1, coef0=1)'
                                 (xᵀx' + 1)²; without gamma it is 1 ÷ columns
  eigenspan fit kpca rings.csv --kernel '0.5*rbf(gamma=0.1) + linear'
                                 sums, products and multiples are kernels too
  eigenspan fit kpca similarities.csv -k 2 --kernel precomputed
                                 the table is the kernel matrix itself
  eigenspan plan kpca rings.csv -k 2
                                 what would run, and why";
    const REBUILDS: Rebuilds = Rebuilds::BySearch;
    fitted_to_rows!(KernelPca);

    /// A Gaussian kernel without a γ takes it from the median distance of rows.
    fn complete_for_terminal(&mut self) {
        if self.gamma.is_none() {
            self.kernel = self.kernel.with_median_gaussian();
        }
    }

    fn fits_some_rows(&self) -> bool {
        !self.kernel.is_precomputed()
    }

    /// A PCA with the same scaling; a kernel matrix has no rows that it could be fitted to.
    fn pca_to_compare(&self) -> Option<PcaOptions> {
        MethodOptions::fits_some_rows(self).then(|| PcaOptions {
            scale: self.scale,
            missing: self.missing,
            ..PcaOptions::default()
        })
    }

    /// Rows² × (rows + columns): the kernel matrix and its eigenvectors. Rules for the number of components need many fits.
    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        let squares = n_rows.saturating_mul(n_rows);
        (self.n_components != Keep::Auto)
            .then(|| squares.saturating_mul(n_rows.saturating_add(n_cols)))
    }
}

impl<T: Real> ProjectRows<T> for KernelPca {
    fn project_block(&self, ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.transform_block(ctx, rows)
    }
}

impl WayBack for PreImages<'_> {
    fn rows(
        &self,
        ctx: &Context,
        scores: MatView<'_, f64>,
        start: Option<MatView<'_, f64>>,
    ) -> Result<Inverted, Error> {
        self.inverse(ctx, scores, start)
    }
}

impl Fitted for KernelPca {
    fn method(&self) -> &'static str {
        KernelPcaOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "kernel PCA"
    }

    fn common(&self) -> Common<'_> {
        let parts = self.parts();
        Common {
            n_rows: parts.n_rows,
            n_cols: self.n_cols(),
            columns: parts.columns.as_deref(),
            n_components: self.n_components(),
            asked: parts.options.n_components,
            missing: parts.options.missing,
            preparation: parts.preparation.as_ref(),
            plan: &parts.plan,
            notes: &parts.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        Names::default().component(i)
    }

    fn spectrum(&self) -> Option<&Spectrum> {
        Some(self.spectrum())
    }

    fn shown(&self) -> Shown {
        Shown {
            heading: "eigenvalue",
            factor: self.spectrum().divisor,
            place: " in feature space",
            is_centered: true,
        }
    }

    fn embedding(&self) -> Option<&Mat<f64>> {
        self.scores()
    }

    fn map_of(&self) -> MapOf {
        match self.kernel().kernel().is_precomputed() {
            true => MapOf::Unknown,
            false => MapOf::Rows(Metric::Euclidean),
        }
    }

    fn training_scores(&self, ctx: &Context) -> Result<Option<Mat<f64>>, Error> {
        self.scores_of_training_rows(ctx)
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn measure<'a>(&'a self, ctx: &Context) -> Result<Option<Box<dyn Measure + 'a>>, Error> {
        self.measuring(ctx)
    }

    fn operations_per_cell(&self) -> usize {
        self.parts().basis.len()
    }

    fn way_back<'a>(
        &'a self,
        ctx: &Context,
        options: PreImageOptions,
    ) -> Result<Box<dyn WayBack + 'a>, Error> {
        Ok(Box::new(self.pre_images(ctx, options)?))
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let (kernel, plan) = (self.kernel().kernel(), &self.parts().plan);
        let residuals = self.spectrum().residuals.iter();
        let worst = residuals.fold(0.0f64, |m, r| m.max(*r));
        // The eigenpairs are those of the features' kernel matrix K̂, not of K.
        let (matrix, of) = match self.parts().strategy {
            Strategy::Exact { .. } => ("K̄", ""),
            Strategy::Nystrom { .. } => (
                "K̂",
                ", where K̂ is the kernel matrix as the landmarks approximate it",
            ),
            Strategy::Fourier { .. } => (
                "K̂",
                ", where K̂ is the kernel matrix as the features approximate it",
            ),
        };
        let worst = at_most(worst);
        vec![
            ("kernel", format!("{kernel}: {}", kernel.verdict())),
            ("solver", format!("{}: {}", plan.solver, plan.reason)),
            (
                "proof",
                format!("every residual ‖{matrix}u − λu‖ ÷ λ is at most {worst}{of}"),
            ),
        ]
    }

    fn details(&self) -> &'static [&'static str] {
        &[
            "kernel",
            "verdict",
            "eigenvalues",
            "eigenvalue_errors",
            "n_basis",
        ]
    }

    fn value(&self, name: &str) -> Option<Value> {
        let parts = self.parts();
        let list = |list: Option<Vec<f64>>| list.map_or(Value::Nothing, Value::List);
        let number = |number: Option<f64>| number.map_or(Value::Nothing, Value::Number);
        let kernel = self.kernel().kernel();
        Some(match name {
            "kernel" => Value::Text(kernel.to_string()),
            "verdict" => Value::Text(kernel.verdict().to_string()),
            "eigenvalues" => Value::List(self.eigenvalues()),
            "raw_eigenvalues" => Value::List(parts.eigenvalues.clone()),
            "smallest_eigenvalue" => number(parts.notes.iter().find_map(|note| match note {
                Note::NegativeEigenvalues { smallest, .. } => Some(*smallest),
                _ => None,
            })),
            "eigenvalue_errors" => list(self.eigenvalue_errors()),
            "n_basis" => Value::Count(parts.basis.len()),
            "weights" => Value::Matrix(self.weights().clone()),
            "basis" => match &parts.basis {
                Basis::Rows(points) => Value::Matrix(points.rows().clone()),
                _ => Value::Nothing,
            },
            "gamma" => number(kernel.as_base().and_then(|base| match base.gamma()? {
                Gamma::Value(gamma) => Some(gamma),
                Gamma::Sigma(sigma) => Some(0.5 / (sigma * sigma)),
                _ => None,
            })),
            _ => return None,
        })
    }

    fn options(&self) -> Result<serde_json::Value, Error> {
        as_json(&self.parts().options)
    }

    fn record(&self) -> Result<Record<'_>, Error> {
        let parts = self.parts();
        let spectrum = &parts.spectrum;
        let record = Record::new(Header {
            options: parts.options.clone(),
            columns: parts.columns.clone(),
            n_rows: parts.n_rows,
            n_cols: self.n_cols(),
            kernel: parts.kernel.kernel().clone(),
            basis: BasisKind::from(&parts.basis),
            spectrum: spectrum.into(),
            error: parts.error.clone(),
            strategy: parts.strategy,
            plan: parts.plan.clone(),
            notes: parts.notes.clone(),
        })?;
        let record = record
            .with_matrix("weights", &parts.weights)
            .with_list(offset_name(parts.kernel.is_relative()), &parts.offset)
            .with_list("mean", &parts.mean)
            .with_list("eigenvalues", &parts.eigenvalues)
            .with_spectrum(spectrum);
        let record = match &parts.basis {
            Basis::Rows(points) => record.with_matrix("basis", points.rows()),
            Basis::Given(_) => record,
            Basis::Frequencies(map) => record.with_matrix("frequencies", map.frequencies()),
        };
        let preparation = parts.preparation.as_ref();
        Ok(record
            .with_optional("origin", parts.kernel.origin())
            .with_optional("fill", parts.fill.as_deref())
            .with_optional("center", preparation.map(|p| p.center.as_slice()))
            .with_optional("scale", preparation.and_then(|p| p.scale.as_deref())))
    }

    fn renamed(&self, columns: Vec<String>) -> Result<Box<dyn Fitted>, Error> {
        let mut parts = self.parts().clone();
        parts.columns = Some(columns);
        Ok(Box::new(KernelPca::from_parts(parts)?))
    }

    fn boxed(&self) -> Box<dyn Fitted> {
        Box::new(self.clone())
    }
}

/// The parts of a kernel PCA that are not tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    options: KernelPcaOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    n_cols: usize,
    kernel: Kernel,
    basis: BasisKind,
    #[serde(flatten)]
    spectrum: SpectrumHeader,
    error: Option<SpectrumError>,
    /// Model files keep the first name of this field.
    #[serde(rename = "road")]
    strategy: Strategy,
    plan: Plan,
    notes: Vec<Note>,
}

/// How rows are compared: the kind of [`Basis`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BasisKind {
    /// Rows: tensor `basis`.
    Rows,
    /// Nothing: the kernel is precomputed.
    Given,
    /// Random frequencies: tensor `frequencies`.
    Frequencies,
}

impl From<&Basis> for BasisKind {
    fn from(basis: &Basis) -> Self {
        match basis {
            Basis::Rows(_) => BasisKind::Rows,
            Basis::Given(_) => BasisKind::Given,
            Basis::Frequencies(_) => BasisKind::Frequencies,
        }
    }
}

/// The name of the tensor with the scores of the mean in feature space. Where the kernel is relative to its origin the tensor
/// has another name, so that an older reader, which does not know such kernels, refuses the file.
fn offset_name(relative: bool) -> &'static str {
    match relative {
        true => "relative_offset",
        false => "offset",
    }
}

impl KernelPca {
    fn from_record(record: &Record<'_>) -> Result<KernelPca, Error> {
        let header: Header = record.header()?;
        let d = header.n_cols;
        let origin = record.optional("origin")?;
        let relative = record.has(offset_name(true));
        let kernel = match (relative, origin) {
            (true, Some(origin)) => {
                ResolvedKernel::from_parts(header.kernel, d, None)?.relative_to(origin)?
            }
            (_, origin) => ResolvedKernel::from_parts(header.kernel, d, origin)?,
        };
        let weights = record.matrix("weights")?;
        let basis = match header.basis {
            BasisKind::Rows => Basis::Rows(kernel.points(record.matrix("basis")?, 0)?),
            BasisKind::Given => Basis::Given(weights.n_rows()),
            BasisKind::Frequencies => {
                let frequencies = record.matrix("frequencies")?;
                if frequencies.n_cols() != d {
                    return Err(damaged("its frequencies do not fit its columns"));
                }
                Basis::Frequencies(Fourier::from_frequencies(frequencies))
            }
        };
        let spectrum = record.spectrum(&header.spectrum, Mat::default())?;
        check(&spectrum, header.columns.as_deref(), header.n_rows, d)?;
        let (center, scale) = (record.optional("center")?, record.optional("scale")?);
        if scale.iter().flatten().any(|x| *x <= 0.0) {
            return Err(damaged("a scale is not positive"));
        }
        let offset = record.list(offset_name(kernel.is_relative()))?;
        KernelPca::from_parts(KernelPcaParts {
            options: header.options,
            columns: header.columns,
            n_rows: header.n_rows,
            fill: record.optional("fill")?,
            preparation: center.map(|center| Preparation { center, scale }),
            kernel,
            basis,
            weights,
            offset,
            mean: record.list("mean")?,
            spectrum,
            eigenvalues: record.list("eigenvalues")?,
            error: header.error,
            scores: None,
            strategy: header.strategy,
            plan: header.plan,
            notes: header.notes,
        })
    }
}

/// Refuses numbers that no fit can give.
fn check(
    spectrum: &Spectrum,
    columns: Option<&[String]>,
    n_rows: usize,
    n_cols: usize,
) -> Result<(), Error> {
    let norm = spectrum.norm.is_finite() && spectrum.norm >= 0.0;
    let divisible = spectrum.divisor.is_finite() && spectrum.divisor > 0.0;
    if !(norm && divisible) || n_rows < 2 {
        return Err(damaged(
            "its total variance is not a number, or it has fewer than two rows",
        ));
    }
    if spectrum.singular_values.iter().any(|s| *s < 0.0) {
        return Err(damaged("a singular value is negative"));
    }
    if spectrum.residuals.iter().any(|r| !r.is_finite()) {
        return Err(damaged("a residual is not finite"));
    }
    match columns {
        Some(columns) if columns.len() != n_cols => {
            let (given, needed) = (columns.len(), n_cols);
            Err(damaged(format!("{given} names for {needed} columns")))
        }
        _ => Ok(()),
    }
}
