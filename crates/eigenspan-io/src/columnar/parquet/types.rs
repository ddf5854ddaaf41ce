//! What the columns of a Parquet file hold, from its schema.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit as Unit, Type as Physical};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::{ColumnDescPtr, Type};

use super::{Leaf, is_number};
use crate::columnar::store::{ColumnKind, Field};
use crate::columnar::value::TimeUnit;

/// What a stored value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logical {
    Bool,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    Decimal(i32),
    Text,
    Day,
    Time(TimeUnit),
    Stamp(TimeUnit),
    Int96,
}

impl Logical {
    pub(super) fn may_be_large(self) -> bool {
        matches!(self, Logical::I64 | Logical::U64)
    }

    fn kind(self) -> ColumnKind {
        match self {
            Logical::Text => ColumnKind::Text,
            Logical::Day | Logical::Time(_) | Logical::Stamp(_) | Logical::Int96 => {
                ColumnKind::Dates
            }
            Logical::F32 => ColumnKind::Number { single: true },
            _ => ColumnKind::Number { single: false },
        }
    }
}

/// The fields at the top of the schema, and where their values are.
pub(super) fn fields(meta: &ParquetMetaData) -> (Vec<Field>, Vec<Option<Leaf>>) {
    let schema = meta.file_metadata().schema_descr();
    // Columns below each top field, in order.
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); schema.root_schema().get_fields().len()];
    for column in 0..schema.num_columns() {
        if let Some(columns) = below.get_mut(schema.get_column_root_idx(column)) {
            columns.push(column);
        }
    }
    let field = |(top, columns): (&std::sync::Arc<Type>, &Vec<usize>)| {
        let name = top.name().to_owned();
        let other = |kind| {
            let name = name.clone();
            let list = false;
            (Field { name, kind, list }, None)
        };
        let &[column] = columns.as_slice() else {
            return other(ColumnKind::Other("a structure"));
        };
        let descr = schema.column(column);
        let list = descr.max_rep_level() == 1 && is_list(top);
        if !list && (descr.max_rep_level() > 0 || top.is_group()) {
            return other(ColumnKind::Other("nested values"));
        }
        let logical = match logical(&descr) {
            Ok(logical) => logical,
            Err(kind) => return other(kind),
        };
        let kind = logical.kind();
        if list && !is_number(kind) {
            return other(ColumnKind::Other("lists of texts or dates"));
        }
        let leaf = Leaf {
            column,
            descr,
            logical,
        };
        (Field { name, kind, list }, Some(leaf))
    };
    let tops = schema.root_schema().get_fields();
    tops.iter().zip(&below).map(field).unzip()
}

/// Whether a field with one column of values is a list of them, in any of the encodings that writers have used.
fn is_list(top: &Type) -> bool {
    let info = top.get_basic_info();
    let annotated = info.converted_type() == ConvertedType::LIST
        || matches!(info.logical_type_ref(), Some(LogicalType::List));
    let repeated = info.has_repetition() && info.repetition() == Repetition::REPEATED;
    repeated && top.is_primitive() || annotated
}

fn logical(descr: &ColumnDescPtr) -> Result<Logical, ColumnKind> {
    let (stored, converted) = (descr.physical_type(), descr.converted_type());
    let unit = |unit: &Unit| TimeUnit {
        digits: match unit {
            Unit::MILLIS => 3,
            Unit::MICROS => 6,
            Unit::NANOS => 9,
        },
    };
    let (ms, us) = (TimeUnit { digits: 3 }, TimeUnit { digits: 6 });
    let bytes = Err(ColumnKind::Other("bytes"));
    let annotated = match (descr.logical_type_ref(), converted) {
        (Some(LogicalType::Unknown), _) => return Err(ColumnKind::Empty),
        (Some(LogicalType::Decimal(d)), _) if d.precision <= 38 => Some(Logical::Decimal(d.scale)),
        (None, ConvertedType::DECIMAL) if descr.type_precision() <= 38 => {
            Some(Logical::Decimal(descr.type_scale()))
        }
        (Some(LogicalType::Decimal(_)), _) | (None, ConvertedType::DECIMAL) => {
            return Err(ColumnKind::Other("decimals of more than 38 digits"));
        }
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Some(Logical::Day),
        (Some(LogicalType::Time(t)), _) => Some(Logical::Time(unit(&t.unit))),
        (Some(LogicalType::Timestamp(t)), _) => Some(Logical::Stamp(unit(&t.unit))),
        (None, ConvertedType::TIME_MILLIS) => Some(Logical::Time(ms)),
        (None, ConvertedType::TIME_MICROS) => Some(Logical::Time(us)),
        (None, ConvertedType::TIMESTAMP_MILLIS) => Some(Logical::Stamp(ms)),
        (None, ConvertedType::TIMESTAMP_MICROS) => Some(Logical::Stamp(us)),
        (Some(LogicalType::Integer(int)), _) if !int.is_signed => Some(match stored {
            Physical::INT64 => Logical::U64,
            _ => Logical::U32,
        }),
        (None, ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32) => {
            Some(Logical::U32)
        }
        (None, ConvertedType::UINT_64) => Some(Logical::U64),
        (Some(LogicalType::Float16), _) => Some(Logical::F16),
        (Some(LogicalType::Bson | LogicalType::Uuid), _) | (None, ConvertedType::BSON) => {
            return bytes;
        }
        (None, ConvertedType::INTERVAL) => return Err(ColumnKind::Dates),
        _ => None,
    };
    let plain = match stored {
        Physical::BOOLEAN => Logical::Bool,
        Physical::INT32 => Logical::I32,
        Physical::INT64 => Logical::I64,
        Physical::INT96 => Logical::Int96,
        Physical::FLOAT => Logical::F32,
        Physical::DOUBLE => Logical::F64,
        Physical::BYTE_ARRAY => Logical::Text,
        Physical::FIXED_LEN_BYTE_ARRAY if annotated.is_none() => return bytes,
        Physical::FIXED_LEN_BYTE_ARRAY => Logical::Text,
    };
    let fits = match annotated {
        None => return Ok(plain),
        Some(Logical::Decimal(_)) => !matches!(
            stored,
            Physical::BOOLEAN | Physical::INT96 | Physical::FLOAT | Physical::DOUBLE
        ),
        Some(Logical::Day | Logical::U32) => stored == Physical::INT32,
        Some(Logical::Time(_)) => matches!(stored, Physical::INT32 | Physical::INT64),
        Some(Logical::Stamp(_) | Logical::U64) => stored == Physical::INT64,
        Some(Logical::F16) => stored == Physical::FIXED_LEN_BYTE_ARRAY,
        Some(_) => false,
    };
    match annotated {
        Some(annotated) if fits => Ok(annotated),
        _ => bytes,
    }
}
