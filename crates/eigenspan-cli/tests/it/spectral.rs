//! Laplacian eigenmaps, locally linear embedding and diffusion maps in the program: places, new rows, and what is refused.

use crate::support::Sandbox;

fn words(typed: &str) -> Vec<&str> {
    typed.split_whitespace().collect()
}

#[test]
fn rows_are_placed_and_every_command_takes_the_model() {
    let sandbox = Sandbox::with_tables();
    for (method, options, axis, said) in [
        (
            "laplacian",
            "--neighbors 10",
            "LE",
            "every residual ‖Lv − λv‖ is at most ",
        ),
        (
            "lle",
            "--variant modified --neighbors 20",
            "LLE",
            "every residual ‖Mv − λv‖ is at most ",
        ),
        (
            "diffusion",
            "--time 2 --alpha 0.5",
            "DM",
            "every residual ‖Sv − λv‖ is at most ",
        ),
    ] {
        let typed = format!(
            "fit {method} wine.csv --exclude target --scale -k 2 {options} -m m.safetensors -o places.csv"
        );
        let run = sandbox.done(&words(&typed));
        assert!(run.out.contains(said), "{}", run.out);
        let places = sandbox.text("places.csv");
        assert!(
            places.starts_with(&format!("{axis}1,{axis}2\n")),
            "{places}"
        );
        for typed in [
            "describe m.safetensors".to_owned(),
            "report m.safetensors -o m.html".to_owned(),
            "plot scores m.safetensors wine.csv --label-column target -o -".to_owned(),
            format!("plan {method} wine.csv --exclude target"),
            format!("fit {method} wine.csv --exclude target --scale --json"),
        ] {
            let run = sandbox.done(&words(&typed));
            assert!(!run.out.contains("NaN"), "{typed}: {}", run.out);
        }
        match method {
            "laplacian" => {
                let run = sandbox.refused(&words("transform m.safetensors wine.csv -o new.csv"));
                assert!(!sandbox.path("new.csv").exists(), "{}", run.err);
            }
            _ => {
                sandbox.done(&words("report m.safetensors wine.csv -o both.html"));
                sandbox.done(&words("transform m.safetensors wine.csv -o new.csv"));
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_written() {
    let sandbox = Sandbox::with_tables();
    sandbox.write("zero.csv", "a,b\n1,2\n0,0\n3,1\n2,2\n");
    sandbox.write("holes.csv", "a,b\n1,2\n,1\n3,1\n2,2\n");
    sandbox.write(
        "blocks.csv",
        "a,b,c,d\n0,1,0,0\n1,0,0,0\n0,0,0,1\n0,0,1,0\n",
    );
    for (typed, said) in [
        (
            "fit laplacian foods.csv --id-column country --neighbors 4 -o x.csv",
            "n_neighbors = 4 does not fit: 4 rows have 1 to 3 neighbors each, all other rows",
        ),
        (
            "fit lle foods.csv --id-column country --neighbors 4 -o x.csv",
            "n_neighbors = 4 does not fit: 4 rows have 1 to 3 neighbors each, all other rows",
        ),
        (
            "fit laplacian zero.csv --metric cosine --neighbors 2 -o x.csv",
            "is all zeros, so it has no cosine distance to other rows",
        ),
        ("fit lle holes.csv --neighbors 2 -o x.csv", "missing"),
        ("fit diffusion holes.csv -o x.csv", "missing"),
        (
            "fit laplacian blocks.csv --affinity precomputed -k 1 -o x.csv",
            "the graph is in 2 pieces of 2 and 2 rows without an affinity between them",
        ),
        (
            "fit lle iris.csv --label-column species --variant hessian --neighbors 5 -o x.csv",
            "n_neighbors = 5 is too few: Hessian LLE of 2 coordinates needs at least 6 neighbors",
        ),
        (
            "fit laplacian iris.csv --label-column species --neighbors 5 --pieces refuse -o x.csv",
            "2 pieces of 100 and 50 rows",
        ),
    ] {
        let run = sandbox.refused(&words(typed));
        assert!(run.err.contains(said), "{typed}: {}", run.err);
        assert!(!sandbox.path("x.csv").exists(), "{typed}");
    }
    let run = sandbox.done(&words(
        "fit laplacian iris.csv --label-column species --neighbors 5 -o places.csv",
    ));
    assert!(
        run.err
            .contains("the neighbor graph was in 2 pieces of 100 and 50 rows: 1 link was added"),
        "{}",
        run.err
    );
}
