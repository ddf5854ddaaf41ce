//! Where the messages of an Arrow file or stream are.

use std::ops::Range;

use polars_arrow_format::ipc::planus::ReadAsRoot;
use polars_arrow_format::ipc::{BlockRef, FooterRef, MessageHeaderRef, MessageRef};

use crate::error::ColumnarFault;

/// A message: what it says about itself, and the bytes that belong to it.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) head: Range<usize>,
    pub(super) body: Range<usize>,
}

/// The messages of a file, by kind.
#[derive(Debug)]
pub(super) struct Messages {
    pub(super) schema: SchemaAt,
    pub(super) dictionaries: Vec<Message>,
    pub(super) batches: Vec<Message>,
}

/// Where the schema is.
#[derive(Debug)]
pub(super) enum SchemaAt {
    Footer(Range<usize>),
    Message(Range<usize>),
}

const MAGIC: &[u8] = b"ARROW1";

pub(super) fn damaged(error: impl ToString) -> ColumnarFault {
    ColumnarFault::damaged(error)
}

/// Finds all messages: by the footer of a file, one after the other in a stream.
pub(super) fn find(bytes: &[u8]) -> Result<Messages, ColumnarFault> {
    if bytes.starts_with(MAGIC) {
        in_file(bytes)
    } else {
        in_stream(bytes)
    }
}

fn in_file(bytes: &[u8]) -> Result<Messages, ColumnarFault> {
    let cut = || damaged("an Arrow file ends with a footer and the letters ARROW1");
    let rest = bytes.strip_suffix(MAGIC).ok_or_else(cut)?;
    let (rest, length) = rest.split_last_chunk().ok_or_else(cut)?;
    let length = usize::try_from(i32::from_le_bytes(*length)).ok();
    let start = length.and_then(|length| rest.len().checked_sub(length));
    let start = start.filter(|start| *start >= MAGIC.len());
    let start = start.ok_or_else(|| damaged("the length of the footer cannot be"))?;
    let at = start..rest.len();
    let footer = rest.get(at.clone()).unwrap_or_default();
    let footer = FooterRef::read_as_root(footer).map_err(damaged)?;
    let mut found = Messages {
        schema: SchemaAt::Footer(at),
        dictionaries: Vec::new(),
        batches: Vec::new(),
    };
    for block in footer
        .dictionaries()
        .map_err(damaged)?
        .into_iter()
        .flatten()
    {
        found.dictionaries.push(block_message(bytes, &block)?);
    }
    for block in footer
        .record_batches()
        .map_err(damaged)?
        .into_iter()
        .flatten()
    {
        found.batches.push(block_message(bytes, &block)?);
    }
    Ok(found)
}

/// The message that the footer points at.
fn block_message(bytes: &[u8], block: &BlockRef<'_>) -> Result<Message, ColumnarFault> {
    let message = usize::try_from(block.offset())
        .ok()
        .and_then(|at| message_at(bytes, at));
    match message {
        Some(Next::Message(message)) => Ok(message),
        _ => Err(damaged("the footer points at something that is no message")),
    }
}

/// What follows at an offset.
enum Next {
    Message(Message),
    End,
}

/// The message that begins at an offset.
fn message_at(bytes: &[u8], at: usize) -> Option<Next> {
    let number = |at: usize| -> Option<[u8; 4]> { bytes.get(at..)?.first_chunk().copied() };
    let mut at = at;
    let mut length = number(at)?;
    at += 4;
    // Before version 0.15 there was no mark before the length.
    if length == [0xff; 4] {
        length = number(at)?;
        at += 4;
    }
    let length = usize::try_from(i32::from_le_bytes(length)).ok()?;
    if length == 0 {
        return Some(Next::End);
    }
    let head = at..at.checked_add(length)?;
    let message = MessageRef::read_as_root(bytes.get(head.clone())?).ok()?;
    let body = usize::try_from(message.body_length().ok()?).ok()?;
    let body = head.end..head.end.checked_add(body)?;
    bytes.get(body.clone())?;
    Some(Next::Message(Message { head, body }))
}

fn in_stream(bytes: &[u8]) -> Result<Messages, ColumnarFault> {
    let cut = || damaged("the stream ends inside a message");
    let (mut schema, mut dictionaries, mut batches) = (None, Vec::new(), Vec::new());
    let mut at = 0;
    // A stream ends with a mark, or where the file ends.
    while at < bytes.len() {
        let message = match message_at(bytes, at).ok_or_else(cut)? {
            Next::Message(message) => message,
            Next::End => break,
        };
        at = message.body.end;
        let head = bytes.get(message.head.clone()).unwrap_or_default();
        let head = MessageRef::read_as_root(head).map_err(damaged)?;
        match head.header().map_err(damaged)? {
            Some(MessageHeaderRef::Schema(_)) if schema.is_none() => schema = Some(message.head),
            Some(MessageHeaderRef::DictionaryBatch(_)) => dictionaries.push(message),
            Some(MessageHeaderRef::RecordBatch(_)) => batches.push(message),
            _ => return Err(damaged("a message of an unknown kind")),
        }
    }
    let schema = schema.ok_or_else(|| damaged("the stream has no schema"))?;
    Ok(Messages {
        schema: SchemaAt::Message(schema),
        dictionaries,
        batches,
    })
}
