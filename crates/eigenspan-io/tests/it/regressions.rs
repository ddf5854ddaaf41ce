//! What once went wrong. A test is named after what holds now, and its comment says what did not.

use eigenspan::{Context, Mat};
use eigenspan_io::{Format, Input, Layout, Output, TableWriter, TextColumn, open};

use super::{Folder, notes, options, read_with};

fn ten_rows() -> String {
    let lines: String = (1..=10).map(|i| format!("{i},{}\n", i * i % 7)).collect();
    format!("a,b\n{lines}")
}

/// "Row 2" of an error or a picture was row 2 of those taken, and nothing said so.
#[test]
fn rows_from_the_middle_say_which_row_is_counted_as_the_first() {
    let table = read_with(ten_rows(), &options(|o| o.rows = Some((4, 8)))).expect("a table");
    let text = "rows are counted from the first that was taken: row 1 is row 4 of the data";
    assert_eq!(notes(&table), text);
    let table = read_with(ten_rows(), &options(|o| o.rows = Some((1, 8)))).expect("a table");
    assert_eq!(notes(&table), "");
}

/// The same of a sample.
#[test]
fn a_sample_says_that_its_rows_are_counted_within_it() {
    let table = read_with(ten_rows(), &options(|o| o.sample = Some(4))).expect("a table");
    let text = "a random sample of 4 of 10 rows (seed 0); rows are counted within it";
    assert_eq!(notes(&table), text);
}

/// The first row of a table that was written, `#,0,0,0`, was taken for a comment when it was read again.
#[test]
fn a_text_that_looks_like_a_comment_is_written_in_quotes() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let layout = Layout {
        texts: vec!["t".to_owned()],
        numbers: vec!["x".to_owned(), "y".to_owned()],
        ..Layout::default()
    };
    let output = Output::new(&path);
    let mut writer = TableWriter::create::<f64>(&output, Format::Csv, layout).expect("begun");
    let texts: TextColumn = ["#", "b", "#c"].into_iter().collect();
    let cells = Mat::from_fn(3, 2, |i, j| (i + j) as f64);
    writer.write(&[texts], cells.view()).expect("written");
    writer.finish().expect("finished");
    let given = options(|o| o.label_column = Some("t".to_owned()));
    let table = open(&Input::new(&path), &given, &Context::new()).expect("a table");
    assert_eq!(table.texts("t").expect("texts"), ["#", "b", "#c"]);
}
