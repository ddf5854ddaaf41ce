//! Writing: exact round trips, quotes where needed, and whole files or none.

use eigenspan::{Context, Mat};
use eigenspan_io::{
    Format, Input, Layout, Output, ReadOptions, TableWriter, TextColumn, WriteError, open,
    write_atomically,
};

use super::{Folder, names, numbers, options, typed};

fn layout(texts: &[&str], columns: &[&str]) -> Layout {
    Layout {
        texts: names(texts),
        numbers: names(columns),
        ..Layout::default()
    }
}

#[test]
fn a_table_reads_back_as_it_was_written() {
    let folder = Folder::new();
    let cells = [
        0.1,
        -0.0,
        1e300,
        5e-324,
        1.0 / 3.0,
        123456789.0,
        f64::MAX,
        1e-7,
    ];
    let values = Mat::from_fn(4, 2, |i, j| cells[2 * i + j]);
    let ids: TextColumn = ["plain", "with,comma", "with \"quote\"", " two\nlines\t"]
        .iter()
        .collect();
    for name in ["t.csv", "t.tsv"] {
        let output = Output::new(folder.path(name));
        let format = output.format().unwrap();
        let mut writer =
            TableWriter::create::<f64>(&output, format, layout(&["id"], &["x", "y,z"])).unwrap();
        writer
            .write(std::slice::from_ref(&ids), values.view())
            .unwrap();
        assert!(
            !folder.path(name).exists(),
            "nothing appears before the end"
        );
        writer.finish().unwrap();
        let table = open(
            &Input::new(folder.path(name)),
            &ReadOptions::default(),
            &Context::new(),
        );
        let table = table.unwrap();
        assert_eq!(table.columns(), names(&["x", "y,z"]));
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&numbers(&table).0), bits(&cells));
        assert_eq!(table.texts("id").unwrap(), ids.clone().into_strings());
    }
}

#[test]
fn an_array_reads_back_as_it_was_written() {
    let folder = Folder::new();
    let output = Output::new(folder.path("t.npy"));
    assert_eq!(output.format().unwrap(), Format::Npy);
    let values = Mat::from_fn(10_000, 3, |i, j| (i * 3 + j) as f32);
    let mut writer =
        TableWriter::create::<f32>(&output, Format::Npy, layout(&[], &["a", "b", "c"])).unwrap();
    writer.write(&[], values.view()).unwrap();
    let more = writer.format(&[], values.view()).unwrap();
    writer.append(&more).unwrap();
    writer.finish().unwrap();
    let table = open(
        &Input::new(folder.path("t.npy")),
        &ReadOptions::default(),
        &Context::new(),
    );
    let table = table.unwrap();
    assert_eq!(table.n_rows(), 20_000);
    assert_eq!(numbers(&table).0[29_999], 29_999.0);
    let weighted = options(|o| o.weight_column = Some("1".to_owned()));
    let table = open(
        &Input::new(folder.path("t.npy")),
        &weighted,
        &Context::new(),
    )
    .unwrap();
    assert_eq!(numbers(&table).1[1], 3.0);
}

#[test]
fn nothing_is_left_behind_when_writing_fails_or_stops() {
    let folder = Folder::new();
    let old = folder.file("t.csv", "old");
    let output = Output::new(&old);
    let mut writer = TableWriter::create::<f64>(&output, Format::Csv, layout(&[], &["a"])).unwrap();
    writer.write(&[], Mat::<f64>::zeros(5, 1).view()).unwrap();
    assert!(matches!(
        writer.write(&[], Mat::<f64>::zeros(5, 2).view()),
        Err(WriteError::Layout { .. })
    ));
    drop(writer);
    let failed = write_atomically(&old, |out| {
        out.write_all(b"half")?;
        Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
    });
    let error = failed.unwrap_err().to_string();
    assert!(error.ends_with("no space left on the disk"), "{error}");
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 1);
    write_atomically(&old, |out| out.write_all(b"new")).unwrap();
    assert_eq!(std::fs::read(&old).unwrap(), b"new");
}

#[test]
fn places_that_cannot_be_written_say_why() {
    let folder = Folder::new();
    let write = |path: std::path::PathBuf| write_atomically(&path, |out| out.write_all(b"x"));
    let error = write(folder.path("no/such/t.csv")).unwrap_err();
    assert!(error.to_string().contains("there is no folder"), "{error}");
    assert!(typed(&error.advice()).unwrap().starts_with("mkdir -p"));
    let error = write(folder.path("")).unwrap_err();
    assert!(error.to_string().contains("it is a folder"), "{error}");
    let kept = folder.file("kept.csv", "old");
    let mut permissions = std::fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&kept, permissions).unwrap();
    let error = write(kept.clone()).unwrap_err();
    assert!(
        error.to_string().contains("the file is read-only"),
        "{error}"
    );
    assert_eq!(std::fs::read(&kept).unwrap(), b"old");
    let error = Output::new("scores.xlsx").format().unwrap_err();
    assert!(
        error
            .to_string()
            .contains(".csv, .tsv, .npy, .parquet, .arrow and .feather are"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_device_is_written_directly_and_a_link_is_followed() {
    write_atomically(std::path::Path::new("/dev/null"), |out| out.write_all(b"x")).unwrap();
    let folder = Folder::new();
    let real = folder.file("real.csv", "old");
    let link = folder.path("link.csv");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write_atomically(&link, |out| out.write_all(b"new")).unwrap();
    assert_eq!(std::fs::read(&real).unwrap(), b"new");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}
