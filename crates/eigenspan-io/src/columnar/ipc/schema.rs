//! What the columns of an Arrow file hold, and where among the buffers of a batch they are.

use polars_arrow_format::ipc::planus::ReadAsRoot;
use polars_arrow_format::ipc::{
    DateUnit, Endianness, FieldRef, FooterRef, IntRef, MessageHeaderRef, MessageRef, Precision,
    SchemaRef, TimeUnit as Unit, TypeRef, UnionMode,
};

use super::messages::{SchemaAt, damaged};
use crate::columnar::store::{ColumnKind, Field};
use crate::columnar::value::TimeUnit;
use crate::error::ColumnarFault;
use crate::npy::Element;

/// The depth to which nested fields are followed.
const DEEPEST: usize = 64;

/// What the cells of an array are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    Null,
    Bool,
    Number(Element),
    /// Bytes of one cell, digits behind the point.
    Decimal(usize, i32),
    Day,
    /// Bytes of one cell.
    Time(usize, TimeUnit),
    Stamp(TimeUnit),
    /// Texts; whether offsets take 8 bytes.
    Text(bool),
    TextView,
    /// Lists; whether offsets take 8 bytes.
    List(bool, Box<Type>),
    FixedList(usize, Box<Type>),
    /// Places in a dictionary.
    Dictionary(i64, Element, Box<Type>),
    Other(&'static str),
}

/// A field at the top of the schema.
#[derive(Debug)]
pub(super) struct ArrowField {
    name: String,
    pub(super) kind: Type,
    /// Its first node and its first buffer, not counting the data of views before it.
    pub(super) node: usize,
    pub(super) buffer: usize,
    /// Views before it; each has additional buffers, whose number the batch states.
    pub(super) views: usize,
}

/// How many nodes, buffers and views a field takes in a batch.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    nodes: usize,
    buffers: usize,
    views: usize,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, more: Size) {
        self.nodes += more.nodes;
        self.buffers += more.buffers;
        self.views += more.views;
    }
}

impl ArrowField {
    /// Values of the lists, or of the field itself.
    fn values(&self) -> &Type {
        match &self.kind {
            Type::List(_, values) | Type::FixedList(_, values) => values,
            other => other,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, Type::List(..) | Type::FixedList(..))
    }

    pub(super) fn may_be_large(&self) -> bool {
        let values = match self.values() {
            Type::Dictionary(_, _, values) => values,
            values => values,
        };
        matches!(values, Type::Number(Element::I64 | Element::U64))
    }

    /// The field as every columnar format describes it.
    pub(super) fn described(&self) -> Field {
        let kind = kind(self.values());
        let (kind, list) = match (kind, self.is_list()) {
            (kind @ ColumnKind::Number { .. }, list) => (kind, list),
            (_, true) => (
                ColumnKind::Other("lists of other things than numbers"),
                false,
            ),
            (kind, false) => (kind, false),
        };
        Field {
            name: self.name.clone(),
            kind,
            list,
        }
    }
}

fn kind(values: &Type) -> ColumnKind {
    match values {
        Type::Null => ColumnKind::Empty,
        Type::Number(Element::F32) => ColumnKind::Number { single: true },
        Type::Bool | Type::Number(_) | Type::Decimal(..) => ColumnKind::Number { single: false },
        Type::Day | Type::Time(..) | Type::Stamp(_) => ColumnKind::Dates,
        Type::Text(_) | Type::TextView => ColumnKind::Text,
        Type::Dictionary(_, _, values) => kind(values),
        Type::List(..) | Type::FixedList(..) => ColumnKind::Other("lists of lists"),
        Type::Other(what) => ColumnKind::Other(what),
    }
}

/// The fields at the top of the schema.
pub(super) fn fields(bytes: &[u8], at: &SchemaAt) -> Result<Vec<ArrowField>, ColumnarFault> {
    let none = || damaged("there is no schema");
    match at {
        SchemaAt::Footer(at) => {
            let footer = bytes.get(at.clone()).ok_or_else(none)?;
            let footer = FooterRef::read_as_root(footer).map_err(damaged)?;
            of_schema(footer.schema().map_err(damaged)?.ok_or_else(none)?)
        }
        SchemaAt::Message(at) => {
            let message = bytes.get(at.clone()).ok_or_else(none)?;
            let message = MessageRef::read_as_root(message).map_err(damaged)?;
            match message.header().map_err(damaged)? {
                Some(MessageHeaderRef::Schema(schema)) => of_schema(schema),
                _ => Err(none()),
            }
        }
    }
}

fn of_schema(schema: SchemaRef<'_>) -> Result<Vec<ArrowField>, ColumnarFault> {
    if schema.endianness().map_err(damaged)? == Endianness::Big {
        return Err(ColumnarFault::Variant {
            what: "Arrow files of big-endian machines",
        });
    }
    let mut fields = Vec::new();
    let mut before = Size::default();
    for field in schema.fields().map_err(damaged)?.into_iter().flatten() {
        let field = field.map_err(damaged)?;
        let (kind, size) = read_type(field, 0)?;
        fields.push(ArrowField {
            name: field
                .name()
                .map_err(damaged)?
                .unwrap_or_default()
                .to_owned(),
            kind,
            node: before.nodes,
            buffer: before.buffers,
            views: before.views,
        });
        before += size;
    }
    Ok(fields)
}

fn read_type(field: FieldRef<'_>, depth: usize) -> Result<(Type, Size), ColumnarFault> {
    if depth > DEEPEST {
        return Err(damaged("fields within fields without end"));
    }
    let arrow = field.type_().map_err(damaged)?;
    let arrow = arrow.ok_or_else(|| damaged("a field without a type"))?;
    let mut children = Vec::new();
    let mut below = Size::default();
    for child in field.children().map_err(damaged)?.into_iter().flatten() {
        let (kind, size) = read_type(child.map_err(damaged)?, depth + 1)?;
        children.push(kind);
        below += size;
    }
    if let Some(dictionary) = field.dictionary().map_err(damaged)? {
        let places = match dictionary.index_type().map_err(damaged)? {
            Some(int) => element(int)?,
            None => Element::I32,
        };
        let (values, _) = plain_type(arrow, children)?;
        let id = dictionary.id().map_err(damaged)?;
        let size = Size {
            nodes: 1,
            buffers: 2,
            views: 0,
        };
        return Ok((Type::Dictionary(id, places, Box::new(values)), size));
    }
    let view = matches!(arrow, TypeRef::Utf8View(_) | TypeRef::BinaryView(_));
    let (kind, buffers) = plain_type(arrow, children)?;
    let mut size = Size {
        nodes: 1,
        buffers,
        views: usize::from(view),
    };
    size += below;
    Ok((kind, size))
}

/// A type and how many buffers it has, without those of the fields below it and without the data of views.
fn plain_type(arrow: TypeRef<'_>, mut below: Vec<Type>) -> Result<(Type, usize), ColumnarFault> {
    let mut child = || match below.len() {
        1 => Ok(Box::new(below.remove(0))),
        _ => Err(damaged("a list of no type")),
    };
    Ok(match arrow {
        TypeRef::Null(_) => (Type::Null, 0),
        TypeRef::Int(int) => (Type::Number(element(int)?), 2),
        TypeRef::FloatingPoint(float) => {
            let element = match float.precision().map_err(damaged)? {
                Precision::Half => Element::F16,
                Precision::Single => Element::F32,
                Precision::Double => Element::F64,
            };
            (Type::Number(element), 2)
        }
        TypeRef::Bool(_) => (Type::Bool, 2),
        TypeRef::Decimal(decimal) => {
            let kind = match decimal.bit_width().map_err(damaged)? {
                bits @ (32 | 64 | 128) => {
                    Type::Decimal(bits as usize / 8, decimal.scale().map_err(damaged)?)
                }
                _ => Type::Other("decimals of more than 38 digits"),
            };
            (kind, 2)
        }
        TypeRef::Date(date) => match date.unit().map_err(damaged)? {
            DateUnit::Day => (Type::Day, 2),
            DateUnit::Millisecond => (Type::Stamp(TimeUnit { digits: 3 }), 2),
        },
        TypeRef::Time(time) => {
            let bytes = if time.bit_width().map_err(damaged)? == 64 {
                8
            } else {
                4
            };
            (Type::Time(bytes, unit(time.unit().map_err(damaged)?)), 2)
        }
        TypeRef::Timestamp(stamp) => (Type::Stamp(unit(stamp.unit().map_err(damaged)?)), 2),
        TypeRef::Duration(_) => (Type::Number(Element::I64), 2),
        TypeRef::Interval(_) => (Type::Other("intervals of time"), 2),
        TypeRef::Utf8(_) => (Type::Text(false), 3),
        TypeRef::LargeUtf8(_) => (Type::Text(true), 3),
        TypeRef::Utf8View(_) => (Type::TextView, 2),
        TypeRef::Binary(_) | TypeRef::LargeBinary(_) => (Type::Other("bytes"), 3),
        TypeRef::BinaryView(_) | TypeRef::FixedSizeBinary(_) => (Type::Other("bytes"), 2),
        TypeRef::List(_) => (Type::List(false, child()?), 2),
        TypeRef::LargeList(_) => (Type::List(true, child()?), 2),
        TypeRef::FixedSizeList(list) => {
            let size = usize::try_from(list.list_size().map_err(damaged)?).map_err(damaged)?;
            (Type::FixedList(size, child()?), 1)
        }
        TypeRef::ListView(_) | TypeRef::LargeListView(_) => (Type::Other("views of lists"), 3),
        TypeRef::Struct(_) => (Type::Other("a structure"), 1),
        TypeRef::Map(_) => (Type::Other("maps"), 2),
        TypeRef::Union(union) => match union.mode().map_err(damaged)? {
            UnionMode::Sparse => (Type::Other("unions"), 1),
            UnionMode::Dense => (Type::Other("unions"), 2),
        },
        TypeRef::RunEndEncoded(_) => (Type::Other("runs of values"), 0),
    })
}

fn element(int: IntRef<'_>) -> Result<Element, ColumnarFault> {
    let signed = int.is_signed().map_err(damaged)?;
    Ok(match (int.bit_width().map_err(damaged)?, signed) {
        (8, true) => Element::I8,
        (16, true) => Element::I16,
        (32, true) => Element::I32,
        (64, true) => Element::I64,
        (8, false) => Element::U8,
        (16, false) => Element::U16,
        (32, false) => Element::U32,
        (64, false) => Element::U64,
        _ => return Err(damaged("integers of an unknown size")),
    })
}

fn unit(unit: Unit) -> TimeUnit {
    TimeUnit {
        digits: match unit {
            Unit::Second => 0,
            Unit::Millisecond => 3,
            Unit::Microsecond => 6,
            Unit::Nanosecond => 9,
        },
    }
}
