//! Numbers of a model as tensors, and back.

use eigenspan::Mat;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::ModelError;

/// A tensor that owns its bytes.
pub(super) struct Tensor {
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    pub(super) fn new(shape: Vec<usize>, values: &[f64]) -> Self {
        Tensor {
            shape,
            bytes: values.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }
}

impl safetensors::View for &Tensor {
    fn dtype(&self) -> Dtype {
        Dtype::F64
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        self.bytes.as_slice().into()
    }
    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Tensors by name.
pub(super) type Tensors = Vec<(&'static str, Tensor)>;

pub(super) fn required<'a>(
    tensors: &SafeTensors<'a>,
    name: &str,
) -> Result<TensorView<'a>, ModelError> {
    tensors
        .tensor(name)
        .map_err(|_| ModelError::damaged(format!("tensor `{name}` is not there")))
}

pub(super) fn values(tensor: &TensorView<'_>, name: &str) -> Result<Vec<f64>, ModelError> {
    if tensor.dtype() != Dtype::F64 {
        return Err(ModelError::damaged(format!(
            "tensor `{name}` is {:?}, not F64",
            tensor.dtype()
        )));
    }
    let (numbers, _) = tensor.data().as_chunks::<8>();
    Ok(numbers
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
        .collect())
}

/// The finite numbers of a list that must be there.
pub(super) fn vector(tensors: &SafeTensors<'_>, name: &str) -> Result<Vec<f64>, ModelError> {
    let tensor = required(tensors, name)?;
    match tensor.shape() {
        [_] => finite(&tensor, name),
        _ => Err(ModelError::damaged(format!("`{name}` is not a list"))),
    }
}

/// The finite numbers of a list that may be there.
pub(super) fn optional(
    tensors: &SafeTensors<'_>,
    name: &'static str,
) -> Result<Option<Vec<f64>>, ModelError> {
    match tensors.tensor(name) {
        Ok(_) => vector(tensors, name).map(Some),
        Err(_) => Ok(None),
    }
}

/// The finite numbers of a matrix that must be there.
pub(super) fn matrix(
    tensors: &SafeTensors<'_>,
    name: &'static str,
) -> Result<Mat<f64>, ModelError> {
    let tensor = required(tensors, name)?;
    let &[rows, cols] = tensor.shape() else {
        return Err(ModelError::damaged(format!("`{name}` is not a matrix")));
    };
    Mat::from_vec(rows, cols, finite(&tensor, name)?).map_err(ModelError::damaged)
}

fn finite(tensor: &TensorView<'_>, name: &str) -> Result<Vec<f64>, ModelError> {
    let numbers = values(tensor, name)?;
    match numbers.iter().all(|x| x.is_finite()) {
        true => Ok(numbers),
        false => Err(ModelError::damaged(format!(
            "tensor `{name}` holds a number that is not finite"
        ))),
    }
}
