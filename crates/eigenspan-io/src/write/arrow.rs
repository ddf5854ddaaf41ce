//! Rows as an Arrow file (Feather, version 2): batches of plain buffers that others can map into memory.

use polars_arrow_format::ipc::planus::{Builder, WriteAsOffset};
use polars_arrow_format::ipc::{
    Block, Buffer, Endianness, Field, FieldNode, FloatingPoint, Footer, LargeUtf8, Message,
    MessageHeader, MetadataVersion, Precision, RecordBatch, Schema, Type,
};

use super::columns::{Columns, Floats};
use super::{Layout, Slot};
use crate::table::TextColumn;

const MAGIC: &[u8] = b"ARROW1";

/// Buffers begin at multiples of this, which suits every processor.
const ALIGN: usize = 64;

/// Turns batches of rows into bytes.
#[derive(Debug)]
pub(super) struct ArrowEncoder {
    schema: Schema,
    slots: Vec<Slot>,
    blocks: Vec<Block>,
    /// Bytes written so far.
    length: usize,
}

impl ArrowEncoder {
    /// An encoder for a table, and the first bytes of the file.
    pub(super) fn new(layout: &Layout, single: bool) -> (Self, Vec<u8>) {
        let field = |name: &str, kind| Field {
            name: Some(name.to_owned()),
            nullable: false,
            type_: Some(kind),
            dictionary: None,
            children: Some(Vec::new()),
            custom_metadata: None,
        };
        let precision = if single {
            Precision::Single
        } else {
            Precision::Double
        };
        let text = || Type::LargeUtf8(Box::new(LargeUtf8 {}));
        let number = || Type::FloatingPoint(Box::new(FloatingPoint { precision }));
        let slots = layout.slots();
        let fields = slots.iter().map(|slot| match slot {
            Slot::Text(_) => field(layout.name(*slot), text()),
            Slot::Number(_) => field(layout.name(*slot), number()),
        });
        let schema = Schema {
            endianness: Endianness::Little,
            fields: Some(fields.collect()),
            custom_metadata: None,
            features: None,
        };
        let mut head = MAGIC.to_vec();
        head.resize(8, 0);
        let header = MessageHeader::Schema(Box::new(schema.clone()));
        head.extend(message(header, 0));
        let encoder = ArrowEncoder {
            schema,
            slots,
            blocks: Vec::new(),
            length: head.len(),
        };
        (encoder, head)
    }

    /// A batch of rows.
    pub(super) fn batch(&mut self, rows: &Columns) -> Vec<u8> {
        let mut body = Body::default();
        for slot in &self.slots {
            body.push(&[]);
            match *slot {
                Slot::Text(i) => {
                    body.push(&offsets(&rows.texts[i]));
                    body.push(rows.texts[i].text().as_bytes());
                }
                Slot::Number(j) => body.push(&match &rows.numbers[j] {
                    Floats::F32(cells) => cells
                        .iter()
                        .flat_map(|x| x.to_le_bytes())
                        .collect::<Vec<_>>(),
                    Floats::F64(cells) => cells.iter().flat_map(|x| x.to_le_bytes()).collect(),
                }),
            }
        }
        let node = FieldNode {
            length: rows.n_rows as i64,
            null_count: 0,
        };
        let record = RecordBatch {
            length: rows.n_rows as i64,
            nodes: Some(vec![node; rows.texts.len() + rows.numbers.len()]),
            buffers: Some(body.buffers),
            compression: None,
            variadic_buffer_counts: None,
        };
        let header = MessageHeader::RecordBatch(Box::new(record));
        let mut bytes = message(header, body.bytes.len());
        self.blocks.push(Block {
            offset: self.length as i64,
            meta_data_length: bytes.len() as i32,
            body_length: body.bytes.len() as i64,
        });
        bytes.extend(body.bytes);
        self.length += bytes.len();
        bytes
    }

    /// The end of the batches, and the footer.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut bytes = vec![0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
        let footer = flat(&Footer {
            version: MetadataVersion::V5,
            schema: Some(Box::new(self.schema.clone())),
            dictionaries: Some(Vec::new()),
            record_batches: Some(std::mem::take(&mut self.blocks)),
            custom_metadata: None,
        });
        bytes.extend(&footer);
        bytes.extend((footer.len() as i32).to_le_bytes());
        bytes.extend(MAGIC);
        bytes
    }
}

/// The buffers of a batch, one after the other.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    buffers: Vec<Buffer>,
}

impl Body {
    fn push(&mut self, bytes: &[u8]) {
        self.buffers.push(Buffer {
            offset: self.bytes.len() as i64,
            length: bytes.len() as i64,
        });
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.len().next_multiple_of(ALIGN);
        self.bytes.resize(end, 0);
    }
}

/// The end of each text, after a leading zero.
fn offsets(texts: &TextColumn) -> Vec<u8> {
    let ends = texts.ends().iter().map(|end| *end as i64);
    let all = std::iter::once(0).chain(ends);
    all.flat_map(i64::to_le_bytes).collect()
}

fn flat<T>(root: impl WriteAsOffset<T>) -> Vec<u8> {
    Builder::new().finish(root, None).to_vec()
}

/// A message: a mark, its length, its header, and zeros up to the next multiple of the alignment.
fn message(header: MessageHeader, body: usize) -> Vec<u8> {
    let content = flat(&Message {
        version: MetadataVersion::V5,
        header: Some(header),
        body_length: body as i64,
        custom_metadata: None,
    });
    let length = (content.len() + 8).next_multiple_of(ALIGN) - 8;
    let mut bytes = vec![0xff; 4];
    bytes.extend((length as i32).to_le_bytes());
    bytes.extend(content);
    bytes.resize(length + 8, 0);
    bytes
}
