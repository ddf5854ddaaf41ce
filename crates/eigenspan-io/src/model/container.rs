//! Tensors and one line of JSON as a safetensors file, and back. Numbers are written from the model to the file without a
//! copy.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use eigenspan::method::record::{Record, Tensor};
use safetensors::tensor::{Metadata, TensorInfo, TensorView};
use safetensors::{Dtype, SafeTensors};

use super::ModelError;

/// The metadata entry that marks a safetensors file as ours.
const KEY: &str = "eigenspan";
/// Headers are padded to a multiple of so many bytes, so that numbers are aligned.
const ALIGNMENT: usize = 8;

/// A file to be written: its head, and then the numbers in this order.
pub(super) struct Container<'a> {
    head: Vec<u8>,
    tensors: Vec<&'a [f64]>,
}

impl<'a> Container<'a> {
    /// A file with the tensors of a model, and with `header` as our entry of the metadata.
    pub(super) fn new(
        header: String,
        tensors: impl Iterator<Item = (&'a str, &'a Tensor<'a>)>,
    ) -> Result<Self, ModelError> {
        let mut tensors: Vec<(&str, &Tensor<'_>)> = tensors.collect();
        tensors.sort_by_key(|(name, _)| *name);
        let mut end = 0;
        let mut info = |(name, tensor): &(&str, &Tensor<'_>)| {
            let start = end;
            end += size_of_val(tensor.values.as_ref());
            let info = TensorInfo {
                dtype: Dtype::F64,
                shape: tensor.shape.clone(),
                data_offsets: (start, end),
            };
            ((*name).to_owned(), info)
        };
        let infos = tensors.iter().map(&mut info).collect();
        let entries = HashMap::from([(KEY.to_owned(), header)]);
        let metadata = Metadata::new(Some(entries), infos).map_err(ModelError::damaged)?;
        let mut head = serde_json::to_vec(&metadata).map_err(ModelError::damaged)?;
        head.resize(head.len().next_multiple_of(ALIGNMENT), b' ');
        Ok(Container {
            head,
            tensors: tensors
                .into_iter()
                .map(|(_, tensor)| tensor.values.as_ref())
                .collect(),
        })
    }

    /// Writes the whole file.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&(self.head.len() as u64).to_le_bytes())?;
        out.write_all(&self.head)?;
        self.tensors
            .iter()
            .try_for_each(|numbers| out.write_all(&bytes_of(numbers)))
    }
}

/// Numbers as little-endian bytes, as the file stores them.
fn bytes_of(numbers: &[f64]) -> Cow<'_, [u8]> {
    match cfg!(target_endian = "little") {
        true => Cow::Borrowed(bytemuck::cast_slice(numbers)),
        false => Cow::Owned(numbers.iter().flat_map(|x| x.to_le_bytes()).collect()),
    }
}

/// A file that was read: our entry of its metadata, and its tensors.
pub(super) struct Contents<'a> {
    pub(super) header: String,
    tensors: SafeTensors<'a>,
}

impl<'a> Contents<'a> {
    /// Splits a file into its parts; an error if it is not one of ours.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let not_ours = |why: String| ModelError::NotAModel { why };
        if bytes.is_empty() {
            return Err(not_ours("it is empty".to_owned()));
        }
        let not_safetensors =
            |e: safetensors::SafeTensorError| not_ours(format!("not a safetensors file: {e}"));
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(not_safetensors)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(not_safetensors)?;
        let entries = metadata.metadata().as_ref();
        let header = entries
            .and_then(|entries| entries.get(KEY))
            .ok_or_else(|| {
                not_ours("a safetensors file, but without eigenspan's metadata".to_owned())
            })?;
        Ok(Contents {
            header: header.clone(),
            tensors,
        })
    }

    /// The record of the model: its JSON, and all tensors except those whose names begin with `except`.
    pub(super) fn record(
        &self,
        json: serde_json::Value,
        except: &str,
    ) -> Result<Record<'static>, ModelError> {
        let own = self.tensors.iter();
        let own = own.filter(|(name, _)| !name.starts_with(except));
        let tensor = |(name, view): (&str, TensorView<'_>)| {
            Ok((Cow::Owned(name.to_owned()), tensor(name, &view)?))
        };
        Ok(Record {
            json,
            tensors: own.map(tensor).collect::<Result<_, ModelError>>()?,
        })
    }

    /// Lists of finite numbers whose names begin with `prefix`, by what follows it.
    pub(super) fn lists(&self, prefix: &str) -> Result<Vec<(String, Vec<f64>)>, ModelError> {
        let mut lists = Vec::new();
        for (full, view) in self.tensors.iter() {
            if let Some(name) = full.strip_prefix(prefix) {
                let only = (Cow::Owned(full.to_owned()), tensor(full, &view)?);
                let record = Record {
                    tensors: vec![only],
                    ..Record::default()
                };
                let list = record.list(full).map_err(ModelError::damaged)?;
                lists.push((name.to_owned(), list));
            }
        }
        Ok(lists)
    }
}

fn tensor(name: &str, view: &TensorView<'_>) -> Result<Tensor<'static>, ModelError> {
    if view.dtype() != Dtype::F64 {
        return Err(ModelError::damaged(format!(
            "tensor `{name}` is {:?}, not F64",
            view.dtype()
        )));
    }
    let (numbers, _) = view.data().as_chunks::<8>();
    let values: Vec<f64> = numbers.iter().map(|x| f64::from_le_bytes(*x)).collect();
    Ok(Tensor {
        shape: view.shape().to_vec(),
        values: Cow::Owned(values),
    })
}
