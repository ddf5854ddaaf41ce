//! Columns: which are used, which are set aside and why, ids, labels and weights.

use eigenspan_io::Why;

use super::{names, notes, numbers, options, read, read_with, said};

#[test]
fn columns_of_text_dates_and_nothing_are_set_aside_with_a_note() {
    let text = "day,a,colour,gap,b\n2024-01-01,1,red,,2\n2024-01-02,3,red,NA,4\n";
    let table = read(text).unwrap();
    assert_eq!(table.columns(), names(&["a", "b"]));
    let why: Vec<(&str, Why)> = table
        .set_aside()
        .iter()
        .map(|c| (c.name.as_str(), c.why))
        .collect();
    assert_eq!(
        why,
        [
            ("day", Why::Dates),
            ("colour", Why::Text),
            ("gap", Why::Empty)
        ]
    );
    let notes = notes(&table);
    assert!(
        notes.contains("column \"day\" holds dates: set aside"),
        "{notes}"
    );
    assert!(
        notes.contains("column \"gap\" is empty: set aside"),
        "{notes}"
    );
    assert!(
        notes.contains("colour is text: set aside (to keep it in the scores file: --keep colour;"),
        "{notes}"
    );
    assert!(notes.contains("--one-hot"), "{notes}");
}

#[test]
fn a_first_column_of_distinct_texts_is_the_id() {
    let table = read("country,x,y\nWales,1,2\nEngland,3,4\n").unwrap();
    let id = table.id().unwrap();
    assert_eq!((id.name.as_str(), id.guessed), ("country", true));
    assert!(notes(&table).contains("id: country"));
    assert!(table.set_aside().is_empty());
    let table = read("country,x,y\nWales,1,2\nWales,3,4\n").unwrap();
    assert!(table.id().is_none());
    let given = options(|o| o.id_column = Some("x".to_owned()));
    let table = read_with("country,x,y\nWales,1,2\nWales,3,4\n", &given).unwrap();
    assert_eq!(table.id().map(|id| id.guessed), Some(false));
    assert_eq!(table.columns(), names(&["y"]));
    assert_eq!(table.texts("x").unwrap(), ["1", "3"]);
}

#[test]
fn labels_and_weights_are_not_analyzed() {
    let given = options(|o| {
        o.label_column = Some("target".to_owned());
        o.weight_column = Some("2".to_owned());
    });
    let table = read_with("a,w,b,target\n1,0.5,2,0\n3,2,4,1\n", &given).unwrap();
    assert_eq!(table.columns(), names(&["a", "b"]));
    assert_eq!(table.label(), Some("target"));
    assert_eq!(table.weight(), Some("w"));
    assert_eq!(numbers(&table), (vec![1.0, 2.0, 3.0, 4.0], vec![0.5, 2.0]));
    assert_eq!(table.texts("target").unwrap(), ["0", "1"]);
    let error = read_with(
        "a,w\n1,x\n2,y\n",
        &options(|o| o.weight_column = Some("w".to_owned())),
    );
    assert!(said(&error.unwrap_err()).contains("column \"w\" is text"));
}

#[test]
fn a_column_that_is_not_there_is_answered_with_the_nearest() {
    let given = options(|o| o.label_column = Some("targt".to_owned()));
    let said_label = said(&read_with("a,target\n1,2\n", &given).unwrap_err());
    assert!(
        said_label.contains("no column \"targt\" in "),
        "{said_label}"
    );
    assert!(
        said_label.contains("columns like it: target"),
        "{said_label}"
    );
    let given = options(|o| o.columns = names(&["q*"]));
    assert!(said(&read_with("a,b\n1,2\n", &given).unwrap_err()).contains("columns: a, b"));
}

#[test]
fn text_in_a_column_that_is_left_out_does_not_matter() {
    let text = "a,b,c\n1,x,2\n3,4,5\n";
    assert!(read(text).is_err());
    let table = read_with(text, &options(|o| o.exclude = names(&["b"]))).unwrap();
    assert_eq!(table.columns(), names(&["a", "c"]));
    let table = read_with(text, &options(|o| o.columns = names(&["a", "3"]))).unwrap();
    assert_eq!(numbers(&table).0, [1.0, 2.0, 3.0, 5.0]);
    let asked = options(|o| o.columns = names(&["a", "b"]));
    let error = read_with("a,b\n1,x\n2,y\n", &asked).unwrap_err();
    assert!(said(&error).contains("column \"b\" is text (line 2: \"x\")"));
}

#[test]
fn names_that_occur_twice_are_renamed_with_a_note() {
    let table = read("a,a,a_2,,a\n1,2,3,4,5\n5,6,7,8,9\n").unwrap();
    assert_eq!(table.columns(), names(&["a", "a_3", "a_2", "4", "a_4"]));
    assert!(notes(&table).contains("duplicate column names were renamed"));
}

#[test]
fn integers_beyond_two_to_the_53_are_noted() {
    let table = read("a,b\n9007199254740993,1\n2,3\n").unwrap();
    assert!(notes(&table).contains("2^53"), "{}", notes(&table));
}

#[test]
fn texts_stand_beside_the_rows_of_their_part() {
    let mut text = String::from("name,x\n");
    for i in 0..400_000 {
        text += &format!("n{i},{i}\n");
    }
    let table = read(text).unwrap();
    assert!(table.n_parts() > 1);
    let name = table.column_index("name").unwrap();
    for part in 0..table.n_parts() {
        let texts = table.part_texts(part, &[name, name]).unwrap();
        assert_eq!(texts.columns[0].get(0), format!("n{}", texts.first));
        assert_eq!(texts.columns[0], texts.columns[1]);
    }
}

#[test]
fn rows_outside_those_asked_for_are_not_looked_at() {
    let text = "a,b\n\"x\ny\",y\n1,2\n\n3,4\n5,6\nTotal,12\n";
    let rows = |first, last| options(|o| o.rows = Some((first, last)));
    let table = read_with(text, &rows(2, 4)).unwrap();
    assert_eq!(numbers(&table).0, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(table.texts("a").unwrap(), ["1", "3", "5"]);
    let error = said(&read_with(text, &rows(2, 99)).unwrap_err());
    assert!(error.contains("line 8, column \"a\": \"Total\""), "{error}");
    let error = said(&read_with(text, &rows(9, 10)).unwrap_err());
    assert!(error.contains("has 5 rows, so it has no row 9"), "{error}");
    let error = said(&read_with(text, &rows(0, 10)).unwrap_err());
    assert!(error.contains("rows = \"0:10\" cannot be"), "{error}");
}
