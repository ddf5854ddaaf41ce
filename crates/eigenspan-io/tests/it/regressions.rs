//! What once went wrong. A test is named after what holds now, and its comment says what did not.

use super::{notes, options, read_with};

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
