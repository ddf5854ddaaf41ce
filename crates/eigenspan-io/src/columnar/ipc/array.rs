//! One column of one batch: its buffers, and how to read them.

use std::collections::HashMap;
use std::ops::Range;

use polars_arrow_format::ipc::planus::ReadAsRoot;
use polars_arrow_format::ipc::{
    BodyCompressionMethod, CompressionType, MessageHeaderRef, MessageRef, RecordBatchRef,
};

use super::messages::{Message, damaged};
use super::schema::{ArrowField, Type};
use crate::columnar::codec::Codec;
use crate::columnar::store::Seen;
use crate::columnar::value::{Value, decimal};
use crate::error::ColumnarFault;
use crate::npy::{Element, half_to_f64};

/// Bytes in the file, or unpacked from it.
#[derive(Debug)]
enum Data {
    InFile(Range<usize>),
    Unpacked(Vec<u8>),
}

impl Data {
    fn get<'a>(&'a self, file: &'a [u8]) -> &'a [u8] {
        match self {
            Data::InFile(range) => file.get(range.clone()).unwrap_or_default(),
            Data::Unpacked(bytes) => bytes,
        }
    }
}

/// A batch of rows, as its message describes it.
pub(super) struct Batch<'a> {
    pub(super) n_rows: usize,
    record: RecordBatchRef<'a>,
    body: Range<usize>,
    codec: Codec,
}

/// The positions of the next array's node and buffers.
struct At {
    node: usize,
    buffer: usize,
    view: usize,
}

impl<'a> Batch<'a> {
    pub(super) fn read(file: &'a [u8], message: &Message) -> Result<Self, ColumnarFault> {
        match header(file, message)? {
            MessageHeaderRef::RecordBatch(record) => Batch::new(record, message.body.clone()),
            _ => Err(damaged("a batch of rows is something else")),
        }
    }

    fn new(record: RecordBatchRef<'a>, body: Range<usize>) -> Result<Self, ColumnarFault> {
        let codec = match record.compression().map_err(damaged)? {
            None => Codec::Plain,
            Some(packing) => {
                if packing.method().map_err(damaged)? != BodyCompressionMethod::Buffer {
                    return Err(damaged("buffers are packed in an unknown way"));
                }
                match packing.codec().map_err(damaged)? {
                    CompressionType::Lz4Frame => Codec::Lz4Frame,
                    CompressionType::Zstd => Codec::Zstd,
                }
            }
        };
        let n_rows = usize::try_from(record.length().map_err(damaged)?);
        Ok(Batch {
            n_rows: n_rows.map_err(|_| damaged("a batch has less than no rows"))?,
            record,
            body,
            codec,
        })
    }

    /// Rows and missing values of a node.
    fn node(&self, i: usize) -> Result<(usize, u64), ColumnarFault> {
        let nodes = self.record.nodes().map_err(damaged)?;
        let node = nodes.and_then(|nodes| nodes.get(i));
        let node = node.ok_or_else(|| damaged("a batch has too few columns"))?;
        let length = usize::try_from(node.length()).map_err(damaged)?;
        Ok((length, u64::try_from(node.null_count()).unwrap_or(u64::MAX)))
    }

    /// Missing values of a field, with those in its lists.
    pub(super) fn null_count(&self, field: &ArrowField) -> Option<u64> {
        let own = self.node(field.node).ok()?.1;
        if !field.is_list() {
            return Some(own);
        }
        own.checked_add(self.node(field.node + 1).ok()?.1)
    }

    /// Bytes of a field of numbers once it is unpacked, at eight per number; 0 if it is used in place.
    pub(super) fn cursor_bytes(&self, field: &ArrowField) -> u64 {
        if self.codec == Codec::Plain {
            return 0;
        }
        let values = field.node + usize::from(field.is_list());
        let n = self.node(values).map_or(0, |(n, _)| n as u64);
        n.saturating_mul(8)
    }

    fn buffer(&self, file: &[u8], i: usize, limit: usize) -> Result<Data, ColumnarFault> {
        let buffers = self.record.buffers().map_err(damaged)?;
        let buffer = buffers.and_then(|buffers| buffers.get(i));
        let buffer = buffer.ok_or_else(|| damaged("a batch has too few buffers"))?;
        let outside = || damaged("a buffer is not inside its batch");
        let start = usize::try_from(buffer.offset()).ok();
        let start = start.and_then(|start| start.checked_add(self.body.start));
        let start = start.ok_or_else(outside)?;
        let length = usize::try_from(buffer.length()).map_err(|_| outside())?;
        let end = start
            .checked_add(length)
            .filter(|end| *end <= self.body.end);
        let range = start..end.ok_or_else(outside)?;
        if self.codec == Codec::Plain || range.is_empty() {
            return Ok(Data::InFile(range));
        }
        // Packed buffers begin with their unpacked length; −1 marks a buffer that is not packed.
        let packed = file.get(range.clone()).unwrap_or_default();
        let (length, packed) = packed.split_first_chunk().ok_or_else(outside)?;
        let length = i64::from_le_bytes(*length);
        if length == -1 {
            return Ok(Data::InFile(range.start + 8..range.end));
        }
        let length = usize::try_from(length).map_err(|_| outside())?;
        if length > limit {
            return Err(ColumnarFault::TooLarge { limit });
        }
        let unpacked = self.codec.unpack(packed, length);
        match unpacked {
            Ok(bytes) if bytes.len() == length => Ok(Data::Unpacked(bytes)),
            Ok(_) | Err(ColumnarFault::TooLarge { .. }) => {
                Err(damaged("a buffer unpacks to another length than it says"))
            }
            Err(fault) => Err(fault),
        }
    }

    fn view_buffers(&self, i: usize) -> Result<usize, ColumnarFault> {
        let counts = self.record.variadic_buffer_counts().map_err(damaged)?;
        let count = counts.and_then(|counts| counts.get(i));
        let count = count.ok_or_else(|| damaged("a batch has too few buffers of texts"))?;
        usize::try_from(count).map_err(damaged)
    }
}

fn header<'a>(file: &'a [u8], message: &Message) -> Result<MessageHeaderRef<'a>, ColumnarFault> {
    let head = file.get(message.head.clone()).unwrap_or_default();
    let head = MessageRef::read_as_root(head).map_err(damaged)?;
    let header = head.header().map_err(damaged)?;
    header.ok_or_else(|| damaged("a message without content"))
}

/// The cells of one column of one batch.
#[derive(Debug)]
pub(super) struct Array {
    kind: Type,
    n: usize,
    /// One bit per cell, where some are missing.
    valid: Option<Data>,
    /// Offsets, views or values, then the bytes they point at.
    data: Vec<Data>,
    values: Option<Box<Array>>,
}

/// Dictionaries by their number.
pub(super) type Dictionaries = HashMap<i64, Array>;

impl Array {
    /// One field of a batch.
    pub(super) fn read(
        file: &[u8],
        batch: &Batch<'_>,
        field: &ArrowField,
        limit: usize,
    ) -> Result<Self, ColumnarFault> {
        let mut at = At {
            node: field.node,
            buffer: field.buffer,
            view: field.views,
        };
        for view in 0..field.views {
            let more = batch.view_buffers(view)?;
            let buffer = at.buffer.checked_add(more);
            at.buffer = buffer.ok_or_else(|| damaged("too many buffers"))?;
        }
        let array = Array::from_batch(file, batch, &field.kind, &mut at, limit)?;
        if array.n == batch.n_rows {
            Ok(array)
        } else {
            Err(damaged(
                "a column has another number of rows than its batch",
            ))
        }
    }

    fn from_batch(
        file: &[u8],
        batch: &Batch<'_>,
        kind: &Type,
        at: &mut At,
        limit: usize,
    ) -> Result<Self, ColumnarFault> {
        let (n, nulls) = batch.node(at.node)?;
        at.node += 1;
        let mut array = Array {
            kind: kind.clone(),
            n,
            valid: None,
            data: Vec::new(),
            values: None,
        };
        let next = |at: &mut At| {
            at.buffer += 1;
            batch.buffer(file, at.buffer - 1, limit)
        };
        if *kind == Type::Null {
            return Ok(array);
        }
        let valid = next(at)?;
        let bits = valid.get(file).len().saturating_mul(8);
        if nulls > 0 && bits > 0 {
            if bits < n {
                return Err(short());
            }
            array.valid = Some(valid);
        }
        let n_data = match kind {
            Type::Null | Type::FixedList(..) => 0,
            Type::Text(_) => 2,
            Type::TextView => {
                at.view += 1;
                1 + batch.view_buffers(at.view - 1)?
            }
            Type::Other(_) => return Err(damaged("a column of another type")),
            _ => 1,
        };
        for _ in 0..n_data {
            array.data.push(next(at)?);
        }
        if let Type::List(_, values) | Type::FixedList(_, values) = kind {
            let values = Array::from_batch(file, batch, values, at, limit)?;
            array.values = Some(Box::new(values));
        }
        Ok(array)
    }

    fn bytes<'a>(&'a self, file: &'a [u8], i: usize) -> &'a [u8] {
        self.data.get(i).map_or(&[], |data| data.get(file))
    }

    fn is_missing(&self, file: &[u8], i: usize) -> bool {
        match &self.valid {
            None => self.kind == Type::Null,
            Some(valid) => !bit(valid.get(file), i),
        }
    }

    /// Appends the numbers of some cells, NaN where one is missing.
    pub(super) fn numbers(
        &self,
        view: View<'_>,
        rows: Range<usize>,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault> {
        let file = view.file;
        let start = out.len();
        let run = |size: usize| {
            let from = rows.start.checked_mul(size).zip(rows.end.checked_mul(size));
            let found = from.and_then(|(from, to)| self.bytes(file, 0).get(from..to));
            found.ok_or_else(short)
        };
        match &self.kind {
            Type::Number(element) => {
                element.convert(false, run(element.bytes())?, out);
                if matches!(element, Element::I64 | Element::U64) {
                    const EXACT: f64 = (1u64 << 53) as f64;
                    let new = out.iter().skip(start);
                    let large = new.copied().find(|x| x.abs() >= EXACT);
                    seen.large = seen.large.or(large.map(|x| x as i128));
                }
            }
            Type::Bool => {
                let bits = self.bytes(file, 0);
                if rows.end.div_ceil(8) > bits.len() {
                    return Err(short());
                }
                out.extend(rows.clone().map(|i| f64::from(u8::from(bit(bits, i)))));
            }
            Type::Decimal(size, scale) => {
                let cells = run(*size)?.chunks_exact(*size);
                out.extend(cells.map(|cell| decimal(little_endian(cell), *scale)));
            }
            Type::Dictionary(id, ..) => {
                let dictionary = view.dictionaries.get(id);
                let dictionary = dictionary.ok_or_else(no_dictionary)?;
                for i in rows.clone() {
                    match self.place(file, i)? {
                        Some(at) => dictionary.numbers(view, at..at + 1, out, seen)?,
                        None => out.push(f64::NAN),
                    }
                }
            }
            _ => return Err(damaged("a column of another type")),
        }
        if out.len() - start != rows.len() {
            return Err(short());
        }
        if self.valid.is_some() {
            for (place, i) in (start..).zip(rows) {
                if self.is_missing(file, i) {
                    seen.nulls.push(place);
                    if let Some(cell) = out.get_mut(place) {
                        *cell = f64::NAN;
                    }
                }
            }
        }
        Ok(())
    }

    /// The range of a row's list among the values; `None` if the list is missing.
    pub(super) fn list(
        &self,
        file: &[u8],
        i: usize,
    ) -> Result<Option<Range<usize>>, ColumnarFault> {
        if self.is_missing(file, i) {
            return Ok(None);
        }
        match self.kind {
            Type::FixedList(size, _) => {
                let start = i.checked_mul(size).ok_or_else(short)?;
                Ok(Some(start..start.checked_add(size).ok_or_else(short)?))
            }
            Type::List(large, _) => self.offsets(file, i, large).map(Some),
            _ => Err(damaged("a column of another type")),
        }
    }

    /// The values of lists.
    pub(super) fn values(&self) -> Result<&Array, ColumnarFault> {
        let values = self.values.as_deref();
        values.ok_or_else(|| damaged("a column of another type"))
    }

    fn offsets(&self, file: &[u8], i: usize, large: bool) -> Result<Range<usize>, ColumnarFault> {
        let bytes = self.bytes(file, 0);
        // An array without cells may have no offsets.
        let one = |i: usize| -> Option<usize> {
            if large {
                let at = bytes.get(i.checked_mul(8)?..)?.first_chunk()?;
                usize::try_from(i64::from_le_bytes(*at)).ok()
            } else {
                let at = bytes.get(i.checked_mul(4)?..)?.first_chunk()?;
                usize::try_from(i32::from_le_bytes(*at)).ok()
            }
        };
        let range = one(i).zip(one(i + 1)).filter(|(start, end)| start <= end);
        range.map(|(start, end)| start..end).ok_or_else(short)
    }

    /// The position of a cell in the dictionary.
    fn place(&self, file: &[u8], i: usize) -> Result<Option<usize>, ColumnarFault> {
        let Type::Dictionary(_, element, _) = &self.kind else {
            return Err(no_dictionary());
        };
        if self.is_missing(file, i) {
            return Ok(None);
        }
        let size = element.bytes();
        let at = i.checked_mul(size).ok_or_else(short)?;
        let cell = self
            .bytes(file, 0)
            .get(at..)
            .and_then(|rest| rest.get(..size));
        let mut place = Vec::with_capacity(1);
        element.convert(false, cell.ok_or_else(short)?, &mut place);
        let place = place.first().filter(|place| **place >= 0.0);
        place.map(|place| Some(*place as usize)).ok_or_else(short)
    }

    /// One cell.
    pub(super) fn value<'a>(
        &'a self,
        view: View<'a>,
        i: usize,
    ) -> Result<Value<'a>, ColumnarFault> {
        let file = view.file;
        if i >= self.n {
            return Err(short());
        }
        if self.is_missing(file, i) {
            return Ok(Value::Missing);
        }
        let cell = |size: usize| -> Result<&'a [u8], ColumnarFault> {
            let at = i.checked_mul(size).ok_or_else(short)?;
            let cell = self
                .bytes(file, 0)
                .get(at..)
                .and_then(|rest| rest.get(..size));
            cell.ok_or_else(short)
        };
        let int = |size: usize| Ok(little_endian(cell(size)?) as i64);
        Ok(match &self.kind {
            Type::Null => Value::Missing,
            Type::Bool => Value::Bool(bit(self.bytes(file, 0), i)),
            Type::Number(element) => number(*element, cell(element.bytes())?),
            Type::Decimal(size, scale) => Value::Decimal(little_endian(cell(*size)?), *scale),
            Type::Day => Value::Day(int(4)?),
            Type::Time(size, unit) => Value::Time(int(*size)?, *unit),
            Type::Stamp(unit) => Value::Stamp(int(8)?, *unit),
            Type::Text(large) => {
                let range = self.offsets(file, i, *large)?;
                Value::Bytes(self.bytes(file, 1).get(range).ok_or_else(short)?)
            }
            Type::TextView => Value::Bytes(self.viewed(file, cell(16)?).ok_or_else(short)?),
            Type::Dictionary(id, ..) => {
                let dictionary = view.dictionaries.get(id).ok_or_else(no_dictionary)?;
                match self.place(file, i)? {
                    Some(place) => dictionary.value(view, place)?,
                    None => Value::Missing,
                }
            }
            Type::List(..) | Type::FixedList(..) | Type::Other(_) => {
                return Err(damaged("a column of another type"));
            }
        })
    }

    /// The text of a view: up to 12 bytes are in the view itself, longer texts are elsewhere.
    fn viewed<'a>(&'a self, file: &'a [u8], view: &'a [u8]) -> Option<&'a [u8]> {
        let part = |at: usize| -> Option<usize> {
            let bytes = view.get(at..)?.first_chunk()?;
            usize::try_from(i32::from_le_bytes(*bytes)).ok()
        };
        let length = part(0)?;
        if length <= 12 {
            return view.get(4..4 + length);
        }
        let data = self.data.get(part(8)?.checked_add(1)?)?.get(file);
        data.get(part(12)?..)?.get(..length)
    }
}

/// The file and the dictionaries that arrays refer to.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) file: &'a [u8],
    pub(super) dictionaries: &'a Dictionaries,
}

/// Reads a dictionary, if a field of the table uses it.
pub(super) fn read_dictionary(
    file: &[u8],
    message: &Message,
    fields: &[ArrowField],
    limit: usize,
    out: &mut Dictionaries,
) -> Result<(), ColumnarFault> {
    let MessageHeaderRef::DictionaryBatch(batch) = header(file, message)? else {
        return Err(no_dictionary());
    };
    let id = batch.id().map_err(damaged)?;
    let values = fields.iter().find_map(|field| match &field.kind {
        Type::Dictionary(wanted, _, values) if *wanted == id => Some(values),
        _ => None,
    });
    let Some(values) = values else {
        return Ok(());
    };
    if matches!(**values, Type::Other(_)) {
        return Ok(());
    }
    let record = batch.data().map_err(damaged)?.ok_or_else(no_dictionary)?;
    let batch_of = Batch::new(record, message.body.clone())?;
    let mut at = At {
        node: 0,
        buffer: 0,
        view: 0,
    };
    let array = Array::from_batch(file, &batch_of, values, &mut at, limit)?;
    if batch.is_delta().map_err(damaged)? || out.insert(id, array).is_some() {
        return Err(ColumnarFault::Variant {
            what: "Arrow streams whose dictionaries change on the way",
        });
    }
    Ok(())
}

fn number<'a>(element: Element, cell: &[u8]) -> Value<'a> {
    let bits = little_endian(cell);
    match element {
        Element::F16 => Value::F64(half_to_f64(bits as u16)),
        Element::F32 => Value::F32(f32::from_bits(bits as u32)),
        Element::F64 => Value::F64(f64::from_bits(bits as u64)),
        Element::Bool | Element::U8 => Value::Int(i128::from(bits as u8)),
        Element::U16 => Value::Int(i128::from(bits as u16)),
        Element::U32 => Value::Int(i128::from(bits as u32)),
        Element::U64 => Value::Int(i128::from(bits as u64)),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => Value::Int(bits),
    }
}

/// Little-endian two's complement of up to 16 bytes.
fn little_endian(bytes: &[u8]) -> i128 {
    let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    all.iter_mut()
        .zip(bytes)
        .for_each(|(out, byte)| *out = *byte);
    i128::from_le_bytes(all)
}

fn bit(bits: &[u8], i: usize) -> bool {
    bits.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1)
}

fn short() -> ColumnarFault {
    damaged("a column is shorter than its batch, or points outside of it")
}

fn no_dictionary() -> ColumnarFault {
    damaged("a column has no dictionary")
}
