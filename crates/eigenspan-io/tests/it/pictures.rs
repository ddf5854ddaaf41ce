//! Pictures become the rows they are; damaged ones are refused.

use std::io::Write;
use std::path::Path;

use eigenspan::source::Dense;
use eigenspan::{Context, MatView, PcaOptions};
use eigenspan_io::model::{Model, Origin};
use eigenspan_io::{Assembler, Input, Picture, ReadError, ReadOptions, Table, open};
use flate2::Crc;
use flate2::write::ZlibEncoder;

use super::{Folder, notes, numbers, options, repository, said};

pub(super) fn at(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table, ReadError> {
    open(&Input::new(path), options, &Context::new())
}

fn patches(side: usize) -> ReadOptions {
    options(|o| o.patch = Some(side))
}

pub(super) fn texts(table: &Table, column: &str) -> Vec<String> {
    table.texts(column).expect("a column")
}

/// The bytes of an IDX file.
pub(super) fn idx(kind: u8, dims: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, kind, dims.len() as u8];
    bytes.extend(dims.iter().flat_map(|n| n.to_be_bytes()));
    bytes.extend(data);
    bytes
}

/// The bytes of a PNG file, chunk by chunk as the standard says (<https://www.w3.org/TR/png/>).
pub(super) fn png(
    size: (u32, u32),
    kind: (u8, u8, u8),
    extra: &[(&[u8; 4], &[u8])],
    lines: &[u8],
) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], data: &[u8]| {
        file.extend((data.len() as u32).to_be_bytes());
        let body = [name.as_slice(), data].concat();
        let mut crc = Crc::new();
        crc.update(&body);
        file.extend(&body);
        file.extend(crc.sum().to_be_bytes());
    };
    let (depth, color, interlace) = kind;
    let mut header = size.0.to_be_bytes().to_vec();
    header.extend(size.1.to_be_bytes());
    header.extend([depth, color, 0, 0, interlace]);
    chunk(b"IHDR", &header);
    for (name, data) in extra {
        chunk(name, data);
    }
    let mut zlib = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(lines).expect("a buffer");
    chunk(b"IDAT", &zlib.finish().expect("a buffer"));
    chunk(b"IEND", &[]);
    file
}

/// Lines of a PNG file, each behind the number of its filter, none.
fn unfiltered(lines: &[&[u8]]) -> Vec<u8> {
    let line = |line: &&[u8]| [&[0][..], line].concat();
    lines.iter().flat_map(line).collect()
}

/// The numbers of a file that is one picture.
fn pixels(file: &[u8], options: &ReadOptions) -> (Vec<f64>, String) {
    let folder = Folder::new();
    let table = at(folder.file("p.png", file), options).expect("a picture");
    (numbers(&table).0, notes(&table))
}

#[test]
fn png_of_every_kind_gives_its_pixels() {
    let plain = ReadOptions::default();
    let color = options(|o| o.color = true);
    // Gray with 1, 2, 4, 8 and 16 bits.
    let file = png((8, 1), (1, 0, 0), &[], &[0, 0b1010_0001]);
    assert_eq!(
        pixels(&file, &plain).0,
        [255., 0., 255., 0., 0., 0., 0., 255.]
    );
    let file = png((4, 1), (2, 0, 0), &[], &[0, 0b00_01_10_11]);
    assert_eq!(pixels(&file, &plain).0, [0., 85., 170., 255.]);
    let file = png((2, 1), (4, 0, 0), &[], &[0, 0x0f]);
    assert_eq!(pixels(&file, &plain).0, [0., 255.]);
    let file = png((2, 1), (16, 0, 0), &[], &[0, 0x12, 0x34, 0xff, 0xff]);
    assert_eq!(pixels(&file, &plain).0, [4660., 65535.]);
    // Colors, as they are and as grays.
    let rgb = png((2, 1), (8, 2, 0), &[], &[0, 255, 0, 0, 9, 9, 9]);
    assert_eq!(pixels(&rgb, &color).0, [255., 0., 0., 9., 9., 9.]);
    let (gray, said) = pixels(&rgb, &plain);
    assert_eq!(gray, [76.245, 9.]);
    assert!(said.contains("--color keeps them"), "{said}");
    // A palette, with and without a color that shows what is behind.
    let palette: (&[u8; 4], &[u8]) = (b"PLTE", &[1, 2, 3, 200, 100, 50]);
    let file = png((2, 1), (8, 3, 0), &[palette], &[0, 1, 0]);
    assert_eq!(pixels(&file, &color).0, [200., 100., 50., 1., 2., 3.]);
    let file = png((2, 1), (8, 3, 0), &[palette, (b"tRNS", &[0])], &[0, 1, 0]);
    let (cells, said) = pixels(&file, &color);
    assert_eq!(cells, [200., 100., 50., 1., 2., 3.]);
    assert!(said.contains("alpha channel, which is left out"), "{said}");
    // Alpha beside gray and beside colors, and 16 bits of it.
    let file = png((2, 1), (8, 4, 0), &[], &[0, 10, 0, 20, 255]);
    assert_eq!(pixels(&file, &plain).0, [10., 20.]);
    let file = png((1, 1), (16, 6, 0), &[], &[0, 1, 0, 2, 0, 3, 0, 0, 9]);
    assert_eq!(pixels(&file, &color).0, [256., 512., 768.]);
}

#[test]
fn an_interlaced_png_gives_the_pixels_of_a_plain_one() {
    let (width, height) = (11usize, 9usize);
    let pixel = |x: usize, y: usize| (x * 20 + y) as u8;
    // Adam7: first column, first line, step across, step down.
    let passes = [
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ];
    let mut lines = Vec::new();
    for (x0, y0, dx, dy) in passes {
        for y in (y0..height).step_by(dy) {
            let line: Vec<u8> = (x0..width).step_by(dx).map(|x| pixel(x, y)).collect();
            if !line.is_empty() {
                lines.push(0);
                lines.extend(line);
            }
        }
    }
    let file = png((11, 9), (8, 0, 1), &[], &lines);
    let expected: Vec<f64> = (0..height)
        .flat_map(|y| (0..width).map(move |x| f64::from(pixel(x, y))))
        .collect();
    assert_eq!(pixels(&file, &ReadOptions::default()).0, expected);
}

/// A JPEG file of 8 × 8 pixels, all of one gray: one block whose first coefficient is 8 (gray − 128), here 576.
pub(super) fn jpeg_of_gray_200() -> Vec<u8> {
    let mut file = b"\xff\xd8".to_vec();
    file.extend(b"\xff\xdb\x00\x43\x00");
    file.extend([1u8; 64]);
    file.extend(b"\xff\xc0\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00");
    for (class, symbol) in [(0x00, 10), (0x10, 0)] {
        file.extend(b"\xff\xc4\x00\x14");
        file.extend([class, 1]);
        file.extend([0u8; 15]);
        file.push(symbol);
    }
    file.extend(b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00");
    // 0 (ten bits follow) 1001000000 (576) 0 (nothing else) and ones to fill the byte.
    file.extend(b"\x48\x0f\xff\xd9");
    file
}

#[test]
fn jpeg_gives_its_pixels() {
    let (cells, _) = pixels(&jpeg_of_gray_200(), &ReadOptions::default());
    assert_eq!(cells, [200.0; 64]);
    let rocket = repository("data/rocket/rocket.jpg");
    let table = at(&rocket, &options(|o| o.color = true)).expect("a picture");
    let shape = table.picture().expect("a shape");
    assert_eq!((shape.width, shape.height, shape.channels), (640, 427, 3));
    let bytes = std::fs::read(rocket).expect("a file");
    let half = &bytes[..bytes.len() / 2];
    let error = said(&read_bytes(half).unwrap_err());
    assert!(error.contains("truncated"), "{error}");
}

fn read_bytes(file: &[u8]) -> Result<Table, ReadError> {
    let folder = Folder::new();
    at(folder.file("p", file), &ReadOptions::default())
}

#[test]
fn a_folder_of_pictures_is_a_row_each_and_all_have_one_size() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("faces")).expect("a folder");
    let gray = |a: u8| png((2, 1), (8, 0, 0), &[], &[0, a, a + 1]);
    folder.file("faces/b10.png", gray(10));
    folder.file("faces/b2.png", gray(2));
    folder.file(
        "faces/b1.png",
        png((2, 1), (8, 2, 0), &[], &[0, 5, 5, 5, 6, 6, 6]),
    );
    let table = at(folder.path("faces"), &ReadOptions::default()).expect("a folder");
    assert_eq!(texts(&table, "picture"), ["b1.png", "b2.png", "b10.png"]);
    assert_eq!(numbers(&table).0, [5., 6., 2., 3., 10., 11.]);
    assert!(
        notes(&table).contains("1 picture has colors"),
        "{}",
        notes(&table)
    );
    let table = at(folder.path("faces"), &options(|o| o.color = true)).expect("a folder");
    assert_eq!(table.columns()[..3], ["r1c1.r", "r1c1.g", "r1c1.b"]);
    assert_eq!(numbers(&table).0[..8], [5., 5., 5., 6., 6., 6., 2., 2.]);
    let table = at(folder.path("faces"), &options(|o| o.rows = Some((2, 2)))).expect("a row");
    assert_eq!(numbers(&table).0, [2., 3.]);
    // JPEG and PNG are both pictures; another size or range is not the same.
    folder.file("faces/c.jpg", jpeg_of_gray_200());
    let error = said(&at(folder.path("faces"), &ReadOptions::default()).unwrap_err());
    assert!(
        error.contains("c.jpg: 8 × 8 pixels, but") && error.contains("b1.png has 2 × 1"),
        "{error}"
    );
    assert!(error.contains("tip: bring all to one size"), "{error}");
    std::fs::remove_file(folder.path("faces/c.jpg")).expect("a file");
    folder.file(
        "faces/d.png",
        png((2, 1), (16, 0, 0), &[], &[0, 1, 2, 3, 4]),
    );
    let error = said(&at(folder.path("faces"), &ReadOptions::default()).unwrap_err());
    assert!(error.contains("16 bits per number, but"), "{error}");
}

#[test]
fn pictures_that_do_not_fit_in_memory_are_decoded_when_they_are_needed() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("many")).expect("a folder");
    let mut lines = Vec::new();
    for i in 0..20u8 {
        lines = vec![i; 101];
        lines[0] = 0;
        let file = png((100, 100), (8, 0, 0), &[], &lines.repeat(100));
        folder.file(&format!("many/{i}.png"), file);
    }
    assert_eq!(lines.len(), 101);
    let with = |memory: u64, patch| {
        let context = Context::new().with_memory(memory);
        let input = Input::new(folder.path("many"));
        open(&input, &options(|o| o.patch = patch), &context).expect("pictures")
    };
    for patch in [None, Some(50), Some(33)] {
        let (kept, decoded) = (with(1 << 30, patch), with(40_000, patch));
        assert_eq!(numbers(&kept).0, numbers(&decoded).0);
        assert_eq!(kept.n_parts(), decoded.n_parts());
    }
}

#[test]
fn patches_are_cut_from_left_to_right_and_the_rest_is_told() {
    let lines: Vec<Vec<u8>> = (0..31u8)
        .map(|y| (0..50).map(|x| x + 3 * y).collect())
        .collect();
    let views: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let file = png((50, 31), (8, 0, 0), &[], &unfiltered(&views));
    let folder = Folder::new();
    let path = folder.file("p.png", &file);
    let table = at(&path, &patches(12)).expect("patches");
    assert_eq!((table.n_rows(), table.columns().len()), (8, 144));
    assert_eq!(
        (table.columns()[0].as_str(), table.columns()[143].as_str()),
        ("r01c01", "r12c12")
    );
    assert_eq!(
        texts(&table, "patch")[..5],
        ["r1c1", "r1c2", "r1c3", "r1c4", "r2c1"]
    );
    assert!(
        notes(&table).contains("2 at the right, 7 at the bottom, 398 pixels in all"),
        "{}",
        notes(&table)
    );
    let (cells, _) = numbers(&table);
    // The patch r2c3 begins at pixel (24, 12).
    assert_eq!(cells[6 * 144], f64::from(24 + 36));
    assert_eq!(cells[6 * 144 + 12], f64::from(24 + 39));
    let error = said(&at(&path, &patches(32)).unwrap_err());
    assert!(
        error.contains("too small for patches of 32 × 32 pixels: it has 50 × 31"),
        "{error}"
    );
    assert!(error.contains("--patch takes at most 31 here"), "{error}");
    let error = said(&at(&path, &patches(0)).unwrap_err());
    assert!(error.contains("patch"), "{error}");
    // Rows put together again are the picture, without its edge.
    let shape = table.picture().expect("a shape");
    let mut assembler = Assembler::new(shape, 1 << 20).expect("room");
    let back = cells.chunks(144).find_map(|row| assembler.push(row));
    let (pixels, _) = pixels(
        &back.expect("a picture").expect("bytes"),
        &ReadOptions::default(),
    );
    let expected: Vec<f64> = (0..24)
        .flat_map(|y| (0..48).map(move |x| f64::from(x + 3 * y)))
        .collect();
    assert_eq!(pixels, expected);
}

#[test]
fn rebuilt_numbers_are_rounded_and_kept_within_black_and_white() {
    for (depth, expected) in [(8, [0., 2., 255., 3., 0.]), (16, [0., 2., 300., 3., 0.])] {
        let shape = Picture {
            width: 5,
            height: 1,
            channels: 1,
            depth,
            patch: None,
        };
        let mut assembler = Assembler::new(shape, 1 << 10).expect("room");
        let file = assembler.push(&[-7.0, 2.4, 300.4, 2.51, f64::NAN]);
        let file = file.expect("a picture").expect("bytes");
        assert_eq!(pixels(&file, &ReadOptions::default()).0, expected);
    }
    let color = Picture {
        width: 1,
        height: 2,
        channels: 3,
        depth: 8,
        patch: Some(1),
    };
    let mut assembler = Assembler::new(color, 1 << 10).expect("room");
    assert!(assembler.push(&[1., 2., 3.]).is_none());
    let file = assembler
        .push(&[4., 5., 6.])
        .expect("a picture")
        .expect("bytes");
    let keep = options(|o| o.color = true);
    assert_eq!(pixels(&file, &keep).0, [1., 2., 3., 4., 5., 6.]);
    assert!(Assembler::new(color, 5).is_err());
}

#[test]
fn options_of_pictures_are_refused_for_tables() {
    let folder = Folder::new();
    let path = folder.file("t.csv", "a,b\n1,2\n3,4\n");
    let error = said(&at(&path, &patches(3)).unwrap_err());
    assert!(
        error.contains("patch") && error.contains("pictures only"),
        "{error}"
    );
    let error = said(&at(&path, &options(|o| o.color = true)).unwrap_err());
    assert!(error.contains("color"), "{error}");
    let error = said(&at(folder.file("x", idx(8, &[4], &[1, 2, 3, 4])), &patches(1)).unwrap_err());
    assert!(error.contains("0 dimensions"), "{error}");
}

#[test]
fn cut_and_flipped_files_are_read_or_refused_and_never_crash() {
    let gray: Vec<Vec<u8>> = (0..6u8)
        .map(|y| (0..6).map(|x| 40 * x + y).collect())
        .collect();
    let views: Vec<&[u8]> = gray.iter().map(Vec::as_slice).collect();
    let files = [
        png((6, 6), (8, 0, 0), &[], &unfiltered(&views)),
        png(
            (2, 1),
            (8, 3, 0),
            &[(b"PLTE", &[1, 2, 3, 200, 100, 50]), (b"tRNS", &[0])],
            &[0, 1, 0],
        ),
        jpeg_of_gray_200(),
        idx(8, &[2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8]),
        idx(0x0e, &[1, 1], &[0; 8]),
    ];
    let folder = Folder::new();
    let tried = |bytes: &[u8]| {
        let path = folder.file("damaged", bytes);
        for options in [ReadOptions::default(), patches(2)] {
            if let Ok(table) = at(&path, &options) {
                numbers(&table);
            }
        }
    };
    for file in files {
        for cut in 0..file.len() {
            tried(&file[..cut]);
            assert!(
                cut < 4 || read_bytes(&file[..cut]).is_err(),
                "cut at {cut} of {}",
                file.len()
            );
        }
        for place in 0..file.len() {
            for bit in [0x01, 0x10, 0x80, 0xff] {
                let mut flipped = file.clone();
                flipped[place] ^= bit;
                tried(&flipped);
            }
        }
    }
}

#[test]
fn sizes_beyond_the_memory_allowed_are_refused_by_the_header_alone() {
    for (size, kind) in [
        ((30_000, 30_000), (8, 0, 0)),
        ((1 << 30, 1 << 30), (16, 6, 0)),
    ] {
        let error = said(&read_bytes(&png(size, kind, &[], &[0])).unwrap_err());
        assert!(
            error.contains("too large") && error.contains("--memory"),
            "{error}"
        );
    }
    let folder = Folder::new();
    let path = folder.file("p.png", png((1000, 100), (8, 0, 0), &[], &[0; 100_100]));
    let small = Context::new().with_memory(100_000);
    let error = open(&Input::new(&path), &ReadOptions::default(), &small).unwrap_err();
    assert!(said(&error).contains("100 kB"), "{}", said(&error));
    let mut wide = jpeg_of_gray_200();
    let at = wide
        .windows(2)
        .position(|pair| pair == b"\xff\xc0")
        .expect("a header");
    wide[at + 5..at + 9].fill(0xff);
    let error = said(&read_bytes(&wide).unwrap_err());
    assert!(error.contains("too large"), "{error}");
    let error =
        said(&read_bytes(&png((3000, 3000), (1, 0, 0), &[], &[0; 376 * 3000])).unwrap_err());
    assert!(error.contains("--patch 12"), "{error}");
}

#[test]
fn a_model_keeps_the_shape_of_its_pictures_and_refuses_one_that_does_not_fit() {
    let cells = [1., 2., 3., 4., 5., 9., 7., 8., 2., 1., 0., 5.];
    let rows = Dense::new(MatView::from_rows(&cells, 3, 4).expect("a table"));
    let pca = PcaOptions::default()
        .fit(&Context::new(), &rows)
        .expect("a fit");
    let with = |picture| Model {
        fitted: Box::new(pca.clone()),
        origin: Origin::default(),
        picture,
    };
    let read = |picture| Model::from_bytes(&with(picture).to_bytes().expect("bytes"));
    let shape = Picture {
        width: 9,
        height: 5,
        channels: 1,
        depth: 8,
        patch: Some(2),
    };
    assert_eq!(read(Some(shape)).expect("a model").picture, Some(shape));
    assert_eq!(read(None).expect("a model").picture, None);
    for wrong in [
        Picture {
            patch: None,
            ..shape
        },
        Picture {
            channels: 3,
            ..shape
        },
        Picture { height: 1, ..shape },
        Picture {
            width: usize::MAX,
            ..shape
        },
    ] {
        let error = read(Some(wrong)).expect_err("a shape that does not fit");
        assert!(error.to_string().contains("pictures"), "{error}");
    }
}
