//! Runs the commands shown in `tests/cmd` and in `docs` and compares what they print. `TRYCMD=overwrite`
//! updates the expected output.
//!
//! Digits that the last bits of arithmetic could change are masked with `[..]`.

use std::path::Path;

use crate::support::{EIGENSPAN, copy_tables, data};

#[test]
fn commands_print_what_their_pages_show() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![here.join("../../docs/presets.md")];
    for entry in std::fs::read_dir(here.join("tests/cmd")).expect("the folder of pages") {
        pages.push(entry.expect("an entry").path());
    }
    // Each page runs in a folder of its own beside a copy of it, with the tables in it.
    let copies = tempfile::tempdir().expect("a temporary folder");
    let mut names = Vec::new();
    for page in pages {
        let copy = copies.path().join(page.file_name().expect("a name"));
        std::fs::copy(&page, &copy).expect("a copy");
        let inputs = copy.with_extension("in");
        std::fs::create_dir(&inputs).expect("a folder");
        copy_tables(&inputs);
        write_faulty_tables(&inputs);
        for table in ["hald", "decathlon"] {
            let copy = inputs.join(table).with_extension("csv");
            std::fs::copy(data(table), copy).expect("a copy of the data");
        }
        names.push((page, copy));
    }
    assert!(names.len() > 1);
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .register_bin("eigenspan", Path::new(EIGENSPAN))
        .case(copies.path().join("*.trycmd"))
        .case(copies.path().join("*.md"))
        .run();
    if std::env::var("TRYCMD").is_ok_and(|mode| mode == "overwrite") {
        for (page, copy) in names {
            std::fs::copy(copy, page).expect("the page is written");
        }
    }
}

/// Tables with one fault each, for the page of errors.
fn write_faulty_tables(folder: &Path) {
    let wine = std::fs::read_to_string(folder.join("wine.csv")).expect("a table");
    let write = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).expect("a file");
    };
    write(
        "renamed.csv",
        wine.replace("hue", "colour").replace("proline", "amino"),
    );
    write("cell.csv", wine.replace("14.23", "oops"));
    write("missing.csv", wine.replace("14.23", "n/a"));
}
