//! Rows as a Parquet file: plain pages without compression, since scores hardly shrink; no value is missing.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::columns::{Columns, Floats};
use super::{Layout, Slot};

/// Turns groups of rows into bytes.
pub(super) struct ParquetEncoder {
    /// In a lock, so that threads that format rows can share the writer of a table.
    writer: Mutex<SerializedFileWriter<Outbox>>,
    outbox: Outbox,
    slots: Vec<Slot>,
}

impl std::fmt::Debug for ParquetEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ParquetEncoder")
    }
}

/// Bytes on their way from the encoder to the file.
#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<u8>>>);

impl Outbox {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Outbox {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ParquetEncoder {
    /// An encoder for a table, and the first bytes of the file.
    pub(super) fn new(layout: &Layout, single: bool) -> Result<(Self, Vec<u8>), ParquetError> {
        let column = |name: &str, stored, logical| {
            let column = Type::primitive_type_builder(name, stored)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(logical);
            column.build().map(TypePtr::new)
        };
        let float = if single {
            Physical::FLOAT
        } else {
            Physical::DOUBLE
        };
        let mut fields = Vec::new();
        let slots = layout.slots();
        for slot in &slots {
            let name = layout.name(*slot);
            let text = Some(LogicalType::String);
            fields.push(match slot {
                Slot::Text(_) => column(name, Physical::BYTE_ARRAY, text)?,
                Slot::Number(_) => column(name, float, None)?,
            });
        }
        let schema = Type::group_type_builder("schema")
            .with_fields(fields)
            .build()?;
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("eigenspan ", env!("CARGO_PKG_VERSION")).to_owned());
        for name in &layout.numbers {
            properties = properties.set_column_dictionary_enabled(vec![name.clone()].into(), false);
        }
        let outbox = Outbox::default();
        let writer = SerializedFileWriter::new(
            outbox.clone(),
            TypePtr::new(schema),
            Arc::new(properties.build()),
        )?;
        let head = outbox.take();
        let writer = Mutex::new(writer);
        let encoder = ParquetEncoder {
            writer,
            outbox,
            slots,
        };
        Ok((encoder, head))
    }

    /// A row group.
    pub(super) fn group(&mut self, rows: &Columns) -> Result<Vec<u8>, ParquetError> {
        let writer = self.writer.get_mut();
        let writer = writer.unwrap_or_else(PoisonError::into_inner);
        let mut group = writer.next_row_group()?;
        for slot in &self.slots {
            match *slot {
                Slot::Text(i) => {
                    let texts = rows.texts[i].iter();
                    let cells: Vec<ByteArray> = texts.map(ByteArray::from).collect();
                    column::<ByteArrayType>(&mut group, &cells)?;
                }
                Slot::Number(j) => match &rows.numbers[j] {
                    Floats::F32(cells) => column::<FloatType>(&mut group, cells)?,
                    Floats::F64(cells) => column::<DoubleType>(&mut group, cells)?,
                },
            }
        }
        group.close()?;
        Ok(self.outbox.take())
    }

    /// The footer.
    pub(super) fn finish(&mut self) -> Result<Vec<u8>, ParquetError> {
        let writer = self.writer.get_mut();
        writer.unwrap_or_else(PoisonError::into_inner).finish()?;
        Ok(self.outbox.take())
    }
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Outbox>,
    cells: &[T::T],
) -> Result<(), ParquetError> {
    let more = || ParquetError::General("more columns than announced".to_owned());
    let mut column = group.next_column()?.ok_or_else(more)?;
    column.typed::<T>().write_batch(cells, None, None)?;
    column.close()
}
