//! The zip file around the arrays: lists its members, and provides their bytes, mapped in place or unpacked.

use std::io::{self, Read};
use std::ops::Range;

use rawzip::{CompressionMethod, ZipArchive};

use crate::error::NpzFault;
use crate::input::{Bytes, spool};
use crate::parallel::each;
use crate::unpack::{MOST_TIMES, most_bytes};

/// A member of an archive.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Its name, without `.npy`.
    pub(super) name: String,
    packing: Packing,
    /// Where its bytes lie, packed or not.
    range: Range<usize>,
    crc: u32,
    size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Stored,
    Deflated,
    Other(u16),
    Encrypted,
}

/// The members of an archive that are arrays, in its order.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<Member>, NpzFault> {
    let archive = ZipArchive::from_slice(bytes).map_err(|e| NpzFault::NotZip {
        what: e.to_string().to_lowercase(),
    })?;
    let broken = |e: rawzip::Error| NpzFault::Directory {
        what: e.to_string().to_lowercase(),
    };
    let mut members: Vec<Member> = Vec::new();
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        let path = entry.file_path();
        let path = String::from_utf8_lossy(path.as_bytes()).into_owned();
        let Some(name) = path.strip_suffix(".npy") else {
            continue;
        };
        if members.iter().any(|member| member.name == name) {
            return Err(NpzFault::Twice {
                member: name.to_owned(),
            });
        }
        let place = archive.get_entry(entry.wayfinder()).map_err(broken)?;
        let (start, end) = place.compressed_data_range();
        let method = entry.compression_method();
        members.push(Member {
            name: name.to_owned(),
            packing: if entry.flags().is_encrypted() {
                Packing::Encrypted
            } else if method == CompressionMethod::STORE {
                Packing::Stored
            } else if method == CompressionMethod::DEFLATE {
                Packing::Deflated
            } else {
                Packing::Other(method.as_u16())
            },
            range: start as usize..end as usize,
            crc: entry.crc32(),
            size: entry.uncompressed_size_hint(),
        });
    }
    Ok(members)
}

impl Member {
    /// Its first bytes: enough for the header of an array.
    pub(super) fn head(&self, archive: &[u8]) -> Result<Vec<u8>, NpzFault> {
        const HEAD: u64 = 1 << 16;
        let mut head = Vec::new();
        let packed = self.packed(archive)?;
        let read = match self.packing {
            Packing::Deflated => flate2::read::DeflateDecoder::new(packed)
                .take(HEAD)
                .read_to_end(&mut head),
            _ => packed.take(HEAD).read_to_end(&mut head),
        };
        // Bytes read before a fault are enough if they hold the header.
        match read {
            Err(error) if head.is_empty() => Err(self.damaged(&error)),
            _ => Ok(head),
        }
    }

    /// Its bytes: a part of the archive if they are stored unpacked, otherwise unpacked into an unnamed temporary file. Their
    /// checksum is verified either way.
    pub(super) fn bytes(&self, archive: &Bytes) -> Result<Bytes, NpzFault> {
        let bytes = match self.packing {
            Packing::Deflated => self.unpack(self.packed(archive)?)?,
            _ => {
                self.packed(archive)?;
                archive
                    .part(self.range.clone())
                    .ok_or(NpzFault::Directory {
                        what: "a member lies outside".to_owned(),
                    })?
            }
        };
        if bytes.len() as u64 != self.size {
            return Err(NpzFault::Size {
                member: self.name.clone(),
                found: bytes.len() as u64,
                promised: self.size,
            });
        }
        match crc_of(&bytes) == self.crc {
            true => Ok(bytes),
            false => Err(NpzFault::Checksum {
                member: self.name.clone(),
            }),
        }
    }

    /// The bytes as they lie in the archive; an error if their range is invalid.
    fn packed<'a>(&self, archive: &'a [u8]) -> Result<&'a [u8], NpzFault> {
        let member = self.name.clone();
        match self.packing {
            Packing::Other(method) => Err(NpzFault::Method { member, method }),
            Packing::Encrypted => Err(NpzFault::Encrypted { member }),
            _ => Ok(archive.get(self.range.clone()).unwrap_or_default()),
        }
    }

    fn unpack(&self, packed: &[u8]) -> Result<Bytes, NpzFault> {
        let limit = most_bytes(packed.len() as u64);
        let mut plain = flate2::read::DeflateDecoder::new(packed).take(limit + 1);
        let spooled = spool(&mut plain).map_err(|e| self.damaged(&e))?;
        let bytes = Bytes::map(&spooled).map_err(|e| self.damaged(&e))?;
        if bytes.len() as u64 > limit {
            return Err(NpzFault::Bomb {
                member: self.name.clone(),
                times: MOST_TIMES,
                packed: packed.len() as u64,
            });
        }
        Ok(bytes)
    }

    fn damaged(&self, error: &io::Error) -> NpzFault {
        NpzFault::Damaged {
            member: self.name.clone(),
            what: crate::error::io_words(error),
        }
    }
}

/// The checksum of many bytes, by all threads.
fn crc_of(bytes: &Bytes) -> u32 {
    const CHUNK: usize = 4 << 20;
    let sums = each(bytes.len().div_ceil(CHUNK), |i| {
        let (start, end) = (i * CHUNK, ((i + 1) * CHUNK).min(bytes.len()));
        let mut crc = flate2::Crc::new();
        crc.update(bytes.get(start..end).unwrap_or_default());
        bytes.release(start, end);
        crc
    });
    let mut total = flate2::Crc::new();
    sums.iter().for_each(|crc| total.combine(crc));
    total.sum()
}
