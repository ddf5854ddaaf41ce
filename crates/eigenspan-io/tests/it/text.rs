//! Text: lines, quotes, delimiters, headers, numbers, missing cells, and the errors about them.

use eigenspan::Context;
use eigenspan_io::{Format, Input, ReadOptions, open};

use super::{Folder, names, notes, numbers, options, read, read_with, said};

#[test]
fn quotes_hold_delimiters_line_ends_and_quotes() {
    let text = "name,\"a,1\",b\n\"x \"\"y\"\"\",1,2\n\"two\nlines\",\"3\",4\n";
    let table = read(text).unwrap();
    assert_eq!(table.columns(), names(&["a,1", "b"]));
    assert_eq!(numbers(&table).0, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(table.texts("name").unwrap(), ["x \"y\"", "two\nlines"]);
    assert_eq!(table.texts("a,1").unwrap(), ["1", "3"]);
}

#[test]
fn a_line_end_inside_quotes_at_a_cut_moves_the_cut() {
    // Lines of quoted line ends, many times longer than a range, so that most first guesses at cuts are wrong.
    let mut text = String::from("id,a,b\n");
    let mut expected = Vec::new();
    for i in 0..180_000 {
        text += &format!("\"r{i}\n1,2\n\n3,\"\"4\n\",{i},{}\n", i * 2);
        expected.extend([f64::from(i), f64::from(i * 2)]);
    }
    assert!(text.len() > 5 << 20);
    let table = read(&text).unwrap();
    assert_eq!(table.n_rows(), 180_000);
    assert!(table.n_parts() > 1);
    assert_eq!(numbers(&table).0, expected);
    let ids = table.texts("id").unwrap();
    assert_eq!(ids[179_999], "r179999\n1,2\n\n3,\"4\n");
    // A fault far behind the cuts still has the right line: 5 lines per row.
    let error = read(text + "\"x\",1,2,3\n").unwrap_err();
    assert_eq!(
        error.to_string().split(".csv").nth(1),
        Some(" line 900002: expected 3 fields, found 4")
    );
}

#[test]
fn numbers_kept_in_memory_and_numbers_parsed_again_are_the_same() {
    let mut text = String::from("w,name,a,b\n");
    for i in 0..200_000 {
        text += &format!("{},n{i},{}e-3,{}\n", i % 3, i, f64::from(i) / 7.0);
    }
    let folder = Folder::new();
    let path = folder.file("t.csv", text);
    let options = options(|o| o.weight_column = Some("w".to_owned()));
    let kept = open(&Input::new(&path), &options, &Context::new()).unwrap();
    let tight = Context::new().with_memory(1 << 20);
    let again = open(&Input::new(&path), &options, &tight).unwrap();
    assert_eq!(kept.columns(), names(&["a", "b"]));
    let (cells, weights) = numbers(&kept);
    assert_eq!(weights.len(), 200_000);
    assert_eq!(weights[4], 1.0);
    assert_eq!((cells, weights), numbers(&again));
}

#[test]
fn every_usual_way_to_write_a_table_is_understood() {
    let expected = [1.5, 2.0, -0.5, 2.5, 1.0, 0.25];
    for text in [
        "a,b,c\n1.5,2,-0.5\n2.5,1,0.25\n",
        "\u{feff}a,b,c\r\n1.5,2,-0.5\r\n2.5,1,0.25\r\n\r\n",
        "a\tb\tc\n1.5\t2\t-0.5\n2.5\t1\t0.25",
        "a;b;c\n1,5;2;-0,5\n2,5;1;0,25\n",
        "a|b|c\r1.5|2|-0.5\r2.5|1|0.25\r",
        "  a  b c\n 1.5 2 -0.5  \n\t2.5 1  0.25\n",
        "a , b , c \n 1.5 , 2 , -0.5 \n\n 2.5 , 1 , +0.25 \n",
        "a,b,c,\n1.5,2,-0.5,\n2.5,1,0.25,\n",
        "a,b,c\n1.5,2,-0.5,\n2.5,1,0.25,\n",
        "\"a\",\"b\",\"c\"\n\"1,5\",\"2\",\"-0,5\"\n\"2,5\",\"1\",\"0,25\"\n",
        ",a,b,c\n0,1.5,2,-0.5\n1,2.5,1,0.25\n",
    ] {
        let table = read(text).unwrap_or_else(|e| panic!("{text:?}: {}", said(&e)));
        assert_eq!(table.columns(), names(&["a", "b", "c"]), "{text:?}");
        assert_eq!(numbers(&table).0, expected, "{text:?}");
    }
}

#[test]
fn a_first_line_of_numbers_is_data_unless_told_otherwise() {
    let text = "7,8.5\n1,2\n3,4\n";
    let table = read(text).unwrap();
    assert_eq!((table.n_rows(), table.has_header()), (3, false));
    assert!(notes(&table).contains("--header"), "{}", notes(&table));
    let table = read_with(text, &options(|o| o.header = Some(true))).unwrap();
    assert_eq!(table.columns(), names(&["7", "8.5"]));
    assert_eq!(table.n_rows(), 2);
    assert!(table.notes().is_empty());
    let table = read("Ann,1,2\nBob,3,4\n").unwrap();
    assert_eq!((table.n_rows(), table.has_header()), (2, false));
}

#[test]
fn years_and_counts_above_other_numbers_are_names() {
    let table = read("country,2001,2002\nUK,1.5,2\nFR,3,4\n").unwrap();
    assert_eq!(table.columns(), names(&["2001", "2002"]));
    assert!(notes(&table).contains("--no-header"));
    let table = read(",0,1,2\n0,1.5,2,3\n1,2.5,3,4\n").unwrap();
    assert_eq!(table.columns(), names(&["0", "1", "2"]));
}

#[test]
fn text_in_a_column_of_numbers_is_named_with_its_place_and_what_to_do() {
    let mut text = String::from("name,price\n");
    for i in 0..3000 {
        text += &format!("p{i},{i}\n");
    }
    text += "last,sold out\n";
    let error = read(&text).unwrap_err();
    let said = said(&error);
    assert!(said.contains("t.csv line 3002, column \"price\": \"sold out\" is not a number"));
    assert!(said.contains("1 of 3,001 cells in this column is no number"));
    assert!(said.contains(
        "tip: if line 3002 is no row of data: --rows 1:3000 leaves it out; else --missing-values 'sold out' reads such cells as missing; --missing mean then fills them"
    ));
    let table = read_with(&text, &options(|o| o.missing_values = names(&["sold out"]))).unwrap();
    let missing = table.missing().unwrap();
    assert_eq!((missing.count, missing.place.line), (1, 3002));
    assert!(numbers(&table).0[3000].is_nan());
}

#[test]
fn infinities_thousands_and_decimal_commas_are_told_apart() {
    for (cell, what, tip) in [
        ("inf", "is not finite", "--missing-values inf"),
        ("-Infinity", "is not finite", "--missing-values"),
        ("1e999", "beyond the range", "--missing-values"),
        ("\"1,234\"", "is not a number", "thousands"),
        ("\"1,5\"", "is not a number", "--decimal ,"),
        ("5 kg", "is not a number", "without unit"),
    ] {
        let text = format!("a,b\n1.5,2\n3,{cell}\n");
        let said = said(&read(text).unwrap_err());
        assert!(said.contains("line 3, column \"b\""), "{said}");
        assert!(said.contains(what) && said.contains(tip), "{said}");
    }
}

#[test]
fn missing_cells_become_nan_and_the_first_can_be_named() {
    let table = read("a,b\n1,NA\n,3\n4,n/a\n").unwrap();
    let cells = numbers(&table).0;
    assert!(cells[1].is_nan() && cells[2].is_nan() && cells[5].is_nan());
    let missing = table.missing().unwrap();
    assert_eq!(missing.count, 3);
    let said = said(&missing.error());
    assert!(
        said.contains("t.csv line 2, column \"b\": \"NA\" reads as missing"),
        "{said}"
    );
    assert!(said.contains("3 of 6 cells are missing"), "{said}");
    assert!(said.contains("--missing mean"), "{said}");
}

#[test]
fn faults_of_form_are_named_with_their_line() {
    for (text, what) in [
        ("a,b\n1,2\n3\n", "line 3: expected 2 fields, found 1"),
        ("a,b\n1,2\n3,4,5\n", "line 3: expected 2 fields, found 3"),
        (
            "a,b\n1,2\n3,\"4\n5,6\n",
            "line 3, column \"b\": \"\\\"4\" is not a number",
        ),
        (
            "a,b\n1,2\n\"3\n5,6\n",
            "line 3: a quote is opened here and never closed",
        ),
        (
            "Title\na,b\n1,2\n3,4\n5,6\n",
            "line 1 has 1 field, but the lines below have 2 fields",
        ),
        (
            "\"a,b\n1,2\n",
            "line 1: a quote is opened here and never closed",
        ),
        ("", "is empty"),
        ("\n \n\r\n", "is empty"),
        ("a,b\n", "has no rows below its header"),
        ("a,b\nx,y\nz,w\n", "has no numeric columns"),
    ] {
        let said = said(&read(text).unwrap_err());
        assert!(said.contains(what), "{text:?}: {said}");
    }
    let error = read(b"a,b\n\xc3\xa9,2\nSt\xe4dte,2\n").unwrap_err();
    assert!(said(&error).contains("line 3 is not UTF-8 text (byte 0xe4)"));
    assert!(said(&error).contains("Latin-1"));
}

#[test]
fn files_that_are_not_there_or_no_files_say_so() {
    let folder = Folder::new();
    folder.file("wine.csv", "a\n1\n");
    let open = |name: &str| {
        let input = Input::new(folder.path(name));
        open(&input, &ReadOptions::default(), &Context::new()).map(|_| ())
    };
    let error = said(&open("wnie.csv").unwrap_err());
    assert!(
        error.contains("no file ") && error.contains("files like it: wine.csv"),
        "{error}"
    );
}

#[test]
fn a_header_that_is_one_name_short_leaves_the_names_of_the_rows_without_one() {
    let table = read("\"x\" \"y\"\n\"p\" 1 2\n\"q\" 3 4\n").unwrap();
    assert_eq!(table.columns(), names(&["x", "y"]));
    assert_eq!(table.texts("1").unwrap(), ["p", "q"]);
    assert!(
        notes(&table).contains("one name fewer"),
        "{}",
        notes(&table)
    );
    // Numbers in front could be anything.
    assert!(read("x,y\n1,2,3\n4,5,6\n").is_err());
}

#[test]
fn options_override_every_guess() {
    let spaced = options(|o| o.delimiter = Some(' '));
    let table = read_with("a b;1\n2 3;4\n5 6;7\n", &spaced).unwrap();
    assert_eq!(table.all_columns(), names(&["a", "b;1"]));
    let table = read_with("1 2\n3 4\n", &options(|o| o.format = Some(Format::Text))).unwrap();
    assert_eq!((table.columns().len(), table.format()), (2, Format::Text));
    for (change, what) in [
        (
            options(|o| o.delimiter = Some('x')),
            "delimiter = \"x\" cannot be",
        ),
        (
            options(|o| o.decimal = Some(';')),
            "decimal = \";\" cannot be",
        ),
    ] {
        let error = read_with("a,b\n1,2\n", &change).unwrap_err();
        assert!(error.to_string().starts_with(what), "{error}");
    }
}
