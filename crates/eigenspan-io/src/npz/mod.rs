//! NumPy arrays in a zip file (NPZ): one of them is the table, or several are the parts of a sparse matrix of SciPy.
//!
//! What `numpy.savez` stored is mapped in place, what `numpy.savez_compressed` packed is unpacked into a file without a
//! name, with the limits of any packed file. Every member is checked against its checksum; objects (pickles) are refused.

mod archive;
mod scipy;

use eigenspan::Context;

use crate::error::{NpzFault, ReadError};
use crate::input::Bytes;
use crate::npy::{Described, NpyTable, describe};
use crate::options::{Format, ReadOptions};
use crate::table::Table;
use archive::Member;

/// Opens an archive.
pub(crate) fn open(
    name: String,
    bytes: &Bytes,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let members = archive::members(bytes).map_err(named(&name))?;
    if options.member.is_none() && scipy::is_sparse(&members) {
        return scipy::open(name, bytes, &members, options, ctx);
    }
    let member = choose(bytes, &members, options.member.as_deref()).map_err(named(&name))?;
    let array = member.bytes(bytes).map_err(named(&name))?;
    match NpyTable::open(name, array, options, ctx) {
        Ok(table) => Ok(Table {
            format: Format::Npz,
            ..table
        }),
        Err(ReadError::Npy { file, fault }) => Err(ReadError::Npz {
            file,
            fault: NpzFault::Npy {
                member: member.name.clone(),
                fault,
            },
        }),
        Err(error) => Err(error),
    }
}

fn named(file: &str) -> impl Fn(NpzFault) -> ReadError + use<> {
    let file = file.to_owned();
    move |fault| ReadError::Npz {
        file: file.clone(),
        fault,
    }
}

/// The array that is meant: the one asked for, or the only one.
fn choose<'a>(
    bytes: &[u8],
    members: &'a [Member],
    asked: Option<&str>,
) -> Result<&'a Member, NpzFault> {
    let words = || {
        members
            .iter()
            .map(|member| in_words(bytes, member))
            .collect()
    };
    match (asked, members) {
        (_, []) => Err(NpzFault::NoArrays),
        (Some(asked), _) => {
            let asked = asked.strip_suffix(".npy").unwrap_or(asked);
            let found = members.iter().find(|member| member.name == asked);
            found.ok_or_else(|| NpzFault::NoMember {
                asked: asked.to_owned(),
                members: words(),
            })
        }
        (None, [only]) => Ok(only),
        (None, _) => Err(NpzFault::Several { members: words() }),
    }
}

/// An array as a list shows it: `X (6 × 3, <f8)`.
fn in_words(bytes: &[u8], member: &Member) -> String {
    let described = member.head(bytes).ok().map(|head| describe(&head));
    match described {
        Some(Ok(Described { shape, descr, .. })) if shape.is_empty() => {
            format!("{} (one {descr})", member.name)
        }
        Some(Ok(array)) => format!("{} ({}, {})", member.name, array.sizes(), array.descr),
        _ => format!("{} (not readable)", member.name),
    }
}
