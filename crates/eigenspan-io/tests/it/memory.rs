//! Arrays in memory are tables like those in files: the same numbers, texts, roles and bits of a fit.

use std::sync::Arc;

use eigenspan::solve::{Keep, Solver};
use eigenspan::source::Csr;
use eigenspan::{Context, Error, Mat, MatView, Pca, PcaOptions};
use eigenspan_io::{
    Array, ArrayView, Format, Input, Layout, MemoryRows, MemoryTable, Numbers, Output, ReadOptions,
    Table, TableWriter, open,
};

use super::sparse::{csr_of, dense, read as fixture};
use super::{Folder, names, notes, numbers, options, said};

/// Cells column after column, as Fortran stores them.
#[derive(Debug)]
struct Columns(Vec<f64>, usize, usize);

impl MemoryRows for Columns {
    fn view(&self) -> Result<ArrayView<'_>, Error> {
        let view = MatView::from_cols(&self.0, self.1, self.2)?;
        Ok(ArrayView::F64(Array::Dense(view)))
    }
}

/// Compressed sparse rows.
#[derive(Debug)]
struct Compressed {
    n_cols: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Compressed {
    fn of(cells: &[f64], n_cols: usize) -> Self {
        let csr: Csr<f64> = csr_of(cells, n_cols);
        let (view, n_rows) = (csr.view(), cells.len() / n_cols);
        let mut rows = Compressed {
            n_cols,
            indptr: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        };
        for i in 0..n_rows {
            let (columns, values) = view.row(i);
            rows.indices.extend_from_slice(columns);
            rows.values.extend_from_slice(values);
            rows.indptr.push(rows.values.len());
        }
        rows
    }
}

impl MemoryRows for Compressed {
    fn view(&self) -> Result<ArrayView<'_>, Error> {
        Ok(ArrayView::F64(Array::Sparse {
            n_cols: self.n_cols,
            indptr: &self.indptr,
            indices: &self.indices,
            values: &self.values,
        }))
    }
}

/// Enough rows for several parts; every cell is exact in f32.
fn cells(n: usize, d: usize) -> Mat<f64> {
    Mat::from_fn(n, d, |i, j| {
        let spread = ((i * 7919 + j * 104_729) % 2003) as f64 / 8.0;
        spread + (i % 97) as f64 * (j + 1) as f64
    })
}

fn bits(pca: &Pca) -> Vec<u64> {
    let spectrum = pca.spectrum();
    let values = spectrum.singular_values.iter();
    let numbers = values.chain(spectrum.vectors.as_slice()).chain(pca.mean());
    numbers.map(|x| x.to_bits()).collect()
}

/// The bits of a fit as every front makes it.
fn fit(table: &Table, solver: Solver) -> Vec<u64> {
    let ctx = Context::new();
    let options = PcaOptions {
        n_components: Keep::Count(3),
        solver,
        ..Default::default()
    };
    table.fetch(&ctx).expect("a table that can be read");
    let in_memory = table.in_memory(&ctx);
    let pca = match in_memory.numbers(table) {
        Numbers::F32(source) => options.fit(&ctx, source),
        Numbers::F64(source) => options.fit(&ctx, source),
    };
    bits(&pca.expect("a fit"))
}

fn written(folder: &Folder, name: &str, rows: &Mat<f64>) -> Table {
    let output = Output::Path(folder.path(name));
    let columns = (0..rows.n_cols()).map(|j| format!("c{j}")).collect();
    let layout = Layout {
        numbers: columns,
        ..Layout::default()
    };
    let format = output.format().expect("a known format");
    let mut writer = TableWriter::create::<f64>(&output, format, layout).expect("a writer");
    writer.write(&[], rows.view()).expect("written");
    writer.finish().expect("placed");
    let input = Input::new(folder.path(name));
    open(&input, &ReadOptions::default(), &Context::new())
        .unwrap_or_else(|e| panic!("{}", said(&e)))
}

#[test]
fn the_same_numbers_give_the_same_bits_as_file_and_as_array() {
    let folder = Folder::new();
    let rows = cells(60_000, 6);
    let files = ["t.csv", "t.npy", "t.parquet", "t.arrow"];
    let files = files.map(|name| (name, written(&folder, name, &rows)));
    let array = MemoryTable::new("array", Arc::new(rows));
    let array = array.into_table().expect("a table");
    assert_eq!(array.n_parts(), 2);
    for solver in [
        Solver::Auto,
        Solver::Covariance,
        Solver::Qr,
        Solver::Randomized,
    ] {
        let want = fit(&array, solver);
        for (name, file) in &files {
            assert_eq!(numbers(file), numbers(&array), "{name}");
            assert_eq!(fit(file, solver), want, "{name}, {solver}");
        }
    }
}

#[test]
fn an_array_is_read_where_it_lies() {
    let rows = Arc::new(cells(1000, 3));
    let table = MemoryTable::new("array", rows.clone());
    let table = table.into_table().expect("a table");
    let ctx = Context::new();
    let in_memory = table.in_memory(&ctx);
    let Numbers::F64(source) = in_memory.numbers(&table) else {
        panic!("not f64");
    };
    let block = source.in_memory().expect("an array").block;
    let eigenspan::source::Block::Dense(view) = block else {
        panic!("not dense");
    };
    let first = view.contiguous().map(<[f64]>::as_ptr);
    assert_eq!(first, Some(rows.as_slice().as_ptr()));
    assert_eq!(table.memory(&ctx), 0);
}

#[test]
fn any_strides_and_single_floats_are_read() {
    let rows = cells(50, 4);
    let single = Mat::from_fn(50, 4, |i, j| rows[(i, j)] as f32);
    let columns = (0..4).flat_map(|j| (0..50).map(move |i| (i, j)));
    let columns = Columns(columns.map(|at| rows[at]).collect(), 50, 4);
    let table = |rows: Arc<dyn MemoryRows>| {
        let table = MemoryTable::new("array", rows).into_table();
        table.expect("a table")
    };
    let (rows, columns, single) = (
        table(Arc::new(rows)),
        table(Arc::new(columns)),
        table(Arc::new(single)),
    );
    assert_eq!(numbers(&rows), numbers(&columns));
    assert_eq!(numbers(&rows), numbers(&single));
    assert!(matches!(single.numbers(), Numbers::F32(_)));
    assert_eq!(rows.texts("2").unwrap(), columns.texts("2").unwrap());
    assert_eq!(rows.texts("2").unwrap(), single.texts("2").unwrap());
}

#[test]
fn sparse_rows_stay_sparse_and_give_the_bits_of_a_sparse_file() {
    let cells = dense();
    let table = MemoryTable::new("array", Arc::new(Compressed::of(&cells, 7)));
    let table = table.into_table().expect("a table");
    let file = fixture("csr.npz");
    let Numbers::F64(source) = table.numbers() else {
        panic!("not f64");
    };
    assert_eq!((source.nnz(), source.n_parts()), (Some(638), 2));
    assert_eq!(numbers(&table).0, cells);
    for solver in [Solver::Covariance, Solver::Lanczos, Solver::Full] {
        assert_eq!(fit(&table, solver), fit(&file, solver), "{solver}");
    }
    for column in file.all_columns() {
        let texts = |table: &Table| table.texts(column).expect("a column");
        assert_eq!(texts(&table), texts(&file), "{column}");
    }
}

#[test]
fn texts_weights_and_roles_are_those_of_the_same_table_in_a_file() {
    let texts = |words: [&str; 3]| words.map(str::to_owned).to_vec();
    let mut table = MemoryTable::new("array", Arc::new(cells(3, 2)));
    table.columns = Some(names(&["x", "y"]));
    table.weights = Some(vec![1.0, 2.0, 0.5]);
    table.texts = vec![
        ("who".to_owned(), texts(["a", "b", "c"])),
        ("x".to_owned(), texts(["red", "red", "blue"])),
        ("note".to_owned(), texts(["", "!", "?"])),
    ];
    (table.label, table.id) = (Some("x".to_owned()), Some("who".to_owned()));
    let table = table.into_table().expect("a table");
    assert_eq!((table.name(), table.format()), ("array", Format::Array));
    assert_eq!(table.columns(), ["x", "y"]);
    assert_eq!(table.all_columns(), ["x", "y", "who", "x_2", "note"]);
    assert_eq!(table.label(), Some("x_2"), "{}", notes(&table));
    assert_eq!(
        notes(&table),
        "duplicate column names were renamed: x → x_2"
    );
    assert_eq!(table.id().map(|id| id.name.as_str()), Some("who"));
    assert_eq!(table.texts("x_2").unwrap(), ["red", "red", "blue"]);
    assert_eq!(numbers(&table).1, [1.0, 2.0, 0.5]);
    let aside: Vec<&str> = table.set_aside().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(aside, ["note"]);
    let given = options(|o| o.format = Some(Format::Array));
    let error = super::read_with("a,b\n1,2\n", &given).unwrap_err();
    assert!(said(&error).contains("in memory already"));
}

#[test]
fn what_does_not_fit_an_array_is_refused_with_both_counts() {
    let refused = |change: &dyn Fn(&mut MemoryTable)| {
        let mut table = MemoryTable::new("array", Arc::new(cells(3, 2)));
        change(&mut table);
        said(&table.into_table().expect_err("refused"))
    };
    let two = || vec!["a".to_owned(), "b".to_owned()];
    let text = refused(&|table| table.texts = vec![("who".to_owned(), two())]);
    assert_eq!(text, "error: array: column \"who\" has 2 texts for 3 rows");
    let text = refused(&|table| table.weights = Some(vec![1.0]));
    assert!(text.contains("1 weight given for 3 rows"), "{text}");
    let text = refused(&|table| table.columns = Some(names(&["x"])));
    assert!(text.contains('1') && text.contains('2'), "{text}");
    let text = refused(&|table| table.label = Some("sort".to_owned()));
    assert!(text.contains("no column \"sort\" in array"), "{text}");
    let text = refused(&|table| table.rows = Arc::new(Mat::<f64>::zeros(0, 2)));
    assert_eq!(text, "error: array is empty");
    let text = refused(&|table| {
        let mut rows = Compressed::of(&[1.0, 2.0, 3.0, 4.0], 2);
        rows.indices[3] = 2;
        table.rows = Arc::new(rows);
    });
    assert!(text.contains("row 2 has column 3"), "{text}");
}

/// Rows whose name tells their number: `r7` stands beside 7.
fn numbered(folder: &Folder, n: usize) -> Input {
    let rows = (0..n).map(|i| format!("r{i},{i},{},{}\n", i % 7, i % 11));
    let text: String = std::iter::once("who,x,y,z\n".to_owned())
        .chain(rows)
        .collect();
    Input::new(folder.file("numbered.csv", text))
}

#[test]
fn texts_stand_beside_fetched_numbers_whatever_parts_the_file_has() {
    let folder = Folder::new();
    let several = Input::from_paths([folder.path("numbered.csv"), folder.path("numbered.csv")]);
    let input = numbered(&folder, 200_000);
    let ctx = Context::new();
    for (input, options) in [
        (&input, ReadOptions::default()),
        (&input, options(|o| o.sample = Some(150_000))),
        (&input, options(|o| o.rows = Some((70_001, 190_000)))),
        (&several, options(|o| o.id_column = Some("who".to_owned()))),
    ] {
        let table = open(input, &options, &ctx).unwrap_or_else(|e| panic!("{}", said(&e)));
        let before = (numbers(&table), table.texts("who").expect("texts"));
        table.fetch(&ctx).expect("a readable file");
        assert_eq!(
            before,
            (numbers(&table), table.texts("who").expect("texts"))
        );
        let Numbers::F64(source) = table.numbers() else {
            panic!("not f64");
        };
        assert!(source.in_memory().is_some() && source.n_parts() > 1);
        for part in 0..table.n_parts() {
            let texts = table.part_texts(part, &[0, 1]).expect("texts");
            let read = source.read_part(part, &mut |rows| {
                assert_eq!(rows.first, texts.first);
                let block = rows.block.to_mat();
                assert_eq!(texts.columns[0].len(), block.n_rows());
                for (i, row) in block.rows().enumerate() {
                    assert_eq!(texts.columns[0].get(i), format!("r{}", row[0]));
                    assert_eq!(texts.columns[1].get(i), row[0].to_string());
                }
                Ok(())
            });
            read.expect("memory can be read");
        }
    }
}

#[test]
fn a_small_table_is_in_memory_once_and_a_large_one_is_not_read_to_plan() {
    let folder = Folder::new();
    let ctx = Context::new();
    let rows = cells(1000, 5);
    for name in ["t.csv", "t.npy", "t.parquet", "t.arrow"] {
        let table = written(&folder, name, &rows);
        assert!(table.memory(&ctx) >= 8 * 5000, "{name}");
        table.fetch(&ctx).expect("a readable file");
        assert_eq!(table.memory(&ctx), 8 * 5000, "{name}");
        let kept = written(&folder, name, &rows);
        let tight = ctx.clone().with_memory(64 * 4999);
        kept.fetch_small(&tight).expect("nothing is read");
        let Numbers::F64(source) = kept.numbers() else {
            panic!("not f64");
        };
        assert!(source.in_memory().is_none(), "{name}");
    }
}
