//! The contents of a model file: JSON for values with names, tensors of 64-bit floats for arrays.
//!
//! A record borrows the numbers of the model it was made from, so that writing a model does not copy it. Reading one checks that
//! every tensor is there, has the right number of axes and holds finite numbers; the method checks whether the parts fit
//! together.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::mat::Mat;
use crate::solve::{LeftOut, Spectrum};

/// Numbers with a shape, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor<'a> {
    /// The number of elements along each axis.
    pub shape: Vec<usize>,
    /// The numbers, the last axis fastest.
    pub values: Cow<'a, [f64]>,
}

/// A model as data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record<'a> {
    /// Everything that is not a tensor.
    pub json: Value,
    /// Tensors by name, in the order in which they were added.
    pub tensors: Vec<(Cow<'static, str>, Tensor<'a>)>,
}

impl<'a> Record<'a> {
    /// A record without tensors.
    pub fn new(header: impl Serialize) -> Result<Self, Error> {
        Ok(Record {
            json: as_json(header)?,
            tensors: Vec::new(),
        })
    }

    /// Adds a list.
    pub fn with_list(mut self, name: &'static str, list: impl Into<Cow<'a, [f64]>>) -> Self {
        let values = list.into();
        let shape = vec![values.len()];
        self.tensors.push((name.into(), Tensor { shape, values }));
        self
    }

    /// Adds a list where there is one.
    pub fn with_optional(self, name: &'static str, list: Option<&'a [f64]>) -> Self {
        match list {
            Some(list) => self.with_list(name, list),
            None => self,
        }
    }

    /// Adds a matrix.
    pub fn with_matrix(mut self, name: &'static str, matrix: &'a Mat<f64>) -> Self {
        let shape = vec![matrix.n_rows(), matrix.n_cols()];
        let values = Cow::Borrowed(matrix.as_slice());
        self.tensors.push((name.into(), Tensor { shape, values }));
        self
    }

    /// The header, as the type that it was written from.
    pub fn header<H: DeserializeOwned>(&self) -> Result<H, Error> {
        H::deserialize(&self.json).map_err(damaged)
    }

    /// Whether the record has this tensor.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// A required list, whose numbers need not be finite.
    pub fn raw_list(&self, name: &str) -> Result<Vec<f64>, Error> {
        let tensor = self.required(name)?;
        match tensor.shape.as_slice() {
            [_] => Ok(tensor.values.to_vec()),
            _ => Err(damaged(format!("`{name}` is not a list"))),
        }
    }

    /// A required list of finite numbers.
    pub fn list(&self, name: &str) -> Result<Vec<f64>, Error> {
        self.raw_list(name)
            .and_then(|numbers| finite(name, numbers))
    }

    /// An optional list of finite numbers.
    pub fn optional(&self, name: &str) -> Result<Option<Vec<f64>>, Error> {
        self.has(name).then(|| self.list(name)).transpose()
    }

    /// A required matrix of finite numbers.
    pub fn matrix(&self, name: &str) -> Result<Mat<f64>, Error> {
        let tensor = self.required(name)?;
        let &[rows, cols] = tensor.shape.as_slice() else {
            return Err(damaged(format!("`{name}` is not a matrix")));
        };
        Mat::from_vec(rows, cols, finite(name, tensor.values.to_vec())?)
    }

    /// Adds the lists of a spectrum; the method adds the vectors under a name of its own.
    pub(super) fn with_spectrum(self, spectrum: &'a Spectrum) -> Self {
        self.with_list("residuals", spectrum.residuals_of_first())
            .with_list("relative_residuals", &spectrum.residuals)
            .with_list("singular_values", &spectrum.singular_values)
    }

    /// The spectrum from the lists of [`Record::with_spectrum`] and a header.
    pub(super) fn spectrum(
        &self,
        header: &SpectrumHeader,
        vectors: Mat<f64>,
    ) -> Result<Spectrum, Error> {
        let mut spectrum = Spectrum {
            singular_values: self.list("singular_values")?,
            vectors,
            residuals: self.raw_list("residuals")?,
            norm: header.frobenius_norm,
            divisor: header.divisor,
            angle: header.angle,
            rank: header.rank,
            left_out: header.left_out,
        };
        match self.has("relative_residuals") {
            true => spectrum.residuals = self.raw_list("relative_residuals")?,
            // Older files, which lack them, have residuals relative to the first eigenvalue.
            false => spectrum.relate_residuals(),
        }
        Ok(spectrum)
    }

    fn find(&self, name: &str) -> Option<&Tensor<'a>> {
        let mut tensors = self.tensors.iter();
        let found = tensors.find(|(known, _)| known == name);
        found.map(|(_, tensor)| tensor)
    }

    fn required(&self, name: &str) -> Result<&Tensor<'a>, Error> {
        self.find(name)
            .ok_or_else(|| damaged(format!("tensor `{name}` is not there")))
    }
}

/// The single numbers of a spectrum, a part of a method's own header.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct SpectrumHeader {
    total_variance: f64,
    frobenius_norm: f64,
    divisor: f64,
    angle: Option<f64>,
    rank: usize,
    /// Absent in older files, and if the solver did not compute all components.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

impl From<&Spectrum> for SpectrumHeader {
    fn from(spectrum: &Spectrum) -> Self {
        SpectrumHeader {
            total_variance: spectrum.total_variance(),
            frobenius_norm: spectrum.norm,
            divisor: spectrum.divisor,
            angle: spectrum.angle,
            rank: spectrum.rank,
            left_out: spectrum.left_out,
        }
    }
}

fn finite(name: &str, numbers: Vec<f64>) -> Result<Vec<f64>, Error> {
    match numbers.iter().all(|x| x.is_finite()) {
        true => Ok(numbers),
        false => Err(damaged(format!(
            "tensor `{name}` holds a number that is not finite"
        ))),
    }
}

/// A value as JSON; an error where it holds something that JSON cannot express.
pub fn as_json(value: impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(damaged)
}

/// The error for a record that is not a valid model.
pub(super) fn damaged(what: impl ToString) -> Error {
    Error::Damaged {
        what: what.to_string(),
    }
}
