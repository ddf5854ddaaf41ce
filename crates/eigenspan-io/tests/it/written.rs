//! Numbers that are not written plainly, and text that is not plain text: read where a whole column agrees, with a note.

use super::{Folder, names, notes, numbers, options, read, read_with, said};
use eigenspan::Context;
use eigenspan_io::{Input, open};

/// A column `x` beside plain numbers, in a file with semicolons.
fn column(cells: &[&str]) -> String {
    let mut text = String::from("x;y\n");
    for (i, cell) in cells.iter().enumerate() {
        text += &format!("{cell};{i}\n");
    }
    text
}

fn first_column(text: &str) -> (Vec<f64>, String) {
    let table = read(text).unwrap_or_else(|e| panic!("{text}: {}", said(&e)));
    assert_eq!(table.columns(), names(&["x", "y"]), "{text}");
    let cells = numbers(&table).0;
    (cells.iter().step_by(2).copied().collect(), notes(&table))
}

#[test]
fn a_whole_column_of_written_numbers_is_read_with_a_note() {
    for (cells, expected) in [
        (&["1,234", "22,345", "567"][..], [1234.0, 22345.0, 567.0]),
        (&["1,234,567", "2,345", "9"], [1_234_567.0, 2345.0, 9.0]),
        (&["1,234.5", "12", "2,000.25"], [1234.5, 12.0, 2000.25]),
        (&["1.234,5", "0,5", "2.000"], [1234.5, 0.5, 2000.0]),
        (&["1 234,5", "12 345", "7"], [1234.5, 12345.0, 7.0]),
        (&["1\u{202f}234", "5\u{a0}678", "9"], [1234.0, 5678.0, 9.0]),
        (&["1'234.50", "1’000", "20"], [1234.5, 1000.0, 20.0]),
        (&["12 %", "3.5%", "-1%"], [12.0, 3.5, -1.0]),
        (&["$1,234", "-$5", "($7)"], [1234.0, -5.0, -7.0]),
        (&["€1.234,00", "€ 5,50", "€0,10"], [1234.0, 5.5, 0.1]),
        (&["1.234,00 €", "5 €", "NA"], [1234.0, 5.0, f64::NAN]),
        (&["5 EUR", "7 EUR", "1,5 EUR"], [5.0, 7.0, 1.5]),
        (&["(1,234)", "1,234", "(5)"], [-1234.0, 1234.0, -5.0]),
        (&["1,234-", "2,345", "0"], [-1234.0, 2345.0, 0.0]),
        (&["TRUE", "FALSE", "TRUE"], [1.0, 0.0, 1.0]),
        (&["True", "", "False"], [1.0, f64::NAN, 0.0]),
        (&["true", "false", "false"], [1.0, 0.0, 0.0]),
    ] {
        let (found, notes) = first_column(&column(cells));
        let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
        assert!(
            found.iter().zip(&expected).all(same),
            "{cells:?}: {found:?}"
        );
        assert!(notes.contains("read as"), "{cells:?}: {notes}");
    }
}

#[test]
fn a_comma_before_three_digits_is_decided_by_rule_and_the_note_says_how_to_change_it() {
    let lone = column(&["1,234", "2,345", "3,456"]);
    let (cells, said) = first_column(&lone);
    assert_eq!(cells, [1234.0, 2345.0, 3456.0]);
    assert!(
        said.contains(r#"column "x": "1,234" is read as 1234 (--decimal , reads it as 1.234)"#),
        "{said}"
    );
    let told = read_with(&lone, &options(|o| o.decimal = Some(','))).unwrap();
    assert_eq!(numbers(&told).0[0], 1.234);
    // Other cells of the column, then other columns of the file, know better than the rule.
    assert_eq!(
        first_column(&column(&["1,234", "1,5", "2,000"])).0,
        [1.234, 1.5, 2.0]
    );
    assert_eq!(
        first_column(&column(&["1,234", "0,123", "2,000"])).0,
        [1.234, 0.123, 2.0]
    );
    let beside = |other: &str| {
        let rows = (1..5).map(|i| format!("{i},234;{i}{other}\n"));
        let table = read(format!("x;y\n{}", rows.collect::<String>())).unwrap();
        numbers(&table).0[0]
    };
    assert_eq!(beside(",5"), 1.234);
    assert_eq!(beside(".5"), 1234.0);
    // Points before three digits are plain decimals, unless commas are.
    assert_eq!(first_column(&column(&["1.234", "2.345", "9"])).0[0], 1.234);
    let rows = "x;y\n1.234;1,5\n2.345;2,5\n";
    assert_eq!(numbers(&read(rows).unwrap()).0, [1234.0, 1.5, 2345.0, 2.5]);
}

#[test]
fn what_is_not_a_whole_column_stays_refused_or_set_aside() {
    for (cells, cause) in [
        (&["1", "2", "$5"][..], "\"$5\" is not a number"),
        (&["1", "12 %", "0.3"], "\"12 %\" is not a number"),
        (&["1", "1\u{a0}000", "3"], "is not a number"),
        (&["5", "\u{2212}5", "3"], "is not a number"),
        (&["5", "TRUE", "3"], "\"TRUE\" is not a number"),
        (&["5", "1_000", "3"], "is not a number"),
    ] {
        let error = read(column(cells)).unwrap_err();
        assert!(said(&error).contains(cause), "{}", said(&error));
    }
    for cells in [
        &["$5", "€5", "$7"][..],
        &["yes", "no", "yes"],
        &["T", "F", "T"],
        &["12 kg", "13 kg", "9 kg"],
        &["1.2.3", "1.2.4", "2.0.0"],
        &["030 123", "040 456", "1"],
        &["1,234", "1.5", "x"],
    ] {
        let (used, said) = match read(column(cells)) {
            Ok(table) => (table.columns().to_vec(), notes(&table)),
            Err(error) => (names(&["y"]), said(&error)),
        };
        assert_eq!(used, names(&["y"]), "{cells:?}");
        assert!(said.contains('x'), "{cells:?}: {said}");
    }
}

#[test]
fn a_table_of_truth_values_without_names_keeps_its_first_row() {
    let table = read("TRUE,FALSE\nFALSE,FALSE\nTRUE,TRUE\n").unwrap();
    assert_eq!(table.n_rows(), 3);
    assert_eq!(numbers(&table).0, [1.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    let named = read("true,false\n1,2\n3,4\n").unwrap();
    assert_eq!(named.columns(), names(&["true", "false"]));
    let shares = read("10%,90%\n1,2\n3,4\n").unwrap();
    assert_eq!(shares.columns(), names(&["10%", "90%"]));
    let shares = read("10 %;90 %\n20 %;80 %\n30 %;75 %\n").unwrap();
    assert_eq!(shares.n_rows(), 3);
}

#[test]
fn latin_1_and_utf_16_are_read_with_a_note_and_damage_is_refused() {
    let table = read(b"Stra\xdfe;Preis\nK\xf6ln;1\nM\xfcnchen;2\n\x80uro;4\n").unwrap();
    assert_eq!(table.all_columns(), names(&["Straße", "Preis"]));
    assert_eq!(table.texts("Straße").unwrap(), ["Köln", "München", "€uro"]);
    assert!(notes(&table).contains("Windows-1252"), "{}", notes(&table));
    // A header alone in Latin-1 counts too.
    let table = read(b"gr\xf6\xdfe,b\n1,2\n3,4\n").unwrap();
    assert_eq!(table.columns(), names(&["größe", "b"]));
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let text = "\u{feff}größe\tb\r\n1\t2\r\n3\t4\r\n";
        let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
        let table = read(&bytes).unwrap();
        assert_eq!(table.columns(), names(&["größe", "b"]));
        assert!(notes(&table).contains("UTF-16"));
        let error = read(&bytes[..bytes.len() - 1]).unwrap_err();
        assert!(
            said(&error).contains("line 3 is not UTF-16"),
            "{}",
            said(&error)
        );
    }
    // Letters in UTF-8 beside bytes that are not UTF-8: damaged, not Latin-1.
    let error = read(b"ort,b\nK\xc3\xb6ln,1\nK\xf6ln,2\n").unwrap_err();
    assert!(
        said(&error).contains("line 3 is not UTF-8"),
        "{}",
        said(&error)
    );
    let error = read(b"a,b\n1,2\n3,\x814\n").unwrap_err();
    assert!(
        said(&error).contains("line 3 is not UTF-8"),
        "{}",
        said(&error)
    );
}

#[test]
fn the_line_of_a_nul_byte_is_named() {
    for (text, line) in [
        (&b"a,b\n1,2\n3,\x004\n5,6\n"[..], 3),
        (b"a,\0b\n1,2\n3,4\n", 1),
        (b"a,b\n1,2\n3,4\n5,6\n\0", 5),
    ] {
        let error = read(text).unwrap_err();
        let said = said(&error);
        assert!(
            said.contains(&format!("line {line} holds a NUL byte")),
            "{said}"
        );
    }
    let mut long = b"a,b\n".to_vec();
    for _ in 0..30_000 {
        long.extend_from_slice(b"1,2\n");
    }
    long.extend_from_slice(b"1,\0\n");
    let error = read(&long).unwrap_err();
    assert!(
        said(&error).contains("line 30002 holds a NUL byte"),
        "{}",
        said(&error)
    );
}

#[test]
fn excels_separator_line_is_followed_and_noted() {
    for (head, between) in [
        ("sep=;\r\n", ";"),
        ("\"sep=,\"\n", ","),
        ("sep=\t\n", "\t"),
        ("\u{feff}SEP=|\n", "|"),
    ] {
        let text = format!("{head}a{between}b\n1{between}2\nx{between}4\n");
        let error = read(text.replace('x', "bad")).unwrap_err();
        assert!(
            said(&error).contains("line 4, column \"a\""),
            "{}",
            said(&error)
        );
        let table = read(text.replace('x', "3")).unwrap();
        assert_eq!(table.columns(), names(&["a", "b"]), "{head}");
        assert_eq!(numbers(&table).0, [1.0, 2.0, 3.0, 4.0]);
        assert!(notes(&table).contains("line 1 names the delimiter"));
    }
    assert_eq!(
        read("sep=x,b\n1,2\n3,4\n").unwrap().columns(),
        names(&["sep=x", "b"])
    );
}

#[test]
fn comments_are_skipped_wherever_they_stand_and_counted() {
    let table =
        read("# made by hand\n# twice\na,b\n1,2\n# a pause, with commas, and \"quotes\n3,4\n")
            .unwrap();
    assert_eq!(table.columns(), names(&["a", "b"]));
    assert_eq!(numbers(&table).0, [1.0, 2.0, 3.0, 4.0]);
    assert!(
        notes(&table)
            .contains("3 lines that begin with # skipped as comments, the first is line 1"),
        "{}",
        notes(&table)
    );
    // NumPy's header, and a name that begins with the sign itself.
    let table = read("# a,b\n1,2\n3,4\n").unwrap();
    assert_eq!(table.columns(), names(&["a", "b"]));
    assert_eq!(
        read("#a,b\n1,2\n3,4\n").unwrap().columns(),
        names(&["#a", "b"])
    );
    // A row that was commented out: clear among numbers, not so where the first cell is a text.
    assert_eq!(read("a,b\n1,2\n#3,4\n5,6\n").unwrap().n_rows(), 2);
    let table = read("id,b\nx,2\n#y,4\nz,6\n").unwrap();
    assert_eq!(table.n_rows(), 3);
    assert!(notes(&table).contains("line 3 begins with # and has all its cells: read as a row"));
    // Cells of a first column that all begin so are no comments, and neither is a missing value.
    assert_eq!(read("id,b\n#1,2\n#2,4\n#3,6\n").unwrap().n_rows(), 3);
    assert_eq!(read("a,b\n1,2\n#N/A,4\n5,6\n").unwrap().n_rows(), 3);
    // Lines are counted as in the file.
    let error = read("# one\na,b\n# two\n1,2\n3,x\n").unwrap_err();
    assert!(
        said(&error).contains("line 5, column \"b\""),
        "{}",
        said(&error)
    );
}

#[test]
fn a_stray_quote_is_part_of_its_cell() {
    // As in GloVe's vectors, where the quote is a word.
    let words = ["the", "\"", ",", "''", "``", "\"quoted", "a\"b", "end"];
    for between in [" ", "\t"] {
        let mut text = String::new();
        for (i, word) in words.iter().enumerate() {
            text += &format!("{word}{between}{i}.5{between}-{i}.25\n");
        }
        let table = read(&text).unwrap_or_else(|e| panic!("{}", said(&e)));
        assert_eq!(table.n_rows(), words.len(), "{}", notes(&table));
        let expected: Vec<f64> = (0..words.len())
            .flat_map(|i| [i as f64 + 0.5, -(i as f64) - 0.25])
            .collect();
        assert_eq!(numbers(&table).0, expected);
    }
    let table = read("id,a,b\nx,1,2\n\"y,3,4\nz,5,6\n").unwrap();
    assert_eq!(table.n_rows(), 3);
    assert_eq!(table.texts("id").unwrap(), ["x", "\"y", "z"]);
    assert!(notes(&table).contains("line 3 has a quote that is never closed"));
    // Two of them do not swallow the rows between.
    let table = read("id,a,b\n\"x,1,2\ny,3,4\n\"z,5,6\nw,7,8\n").unwrap();
    assert_eq!(table.n_rows(), 4, "{}", notes(&table));
    let table = read("a,b,note\n1,2,\"\n3,4,y\n5,6,\"\n7,8,z\n").unwrap();
    assert_eq!(table.n_rows(), 4, "{}", notes(&table));
    // A cell of several lines stays one.
    let table = read("a,b,note\n1,2,\"one\ntwo\"\n3,4,y\n").unwrap();
    assert_eq!(table.texts("note").unwrap(), ["one\ntwo", "y"]);
}

#[test]
fn other_kinds_of_files_are_refused_by_their_names() {
    for (text, kind) in [
        (
            &b"{\"a\": 1, \"b\": 2}\n{\"a\": 3, \"b\": 4}\n"[..],
            "JSON lines",
        ),
        (b"[1, 2]\n[3, 4]\n", "JSON lines"),
        (b"[{\"a\": 1},\n {\"a\": 2}]\n", "a JSON file"),
        (b"{\"data\": [1, 2, 3]}", "a JSON file"),
        (b"\xef\xbb\xbf{\"a\": 1}\n{\"a\": 2}\n", "JSON lines"),
        (b"@relation iris\n@attribute a real\n@data\n1\n", "ARFF"),
        (b"\x80\x05\x95\0\0", "pickle"),
    ] {
        let error = read(text).unwrap_err();
        assert!(said(&error).contains(kind), "{kind}: {}", said(&error));
    }
    assert_eq!(read("[a],[b]\n1,2\n3,4\n").unwrap().n_rows(), 2);
}

#[test]
fn a_table_of_empty_cells_says_so() {
    for text in ["a,b\n,\n,\n", "a;b\nNA;NA\n;n/a\n"] {
        let error = read(text).unwrap_err();
        assert!(
            said(&error).contains("has no values: all its cells are empty or missing"),
            "{}",
            said(&error)
        );
    }
}

#[test]
fn a_file_with_the_name_of_another_kind_is_read_and_that_is_said() {
    let folder = Folder::new();
    let mut npy = b"\x93NUMPY\x01\0\x76\0".to_vec();
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
    npy.extend_from_slice(format!("{header:<117}\n").as_bytes());
    for x in [1.0f64, 2.0, 3.0, 5.0] {
        npy.extend_from_slice(&x.to_le_bytes());
    }
    for (name, misnamed) in [
        ("x.csv", true),
        ("x.npy", false),
        ("x", false),
        ("x.parquet", true),
    ] {
        let path = folder.file(name, &npy);
        let table = open(&Input::new(path), &Default::default(), &Context::new()).unwrap();
        assert_eq!(numbers(&table).0, [1.0, 2.0, 3.0, 5.0]);
        let said = notes(&table).contains("is a NumPy array in spite of its name");
        assert_eq!(said, misnamed, "{name}: {}", notes(&table));
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_named_with_where_it_leads() {
    let folder = Folder::new();
    let link = folder.path("link.csv");
    std::os::unix::fs::symlink("gone.csv", &link).expect("a link");
    let error = open(&Input::new(&link), &Default::default(), &Context::new()).unwrap_err();
    assert!(
        said(&error).contains("is a link to gone.csv, which does not exist"),
        "{}",
        said(&error)
    );
}

#[cfg(unix)]
#[test]
fn devices_without_an_end_are_given_up_at_once() {
    for device in ["/dev/zero", "/dev/urandom"] {
        let error = open(&Input::new(device), &Default::default(), &Context::new()).unwrap_err();
        assert!(
            said(&error).contains("a binary file of an unknown kind"),
            "{}",
            said(&error)
        );
    }
}

#[test]
fn files_of_one_table_that_write_numbers_in_two_ways_are_refused() {
    let read = |second: &str| {
        let folder = Folder::new();
        folder.file("a.csv", "x;y\n1,234;1\n2,345;2\n");
        folder.file("b.csv", second);
        open(
            &Input::new(folder.path("")),
            &Default::default(),
            &Context::new(),
        )
        .map(|table| numbers(&table).0)
    };
    for second in ["x;y\n1,5;1\n2,5;2\n", "x;y\n12 %;1\n13 %;2\n"] {
        let error = read(second).unwrap_err();
        assert!(
            said(&error).contains("column \"x\" otherwise"),
            "{}",
            said(&error)
        );
    }
    let plain = read("x;y\n567;1\n89;2\n").unwrap();
    assert_eq!(plain, [1234.0, 1.0, 2345.0, 2.0, 567.0, 1.0, 89.0, 2.0]);
}
