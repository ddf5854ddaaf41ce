//! Tables in another shape than their file: a sample of the rows, turned around, texts as columns of 0 and 1.

use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Input, Numbers, ReadOptions, Table, open};

use super::{Folder, beside, names, notes, numbers, options, read_with, repository, said};

fn variances(table: &Table) -> Vec<f64> {
    let fit = match table.numbers() {
        Numbers::F32(source) => PcaOptions::default().fit(&Context::new(), source),
        Numbers::F64(source) => PcaOptions::default().fit(&Context::new(), source),
    };
    fit.unwrap().explained_variance().to_vec()
}

fn counting(n: usize) -> String {
    let lines: String = (0..n).map(|i| format!("r{i},{i},{}\n", i * 2)).collect();
    format!("name,a,b\n{lines}")
}

#[test]
fn a_sample_has_whole_rows_in_their_order_with_their_texts() {
    // Large enough for several parts.
    let text = counting(400_000);
    let sample = |seed| {
        let given = options(|o| (o.sample, o.seed) = (Some(1_000), seed));
        read_with(&text, &given).unwrap()
    };
    let table = sample(1);
    assert!(table.n_parts() > 1 && table.n_rows() == 1_000);
    let cells = numbers(&table).0;
    let rows: Vec<f64> = cells.iter().copied().step_by(2).collect();
    assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(cells.chunks(2).all(|row| row[1] == 2.0 * row[0]));
    let texts = table.texts("name").unwrap();
    let named: Vec<String> = rows.iter().map(|x| format!("r{x}")).collect();
    assert_eq!(texts, named);
    assert!(notes(&table).contains("a random sample of 1,000 of 400,000 rows (seed 1)"));
    assert_eq!(numbers(&sample(1)), numbers(&table));
    assert_ne!(numbers(&sample(2)), numbers(&table));
    // Half of the rows lie in each half of the table, give or take.
    let below = rows.iter().filter(|x| **x < 200_000.0).count();
    assert!((400..600).contains(&below), "{below}");
}

#[test]
fn a_sample_of_more_rows_than_there_are_is_all_of_them_and_of_none_is_refused() {
    let table = read_with(counting(5), &options(|o| o.sample = Some(9))).unwrap();
    assert_eq!(table.n_rows(), 5);
    assert!(notes(&table).contains("all 5 rows are used"));
    let error = read_with(counting(5), &options(|o| o.sample = Some(0))).unwrap_err();
    assert!(said(&error).contains("sample = \"0\" cannot be"));
    // The sample is taken of the rows that are asked for.
    let both = options(|o| (o.sample, o.rows) = (Some(2), Some((4, 5))));
    let table = read_with(counting(5), &both).unwrap();
    assert_eq!(numbers(&table).0, [3.0, 6.0, 4.0, 8.0]);
}

#[test]
fn missing_cells_outside_the_sample_do_not_matter() {
    let text = "a,b\n1,2\n3,4\n5,6\nNA,8\n";
    let rows = options(|o| (o.rows, o.sample) = (Some((1, 3)), Some(2)));
    assert!(read_with(text, &rows).unwrap().missing().is_none());
}

#[test]
fn foods_by_country_turned_around_are_countries_by_food() {
    let around = options(|o| o.transpose = true);
    let plain = repository("data/uk-foods/uk-foods.csv");
    let plain = open(&Input::new(plain), &ReadOptions::default(), &Context::new()).unwrap();
    // The table as its authors store it: made from ours, and their own.
    let mut text = format!("food,{}\n", plain.texts("country").unwrap().join(","));
    for food in plain.columns() {
        text += &format!("{food},{}\n", plain.texts(food).unwrap().join(","));
    }
    let stored = repository("crates/eigenspan-io/tests/data/foods_by_country.csv");
    let stored = open(&Input::new(stored), &around, &Context::new()).unwrap();
    for table in [read_with(&text, &around).unwrap(), stored] {
        assert_eq!(table.columns(), plain.columns());
        assert_eq!(numbers(&table), numbers(&plain));
        assert_eq!(variances(&table), variances(&plain));
        let id = table.id().unwrap().name.clone();
        let countries = plain.texts("country").unwrap();
        assert_eq!(table.texts(&id).unwrap(), countries);
        assert_eq!(table.texts("Fish").unwrap(), plain.texts("Fish").unwrap());
    }
}

#[test]
fn columns_weights_and_rows_of_a_turned_table_are_its_own() {
    let text = "gene,c1,c2,c3\ng1,1,2,3\ng2,4,5,6\nw,1,2,1\n";
    let given = options(|o| {
        o.transpose = true;
        o.weight_column = Some("w".to_owned());
        o.rows = Some((2, 3));
        o.exclude = names(&["g1"]);
    });
    let table = read_with(text, &given).unwrap();
    assert_eq!(table.columns(), names(&["g2"]));
    assert_eq!(numbers(&table), (vec![5.0, 6.0], vec![2.0, 1.0]));
    assert_eq!(table.texts("id").unwrap(), ["c2", "c3"]);
    let error = read_with(
        text,
        &options(|o| {
            o.transpose = true;
            o.columns = names(&["g7"]);
        }),
    );
    assert!(said(&error.unwrap_err()).contains("no column \"g7\""));
}

#[test]
fn arrays_and_texts_without_names_are_turned_around_too() {
    let around = options(|o| (o.transpose, o.header) = (true, Some(false)));
    let table = read_with("1,2,3\n4,5,6\n", &around).unwrap();
    assert_eq!(numbers(&table).0, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(
        (table.n_rows(), table.id(), table.has_header()),
        (3, None, false)
    );
    let folder = Folder::new();
    let mut bytes = b"\x93NUMPY\x01\x00\x46\x00".to_vec();
    let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    bytes.extend(format!("{head:<69}\n").as_bytes());
    bytes.extend((1..=6).flat_map(|x| (x as f32).to_le_bytes()));
    let path = folder.file("t.npy", bytes);
    let table = open(&Input::new(path), &around, &Context::new()).unwrap();
    assert!(matches!(table.numbers(), Numbers::F32(_)));
    assert_eq!(numbers(&table).0, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

#[test]
fn a_table_too_large_to_be_turned_around_is_refused_with_both_sizes() {
    let folder = Folder::new();
    let path = folder.file("t.csv", counting(5_000));
    let around = options(|o| o.transpose = true);
    let ctx = Context::new().with_memory(1_000);
    let error = said(&open(&Input::new(path), &around, &ctx).unwrap_err());
    assert!(
        error.contains("needs 80 kB, but only 1.0 kB may be used"),
        "{error}"
    );
    assert!(
        error.contains("t.csv: turning it around (transpose)"),
        "{error}"
    );
}

#[test]
fn genes_by_cells_are_turned_into_cells_by_genes() {
    let Some(path) = beside("data/sc_mixology/sc_celseq2_5cl_p1.count.csv.gz") else {
        return;
    };
    let open = |options: &ReadOptions| open(&Input::new(&path), options, &Context::new()).unwrap();
    let (plain, turned) = (
        open(&ReadOptions::default()),
        open(&options(|o| o.transpose = true)),
    );
    assert_eq!(turned.n_rows(), plain.columns().len());
    assert_eq!(turned.columns().len(), plain.n_rows());
    assert!(turned.columns()[0].starts_with("ENSG"));
    assert_eq!(turned.texts("id").unwrap(), plain.columns());
    let (a, b) = (numbers(&plain).0, numbers(&turned).0);
    let (n, d) = (plain.n_rows(), plain.columns().len());
    let same = |i: usize, j: usize| a[i * d + j] == b[j * n + i];
    assert!((0..n).step_by(97).all(|i| (0..d).all(|j| same(i, j))));
}

#[test]
fn texts_become_columns_of_zero_and_one() {
    let text = "kind,x,place\nb,1,here\na,2,\nb,3,there\n";
    let table = read_with(text, &options(|o| o.one_hot = true)).unwrap();
    assert_eq!(
        table.columns(),
        names(&["x", "kind=a", "kind=b", "place=here", "place=there"])
    );
    #[rustfmt::skip]
    assert_eq!(numbers(&table).0, [
        1.0, 0.0, 1.0, 1.0, 0.0,
        2.0, 1.0, 0.0, 0.0, 0.0,
        3.0, 0.0, 1.0, 0.0, 1.0,
    ]);
    let said = notes(&table);
    assert!(
        said.contains("place: 1 text missing, 0 in all its columns"),
        "{said}"
    );
    assert!(!said.contains("set aside"), "{said}");
    // Asked for by name, also.
    let chosen = options(|o| (o.one_hot, o.columns) = (true, names(&["x", "kind"])));
    let table = read_with(text, &chosen).unwrap();
    assert_eq!(table.columns(), names(&["x", "kind=a", "kind=b"]));
    // A table of nothing but text.
    let table = read_with("k,l\na,u\nb,u\na,v\n", &options(|o| o.one_hot = true)).unwrap();
    assert_eq!(table.n_rows(), 3);
    assert_eq!(numbers(&table).0[..4], [1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn too_many_texts_are_set_aside_with_a_note() {
    let lines: String = (0..300).map(|i| format!("{i},t{}\n", i % 101)).collect();
    let hot = options(|o| o.one_hot = true);
    let table = read_with(format!("x,t\n{lines}"), &hot).unwrap();
    assert_eq!(table.columns(), names(&["x"]));
    assert!(notes(&table).contains("t has more than 100 different texts"));
}

#[test]
fn new_data_get_the_columns_that_a_model_knows() {
    let model = options(|o| {
        o.one_hot_columns = names(&["kind=a", "kind=b", "kind=c=d"]);
    });
    // All texts differ, so that they could be names of the rows; the model knows better.
    let table = read_with("kind,x\nb,1\nz,2\nc=d,3\n", &model).unwrap();
    assert_eq!(
        table.columns(),
        names(&["x", "kind=a", "kind=b", "kind=c=d"])
    );
    #[rustfmt::skip]
    assert_eq!(numbers(&table).0, [
        1.0, 0.0, 1.0, 0.0,
        2.0, 0.0, 0.0, 0.0,
        3.0, 0.0, 0.0, 1.0,
    ]);
    let said = notes(&table);
    assert!(
        said.contains("kind: 1 text the model has not seen (z)"),
        "{said}"
    );
}

#[test]
fn texts_of_several_files_have_one_set_of_columns() {
    let folder = Folder::new();
    let a = folder.file("a.csv", "kind,x\nb,1\nb,2\n");
    let b = folder.file("b.csv", "kind,x\na,3\nb,4\n");
    let hot = options(|o| o.one_hot = true);
    let table = open(&Input::from_paths([a, b]), &hot, &Context::new()).unwrap();
    assert_eq!(table.columns(), names(&["x", "kind=a", "kind=b"]));
    assert_eq!(numbers(&table).0[6..9], [3.0, 1.0, 0.0]);
}
