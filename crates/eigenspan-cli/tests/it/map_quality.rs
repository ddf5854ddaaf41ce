//! How good a map is, in every result; random beside principal directions; and missing cells of rows that are placed or selected from.

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
fn a_map_says_how_good_it_is_in_every_result() {
    let sandbox = Sandbox::with_tables();
    let typed = "fit mds wine.csv --label-column target --scale -m m.safetensors";
    let said = done(&sandbox, typed);
    let (_, quality) = said.split_once(" quality   the ").expect("the quality");
    let quality = quality.lines().next().expect("a line");
    assert!(
        quality.starts_with("map keeps 37.0 % of each row's 10 nearest rows (trustworthiness 0.888, continuity 0.941); its distances follow those of the rows with a rank correlation of 0.824 and a normalized stress of 0.287; 96.6 % of the rows have the class of most of their 10 nearest rows in the map"),
        "{quality}"
    );
    let described = done(&sandbox, "describe m.safetensors");
    assert!(described.contains(quality), "{described}");
    let typed = "plot scores m.safetensors wine.csv --label-column target -o -";
    let drawn = done(&sandbox, typed).replace("&#39;", "'");
    assert!(drawn.contains(quality));
    let page = done(
        &sandbox,
        "report mds wine.csv --label-column target --scale -o r.html",
    );
    assert!(page.contains("How good is the map?"), "{page}");
    let quality = quality.replace('\'', "&#39;");
    let html = sandbox.text("r.html").replace("&apos;", "&#39;");
    assert!(
        html.matches(&quality).count() >= 3,
        "{}",
        html.matches("map keeps").count()
    );
    let object = |typed: &str| -> serde_json::Value {
        serde_json::from_str(&done(&sandbox, typed)).expect("JSON")
    };
    let fitted = object("fit mds wine.csv --label-column target --scale --json");
    let described = object("describe m.safetensors --json");
    assert_eq!(fitted["quality"], described["quality"]);
    let trust = fitted["quality"]["trustworthiness"]["value"].as_f64();
    assert!(trust.is_some_and(|x| format!("{x:.3}") == "0.888"));
    let report = object("report m.safetensors --json -o m.html");
    assert_eq!(report["overview"]["map"], fitted["quality"]);
    let pca = object("fit pca wine.csv --label-column target --json");
    assert!(pca.get("quality").is_none());
    let lda = done(
        &sandbox,
        "report lda wine.csv --label-column target -o l.html",
    );
    assert!(lda.contains("How good is the map?"), "{lda}");
}

#[test]
fn a_map_is_colored_by_how_far_rows_are_torn_from_their_neighbors() {
    let sandbox = Sandbox::with_tables();
    done(
        &sandbox,
        "fit mds iris.csv --exclude species -m m.safetensors",
    );
    for typed in [
        "plot scores m.safetensors iris.csv --exclude species --color-by torn -o -",
        "plot pairs m.safetensors iris.csv --exclude species --color-by torn -o -",
        "plot scores iris.csv --color-by torn -o -",
        "plot biplot iris.csv --color-by torn -o -",
        "plot pairs iris.csv --color-by torn -o -",
    ] {
        let drawn = done(&sandbox, typed);
        assert!(
            drawn.contains("Color says how far each row is torn"),
            "{typed}"
        );
        assert!(!drawn.contains("NaN"), "{typed}");
    }
    let drawn = done(&sandbox, "plot scores iris.csv --color-by torn");
    assert!(drawn.contains("Color says how far"), "{drawn}");
    let said = refused(&sandbox, "plot scores m.safetensors --color-by torn");
    assert!(said.contains("scores shows rows"), "{said}");
    // A column of this name is meant.
    sandbox.write("t.csv", "a,b,torn\n1,2,x\n3,1,y\n4,4,x\n0,1,y\n");
    let drawn = done(&sandbox, "plot scores t.csv --color-by torn -o -");
    assert!(!drawn.contains("Color says"), "{drawn}");
    sandbox.write("two.csv", "a,b\n1,2\n3,1\n");
    let said = refused(&sandbox, "plot scores two.csv --color-by torn -o -");
    assert!(
        said.contains("it takes distances of at least 3 rows"),
        "{said}"
    );
}

#[test]
fn principal_directions_are_drawn_beside_random_ones() {
    let sandbox = Sandbox::with_tables();
    let said = done(&sandbox, "plot directions iris.csv --exclude species");
    for words in [
        "2 principal directions keep 97.8 % of the variance, 2 random ones 50.0 % on average",
        "          1     92.5 %     25.0 %",
        "          4    100.0 %    100.0 %   100.0 % to 100.0 %",
        " PC1: 94.6 % of the variance in this plane; a random direction: ",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    done(
        &sandbox,
        "fit pca iris.csv --exclude species -k 2 -m m.safetensors",
    );
    let said = refused(&sandbox, "plot directions m.safetensors iris.csv");
    assert!(said.contains("directions needs all eigenvalues"), "{said}");
    let said = refused(&sandbox, "plot directions m.safetensors");
    assert!(said.contains("directions shows rows"), "{said}");
    done(
        &sandbox,
        "fit pca iris.csv --exclude species -k all -m m.safetensors",
    );
    let drawn = done(&sandbox, "plot directions m.safetensors iris.csv -o -");
    assert!(drawn.contains("random directions (band: nine of ten draws)"));
    done(
        &sandbox,
        "fit mds iris.csv --exclude species -m m.safetensors",
    );
    let said = refused(&sandbox, "plot directions m.safetensors iris.csv");
    assert!(
        said.contains("principal directions beside random ones, which are computed for PCA"),
        "{said}"
    );
}

#[test]
fn rows_with_missing_cells_are_placed_and_selected_from_as_asked() {
    let sandbox = Sandbox::new();
    let lines: String = (0..12)
        .map(|i| format!("{},{},{}\n", i, (i * i) % 7, (5 * i) % 11))
        .collect();
    sandbox.write("t.csv", format!("a,b,c\n{lines},3,4\n2,,9\n"));
    for method in ["mds", "select"] {
        let said = refused(&sandbox, &format!("fit {method} t.csv -k 2 -o x.csv"));
        assert!(said.contains("missing"), "{said}");
        let typed = format!("fit {method} t.csv -k 2 --missing drop -o dropped.csv");
        let run = sandbox.done(&typed.split(' ').collect::<Vec<_>>());
        assert!(run.err.contains("2 rows"), "{}", run.err);
        let dropped = sandbox.text("dropped.csv");
        assert_eq!(dropped.lines().count(), 15, "{dropped}");
        let typed = format!("fit {method} t.csv -k 2 --missing mean -o filled.csv");
        let run = sandbox.done(&typed.split(' ').collect::<Vec<_>>());
        assert!(
            run.err.contains("2 missing cells") || run.err.contains("2 cells"),
            "{}",
            run.err
        );
        let filled = sandbox.text("filled.csv");
        assert!(
            !filled.contains("NaN") && !filled.contains(",,"),
            "{filled}"
        );
        let said = refused(
            &sandbox,
            &format!("fit {method} t.csv -k 2 --missing em -o x.csv"),
        );
        assert!(said.contains("error, drop or mean"), "{said}");
    }
}
