//! Fits, figures and reports of subjects: whatever rows come from, and wherever a model is, the values are the same.

use std::path::PathBuf;
use std::sync::Arc;

use eigenspan::prepare::Scale;
use eigenspan::{Context, Error, Mat, on_numbers};
use eigenspan_io::model::Model;
use eigenspan_io::{Array, ArrayView, Input, MemoryRows, MemoryTable, ReadOptions, Table, open};
use eigenspan_report::analysis::AnalysisOptions;
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::plot::{Drawing, FigureKind, FigureOptions, Medium, Paper, draw};
use eigenspan_report::report::{Report, report};
use eigenspan_report::results::FitFiles;
use eigenspan_report::subject::{ModelFrom, Rows, Subject};
use eigenspan_report::{Command, Front};

use crate::tables::{data, fit};

fn iris() -> PathBuf {
    data("iris/iris.csv")
}

fn opened() -> Table {
    open(
        &Input::new(iris()),
        &ReadOptions::default(),
        &Context::new(),
    )
    .expect("iris")
}

/// The cells of a table.
fn cells(table: &Table) -> Mat<f64> {
    let d = table.columns().len();
    let mut cells = Vec::new();
    on_numbers!(table.numbers(), source => {
        for part in 0..source.n_parts() {
            let read = source.read_part(part, &mut |rows| {
                let from = cells.len();
                cells.resize(from + rows.block.n_rows() * d, 0.0);
                rows.block.copy_to_f64(&mut cells[from..]);
                Ok(())
            });
            read.expect("rows");
        }
    });
    Mat::from_vec(table.n_rows(), d, cells).expect("whole rows")
}

/// Rows in memory with the columns and the species of iris.
fn in_memory(rows: Arc<dyn MemoryRows>) -> Rows {
    let table = opened();
    let mut memory = MemoryTable::new(table.name(), rows);
    memory.columns = Some(table.columns().to_vec());
    let species = table.texts("species").expect("species");
    memory.texts = vec![("species".to_owned(), species)];
    Rows::table(Arc::new(memory.into_table().expect("a table")))
}

/// Compressed sparse rows.
#[derive(Debug)]
struct Csr {
    n_cols: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Csr {
    fn new(rows: &Mat<f64>) -> Self {
        let mut csr = Csr {
            n_cols: rows.n_cols(),
            indptr: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        };
        for row in rows.rows() {
            let filled = row.iter().zip(0..).filter(|(x, _)| **x != 0.0);
            for (x, j) in filled {
                csr.indices.push(j);
                csr.values.push(*x);
            }
            csr.indptr.push(csr.values.len());
        }
        csr
    }
}

impl MemoryRows for Csr {
    fn view(&self) -> Result<ArrayView<'_>, Error> {
        Ok(ArrayView::F64(Array::Sparse {
            n_cols: self.n_cols,
            indptr: &self.indptr,
            indices: &self.indices,
            values: &self.values,
        }))
    }
}

fn with_rows(rows: Rows) -> Subject {
    Subject {
        rows: Some(rows),
        ..fit(&iris(), None, Scale::Std)
    }
}

fn svg(subject: &Subject, kind: FigureKind) -> String {
    let look = FigureOptions::new(kind, Paper::new(Medium::Svg));
    match draw(&Context::new(), subject, &look)
        .expect("drawn")
        .drawing
    {
        Drawing::Svg(svg) => svg,
        other => panic!("{other:?}"),
    }
}

fn reported(subject: &Subject) -> Report {
    report(
        &Context::new(),
        subject,
        &AnalysisOptions::default(),
        &Front::Terminal {
            command: Some(Command {
                line: "repeat".to_owned(),
                options: Vec::new(),
            }),
        },
    )
    .expect("a report")
}

#[test]
fn a_file_an_open_table_and_an_array_give_the_same_figures() {
    let file = fit(&iris(), None, Scale::Std);
    let table = with_rows(Rows::table(Arc::new(opened())));
    let array = with_rows(in_memory(Arc::new(cells(&opened()))));
    for (kind, name, _) in FigureKind::ALL {
        if kind == FigureKind::Pictures {
            continue;
        }
        let drawn = svg(&file, kind);
        assert_eq!(drawn, svg(&table, kind), "{name}");
        assert_eq!(drawn, svg(&array, kind), "{name}");
    }
}

#[test]
fn an_open_table_gives_the_report_of_its_file() {
    let file = reported(&fit(&iris(), None, Scale::Std));
    let table = reported(&with_rows(Rows::table(Arc::new(opened()))));
    assert_eq!(file.html(), table.html());
    let written = |report: &Report| -> Vec<(&'static str, Vec<String>, Mat<f64>)> {
        let tables = report.tables().into_iter();
        tables.map(|t| (t.file, t.names, t.numbers)).collect()
    };
    assert_eq!(written(&file), written(&table));
}

#[test]
fn an_array_and_its_sparse_rows_give_the_answers_of_their_file() {
    let answers = |subject: &Subject| -> Vec<String> {
        let page = reported(subject).page;
        let answers = page.answers.iter().map(|answer| answer.text.plain());
        // The last speaks of the file and its format.
        std::iter::once(page.headline.plain())
            .chain(answers.take(3))
            .collect()
    };
    let file = answers(&fit(&iris(), None, Scale::Std));
    let rows = cells(&opened());
    assert_eq!(
        file,
        answers(&with_rows(in_memory(Arc::new(Csr::new(&rows)))))
    );
    assert_eq!(file, answers(&with_rows(in_memory(Arc::new(rows)))));
}

#[test]
fn a_model_in_memory_gives_the_figures_of_its_file() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("subjects.safetensors");
    let done = job::fit(
        &Context::new(),
        &FitJob {
            subject: fit(&iris(), Some(3), Scale::Std),
            files: FitFiles {
                model: Some(path.clone()),
                ..FitFiles::default()
            },
        },
    );
    let name = path.display().to_string();
    assert_eq!(done.expect("a fit").outputs, std::slice::from_ref(&name));
    let rows = Some(Rows::file(Input::new(iris()), ReadOptions::default()));
    let model = Model::load(&path).expect("a model");
    let file = Subject {
        rows: rows.clone(),
        model: ModelFrom::File(path),
    };
    let memory = Subject {
        rows,
        model: ModelFrom::Memory {
            columns: None,
            name,
            fitted: Arc::from(model.fitted),
            picture: None,
        },
    };
    for kind in [FigureKind::Scree, FigureKind::Biplot, FigureKind::Outliers] {
        assert_eq!(svg(&file, kind), svg(&memory, kind), "{}", kind.name());
    }
}

#[test]
fn a_fit_takes_rows_and_no_model_of_before() {
    let subject = Subject {
        rows: None,
        ..fit(&iris(), None, Scale::Std)
    };
    let error = eigenspan_report::fit::fit(&Context::new(), &subject);
    assert_eq!(
        error.expect_err("refused").to_string(),
        "a fit takes rows, and no model that was fitted before"
    );
}
