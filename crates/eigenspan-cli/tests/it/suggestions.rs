//! Commands that the program suggests must do what they promise when they are typed.

use crate::support::{Sandbox, numbers};

/// The suggested commands of a look.
fn next(out: &str) -> Vec<Vec<String>> {
    let line = out
        .lines()
        .find_map(|line| line.strip_prefix("next:  "))
        .expect("suggestions");
    let commands = line.split("      ");
    commands
        .map(|command| command.split(' ').skip(1).map(str::to_owned).collect())
        .collect()
}

#[test]
fn what_is_suggested_next_sees_the_data_as_the_look_did() {
    for options in [
        &[][..],
        &["--scale"],
        &["--label-column", "target", "--scale"],
        &["--columns", "1-5", "--no-center", "-k", "3"],
        &["-k90%", "--exclude", "proline", "--quiet"],
        &["--n-components=80%", "--scale"],
    ] {
        let sandbox = Sandbox::with_tables();
        let words = [&["wine.csv"], options].concat();
        let look = sandbox.json(&words);
        let commands = next(&sandbox.done(&words).out);
        assert_eq!(commands.len(), 2);
        for command in commands {
            let command: Vec<&str> = command.iter().map(String::as_str).collect();
            let object = sandbox.json(&command);
            let variances = numbers(&object, "explained_variance");
            let looked = numbers(&look, "explained_variance");
            assert_eq!(object["columns"], look["columns"], "{command:?}");
            let same = variances
                .iter()
                .zip(&looked)
                .all(|(x, y)| (x - y).abs() <= 1e-9 * y);
            assert!(same, "{command:?}: {variances:?} and {looked:?}");
        }
    }
}

#[test]
fn the_command_in_a_model_makes_it_again() {
    let sandbox = Sandbox::with_tables();
    sandbox.write("my wine.csv", sandbox.bytes("wine.csv"));
    let words = [
        "fit",
        "pca",
        "my wine.csv",
        "-k",
        "90%",
        "--scale",
        "-m",
        "m",
        "--label-column",
        "target",
    ];
    sandbox.done(&words);
    let command = sandbox.json(&["describe", "m"])["origin"]["command"].clone();
    let command = command.as_str().expect("a command").to_owned();
    assert_eq!(
        command,
        "eigenspan fit pca 'my wine.csv' -k 90% --scale -m m --label-column target"
    );
    let model = sandbox.bytes("m");
    sandbox.done(&words);
    assert_eq!(model, sandbox.bytes("m"));
}
