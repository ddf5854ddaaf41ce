//! The genotypes themselves: two bits each, SNP after SNP, decoded a run of people at a time.
//!
//! The format: <https://www.cog-genomics.org/plink/1.9/formats#bed>. Four people share a byte, the first in its lowest
//! bits: 00 two copies of allele A1, 10 one, 11 none, 01 missing.

use std::ops::Range;

use super::files::MAGIC;
use crate::error::PlinkFault;
use crate::input::Bytes;

/// The number of copies for each pair of bits.
const COPIES: [f64; 4] = [2.0, f64::NAN, 1.0, 0.0];

/// The numbers of copies for the four pairs of bits in each byte.
static FOUR: [[f64; 4]; 256] = four_each();

const fn four_each() -> [[f64; 4]; 256] {
    let mut all = [[0.0; 4]; 256];
    let mut i = 0;
    while i < 4 * 256 {
        let (byte, pair) = (i / 4, i % 4);
        all[byte][pair] = COPIES[(byte >> (2 * pair)) & 3];
        i += 1;
    }
    all
}

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
        /// SNPs per run: their bytes stay in the cache until all people of a run have been decoded.
        const RUN: usize = 1024;
        let width = snps.len().max(1);
        let mut out = vec![0.0; people.len() * snps.len()];
        for (run, snps) in snps.chunks(RUN).enumerate() {
            for (group, rows) in out.chunks_mut(4 * width).enumerate() {
                let first = people.start + 4 * group;
                let rows = rows.chunks_mut(width);
                let mut rows: Vec<&mut [f64]> = rows
                    .filter_map(|row| row.get_mut(run * RUN..run * RUN + snps.len()))
                    .collect();
                let counts = snps.iter().map(|snp| self.four(first, *snp));
                match rows.as_mut_slice() {
                    [a, b, c, d] => {
                        let cells = a
                            .iter_mut()
                            .zip(b.iter_mut())
                            .zip(c.iter_mut().zip(d.iter_mut()));
                        for (((a, b), (c, d)), counts) in cells.zip(counts) {
                            [*a, *b, *c, *d] = *counts;
                        }
                    }
                    // The last few people.
                    rows => {
                        for (j, counts) in counts.enumerate() {
                            for (row, count) in rows.iter_mut().zip(counts) {
                                row[j] = *count;
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// Counts of one SNP for four people from `first` on; counts of people beyond the last are arbitrary.
    #[inline]
    fn four(&self, first: usize, snp: usize) -> &'static [f64; 4] {
        let at = HEAD + snp * self.stride + first / 4;
        let byte = |at: usize| self.bytes.get(at).map_or(0, |byte| usize::from(*byte));
        let bits = match first % 4 {
            0 => byte(at),
            // The four people are spread over two bytes.
            before => ((byte(at) | (byte(at + 1) << 8)) >> (2 * before)) & 0xff,
        };
        &FOUR[bits]
    }

    /// Some people's counts of one SNP.
    pub(super) fn decode_snp(&self, people: Range<usize>, snp: usize, out: &mut [f64]) {
        let start = HEAD + snp * self.stride;
        let bytes = start + people.start / 4..start + people.end.div_ceil(4);
        let packed = self.bytes.get(bytes).unwrap_or_default();
        // The first byte may begin with people outside the range.
        let before = people.start % 4;
        let head = (4 - before).min(out.len());
        let (first, rest) = match before {
            0 => (&mut [][..], out),
            _ => out.split_at_mut(head),
        };
        let (packed, begun) = match (before, packed.split_first()) {
            (1.., Some((byte, packed))) => (packed, Some(byte)),
            _ => (packed, None),
        };
        if let Some(byte) = begun {
            let counts = FOUR[usize::from(*byte)].iter().skip(before);
            first.iter_mut().zip(counts).for_each(|(to, x)| *to = *x);
        }
        for (four, byte) in rest.chunks_mut(4).zip(packed) {
            let counts = &FOUR[usize::from(*byte)];
            match <&mut [f64; 4]>::try_from(&mut *four) {
                Ok(four) => *four = *counts,
                // The last byte may end with people outside the range.
                Err(_) => four.iter_mut().zip(counts).for_each(|(to, x)| *to = *x),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Bed, Bytes, COPIES, HEAD, MAGIC};

    #[test]
    fn any_run_of_people_is_decoded_by_row_and_by_snp_alike() {
        let (people, snps) = (13, 5);
        let mut bytes = vec![MAGIC[0], MAGIC[1], 1];
        bytes.extend((0..4 * snps).map(|i| (i * 73 + 41) as u8));
        let count = |person: usize, snp: usize| {
            let byte = bytes[HEAD + 4 * snp + person / 4];
            COPIES[usize::from(byte >> (2 * (person % 4))) & 3].to_bits()
        };
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&bytes).expect("written");
        let mapped = Bytes::map(&file).expect("mapped");
        let bed = Bed::new(mapped, people, snps).expect("whole");
        for start in 0..people {
            for end in start..=people {
                let chosen = [4, 0, 2];
                let rows = bed.decode(start..end, &chosen);
                assert_eq!(rows.len(), 3 * (end - start));
                for (col, snp) in chosen.into_iter().enumerate() {
                    let mut counts = vec![0.0; end - start];
                    bed.decode_snp(start..end, snp, &mut counts);
                    for (i, copies) in counts.iter().enumerate() {
                        assert_eq!(copies.to_bits(), count(start + i, snp));
                        assert_eq!(rows[3 * i + col].to_bits(), count(start + i, snp));
                    }
                }
            }
        }
    }
}
