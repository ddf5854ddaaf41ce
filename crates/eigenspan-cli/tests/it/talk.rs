//! Where the program prints: results on standard output, messages on standard error, color on terminals only.

use std::process::Command;

use crate::support::{EIGENSPAN, Run, Sandbox, skip};

const COMMANDS: &[&[&str]] = &[
    &[],
    &["--help"],
    &["fit", "pca", "--help"],
    &["--version"],
    &["wine.csv"],
    &["fit", "pca", "wine.csv", "-o", "s.csv"],
    &["describe", "m"],
    &["plan", "pca", "wine.csv"],
    &["transform", "m", "foods.csv"],
    &["inverse", "m", "scores.csv"],
    &["gone.csv"],
    &["wine.csv", "--label-column", "targt"],
    &["wine.csv", "-k", "many"],
];

#[test]
fn no_escape_codes_go_into_pipes() {
    let sandbox = Sandbox::with_model("foods.csv");
    for words in COMMANDS {
        for no_color in [false, true] {
            let mut command = sandbox.command(words);
            if no_color {
                command.env("NO_COLOR", "1");
            }
            let run = Run::command(&mut command, words);
            assert!(
                !run.out.contains('\x1b') && !run.err.contains('\x1b'),
                "{run:#?}"
            );
        }
    }
}

#[test]
fn a_terminal_shows_color_unless_told_not_to() {
    let sandbox = Sandbox::with_model("foods.csv");
    let on_a_terminal = |no_color: bool| {
        // `script` runs a command on a terminal of its own and copies what appears there.
        let mut command = Command::new("script");
        command.args(["-qec", &format!("{EIGENSPAN} gone.csv"), "/dev/null"]);
        command
            .current_dir(sandbox.path(""))
            .env("TERM", "xterm-256color");
        command
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.stdin(std::process::Stdio::null()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let shown = on_a_terminal(false).filter(|text| text.contains("no file gone.csv"));
    let Some(colored) = shown else {
        return skip("color on a terminal", "there is no util-linux `script`");
    };
    assert!(colored.contains("\x1b[1;31merror:\x1b[0m"), "{colored:?}");
    let plain = on_a_terminal(true).expect("it ran before");
    assert!(
        plain.contains("error: no file gone.csv") && !plain.contains('\x1b'),
        "{plain:?}"
    );
}

#[test]
fn notes_go_to_standard_error_and_quiet_takes_them_away() {
    let sandbox = Sandbox::with_model("foods.csv");
    for words in [
        &["wine.csv"][..],
        &["fit", "pca", "wine.csv", "-o", "s.csv", "-m", "n"],
        &["report", "wine.csv"],
        &["plan", "pca", "wine.csv"],
        &["transform", "m", "foods.csv", "-o", "s.csv"],
        &["fit", "pca", "wine.csv", "-o", "-"],
    ] {
        let loud = sandbox.done(words);
        assert!(
            !loud.err.is_empty() && !loud.out.contains("note:"),
            "{loud:#?}"
        );
        for quiet in ["--quiet", "-q"] {
            let run = sandbox.done(&[words, &[quiet]].concat());
            assert_eq!(run.err, "", "{run:#?}");
            assert_eq!(run.out, loud.out, "{run:#?}");
        }
    }
}

#[test]
fn errors_are_said_even_when_quiet() {
    let sandbox = Sandbox::with_model("foods.csv");
    sandbox
        .refused(&["gone.csv", "--quiet"])
        .says(&["error: no file gone.csv"]);
}

#[test]
fn json_is_one_object_with_the_notes_inside() {
    let sandbox = Sandbox::with_model("foods.csv");
    for words in [
        &["wine.csv"][..],
        &["look", "wine.csv"],
        &["fit", "pca", "wine.csv", "-k", "2", "-o", "s.csv"],
        &["report", "wine.csv"],
        &["describe", "m"],
        &["plan", "pca", "wine.csv"],
        &["transform", "m", "foods.csv", "-o", "s.csv"],
        &["inverse", "m", "scores.csv", "-o", "r.csv"],
    ] {
        let run = sandbox.done(&[words, &["--json"]].concat());
        assert!(run.json().is_object(), "{run:#?}");
        assert_eq!(run.err, "", "{run:#?}");
        // A global option may stand in front as well.
        let front = sandbox.done(&[&["--json"], words].concat());
        assert!(front.json().is_object(), "{front:#?}");
    }
    let object = sandbox.json(&["wine.csv"]);
    for key in [
        "method",
        "n_rows",
        "n_cols",
        "columns",
        "n_components",
        "explained_variance",
        "explained_variance_ratio",
        "total_variance",
        "singular_values",
        "residuals",
        "solver",
        "reason",
        "seconds",
        "outputs",
        "notes",
    ] {
        assert!(!object[key].is_null(), "{key}");
    }
    assert!(
        object["notes"]
            .to_string()
            .contains("the variance of proline"),
        "{}",
        object["notes"]
    );
}

#[test]
fn verbose_says_how_the_file_was_understood() {
    let sandbox = Sandbox::with_model("foods.csv");
    sandbox
        .done(&["foods.csv", "--verbose"])
        .says(&["read as csv with a header"]);
    let run = sandbox.done(&["fit", "pca", "foods.csv", "-o", "-", "--verbose"]);
    run.says(&["read as csv with a header"]);
}

#[test]
fn help_and_version_are_results() {
    let sandbox = Sandbox::new();
    for (words, shown) in [
        (&["--help"][..], "Examples:"),
        (&["-h"], "Commands:"),
        (&["fit", "pca", "--help"], "--n-components"),
        (&["transform", "--help"], "<MODEL>"),
        (&["--version"], "eigenspan "),
        (&[], "a first look"),
    ] {
        let run = sandbox.done(words);
        assert!(run.out.contains(shown) && run.err.is_empty(), "{run:#?}");
    }
}
