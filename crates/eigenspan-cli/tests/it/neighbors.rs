//! `eigenspan neighbors`: what it says and what it writes.

use crate::support::Sandbox;

#[test]
fn a_graph_is_written_in_both_formats_with_the_same_edges() {
    let sandbox = Sandbox::with_tables();
    for graph in ["knn", "symmetric", "mutual"] {
        let words = [
            "neighbors",
            "wine.csv",
            "-k",
            "5",
            "--quiet",
            "--graph",
            graph,
        ];
        sandbox.done(&[&words[..], &["-o", "graph.npz"]].concat());
        sandbox.done(&[&words[..], &["-o", "graph.mtx"]].concat());
        let read = |name: &str| {
            sandbox.done(&["fit", "pca", name, "-k", "2", "-o", "scores.csv", "--quiet"]);
            sandbox.text("scores.csv")
        };
        assert_eq!(read("graph.npz"), read("graph.mtx"), "{graph}");
        let text = sandbox.text("graph.mtx");
        let size = text.lines().nth(1).expect("the size").to_owned();
        let edges = sandbox.json(&words)["n_edges"].as_u64().expect("a count");
        assert_eq!(size, format!("178 178 {edges}"));
    }
}

#[test]
fn json_says_how_neighbors_were_found_and_what_hangs_together() {
    let sandbox = Sandbox::with_tables();
    let found = sandbox.json(&["neighbors", "wine.csv", "-k", "3"]);
    assert_eq!(found["algorithm"], "exact");
    assert_eq!(found["n_edges"], 534);
    // SciPy's connected_components of scikit-learn's kneighbors_graph.
    assert_eq!(found["component_sizes"].to_string(), "[59,42,40,20,11,6]");
    let words =
        "neighbors digits.csv -k 10 --label-column digit --algorithm approximate --metric cosine";
    let found = sandbox.json(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(found["algorithm"], "approximate");
    assert!(found["recall"]["share"].as_f64().expect("a share") >= 0.95);
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let sandbox = Sandbox::with_tables();
    let words = "neighbors digits.csv -k 10 --label-column digit --algorithm approximate --quiet";
    for threads in ["1", "2", "8"] {
        let name = format!("{threads}.npz");
        let mut words: Vec<&str> = words.split(' ').collect();
        words.extend(["--threads", threads, "-o", &name]);
        sandbox.done(&words);
    }
    assert_eq!(sandbox.bytes("1.npz"), sandbox.bytes("2.npz"));
    assert_eq!(sandbox.bytes("1.npz"), sandbox.bytes("8.npz"));
}
