//! The large files of the collection. Each is one thing said many times over, so the tests that need one make it.
//!
//! A unit is compressed once, from an empty window to a byte's end, so that its copies are a valid stream of any length
//! (RFC 1951, 3.2.4); checksums of copies are combined, and no gigabyte is ever held or compressed.

use std::path::Path;

use flate2::{Compress, Compression, Crc, FlushCompress};

/// The large files, by the names that the manifest has for them.
pub(crate) const NAMES: [&str; 6] = [
    "csv/gzip_bomb.csv.gz",
    "csv/many_short_lines.csv",
    "csv/million_commas.csv",
    "npz/bomb_1gib.npz",
    "png/bomb_900mp.png",
    "png/ztxt_bomb.png",
];

const GIB: usize = 1 << 30;

/// Writes one of the files below a folder, under the name that the manifest has for it.
pub(crate) fn write(name: &str, folder: &Path) {
    let bytes = match name {
        "csv/gzip_bomb.csv.gz" => gzip(&b"0,0\n".repeat(1 << 18), GIB >> 20),
        "csv/many_short_lines.csv" => ["a\n", &"1\n".repeat(300_000), "x\n"].concat().into_bytes(),
        "csv/million_commas.csv" => [",".repeat(1_000_000), "\n1\n".to_owned()]
            .concat()
            .into_bytes(),
        "npz/bomb_1gib.npz" => zip_of_zeros(),
        // A line is a filter's byte and 30,000 gray pixels.
        "png/bomb_900mp.png" => png(30_000, &[], &zlib(0, 30_001 * 50, 600)),
        "png/ztxt_bomb.png" => {
            let text = [b"Comment\0\0".as_slice(), &zlib(b'A', 2_000_000, 100)].concat();
            png(24, &text, &zlib(0, 24 * 25, 1))
        }
        _ => unreachable!("{name} is not one of the large files"),
    };
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, bytes).expect("a file");
}

/// Raw DEFLATE of a unit, as often as it is wanted, and the checksum of what comes out.
fn deflate(unit: &[u8], times: usize) -> (Vec<u8>, Crc) {
    let mut packer = Compress::new(Compression::best(), false);
    let mut packed = Vec::with_capacity(unit.len() + 64);
    let done = packer.compress_vec(unit, &mut packed, FlushCompress::Full);
    done.expect("room for the unit");
    assert_eq!(packer.total_in(), unit.len() as u64);
    let (mut one, mut all) = (Crc::new(), Crc::new());
    one.update(unit);
    (0..times).for_each(|_| all.combine(&one));
    let mut stream = packed.repeat(times);
    // A last block without content.
    stream.extend([0x03, 0x00]);
    (stream, all)
}

/// A gzip file (RFC 1952) of a unit said many times.
fn gzip(unit: &[u8], times: usize) -> Vec<u8> {
    let (stream, crc) = deflate(unit, times);
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let size = (unit.len() * times) as u32;
    [
        &head,
        stream.as_slice(),
        &crc.sum().to_le_bytes(),
        &size.to_le_bytes(),
    ]
    .concat()
}

/// A zlib stream (RFC 1950) of one byte, `unit` × `times` long.
fn zlib(byte: u8, unit: usize, times: usize) -> Vec<u8> {
    let (stream, _) = deflate(&vec![byte; unit], times);
    // Adler's two sums over n equal bytes b: 1 + nb, and the sum of 1 + ib for i up to n.
    let (n, b) = ((unit * times) as u128, u128::from(byte));
    let (first, second) = ((1 + n * b) % 65_521, (n + b * n * (n + 1) / 2) % 65_521);
    let adler = (second << 16 | first) as u32;
    [&[0x78, 0xda], stream.as_slice(), &adler.to_be_bytes()].concat()
}

/// A square gray picture with these packed lines, and a packed text before them.
fn png(side: u32, text: &[u8], lines: &[u8]) -> Vec<u8> {
    let side = side.to_be_bytes();
    // 8 bits of gray, not interlaced.
    let head = [side.as_slice(), &side, &[8, 0, 0, 0, 0]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let chunks: [(&[u8], &[u8]); 4] = [
        (b"IHDR", &head),
        (b"zTXt", text),
        (b"IDAT", lines),
        (b"IEND", b""),
    ];
    for (name, data) in chunks {
        if name == b"zTXt" && data.is_empty() {
            continue;
        }
        let mut crc = Crc::new();
        crc.update(name);
        crc.update(data);
        let size = (data.len() as u32).to_be_bytes();
        file.extend([&size, name, data, &crc.sum().to_be_bytes()].concat());
    }
    file
}

/// A ZIP archive with one array, 16,777,216 × 8 zeros: its NumPy head, blown up to a unit, then zeros.
fn zip_of_zeros() -> Vec<u8> {
    const UNIT: usize = 1 << 20;
    let dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (16777216, 8), }";
    let head = format!("\u{1}\0\u{76}\0{dict:<117}\n");
    let head = [b"\x93NUMPY", head.as_bytes()].concat();
    let (mut stream, mut crc) = deflate(&head, 1);
    // The zeros follow in place of the empty last block.
    stream.truncate(stream.len() - 2);
    let (zeros, crc_of_zeros) = deflate(&vec![0; UNIT], GIB / UNIT);
    stream.extend(zeros);
    crc.combine(&crc_of_zeros);
    let (packed, plain) = (stream.len() as u32, (head.len() + GIB) as u32);
    // What the local and the central head share: version 2.0, no flags, deflated, 1 January 1980.
    let mut shared = vec![20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0];
    for number in [crc.sum(), packed, plain] {
        shared.extend(number.to_le_bytes());
    }
    shared.extend([5, 0, 0, 0]);
    let local = [b"PK\x03\x04", shared.as_slice(), b"X.npy", &stream].concat();
    let central = [b"PK\x01\x02\x14\x00", shared.as_slice(), &[0; 14], b"X.npy"].concat();
    let mut end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec();
    end.extend((central.len() as u32).to_le_bytes());
    end.extend((local.len() as u32).to_le_bytes());
    end.extend([0, 0]);
    [local, central, end].concat()
}

#[test]
fn copies_of_a_unit_are_a_valid_stream() {
    use std::io::Read;

    use flate2::read::{GzDecoder, ZlibDecoder};

    // Decoders compare the checksums at the ends of the streams.
    let mut plain = Vec::new();
    let packed = gzip(b"0,0\n0,0\n", 1000);
    let read = GzDecoder::new(packed.as_slice()).read_to_end(&mut plain);
    assert_eq!((read.expect("gzip"), plain), (8000, b"0,0\n".repeat(2000)));
    let mut plain = Vec::new();
    let packed = zlib(b'A', 70_000, 3);
    let read = ZlibDecoder::new(packed.as_slice()).read_to_end(&mut plain);
    assert_eq!((read.expect("zlib"), plain), (210_000, vec![b'A'; 210_000]));
}
