//! What was fitted, whatever the method: the list of methods, and what all of them can be asked.

use eigenspan::method::Names;
use eigenspan::solve::{Plan, Spectrum};
use eigenspan::source::{Rows, Source, col_label};
use eigenspan::{Context, Error, KernelPca, Mat, Note, Pca, Real};

/// The one list of methods a model file can hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fitted {
    /// A principal component analysis.
    Pca(Box<Pca>),
    /// A kernel principal component analysis.
    KernelPca(Box<KernelPca>),
}

impl Fitted {
    /// The same, borrowed.
    pub fn view(&self) -> FittedRef<'_> {
        match self {
            Fitted::Pca(pca) => FittedRef::Pca(pca),
            Fitted::KernelPca(kpca) => FittedRef::KernelPca(kpca),
        }
    }
}

/// A fitted model, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum FittedRef<'a> {
    /// A principal component analysis.
    Pca(&'a Pca),
    /// A kernel principal component analysis.
    KernelPca(&'a KernelPca),
}

impl<'a> From<&'a Pca> for FittedRef<'a> {
    fn from(pca: &'a Pca) -> Self {
        FittedRef::Pca(pca)
    }
}

impl<'a> From<&'a KernelPca> for FittedRef<'a> {
    fn from(kpca: &'a KernelPca) -> Self {
        FittedRef::KernelPca(kpca)
    }
}

impl<'a> FittedRef<'a> {
    /// The method, as it is typed and as the model file calls it.
    pub fn method(self) -> &'static str {
        match self {
            FittedRef::Pca(_) => "pca",
            FittedRef::KernelPca(_) => "kpca",
        }
    }

    /// The same, to be kept.
    pub fn to_fitted(self) -> Fitted {
        match self {
            FittedRef::Pca(pca) => Fitted::Pca(Box::new(pca.clone())),
            FittedRef::KernelPca(kpca) => Fitted::KernelPca(Box::new(kpca.clone())),
        }
    }

    /// Rows it was fitted to.
    pub fn n_rows(self) -> usize {
        match self {
            FittedRef::Pca(pca) => pca.parts().n_rows,
            FittedRef::KernelPca(kpca) => kpca.n_rows(),
        }
    }

    /// Columns that rows must have.
    pub fn n_cols(self) -> usize {
        match self {
            FittedRef::Pca(pca) => pca.n_cols(),
            FittedRef::KernelPca(kpca) => kpca.n_cols(),
        }
    }

    /// Names of the columns, where they have names.
    pub fn columns(self) -> Option<&'a [String]> {
        match self {
            FittedRef::Pca(pca) => pca.parts().columns.as_deref(),
            FittedRef::KernelPca(kpca) => kpca.parts().columns.as_deref(),
        }
    }

    /// The columns by name, or by number where they have none.
    pub fn column_names(self) -> Vec<String> {
        let columns = self.columns();
        (0..self.n_cols()).map(|j| col_label(columns, j)).collect()
    }

    /// Components kept.
    pub fn n_components(self) -> usize {
        self.spectrum().len()
    }

    /// What component i is called, counted from 0.
    pub fn component_name(self, i: usize) -> String {
        match self {
            FittedRef::Pca(pca) => pca.component_name(i),
            FittedRef::KernelPca(_) => Names::default().of(i),
        }
    }

    /// What the components are called.
    pub fn component_names(self) -> Vec<String> {
        (0..self.n_components())
            .map(|i| self.component_name(i))
            .collect()
    }

    /// Eigenpairs with their proof.
    pub fn spectrum(self) -> &'a Spectrum {
        match self {
            FittedRef::Pca(pca) => pca.spectrum(),
            FittedRef::KernelPca(kpca) => kpca.spectrum(),
        }
    }

    /// How it was computed.
    pub fn plan(self) -> &'a Plan {
        match self {
            FittedRef::Pca(pca) => &pca.parts().plan,
            FittedRef::KernelPca(kpca) => &kpca.parts().plan,
        }
    }

    /// What is worth knowing about the fit.
    pub fn notes(self) -> &'a [Note] {
        match self {
            FittedRef::Pca(pca) => pca.notes(),
            FittedRef::KernelPca(kpca) => kpca.notes(),
        }
    }

    /// Scores of some rows of a source (n × k).
    pub fn transform_rows<T: Real>(
        self,
        ctx: &Context,
        source: &dyn Source<T>,
        rows: &Rows<'_, T>,
    ) -> Result<Mat<f64>, Error> {
        match self {
            FittedRef::Pca(pca) => pca.transform_rows(ctx, source, rows),
            FittedRef::KernelPca(kpca) => kpca.transform_rows(ctx, source, rows),
        }
    }
}
