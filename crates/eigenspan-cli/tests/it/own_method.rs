//! A method that takes one file and one line (`crates/eigenspan/tests/toy`) works in the library and in the whole program without other
//! changes. The program with that line is the example `own_method`.

use std::path::{Path, PathBuf};
use std::process::Command;

use eigenspan::method::Training;
use eigenspan::method::registry::{self, Entry};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat};
use eigenspan_io::model::{Model, Origin};
use eigenspan_io::{Input, ReadOptions};
use eigenspan_report::plot::{Drawing, FigureKind, FigureOptions, Medium, Paper, draw};
use eigenspan_report::subject::{Fitting, Rows, Subject};
use eigenspan_report::{Explicit, fit};

use crate::support::{EIGENSPAN, Sandbox, data};
use toy::ToyOptions;

#[path = "../../../eigenspan/tests/toy/mod.rs"]
mod toy;

/// The example, which lies beside the program.
fn program() -> PathBuf {
    let folder = Path::new(EIGENSPAN).parent().expect("a folder");
    folder
        .join("examples")
        .join(format!("own_method{}", std::env::consts::EXE_SUFFIX))
}

/// What the example prints to standard output and to standard error, and its exit code.
pub(crate) fn run(sandbox: &Sandbox, typed: &str) -> (String, String, Option<i32>) {
    let program = program();
    assert!(program.exists(), "{program:?}: built with the tests");
    let run = Command::new(program)
        .args(typed.split(' '))
        .current_dir(sandbox.path(""))
        .output()
        .expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(run.stdout), text(run.stderr), run.status.code())
}

pub(crate) fn done(sandbox: &Sandbox, typed: &str) -> String {
    let (out, err, code) = run(sandbox, typed);
    assert_eq!(code, Some(0), "{typed}: {err}");
    out
}

pub(crate) fn refused(sandbox: &Sandbox, typed: &str) -> String {
    let (_, err, code) = run(sandbox, typed);
    assert_eq!(code, Some(2), "{typed}: {err}");
    err
}

/// The methods of the program without additions, as its messages list them.
pub(crate) fn built_in() -> String {
    let all = registry::all().into_iter().map(|entry| entry.name);
    let own = all.filter(|name| !name.starts_with("toy"));
    own.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_library_fits_saves_loads_transforms_and_draws_it() {
    registry::add(Entry::for_options::<ToyOptions>());
    let ctx = Context::new();
    let table = Mat::from_fn(5, 3, |i, j| (i * (j + 1)) as f64);
    let rows = Dense::new(table.view());
    let entry = registry::find("toy").expect("known");
    assert_eq!(entry.schema()["defaults"]["n_components"], 2);
    let method = entry.from_json(r#"{"n_components": 1}"#).expect("options");
    let training = Training::new(Numbers::F64(&rows));
    assert_eq!(
        method.plan(&ctx, training.rows).expect("a plan").reason,
        "means are one sum"
    );
    let fitted = method.fit(&ctx, &training).expect("a fit");
    let model = Model {
        fitted,
        origin: Origin::default(),
        picture: None,
    };
    let bytes = model.to_bytes().expect("bytes");
    let again = Model::from_bytes(&bytes).expect("the model");
    assert_eq!(again.to_bytes().expect("bytes"), bytes);
    let scores = again.fitted.transform(&ctx, training.rows);
    let expected = Mat::from_fn(5, 1, |i, _| i as f64 - 2.0);
    assert_eq!(
        scores.expect("scores"),
        eigenspan::method::contract::Scores::F64(expected)
    );
    let back = again.fitted.way_back(&ctx, Default::default());
    assert!(matches!(back.err(), Some(Error::NoWayBack { .. })));
    assert!(again.fitted.spectrum().is_none());

    let rows = Rows::file(Input::new(data("iris")), ReadOptions::default());
    let fitting = Fitting::new(Box::new(ToyOptions::default()), Explicit::default());
    let subject = Subject::to_fit(rows, fitting);
    let fit = fit::fit(&ctx, &subject).expect("a fit");
    assert_eq!(fit.fitted.axis_names(), ["T1", "T2"]);
    let options = FigureOptions::new(FigureKind::Scores, Paper::new(Medium::Svg));
    let drawn = draw(&ctx, &subject, &options).expect("drawn");
    let Drawing::Svg(svg) = drawn.drawing else {
        panic!("no SVG");
    };
    assert!(svg.contains("T1") && svg.contains("T2"), "{svg}");
    assert!(!svg.contains("NaN"), "{svg}");
}

#[test]
fn the_program_fits_describes_transforms_and_draws_it() {
    let sandbox = Sandbox::with_tables();
    let help = done(&sandbox, "fit --help");
    assert!(
        help.lines().any(|line| {
            line.trim_start()
                .strip_prefix("toy ")
                .is_some_and(|rest| rest.trim_start() == "The first columns, centered")
        }),
        "{help}"
    );
    let help = done(&sandbox, "fit toy --help");
    assert!(
        help.contains("Columns to keep, from the first on"),
        "{help}"
    );
    let plan = done(&sandbox, "plan toy iris.csv --json");
    assert!(plan.contains("means are one sum"), "{plan}");

    let fit = "fit toy iris.csv -k 2 -m toy.safetensors -o scores.csv";
    let said = done(&sandbox, fit);
    assert!(said.contains("the toy method"), "{said}");
    let scores = sandbox.table("scores.csv");
    assert!((scores.numbers("T1")[0] - (5.1 - 5.843_333_333_333_334)).abs() < 1e-12);
    let again = done(&sandbox, "transform toy.safetensors iris.csv");
    assert_eq!(again, sandbox.text("scores.csv"));

    let described = done(&sandbox, "describe toy.safetensors");
    for words in ["the toy method", "means", fit] {
        assert!(described.contains(words), "{described}");
    }
    let object = done(&sandbox, "describe toy.safetensors --json");
    assert!(object.contains("\"method\": \"toy\"") && !object.contains("residuals"));
    let drawn = done(&sandbox, "plot scores toy.safetensors iris.csv");
    assert!(drawn.contains("T1") && !drawn.contains("NaN"), "{drawn}");
}

#[test]
fn its_report_has_the_parts_that_it_can_fill_and_no_others() {
    let sandbox = Sandbox::with_tables();
    let said = done(&sandbox, "report toy iris.csv -o toy.html");
    assert!(said.contains("2 components were found."), "{said}");
    let page = sandbox.text("toy.html");
    let has = |id: &str| page.contains(&format!("<section id=\"{id}\""));
    for id in [
        "part-scores",
        "part-stability",
        "part-columns",
        "part-computed",
    ] {
        assert!(has(id), "{id}");
    }
    for id in [
        "part-kernel",
        "part-how-many",
        "part-loadings",
        "part-new-rows",
    ] {
        assert!(!has(id), "{id}");
    }
    done(&sandbox, "fit toy iris.csv -m toy.safetensors -q");
    let said = done(&sandbox, "report toy.safetensors iris.csv -o both.html");
    assert!(
        said.contains("toy.safetensors is a model of the toy method"),
        "{said}"
    );
    let page = sandbox.text("both.html");
    let (page, _) = page.split_once("<script").expect("a script");
    assert!(!page.contains("NaN"), "{page}");
}

#[test]
fn what_it_does_not_have_is_refused_by_name() {
    let sandbox = Sandbox::with_tables();
    done(&sandbox, "fit toy iris.csv -m toy.safetensors -o s.csv -q");
    let said = refused(&sandbox, "inverse toy.safetensors s.csv");
    assert!(
        said.contains("the toy method has no way from coordinates back to rows"),
        "{said}"
    );
    let said = refused(&sandbox, "plot scree toy.safetensors");
    assert!(said.contains("scree shows a spectrum, and the toy method has none"));
    assert!(
        said.contains("the toy method is drawn as scores or pairs"),
        "{said}"
    );
    let said = refused(&sandbox, "plot biplot toy.safetensors iris.csv");
    assert!(
        said.contains("biplot shows directions in the columns"),
        "{said}"
    );
    let said = refused(&sandbox, "denoise toy iris.csv --train iris.csv");
    assert!(
        said.contains("denoise knows no method \"toy\"") || said.contains("takes a method"),
        "{said}"
    );
    let said = refused(&sandbox, "fit toy iris.csv -k 9");
    assert!(said.contains("9 components asked for"), "{said}");
    // A program without it says which methods it knows.
    let run = Command::new(EIGENSPAN)
        .args(["describe", "toy.safetensors"])
        .current_dir(sandbox.path(""))
        .output()
        .expect("the program runs");
    let said = String::from_utf8(run.stderr).expect("UTF-8");
    assert!(said.contains("a model of method `toy`"), "{said}");
    assert!(
        said.contains(&format!("(it knows: {})", built_in())),
        "{said}"
    );
}
