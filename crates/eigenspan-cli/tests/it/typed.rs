//! What people type: words that are nearly a command, help that fits the terminal, completions and manual pages.

use std::process::Command;

use crate::support::{EIGENSPAN, Run, Sandbox, skip};

#[test]
fn a_word_that_is_nearly_a_command_is_answered_with_what_was_meant() {
    let sandbox = Sandbox::with_model("foods.csv");
    for (words, meant) in [
        (&["reprot", "foods.csv"][..], "eigenspan report foods.csv"),
        (
            &["Report", "foods.csv", "--scale"],
            "eigenspan report foods.csv --scale",
        ),
        (&["pca", "foods.csv"], "eigenspan fit pca foods.csv"),
        (
            &["PCA", "foods.csv", "-k", "2"],
            "eigenspan fit pca foods.csv -k 2",
        ),
        (&["kpca", "foods.csv"], "eigenspan fit kpca foods.csv"),
        (&["kernel-pca", "foods.csv"], "eigenspan fit kpca foods.csv"),
        (&["fit", "foods.csv"], "eigenspan fit pca foods.csv"),
        (&["fit", "pac", "foods.csv"], "eigenspan fit pca foods.csv"),
        (&["fit", "PCA", "foods.csv"], "eigenspan fit pca foods.csv"),
        (
            &["fit", "gone.csv", "-k", "2"],
            "eigenspan fit pca gone.csv -k 2",
        ),
        (&["plan", "foods.csv"], "eigenspan plan pca foods.csv"),
        (&["tune", "foods.csv"], "eigenspan tune kpca foods.csv"),
        (&["denoise", "foods.csv"], "eigenspan denoise pca foods.csv"),
        (&["ftt", "pca", "foods.csv"], "eigenspan fit pca foods.csv"),
        (
            &["tranform", "m", "foods.csv"],
            "eigenspan transform m foods.csv",
        ),
        (&["choos", "foods.csv"], "eigenspan choose foods.csv"),
        (&["foods.csv", "report"], "eigenspan report foods.csv"),
        (
            &["transform", "foods.csv", "m"],
            "eigenspan transform m foods.csv",
        ),
        (
            &["inverse", "scores.csv", "m", "-o", "x.csv"],
            "eigenspan inverse m scores.csv -o x.csv",
        ),
        (
            &["plot", "scores", "foods.csv", "m"],
            "eigenspan plot scores m foods.csv",
        ),
    ] {
        let said = format!("tip: did you mean: {meant}\n");
        let run = sandbox.refused(words);
        assert!(run.err.ends_with(&said), "{run:#?}");
    }
    // A model where data is needed.
    sandbox.write("model.safetensors", sandbox.bytes("m"));
    for words in [
        &["model.safetensors"][..],
        &["fit", "pca", "m"],
        &["choose", "m"],
    ] {
        sandbox
            .refused(words)
            .says(&["is a model", "eigenspan describe m"]);
    }
    // Names of files are names of files.
    sandbox
        .refused(&["whine.csv"])
        .says(&["no file whine.csv", "wine.csv"]);
    sandbox.write("reprot", sandbox.bytes("foods.csv"));
    sandbox.done(&["reprot"]);
}

#[test]
fn help_is_a_command_too() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.done(&["help"]).out, sandbox.done(&["--help"]).out);
    for words in [&["fit"][..], &["fit", "pca"], &["report"]] {
        let help = sandbox.done(&[&["help"], words].concat());
        assert_eq!(help.out, sandbox.done(&[words, &["--help"]].concat()).out);
    }
}

/// All commands that have options of their own.
const COMMANDS: &[&[&str]] = &[
    &[],
    &["look"],
    &["fit", "pca"],
    &["fit", "kpca"],
    &["report"],
    &["transform"],
    &["inverse"],
    &["denoise", "pca"],
    &["denoise", "kpca"],
    &["describe"],
    &["choose"],
    &["plan", "pca"],
    &["plan", "kpca"],
    &["plot"],
    &["tune", "kpca"],
    &["completions"],
    &["man"],
];

#[test]
fn every_help_has_examples_that_fit_into_80_columns() {
    let sandbox = Sandbox::new();
    for words in COMMANDS {
        let typed = [*words, &["--help"]].concat();
        let run = Run::command(sandbox.command(&typed).env("COLUMNS", "80"), &typed);
        let (_, examples) = run
            .out
            .split_once("Examples:\n")
            .unwrap_or_else(|| panic!("{run:#?}"));
        let begins = examples
            .lines()
            .filter(|line| line.starts_with("  eigenspan ") || line.starts_with("  source"));
        assert!(begins.count() >= 3, "{words:?}: {examples}");
        for line in examples.lines() {
            assert!(line.chars().count() <= 80, "{words:?}: {line}");
            // What is wrapped begins anew at the left.
            let whole = line.is_empty() || line.starts_with("  ") || words.is_empty();
            assert!(whole, "{words:?}: {line}");
        }
        for line in run.out.lines() {
            assert!(line.chars().count() <= 80, "{words:?}: {line}");
        }
    }
}

#[test]
fn the_options_that_most_people_need_come_first() {
    let sandbox = Sandbox::new();
    for (words, first) in [
        (
            &["fit", "pca"][..],
            &[
                "-k, --n-components",
                "--scale",
                "-o, --output",
                "-m, --model",
                "--label-column",
            ][..],
        ),
        (
            &["fit", "kpca"],
            &[
                "-k, --n-components",
                "--kernel",
                "--scale",
                "-o, --output",
                "-m, --model",
            ],
        ),
        (
            &["report"],
            &[
                "-k, --n-components",
                "--scale",
                "-o, --output",
                "-m, --model",
                "--label-column",
            ],
        ),
        (
            &["look"],
            &[
                "-k, --n-components",
                "--scale",
                "--label-column",
                "--missing",
                "--columns",
            ],
        ),
        (&["transform"], &["-o, --output"]),
    ] {
        let help = sandbox.done(&[words, &["--help"]].concat()).out;
        let (_, options) = help.split_once("\nOptions:\n").expect("options");
        let is_option = |line: &&str| {
            let line = line.trim_start();
            line.starts_with('-') && !line.starts_with("- ")
        };
        let named = options.lines().filter(is_option);
        for (line, name) in named.zip(first) {
            assert!(
                line.trim_start().starts_with(name),
                "{words:?}: {line} and {name}"
            );
        }
        // They stand before all others.
        let headings = help
            .lines()
            .filter(|line| line.ends_with(':') && !line.starts_with(' '))
            .filter(|line| !["Methods:", "Arguments:"].contains(line));
        let headings: Vec<&str> = headings.collect();
        assert!(headings.first() == Some(&"Options:"), "{headings:?}");
    }
}

#[test]
fn completions_know_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.done(&["completions", shell]).out;
        for word in [
            "report",
            "transform",
            "kpca",
            "n-components",
            "label-column",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    sandbox
        .refused(&["completions", "cmd"])
        .says(&["bash", "zsh", "fish"]);
    let typed = |words: &str| {
        let count = words.split(' ').count() - 1;
        let script = format!(
            "source <({EIGENSPAN} completions bash); COMP_WORDS=({words}); COMP_CWORD={count}; \
             _eigenspan eigenspan \"${{COMP_WORDS[$COMP_CWORD]}}\" \"${{COMP_WORDS[$COMP_CWORD-1]}}\"; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let run = Command::new("bash").args(["-c", &script]).output().ok()?;
        Some(String::from_utf8_lossy(&run.stdout).into_owned())
    };
    let Some(found) = typed("eigenspan rep") else {
        return skip("completions in bash", "there is no bash");
    };
    assert_eq!(found.trim(), "report");
    assert_eq!(typed("eigenspan fit k").expect("bash").trim(), "kpca");
    let option = typed("eigenspan fit pca --n-c").expect("bash");
    assert_eq!(option.trim(), "--n-components");
}

#[test]
fn manual_pages_come_from_the_same_options() {
    let sandbox = Sandbox::new();
    let page = sandbox.done(&["man"]).out;
    assert!(page.contains(".TH eigenspan 1"), "{page}");
    assert!(
        page.contains("report") && page.contains("Exit codes"),
        "{page}"
    );
    let page = sandbox.done(&["man", "fit", "pca"]).out;
    assert!(
        page.contains("eigenspan\\-fit\\-pca") && page.contains("n\\-components"),
        "{page}"
    );
    sandbox
        .refused(&["man", "reprot"])
        .says(&["did you mean: eigenspan man report"]);
    sandbox.done(&["man", "--all", "man1"]);
    for name in ["eigenspan.1", "eigenspan-report.1", "eigenspan-fit-kpca.1"] {
        assert!(sandbox.path("man1").join(name).is_file(), "{name}");
    }
}
