//! Isomap in the program: places, new rows, what is said of the map, and what is refused before anything is written.

use serde_json::Value;

use crate::support::Sandbox;

fn words(typed: &str) -> Vec<&str> {
    typed.split_whitespace().collect()
}

/// A rolled sheet of `data`, in a sandbox.
fn with_roll() -> Sandbox {
    let sandbox = Sandbox::new();
    let data = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../data/swiss-roll/swiss-roll.csv"
    );
    let text = std::fs::read_to_string(data).expect("the roll");
    let some: Vec<&str> = text.lines().take(401).collect();
    sandbox.write("roll.csv", some.join("\n"));
    sandbox
}

fn numbers(text: &str) -> Vec<f64> {
    let cells = text.lines().skip(1).flat_map(|line| line.split(','));
    cells.map(|x| x.parse().expect("a number")).collect()
}

#[test]
fn rows_are_placed_and_new_rows_among_them() {
    let sandbox = with_roll();
    let run = sandbox.done(&words(
        "fit isomap roll.csv -k 2 --neighbors 10 --exclude along -m m.safetensors -o places.csv",
    ));
    for said in [
        "Isomap, 10 neighbors",
        "ISO1",
        "residual variance 0.",
        "for 1 and 2 dimensions: 1 − R² of geodesics and distances in the map",
        "the graph of neighbors is in one piece",
        "every residual ‖Bu − λu‖ ÷ λ is at most ",
    ] {
        assert!(run.out.contains(said), "{said}: {}", run.out);
    }
    let places = sandbox.text("places.csv");
    assert!(places.starts_with("ISO1,ISO2\n"), "{places}");
    sandbox.done(&words("transform m.safetensors roll.csv -o again.csv"));
    let again = sandbox.text("again.csv");
    for (a, b) in numbers(&places).iter().zip(numbers(&again)) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    for typed in [
        "describe m.safetensors",
        "report m.safetensors -o m.html",
        "report m.safetensors roll.csv -o both.html",
        "plot scores m.safetensors roll.csv --color-by along -o -",
        "plot scree m.safetensors -o -",
        "plan isomap roll.csv",
    ] {
        let run = sandbox.done(&words(typed));
        assert!(!run.out.contains("NaN"), "{typed}: {}", run.out);
    }
    let run = sandbox.done(&words(
        "fit isomap roll.csv -k 3 --landmarks 50 --exclude along --json",
    ));
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    let left = json["residual_variance"].as_array().expect("a list");
    assert_eq!(left.len(), 3);
    assert!(left[0].as_f64() > left[1].as_f64());
    assert!(json["reconstruction_error"].as_f64().is_some());
}

#[test]
fn a_graph_in_pieces_is_joined_with_a_note_or_refused() {
    let sandbox = Sandbox::with_tables();
    let run = sandbox.done(&words(
        "fit isomap iris.csv --label-column species --neighbors 5 -o places.csv",
    ));
    for said in [
        "the neighbor graph was in 2 pieces of 100 and 50 rows: 1 link was added",
        "--n-neighbors 10",
    ] {
        assert!(run.err.contains(said), "{said}: {}", run.err);
    }
    let run = sandbox.refused(&words(
        "fit isomap iris.csv --label-column species --neighbors 5 --pieces refuse -o other.csv",
    ));
    assert!(run.err.contains("--pieces join"), "{}", run.err);
    assert!(!sandbox.path("other.csv").exists());
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_written() {
    let sandbox = Sandbox::with_tables();
    sandbox.write("zero.csv", "a,b\n1,2\n0,0\n3,1\n2,2\n");
    sandbox.write("holes.csv", "a,b\n1,2\n,1\n3,1\n2,2\n");
    for (typed, said) in [
        (
            "fit isomap foods.csv --id-column country --neighbors 4 -o x.csv",
            "n_neighbors = 4 does not fit: 4 rows have 1 to 3 neighbors each, all other rows",
        ),
        (
            "fit isomap zero.csv --metric cosine --neighbors 2 -o x.csv",
            "is all zeros, so it has no cosine distance to other rows",
        ),
        ("fit isomap holes.csv --neighbors 2 -o x.csv", "missing"),
        (
            "fit isomap foods.csv --id-column country --neighbors 2 --landmarks 9 -o x.csv",
            "a whole number from 2 to the number of rows",
        ),
        (
            "fit isomap foods.csv --id-column country --neighbors 2 -k 5 -o x.csv",
            "5 components asked for, but 4 rows allow at most 4",
        ),
    ] {
        let run = sandbox.refused(&words(typed));
        assert!(run.err.contains(said), "{typed}: {}", run.err);
        assert!(!sandbox.path("x.csv").exists(), "{typed}");
    }
}
