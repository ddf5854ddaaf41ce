//! PCA as one of the methods: its capabilities, and the contents of a model file.

use serde::{Deserialize, Serialize};

use super::{Imputer, Pca, PcaOptions, PcaParts};
use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, MatView, Real};
use crate::method::by_rows::fitted_to_rows;
use crate::method::contract::{
    Common, Fitted, MethodOptions, Project, ProjectRows, Rebuilds, Shown, Training, Value, WayBack,
};
use crate::method::measure::{Measure, MeasureRows, Measured};
use crate::method::proven::worst_residual;
use crate::method::record::{Record, SpectrumHeader, as_json};
use crate::method::{Inverted, PreImageOptions};
use crate::note::{Note, at_most};
use crate::prepare::{Missing, Preparation, Scale};
use crate::solve::{Keep, Plan, Spectrum};
use crate::source::{Numbers, Rows};

impl MethodOptions for PcaOptions {
    const NAME: &'static str = "pca";
    const TITLE: &'static str = "Principal component analysis";
    const HEADING: &'static str = "PCA";
    const ALIASES: &'static [&'static str] = &["principal-components", "prcomp", "princomp"];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit pca foods.csv -k 2 -o scores.csv
  eigenspan fit pca foods.csv -k 90% -m foods.safetensors
  eigenspan fit pca wine.csv --scale --label-column target -o scores.csv
  eigenspan fit pca penguins.csv --missing em -k 2 -o scores.csv
  eigenspan fit pca faces/ -k 50 -m faces.safetensors   a folder of pictures";
    const REBUILDS: Rebuilds = Rebuilds::Directly;
    fitted_to_rows!(Pca);

    /// Cells × the smaller of rows and columns. Rules for the number of components and missing cells need many fits.
    fn operations(&self, n_rows: u64, n_cols: u64, n_cells: u64) -> Option<u64> {
        let is_one_fit = self.n_components != Keep::Auto && self.missing != Missing::Em;
        let cells = n_cells.saturating_add(n_rows).saturating_add(n_cols);
        is_one_fit.then(|| cells.saturating_mul(n_rows.min(n_cols)))
    }
}

impl PcaOptions {
    /// The method and how rows are prepared, for a heading: `PCA, centered, not scaled`.
    pub fn headline(&self) -> String {
        let center = match self.center {
            true => "centered",
            false => "not centered",
        };
        let scale = match self.scale {
            Scale::None => "not scaled",
            Scale::Std => "scaled",
            Scale::Genotype => "scaled by allele frequency",
        };
        let whiten = if self.whiten { ", whitened" } else { "" };
        format!("PCA, {center}, {scale}{whiten}")
    }
}

impl<T: Real> ProjectRows<T> for Pca {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.transform_block(rows)
    }
}

/// Scores on the first component alone.
struct First<'a>(&'a Pca);

impl<T: Real> ProjectRows<T> for First<'_> {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.0.leading_scores(&rows.block, 1)
    }
}

impl<T: Real> MeasureRows<T> for &Pca {
    fn measure_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Measured, Error> {
        let projected = self.project(&rows.block, self.n_components())?;
        Ok(Measured {
            squares: projected.squares,
            scores: projected.scores,
        })
    }
}

/// Rows rebuilt by the components.
struct Rebuilding<'a>(&'a Pca);

impl WayBack for Rebuilding<'_> {
    fn rows(
        &self,
        _ctx: &Context,
        scores: MatView<'_, f64>,
        _start: Option<MatView<'_, f64>>,
    ) -> Result<Inverted, Error> {
        Ok(Inverted {
            rows: self.0.inverse(scores)?,
            residuals: Vec::new(),
            notes: Vec::new(),
        })
    }
}

impl Fitted for Pca {
    fn method(&self) -> &'static str {
        PcaOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "PCA"
    }

    fn headline(&self) -> String {
        self.parts().options.headline()
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
            preparation: Some(&parts.preparation),
            plan: &parts.plan,
            notes: &parts.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        self.component_name(i)
    }

    fn spectrum(&self) -> Option<&Spectrum> {
        Some(self.spectrum())
    }

    fn shown(&self) -> Shown {
        let is_centered = self.parts().options.center;
        Shown {
            heading: match is_centered {
                true => "variance",
                false => "mean square",
            },
            factor: 1.0,
            place: "",
            is_centered,
        }
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn first_projection(&self) -> Option<Box<dyn Project + '_>> {
        // Filling missing cells needs all components; complete rows need only the first.
        let needs_all = self.parts().options.missing == Missing::Em;
        (!needs_all).then(|| Box::new(First(self)) as Box<dyn Project>)
    }

    fn measure<'a>(&'a self, _ctx: &Context) -> Result<Option<Box<dyn Measure + 'a>>, Error> {
        Ok(Some(Box::new(self)))
    }

    fn way_back<'a>(
        &'a self,
        _ctx: &Context,
        options: PreImageOptions,
    ) -> Result<Box<dyn WayBack + 'a>, Error> {
        match options == PreImageOptions::default() {
            true => Ok(Box::new(Rebuilding(self))),
            false => Err(Error::NoPreImages {
                method: self.short_name(),
            }),
        }
    }

    fn directions(&self) -> Option<&Mat<f64>> {
        Some(self.components())
    }

    /// Whitened scores have variance 1.
    fn deviation(&self, i: usize) -> Option<f64> {
        let whitened = self.parts().options.whiten && self.spectrum().rank > 0;
        Some(match whitened {
            true => 1.0,
            false => self.spectrum().variance(i).sqrt(),
        })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let plan = &self.parts().plan;
        vec![
            ("solver", format!("{}: {}", plan.solver, plan.reason)),
            ("proof", self.proof()),
        ]
    }

    fn value(&self, name: &str) -> Option<Value> {
        match name {
            "noise_variance" => Some(Value::Number(self.noise_variance())),
            "n_directions" => Some(Value::Count(self.n_directions())),
            _ => None,
        }
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
            weight: parts.weight,
            spectrum: spectrum.into(),
            plan: parts.plan.clone(),
            notes: parts.notes.clone(),
            imputer_noise: parts.imputer.as_ref().map(|imputer| imputer.noise),
        })?;
        let record = record
            .with_matrix("components", &spectrum.vectors)
            .with_list("mean", &parts.preparation.center)
            .with_spectrum(spectrum)
            .with_optional("scale", parts.preparation.scale.as_deref());
        Ok(match &parts.imputer {
            None => record,
            Some(imputer) => record
                .with_matrix("imputer_directions", &imputer.directions)
                .with_list("imputer_mean", &imputer.mean)
                .with_list("imputer_scale", &imputer.scale)
                .with_list("imputer_variances", &imputer.variances)
                .with_optional("imputer_spread", imputer.spread.as_deref()),
        })
    }

    fn renamed(&self, columns: Vec<String>) -> Result<Box<dyn Fitted>, Error> {
        let mut parts = self.parts().clone();
        parts.columns = Some(columns);
        Ok(Box::new(Pca::from_parts(parts)?))
    }

    fn boxed(&self) -> Box<dyn Fitted> {
        Box::new(self.clone())
    }
}

/// The parts of a PCA that are not tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    options: PcaOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    weight: f64,
    #[serde(flatten)]
    spectrum: SpectrumHeader,
    plan: Plan,
    notes: Vec<Note>,
    /// σ² of the imputer, whose other numbers are tensors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imputer_noise: Option<f64>,
}

impl Pca {
    fn from_record(record: &Record<'_>) -> Result<Pca, Error> {
        let header: Header = record.header()?;
        let spectrum = record.spectrum(&header.spectrum, record.matrix("components")?)?;
        let imputer = header.imputer_noise.map(|noise| {
            Ok::<_, Error>(Imputer {
                mean: record.list("imputer_mean")?,
                scale: record.list("imputer_scale")?,
                directions: record.matrix("imputer_directions")?,
                variances: record.list("imputer_variances")?,
                noise,
                spread: record.optional("imputer_spread")?,
            })
        });
        Pca::from_parts(PcaParts {
            options: header.options,
            columns: header.columns,
            n_rows: header.n_rows,
            weight: header.weight,
            preparation: Preparation {
                center: record.list("mean")?,
                scale: record.optional("scale")?,
            },
            spectrum,
            plan: header.plan,
            notes: header.notes,
            imputer: imputer.transpose()?,
        })
    }

    /// The accuracy of the numbers: the largest residual and, where it is known, how far the span can be from the true one.
    fn proof(&self) -> String {
        let spectrum = self.spectrum();
        let (worst, which) = worst_residual(spectrum);
        let mut out = format!("every residual ‖Cv − λv‖ ÷ λ{which} is at most {worst}");
        let partial = self.n_components() < self.n_cols();
        if let Some(angle) = spectrum.angle.filter(|_| partial) {
            out += &format!(
                "; the span is within {}° of the true one",
                at_most(angle.to_degrees())
            );
        }
        out
    }
}
