//! A method with coordinates for its training rows alone (`crates/eigenspan/tests/toy/places.rs`) goes through the whole program: a fit
//! writes them, figures and reports show them, and new rows are refused.

use crate::own_method::{done, refused};
use crate::support::Sandbox;

/// Four rows with names, of which one has a missing cell.
const HOLED: &str = "name,a,b\nann,1,3\nbob,,5\ncid,2,2\ndot,9,1\n";

fn holed() -> Sandbox {
    let sandbox = Sandbox::with_tables();
    sandbox.write("holed.csv", HOLED);
    sandbox
}

#[test]
fn a_fit_writes_its_coordinates_and_says_which_rows_have_none() {
    let sandbox = holed();
    let fit = "fit toy-places holed.csv --id-column name --missing drop -m m.safetensors -o s.csv";
    let said = done(&sandbox, fit);
    assert!(said.contains("the toy of places"), "{said}");
    assert_eq!(
        sandbox.text("s.csv"),
        "name,P1,P2\nann,2.0,2.0\nbob,NaN,NaN\ncid,2.0,0.0\ndot,5.0,8.0\n"
    );
    // Many parts: the coordinates of each row stand in its line.
    let lines: String = (0..60_000)
        .map(|i| match i % 7 {
            3 => format!("r{i},,1\n"),
            _ => format!("r{i},{i},{}\n", i + 2),
        })
        .collect();
    sandbox.write("long.csv", format!("id,a,b\n{lines}"));
    let fit = "fit toy-places long.csv --id-column id --missing drop -o long-s.csv -q";
    done(&sandbox, fit);
    let written = sandbox.text("long-s.csv");
    for (i, line) in written.lines().skip(1).enumerate() {
        let expected = match i % 7 {
            3 => format!("r{i},NaN,NaN"),
            _ => format!("r{i},{}.0,2.0", i + 1),
        };
        assert_eq!(line, expected);
    }
}

#[test]
fn its_report_and_its_figures_show_the_rows_that_were_kept() {
    let sandbox = holed();
    let report = "report toy-places holed.csv --id-column name --missing drop -o holed.html -m m.safetensors";
    let said = done(&sandbox, report);
    assert!(said.contains("2 components were found."), "{said}");
    let page = sandbox.text("holed.html");
    assert!(page.contains("<section id=\"part-scores\"") && page.contains("dot"));
    let (page, _) = page.split_once("<script").expect("a script");
    assert!(!page.contains("NaN"), "{page}");
    let report = "report toy-places iris.csv -o iris.html";
    let said = done(&sandbox, report);
    let why = "not known: the method has coordinates only for the rows that it was fitted to";
    assert!(said.replace("\n   ", " ").contains(why), "{said}");

    // The model alone has the coordinates of its rows; data give them names and colors.
    let said = done(&sandbox, "report m.safetensors -o model.html");
    assert!(said.contains("a model of the toy of places"), "{said}");
    assert!(
        sandbox
            .text("model.html")
            .contains("<section id=\"part-scores\"")
    );
    let drawn = done(&sandbox, "plot scores m.safetensors -o -");
    assert!(drawn.contains("P1") && !drawn.contains("NaN"), "{drawn}");
    let drawn = done(
        &sandbox,
        "plot scores m.safetensors holed.csv --id-column name -o -",
    );
    assert!(drawn.contains("dot") && !drawn.contains("bob"), "{drawn}");
}

#[test]
fn rows_that_it_was_not_fitted_to_are_refused() {
    let sandbox = holed();
    done(&sandbox, "fit toy-places iris.csv -m m.safetensors -q");
    let said = refused(&sandbox, "transform m.safetensors iris.csv");
    let none =
        "the toy of places has coordinates only for the rows it was fitted to, not for new rows";
    assert!(said.contains(none), "{said}");
    let said = refused(&sandbox, "report m.safetensors iris.csv -o new.html");
    assert!(said.contains(none), "{said}");
    sandbox.write(
        "few.csv",
        "sepal_length,sepal_width,petal_length,petal_width\n1,2,3,4\n",
    );
    let said = refused(&sandbox, "plot scores m.safetensors few.csv");
    assert!(
        said.contains(
            "1 row given, but the toy of places has coordinates for the 150 rows it was fitted to alone"
        ),
        "{said}"
    );
    let said = refused(&sandbox, "plot loadings m.safetensors");
    assert!(
        said.contains("loadings shows directions in the columns, and the toy of places has none"),
        "{said}"
    );
    let said = refused(&sandbox, "fit toy-places holed.csv -m h.safetensors");
    assert!(said.contains("missing"), "{said}");
}

#[test]
fn a_figure_of_given_rows_says_whose_coordinates_it_shows() {
    let sandbox = Sandbox::with_tables();
    done(&sandbox, "fit toy-places iris.csv -m m.safetensors -q");
    let (_, said, _) = crate::own_method::run(&sandbox, "plot scores m.safetensors iris.csv");
    assert!(
        said.contains("the toy of places has coordinates only for the rows it was fitted to: iris.csv is taken for these rows, in the same order"),
        "{said}"
    );
}

#[test]
fn a_comparison_of_accuracies_needs_new_rows() {
    let sandbox = Sandbox::with_tables();
    let said = refused(
        &sandbox,
        "evaluate iris.csv --label-column species --after none,toy-places",
    );
    assert!(said.contains("the toy of places"), "{said}");
}
