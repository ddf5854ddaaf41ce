//! Parquet and Arrow: files of other programs, exact round trips, the same bits as NPY, and files that are damaged.

use std::path::{Path, PathBuf};

use eigenspan::{Context, Mat, PcaOptions};
use eigenspan_io::{
    Input, Layout, Numbers, Output, ReadError, ReadOptions, Table, TableWriter, TextColumn, Why,
    open,
};

use super::{Folder, names, notes, numbers, options, said};

pub(super) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table, ReadError> {
    open(&Input::new(path), options, &Context::new())
}

fn plain(path: impl AsRef<Path>) -> Result<Table, ReadError> {
    read(path, &ReadOptions::default())
}

const BY_PYARROW: [&str; 3] = ["types.parquet", "types.feather", "stream.arrows"];
const BY_POLARS: [&str; 2] = ["polars.parquet", "polars.arrow"];

/// Row i of the files that `columnar.py` makes, without the halves.
fn row(i: usize) -> Vec<f64> {
    let x = i as f64;
    let gap = if i == 2 { f64::NAN } else { x + 0.5 };
    let third = f64::from((i as f64 / 3.0) as f32);
    let (odd, quarter) = ((i % 2) as f64, (i % 4) as f64);
    let cube = x * x * x - 7.0;
    let sine = [
        0.0,
        0.8414709848078965,
        0.9092974268256817,
        0.1411200080598672,
        -0.7568024953079282,
        -0.9589242746631385,
    ][i];
    vec![
        x - 3.0,
        x + 4294967290.0,
        cube,
        third,
        sine,
        x / 8.0,
        odd,
        gap,
        x,
        quarter,
    ]
}

#[test]
fn files_of_other_programs_are_read_with_every_type() {
    for name in BY_PYARROW.iter().chain(&BY_POLARS) {
        let table = plain(file(name)).unwrap();
        let halves = BY_PYARROW.contains(name);
        let mut columns = names(&[
            "i8", "u32", "i64", "f32", "f64", "dec", "bool", "gap", "emb_1", "emb_2",
        ]);
        let mut expected: Vec<Vec<f64>> = (0..6).map(row).collect();
        if halves {
            columns.insert(3, "f16".to_owned());
            let put = |(i, row): (usize, &mut Vec<f64>)| row.insert(3, i as f64 / 4.0);
            expected.iter_mut().enumerate().for_each(put);
        }
        assert_eq!(table.columns(), columns, "{name}");
        let bits = |cells: &[f64]| cells.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&numbers(&table).0), bits(&expected.concat()), "{name}");
        let missing = table.missing().unwrap();
        assert_eq!(
            (missing.count, missing.cells),
            (1, 6 * columns.len() as u64)
        );
        let said = said(&missing.error());
        assert!(
            said.contains("row 3, column \"gap\": \"null\" reads as missing"),
            "{said}"
        );
        assert_eq!(table.id().unwrap().name, "name");
        let aside: Vec<(&str, Why)> = table
            .set_aside()
            .iter()
            .map(|column| (column.name.as_str(), column.why))
            .collect();
        let expected = [
            ("color", Why::Text),
            ("day", Why::Dates),
            ("struct", Why::Nested),
            ("none", Why::Empty),
        ];
        assert_eq!(aside, expected, "{name}");
        let notes = notes(&table);
        assert!(notes.contains("color is text: set aside"), "{notes}");
        assert!(
            notes.contains("column \"struct\" holds no single values"),
            "{notes}"
        );
    }
}

#[test]
fn cells_of_every_type_have_a_text() {
    for name in BY_PYARROW.iter().chain(&BY_POLARS) {
        let table = plain(file(name)).unwrap();
        let text = |column: &str| table.texts(column).unwrap();
        assert_eq!(text("color"), ["red", "green", "red", "", "blue", "red"]);
        assert_eq!(text("name")[5], "a name of some length, 5");
        assert_eq!(text("day")[2], "2024-02-29");
        assert_eq!(text("u32")[0], "4294967290");
        assert_eq!(text("i64")[0], "-7");
        assert_eq!(text("f32")[1], "0.33333334");
        assert_eq!(text("dec")[3], "0.375");
        assert_eq!(text("bool")[..2], ["false", "true"]);
        assert_eq!(text("gap")[1..3], ["1.5", ""]);
        assert_eq!(text("emb_2")[5], "1.0");
    }
}

#[test]
fn columns_rows_weights_labels_and_missing_codes_are_chosen_as_in_text() {
    for name in ["types.parquet", "types.feather", "polars.arrow"] {
        let given = options(|o| {
            o.columns = names(&["emb", "i8"]);
            o.rows = Some((3, 5));
            o.weight_column = Some("dec".to_owned());
            o.label_column = Some("color".to_owned());
            o.missing_values = names(&["-1"]);
        });
        let table = read(file(name), &given).unwrap();
        assert_eq!(table.columns(), names(&["i8", "emb_1", "emb_2"]));
        let (cells, weights) = numbers(&table);
        assert!(cells[0].is_nan());
        assert_eq!(cells[1..], [2.0, 2.0, 0.0, 3.0, 3.0, 1.0, 4.0, 0.0]);
        assert_eq!(weights, [0.25, 0.375, 0.5]);
        assert_eq!(table.texts("color").unwrap(), ["red", "", "blue"]);
        let said = said(&table.missing().unwrap().error());
        assert!(said.contains("row 3, column \"i8\": \"-1.0\""), "{said}");
        for (columns, what) in [
            ("name", "column \"name\" holds text, but numbers are needed"),
            ("day", "holds dates"),
            ("struct", "holds a structure"),
        ] {
            let asked = options(|o| o.columns = names(&[columns]));
            let error = read(file(name), &asked).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        let asked = options(|o| o.columns = names(&["f32", "emb"]));
        let single = read(file(name), &asked).unwrap();
        assert!(matches!(single.numbers(), Numbers::F32(_)));
        let beyond = options(|o| o.rows = Some((7, 9)));
        let error = read(file(name), &beyond).unwrap_err().to_string();
        assert!(error.contains("so it has no row 7"), "{error}");
    }
}

#[test]
fn an_index_that_pandas_wrote_is_set_aside() {
    let table = plain(file("pandas.parquet")).unwrap();
    assert_eq!(table.columns(), names(&["i8", "f64"]));
    assert_eq!(table.set_aside()[0].why, Why::RowNumbers);
    assert!(notes(&table).contains("index that pandas wrote"));
    let all = options(|o| o.columns = names(&["1-3"]));
    assert_eq!(
        read(file("pandas.parquet"), &all).unwrap().columns().len(),
        3
    );
}

#[test]
fn vectors_of_different_lengths_are_refused_with_row_and_lengths() {
    for name in ["ragged.parquet", "ragged.feather"] {
        let table = plain(file(name)).unwrap();
        let Numbers::F64(source) = table.numbers() else {
            panic!("f64 expected");
        };
        let error = source
            .read_part(0, &mut |_| Ok(()))
            .unwrap_err()
            .to_string();
        let what = "row 3, column \"emb\": the list has 1 element, but the rows before have 2";
        assert!(error.contains(what), "{error}");
    }
}

/// Numbers of many magnitudes, the same on every machine.
fn cell(i: usize, j: usize) -> f64 {
    let x = ((i * 7919 + j * 104_729) % 10_007) as f64;
    (x - 5000.0) / (1.0 + j as f64)
}

fn write<T: eigenspan::Real>(path: &Path, values: &Mat<T>, ids: Option<&TextColumn>) {
    let output = Output::new(path);
    let layout = Layout {
        texts: ids.map(|_| "id".to_owned()).into_iter().collect(),
        numbers: (0..values.n_cols()).map(|j| format!("x{j}")).collect(),
        ..Layout::default()
    };
    let format = output.format().unwrap();
    let mut writer = TableWriter::create::<T>(&output, format, layout).unwrap();
    let texts: Vec<TextColumn> = ids.into_iter().cloned().collect();
    writer.write(&texts, values.view()).unwrap();
    assert!(!path.exists(), "nothing appears before the end");
    writer.finish().unwrap();
}

#[test]
fn a_table_reads_back_as_it_was_written() {
    let folder = Folder::new();
    let odd = [0.1, -0.0, 1e300, 5e-324, f64::MAX, 1.0 / 3.0];
    let values = Mat::from_fn(3, 2, |i, j| odd[2 * i + j]);
    let ids: TextColumn = ["plain", "with \"quote\", comma", "two\nlines"]
        .iter()
        .collect();
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for name in ["t.parquet", "t.arrow", "t.feather"] {
        let path = folder.path(name);
        write(&path, &values, Some(&ids));
        let table = plain(&path).unwrap();
        assert_eq!(bits(&numbers(&table).0), bits(&odd), "{name}");
        assert_eq!(table.texts("id").unwrap(), ids.clone().into_strings());
        // More rows than one row group or batch takes.
        let many = Mat::from_fn(600_000, 3, |i, j| cell(i, j) as f32);
        let path = folder.path(&format!("many-{name}"));
        write(&path, &many, None);
        let table = plain(&path).unwrap();
        assert_eq!((table.n_rows(), table.columns().len()), (600_000, 3));
        let expected: Vec<f64> = many.as_slice().iter().map(|x| f64::from(*x)).collect();
        assert!(numbers(&table).0 == expected, "{name}");
    }
}

#[test]
fn the_same_numbers_give_the_same_bits_as_npy_on_any_budget_and_threads() {
    let folder = Folder::new();
    let values = Mat::from_fn(90_000, 9, cell);
    let single = Mat::from_fn(90_000, 9, |i, j| cell(i, j) as f32);
    let fit = |path: PathBuf, threads: usize, memory: u64| {
        let ctx = Context::new()
            .with_threads(threads)
            .unwrap()
            .with_memory(memory);
        let table = open(&Input::new(path), &ReadOptions::default(), &ctx).unwrap();
        let pca = match table.numbers() {
            Numbers::F32(source) => PcaOptions::default().fit(&ctx, source),
            Numbers::F64(source) => PcaOptions::default().fit(&ctx, source),
        };
        let pca = pca.unwrap();
        let cells = pca.components().as_slice().iter().chain(pca.mean());
        cells.map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    for kind in ["f64", "f32"] {
        let at = |end: &str| folder.path(&format!("{kind}.{end}"));
        for end in ["npy", "parquet", "arrow"] {
            match kind {
                "f64" => write(&at(end), &values, None),
                _ => write(&at(end), &single, None),
            }
        }
        let expected = fit(at("npy"), 1, 1 << 30);
        for end in ["parquet", "arrow"] {
            // The small budget leaves no room to keep the numbers between readings.
            for (threads, memory) in [(1, 1 << 30), (3, 1 << 30), (3, 8 << 20)] {
                assert!(fit(at(end), threads, memory) == expected, "{kind} {end}");
            }
        }
    }
}

/// Every damaged version of a file is read or refused, and never ends the program.
fn damage(name: &str, bytes: &[u8]) {
    let folder = Folder::new();
    let path = folder.path(name);
    let ctx = Context::new()
        .with_threads(1)
        .unwrap()
        .with_memory(64 << 20);
    let try_all = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(table) = open(&Input::new(&path), &ReadOptions::default(), &ctx) else {
            return false;
        };
        let take = |part: usize| match table.numbers() {
            Numbers::F32(source) => source.read_part(part, &mut |_| Ok(())).is_ok(),
            Numbers::F64(source) => source.read_part(part, &mut |_| Ok(())).is_ok(),
        };
        let columns: Vec<usize> = (0..table.all_columns().len()).collect();
        let n_parts = table.n_parts().min(3);
        (0..n_parts).all(|part| take(part) & table.part_texts(part, &columns).is_ok())
    };
    let step = (bytes.len() / 100).max(1);
    for length in (1..bytes.len()).step_by(step) {
        assert!(!try_all(&bytes[..length]), "{name} cut to {length} bytes");
    }
    for at in 0..bytes.len() {
        let mut flipped = bytes.to_vec();
        flipped[at] ^= [0x01, 0x80, 0xff][at % 3];
        try_all(&flipped);
    }
}

#[test]
fn damaged_parquet_files_never_end_the_program() {
    for name in ["polars.parquet", "ragged.parquet", "pandas.parquet"] {
        let bytes = std::fs::read(file(name)).unwrap();
        damage(name, &bytes);
    }
}

#[test]
fn damaged_arrow_files_never_end_the_program() {
    for name in ["types.feather", "polars.arrow", "ragged.feather"] {
        let bytes = std::fs::read(file(name)).unwrap();
        damage(name, &bytes);
    }
}

#[test]
fn streams_cut_within_a_message_are_refused() {
    let bytes = std::fs::read(file("stream.arrows")).unwrap();
    let folder = Folder::new();
    let mut read_whole = 0;
    for length in (4..bytes.len()).step_by(7) {
        let path = folder.file("s.arrows", &bytes[..length]);
        if let Ok(table) = plain(path) {
            // Between two messages a stream may end: the rows so far are there.
            assert!(table.n_rows() % 2 == 0);
            read_whole += 1;
        }
    }
    assert!(read_whole < 5, "{read_whole}");
}

#[test]
fn what_is_not_read_is_named() {
    let folder = Folder::new();
    for (name, bytes, what) in [
        (
            "x.feather",
            &b"FEA1....FEA1"[..],
            "a Feather file of version 1",
        ),
        ("x.parquet", b"PARE....PARE", "the file is encrypted"),
        ("x.parquet", b"PAR1PAR1", "damaged or cut off"),
        ("x.parquet", b"a,b\n1,2\n", "named like a Parquet file"),
        ("x.arrow", b"ARROW1\0\0ARROW1", "damaged or cut off"),
    ] {
        let error = plain(folder.file(name, bytes)).unwrap_err();
        assert!(said(&error).contains(what), "{}", said(&error));
    }
}

#[test]
fn packed_batches_beyond_the_budget_are_refused_and_plain_ones_read() {
    let ctx = Context::new().with_threads(1).unwrap().with_memory(500);
    let read = |name: &str| open(&Input::new(file(name)), &ReadOptions::default(), &ctx);
    let error = said(&read("types.feather").unwrap_err());
    assert!(error.contains("may be used"), "{error}");
    assert!(error.contains("tip: raise --memory"), "{error}");
    assert!(read("stream.arrows").is_ok());
}

/// Writes a table with one column of texts and two of numbers.
fn write_rows(path: &Path, rows: &[(&str, f64, f64)]) {
    let layout = Layout {
        texts: names(&["kind"]),
        numbers: names(&["a", "b"]),
        ..Layout::default()
    };
    let output = Output::new(path);
    let format = output.format().expect("a format");
    let mut writer = TableWriter::create::<f64>(&output, format, layout).expect("a writer");
    let texts: TextColumn = rows.iter().map(|row| row.0).collect();
    let cells = Mat::from_fn(rows.len(), 2, |i, j| [rows[i].1, rows[i].2][j]);
    let rows = writer.format(&[texts], cells.view()).expect("rows");
    writer.append(&rows).expect("room on the disk");
    writer.finish().expect("a whole file");
}

const ROWS: [(&str, f64, f64); 5] = [
    ("x", 1.0, 0.5),
    ("y", 2.0, -1.0),
    ("x", 4.0, 7.5),
    ("", 8.0, 0.0),
    ("y", -3.0, 2.0),
];

#[test]
fn shards_of_a_folder_are_one_table_with_samples_and_texts_as_columns() {
    for extension in ["parquet", "arrow", "csv"] {
        let folder = Folder::new();
        let part = |i: usize| folder.path(&format!("part-{i}.{extension}"));
        write_rows(&part(1), &ROWS[..2]);
        write_rows(&part(2), &ROWS[2..]);
        let pattern = folder.path(&format!("part-*.{extension}"));
        for given in [folder.path(""), pattern] {
            let table = plain(&given).expect("a table");
            let wanted: Vec<f64> = ROWS.iter().flat_map(|row| [row.1, row.2]).collect();
            assert_eq!(numbers(&table).0, wanted, "{extension}");
            assert_eq!(table.texts("kind").unwrap(), ["x", "y", "x", "", "y"]);
            let said = notes(&table);
            assert!(said.contains("2 files read as one table"), "{said}");
            assert!(said.contains("kind is text: set aside"), "{said}");
            let some = options(|o| (o.rows, o.columns) = (Some((2, 3)), names(&["b"])));
            assert_eq!(numbers(&read(&given, &some).unwrap()).0, [-1.0, 7.5]);
            let encoded = read(&given, &options(|o| o.one_hot = true)).expect("a table");
            assert_eq!(encoded.columns(), names(&["a", "b", "kind=x", "kind=y"]));
            let first: Vec<f64> = numbers(&encoded).0[..4].to_vec();
            assert_eq!(first, [1.0, 0.5, 1.0, 0.0]);
            let said = notes(&encoded);
            assert!(!said.contains("set aside"), "{said}");
            assert!(said.contains("1 text missing"), "{said}");
        }
    }
}

#[test]
fn samples_ranges_and_turned_tables_are_those_of_the_same_csv() {
    let folder = Folder::new();
    let csv = folder.path("t.csv");
    write_rows(&csv, &ROWS);
    for name in ["t.parquet", "t.feather"] {
        let path = folder.path(name);
        write_rows(&path, &ROWS);
        for change in [
            (|o| (o.sample, o.seed) = (Some(3), 7)) as fn(&mut ReadOptions),
            |o| o.rows = Some((2, 4)),
            |o| (o.rows, o.sample) = (Some((2, 5)), Some(2)),
            |o| o.transpose = true,
            |o| (o.transpose, o.rows) = (true, Some((2, 2))),
            |o| (o.one_hot, o.columns) = (true, names(&["kind"])),
        ] {
            let asked = options(change);
            let (got, want) = (read(&path, &asked).unwrap(), read(&csv, &asked).unwrap());
            assert_eq!(numbers(&got), numbers(&want), "{name}: {asked:?}");
            assert_eq!(got.columns(), want.columns());
            assert_eq!(got.n_rows(), want.n_rows());
        }
    }
}

#[test]
fn a_column_that_is_text_in_one_shard_is_refused_with_its_row() {
    let folder = Folder::new();
    let (one, two) = (folder.path("1.parquet"), folder.path("2.parquet"));
    write_rows(&one, &ROWS);
    let layout = Layout {
        texts: names(&["kind", "a"]),
        numbers: names(&["b"]),
        ..Layout::default()
    };
    let output = Output::new(&two);
    let format = output.format().expect("a format");
    let mut writer = TableWriter::create::<f64>(&output, format, layout).expect("a writer");
    let texts = |cells: [&str; 2]| cells.into_iter().collect::<TextColumn>();
    let cells = Mat::from_fn(2, 1, |i, _| i as f64);
    let rows = writer
        .format(&[texts(["x", "y"]), texts(["", "many"])], cells.view())
        .expect("rows");
    writer.append(&rows).expect("room on the disk");
    writer.finish().expect("a whole file");
    let error = open(
        &Input::from_paths([&one, &two]),
        &ReadOptions::default(),
        &Context::new(),
    );
    let error = said(&error.unwrap_err());
    assert!(error.contains("2.parquet row 2, column \"a\""), "{error}");
    assert!(error.contains("many"), "{error}");
}
