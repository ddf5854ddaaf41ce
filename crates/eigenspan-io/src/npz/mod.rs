//! NumPy arrays in a zip file (NPZ): one of them is the table, or several are the parts of a sparse matrix of SciPy.
//!
//! Arrays that `numpy.savez` stored are mapped in place; arrays that `numpy.savez_compressed` packed are unpacked into an
//! unnamed temporary file, with the limits of any packed file. Every member is checked against its checksum; objects
//! (pickles) are refused.

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
    let members = archive::members(bytes).map_err(in_archive(&name))?;
    if options.member.is_none() && scipy::is_sparse(&members) {
        return scipy::open(name, bytes, &members, options, ctx);
    }
    let member = choose(bytes, &members, options.member.as_deref()).map_err(in_archive(&name))?;
    let array = member.bytes(bytes).map_err(in_archive(&name))?;
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

fn in_archive(file: &str) -> impl Fn(NpzFault) -> ReadError + use<> {
    let file = file.to_owned();
    move |fault| ReadError::Npz {
        file: file.clone(),
        fault,
    }
}

/// The array to read: the one that the options name, or the only one.
fn choose<'a>(
    bytes: &[u8],
    members: &'a [Member],
    wanted: Option<&str>,
) -> Result<&'a Member, NpzFault> {
    let words = || {
        members
            .iter()
            .map(|member| in_words(bytes, member))
            .collect()
    };
    match (wanted, members) {
        (_, []) => Err(NpzFault::NoArrays),
        (Some(wanted), _) => {
            let wanted = wanted.strip_suffix(".npy").unwrap_or(wanted);
            let found = members.iter().find(|member| member.name == wanted);
            found.ok_or_else(|| NpzFault::NoMember {
                member: wanted.to_owned(),
                members: words(),
            })
        }
        (None, [only]) => Ok(only),
        (None, _) => Err(NpzFault::Several { members: words() }),
    }
}

/// An array as messages list it: `X (6 × 3, <f8)`.
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
