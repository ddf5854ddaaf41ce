//! The genotypes themselves: two bits each, SNP after SNP, decoded a run of people at a time.
//!
//! The format: <https://www.cog-genomics.org/plink/1.9/formats#bed>. Four people share a byte, the first in its lowest
//! bits: 00 two copies of allele A1, 10 one, 11 none, 01 missing.

use std::ops::Range;

use super::fault::PlinkFault;
use super::files::MAGIC;
use crate::input::Bytes;

/// What each pair of bits counts.
const COPIES: [f64; 4] = [2.0, f64::NAN, 1.0, 0.0];

/// Bytes before the first genotype.
const HEAD: usize = 3;

/// A `.bed` file whose size fits its people and SNPs.
#[derive(Debug)]
pub(super) struct Bed {
    bytes: Bytes,
    /// Bytes of one SNP.
    stride: usize,
}

impl Bed {
    pub(super) fn new(bytes: Bytes, people: usize, snps: usize) -> Result<Self, PlinkFault> {
        match bytes.get(..HEAD) {
            Some(&[a, b, order]) if [a, b] == MAGIC => match order {
                1 => {}
                0 => return Err(PlinkFault::IndividualMajor),
                _ => return Err(PlinkFault::Pgen),
            },
            _ => return Err(PlinkFault::Magic),
        }
        let stride = people.div_ceil(4);
        let expected = stride
            .checked_mul(snps)
            .and_then(|size| size.checked_add(HEAD))
            .map_or(u64::MAX, |size| size as u64);
        let found = bytes.len() as u64;
        match found == expected {
            true => Ok(Bed { bytes, stride }),
            false => Err(PlinkFault::Size {
                found,
                expected,
                people,
                snps,
            }),
        }
    }

    /// Some people's counts of some SNPs, person after person.
    pub(super) fn decode(&self, people: Range<usize>, snps: &[usize]) -> Vec<f64> {
        let width = snps.len();
        let mut out = vec![0.0; people.len() * width];
        let bytes = people.start / 4..people.end.div_ceil(4);
        for (col, snp) in snps.iter().enumerate() {
            let start = HEAD + snp * self.stride;
            let packed = self.bytes.get(start + bytes.start..start + bytes.end);
            for (byte, first) in packed.unwrap_or_default().iter().zip(bytes.start..) {
                for person in (4 * first).max(people.start)..(4 * first + 4).min(people.end) {
                    let code = usize::from(byte >> (2 * (person % 4))) & 3;
                    if let Some(cell) = out.get_mut((person - people.start) * width + col) {
                        *cell = COPIES[code];
                    }
                }
            }
        }
        out
    }
}
