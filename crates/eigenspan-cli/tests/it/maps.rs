//! Random projection, selection of columns and multidimensional scaling through the program: what is printed, written and refused.

use crate::support::Sandbox;

fn done(sandbox: &Sandbox, typed: &str) -> String {
    let run = sandbox.done(&typed.split(' ').collect::<Vec<_>>());
    run.out
}

fn refused(sandbox: &Sandbox, typed: &str) -> String {
    let run = sandbox.refused(&typed.split(' ').collect::<Vec<_>>());
    run.err
}

#[test]
fn a_selection_shows_every_column_and_its_model_hands_out_the_kept_ones() {
    let sandbox = Sandbox::with_tables();
    let typed =
        "select iris.csv --label-column species --by anova -k 2 -m m.safetensors -o chosen.csv";
    let said = done(&sandbox, typed);
    for words in [
        "columns selected by anova",
        " petal_length         1180  kept",
        " sepal_width         49.16  dropped",
        "others come first",
        " 2 of 4 columns explain ",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let written = sandbox.text("chosen.csv");
    assert!(
        written.starts_with("species,petal_length,petal_width\nsetosa,1.4,0.2\n"),
        "{written}"
    );
    let typed = "fit select iris.csv --label-column species --by anova -k 2 -o again.csv -q";
    done(&sandbox, typed);
    assert_eq!(sandbox.text("again.csv"), written);
    let typed = "transform m.safetensors iris.csv --label-column species";
    assert_eq!(done(&sandbox, typed), written);
    let said = done(&sandbox, "describe m.safetensors");
    assert!(
        said.contains("kept      2 of 4 columns: petal_length, petal_width"),
        "{said}"
    );
    let said = done(
        &sandbox,
        "select wine.csv --exclude target --by correlation --threshold 0.8 -k all",
    );
    assert!(said.contains("r = 0.865 with flavanoids"), "{said}");
    let object = done(&sandbox, "select iris.csv --exclude species -k 2 --json");
    assert!(object.contains("\"share_lost\"") && object.contains("\"by\": \"principal-features\""));
    let said = done(
        &sandbox,
        "report select iris.csv --exclude species -k 2 -o r.html",
    );
    assert!(said.contains("2 components were found."), "{said}");
    let page = sandbox.text("r.html");
    let (page, _) = page.split_once("<script").expect("a script");
    assert!(!page.contains("NaN") && !page.contains("mixture of columns"));
}

#[test]
fn what_cannot_be_selected_is_refused_with_what_can() {
    let sandbox = Sandbox::with_tables();
    let said = refused(
        &sandbox,
        "select iris.csv --exclude species --by anova -k 2 -o x.csv",
    );
    assert!(
        said.contains("anova learns from classes, and these rows have no labels"),
        "{said}"
    );
    assert!(
        said.contains("--label-column COLUMN names the column"),
        "{said}"
    );
    assert!(!sandbox.path("x.csv").exists());
    let said = refused(&sandbox, "select iris.csv --by best");
    assert!(said.contains("principal-features"), "{said}");
    let said = refused(&sandbox, "select iris.csv -k 9");
    assert!(said.contains("9 components asked for"), "{said}");
}

#[test]
fn a_random_projection_says_how_far_distances_change() {
    let sandbox = Sandbox::with_tables();
    let typed = "fit random-projection digits.csv --label-column digit -k 20 --entries sparse -m m.safetensors -o s.csv";
    let said = done(&sandbox, typed);
    for words in [
        "random projection, sparse",
        "20 directions, each entry ±0.632 with probability 0.125 and else 0, seed 0",
        "measured on 8,128 pairs of 128 rows drawn from 1,797: squared distances after ÷ before lie between ",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(sandbox.text("s.csv").starts_with("digit,RP1,RP2,"));
    let again = done(
        &sandbox,
        "transform m.safetensors digits.csv --label-column digit",
    );
    assert_eq!(again, sandbox.text("s.csv"));
    let plan = done(
        &sandbox,
        "plan random-projection digits.csv --label-column digit -k 20",
    );
    assert!(plan.contains(" solver   none\n"), "{plan}");
    let said = refused(
        &sandbox,
        "fit random-projection digits.csv --label-column digit -m n.safetensors",
    );
    assert!(
        said.contains("1,797 rows need 6,423 random directions, but there are only 64 columns"),
        "{said}"
    );
    assert!(said.contains("tip: -k 32 takes that many"), "{said}");
    assert!(!sandbox.path("n.safetensors").exists());
    let said = refused(&sandbox, "plot scree m.safetensors");
    assert!(
        said.contains("scree shows a spectrum, and random projection has none"),
        "{said}"
    );
    let said = refused(&sandbox, "inverse m.safetensors s.csv");
    assert!(
        said.contains("random projection has no way from coordinates back to rows"),
        "{said}"
    );
    let said = done(
        &sandbox,
        "report random-projection digits.csv --label-column digit -k 5 -o r.html",
    );
    assert!(said.contains("RP1"), "{said}");
}

#[test]
fn rows_and_their_distances_have_the_same_places() {
    let sandbox = Sandbox::with_tables();
    let said = done(
        &sandbox,
        "fit mds foods.csv --id-column country -o of-rows.csv",
    );
    assert!(
        said.contains("classical multidimensional scaling"),
        "{said}"
    );
    let places = sandbox.text("of-rows.csv");
    assert!(places.starts_with("country,MDS1,MDS2\n"), "{places}");
    let cells: Vec<Vec<f64>> = sandbox
        .text("foods.csv")
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .skip(1)
                .map(|x| x.parse().expect("a number"))
                .collect()
        })
        .collect();
    let away = |i: usize, j: usize| -> f64 {
        let squares = cells[i]
            .iter()
            .zip(&cells[j])
            .map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    };
    let lines = (0..4).map(|i| {
        format!(
            "{},{},{},{}\n",
            away(i, 0),
            away(i, 1),
            away(i, 2),
            away(i, 3)
        )
    });
    sandbox.write("d.csv", format!("a,b,c,d\n{}", lines.collect::<String>()));
    done(
        &sandbox,
        "fit mds d.csv --distances precomputed -o of-distances.csv -m m.safetensors -q",
    );
    let numbers = |text: &str, skip: usize| -> Vec<f64> {
        let lines = text.lines().skip(1).flat_map(|line| {
            line.split(',')
                .skip(skip)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        lines.map(|x| x.parse().expect("a number")).collect()
    };
    let (a, b) = (
        numbers(&places, 1),
        numbers(&sandbox.text("of-distances.csv"), 0),
    );
    assert!(
        a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6),
        "{a:?} {b:?}"
    );
    for typed in [
        "describe m.safetensors",
        "report m.safetensors -o m.html",
        "plot scores m.safetensors -o -",
        "plot scree m.safetensors -o -",
    ] {
        let said = done(&sandbox, typed);
        assert!(!said.contains("NaN"), "{typed}: {said}");
    }
    let said = refused(&sandbox, "transform m.safetensors d.csv");
    assert!(
        said.contains(
            "multidimensional scaling has coordinates only for the rows it was fitted to"
        ),
        "{said}"
    );
    sandbox.write("bad.csv", "a,b\n0,1\n2,0\n");
    let said = refused(
        &sandbox,
        "fit mds bad.csv --distances precomputed -o bad-places.csv",
    );
    assert!(
        said.contains(
            "a distance matrix is symmetric, but row 1, column 2 is 1 and row 2, column 1 is 2"
        ),
        "{said}"
    );
    assert!(said.contains("--distances precomputed"), "{said}");
    assert!(!sandbox.path("bad-places.csv").exists());
}

#[test]
fn stress_is_said_and_an_end_before_convergence_too() {
    let sandbox = Sandbox::with_tables();
    let said = done(
        &sandbox,
        "fit mds wine.csv --label-column target --scale --criterion metric --n-starts 2 -m m.safetensors",
    );
    for words in [
        "stress-1 = √(Σ(d − δ)² ÷ Σd²) = 0.2",
        "where another start may end lower",
        "the best of 2 starts",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let run = sandbox.done(&[
        "fit",
        "mds",
        "wine.csv",
        "--label-column",
        "target",
        "--scale",
        "--criterion",
        "nonmetric",
        "--max-iterations",
        "2",
    ]);
    assert!(
        run.err
            .contains("the stress had not converged after 2 steps"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("--max-iterations 20 allows more steps"),
        "{}",
        run.err
    );
    let said = done(
        &sandbox,
        "report mds wine.csv --label-column target --scale --criterion metric -o r.html",
    );
    assert!(
        said.contains("the method has coordinates only for the rows"),
        "{said}"
    );
    let drawn = done(
        &sandbox,
        "plot scores m.safetensors wine.csv --label-column target -o -",
    );
    assert!(drawn.contains("MDS1") && drawn.contains("class_1"));
}

#[test]
fn a_proof_speaks_only_of_components_above_rounding() {
    let sandbox = Sandbox::with_tables();
    // Two different rows, five times each: one direction.
    let rows: String = (0..10)
        .map(|i| if i < 5 { "1,2\n" } else { "3,4\n" })
        .collect();
    sandbox.write("two.csv", format!("a,b\n{rows}"));
    for method in ["mds", "pca"] {
        done(
            &sandbox,
            &format!("fit {method} two.csv -k 2 -m {method}.safetensors"),
        );
        let said = done(&sandbox, &format!("describe {method}.safetensors"));
        assert!(said.contains("÷ λ of the first 1 component is"), "{said}");
    }
}
