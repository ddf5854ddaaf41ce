//! Output: files are written completely or not at all, old files stay if something fails, and a reader of a pipe may close it early.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Run, Sandbox, listing, noise, npy_f64, skip};

/// Both roads that write a table and the one that writes a model.
fn writers(target: &str) -> [Vec<&str>; 5] {
    [
        vec!["fit", "pca", "foods.csv", "-o", target],
        vec!["fit", "pca", "foods.csv", "-m", target],
        vec!["report", "foods.csv", "-m", target],
        vec!["transform", "m", "foods.csv", "-o", target],
        vec!["inverse", "m", "scores.csv", "-o", target],
    ]
}

#[test]
fn a_place_that_cannot_be_written_is_refused_and_nothing_changes() {
    let sandbox = Sandbox::with_model("foods.csv");
    std::fs::create_dir(sandbox.path("folder.csv")).expect("a folder");
    sandbox.write("kept.csv", "mine");
    let mut locked = std::fs::metadata(sandbox.path("kept.csv"))
        .expect("a file")
        .permissions();
    locked.set_readonly(true);
    std::fs::set_permissions(sandbox.path("kept.csv"), locked).expect("it is mine");
    for (target, words) in [
        (
            "gone/x.csv",
            &["there is no folder gone", "mkdir -p gone"][..],
        ),
        ("wine.csv/x.csv", &["wine.csv is not a folder"]),
        ("folder.csv", &["it is a folder"]),
        ("kept.csv", &["read-only"]),
    ] {
        for words_of in writers(target) {
            let run = sandbox.refused(&words_of);
            run.says(words).says(&["cannot write ", target]);
            assert!(
                !run.err.contains("mkdir") || target.starts_with("gone"),
                "{run:#?}"
            );
        }
    }
}

#[test]
fn a_system_that_lets_nobody_write_is_refused() {
    if !Path::new("/proc/self").exists() {
        return skip("writing to /proc", "there is none");
    }
    let sandbox = Sandbox::with_model("foods.csv");
    for words in writers("/proc/x.csv") {
        sandbox.refused(&words).says(&["cannot write /proc/x.csv"]);
    }
}

#[test]
fn a_name_of_no_known_format_is_refused_before_any_work() {
    let sandbox = Sandbox::with_model("foods.csv");
    for words in [
        ["fit", "pca", "gone.csv", "-o", "s.xlsx"],
        ["transform", "m", "gone.csv", "-o", "s.xlsx"],
    ] {
        sandbox
            .refused(&words)
            .says(&["s.xlsx", ".csv, .tsv, .npy, .parquet, .arrow and .feather"]);
    }
}

#[test]
fn columnar_scores_are_those_of_an_array_and_go_back_to_rows() {
    let sandbox = Sandbox::with_model("foods.csv");
    let fit = |scores: &str| {
        let words = ["fit", "pca", "foods.csv", "-m", "m", "-o", scores];
        assert_eq!(sandbox.run(&words).code, Some(0), "{scores}");
        let words = ["inverse", "m", scores, "-o", "rows.npy"];
        assert_eq!(sandbox.run(&words).code, Some(0), "{scores}");
        std::fs::read(sandbox.path("rows.npy")).expect("rows")
    };
    let expected = fit("s.npy");
    for scores in ["s.parquet", "s.arrow", "s.feather"] {
        assert!(fit(scores) == expected, "{scores}");
    }
}

#[test]
fn one_name_for_model_and_scores_is_refused() {
    let sandbox = Sandbox::with_model("foods.csv");
    for (model, scores) in [("x.csv", "x.csv"), ("x.csv", "./x.csv")] {
        let words = ["fit", "pca", "foods.csv", "-m", model, "-o", scores];
        sandbox.refused(&words).says(&["x.csv", "model", "scores"]);
    }
}

#[test]
fn a_full_disk_is_refused() {
    if !Path::new("/dev/full").exists() {
        return skip("a full disk", "there is no /dev/full");
    }
    let sandbox = Sandbox::with_model("foods.csv");
    for words in writers("/dev/full") {
        sandbox
            .refused(&words)
            .says(&["cannot write /dev/full: no space left"]);
    }
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("a device")
    };
    for words in [
        &["foods.csv"][..],
        &[],
        &["foods.csv", "--json"],
        &["describe", "m"],
        &["plan", "pca", "foods.csv"],
        &["transform", "m", "foods.csv"],
        &["fit", "pca", "foods.csv", "-o", "-"],
    ] {
        let run = Run::command(sandbox.command(words).stdout(full()), words);
        run.assert_refused();
        run.says(&["cannot write standard output: no space left"]);
    }
}

#[test]
fn a_model_is_not_written_when_its_scores_cannot_be() {
    if !Path::new("/dev/full").exists() {
        return skip("a full disk", "there is no /dev/full");
    }
    let sandbox = Sandbox::with_model("foods.csv");
    // The old model stays as it was, and a new one does not appear.
    for model in ["m", "new"] {
        let words = [
            "fit",
            "pca",
            "foods.csv",
            "-k",
            "1",
            "-m",
            model,
            "-o",
            "/dev/full",
        ];
        sandbox.refused(&words).says(&["/dev/full"]);
        let words = [
            "fit",
            "pca",
            "foods.csv",
            "-k",
            "1",
            "-m",
            "/dev/full",
            "-o",
            "scores.csv",
        ];
        sandbox.refused(&words).says(&["/dev/full"]);
    }
}

/// A disk of 64 kB, where this machine lets one be made.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(folder: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=64k", "none"])
            .arg(folder);
        let done = mount.output().ok()?;
        done.status.success().then_some(SmallDisk(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_disk_that_fills_up_keeps_the_old_files_and_no_part_of_the_new() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("disk");
    std::fs::create_dir(&folder).expect("a folder");
    let Some(_disk) = SmallDisk::mount(&folder) else {
        return skip("a disk that fills up", "no tmpfs can be mounted here");
    };
    let mut next = noise();
    let values: Vec<f64> = (0..4000 * 8).map(|_| next()).collect();
    sandbox.write("x.npy", npy_f64(8, &values));
    for name in ["disk/scores.csv", "disk/scores.npy", "disk/model"] {
        sandbox.write(name, "old");
    }
    let before = listing(&folder);
    for output in ["disk/scores.csv", "disk/scores.npy", "disk/new.csv"] {
        let words = [
            "fit",
            "pca",
            "x.npy",
            "-k",
            "all",
            "-m",
            "disk/model",
            "-o",
            output,
        ];
        let run = sandbox.run(&words);
        run.assert_refused();
        run.says(&["no space left", output]);
        assert_eq!(before, listing(&folder), "{run:#?}");
    }
}

#[test]
fn an_old_file_is_replaced_as_a_whole_and_a_link_is_followed() {
    let sandbox = Sandbox::with_model("foods.csv");
    let scores = sandbox.text("scores.csv");
    sandbox.write("old.csv", "x".repeat(100_000));
    #[cfg(unix)]
    std::os::unix::fs::symlink("old.csv", sandbox.path("link.csv")).expect("a link");
    #[cfg(not(unix))]
    sandbox.write("link.csv", "");
    sandbox.done(&["transform", "m", "foods.csv", "-o", "link.csv"]);
    assert_eq!(sandbox.text("link.csv"), scores);
    if cfg!(unix) {
        assert_eq!(sandbox.text("old.csv"), scores);
        assert!(sandbox.path("link.csv").is_symlink());
    }
}

#[test]
fn nothing_is_written_unless_asked() {
    let sandbox = Sandbox::with_model("foods.csv");
    let before = sandbox.listing();
    for words in [
        &["foods.csv"][..],
        &["fit", "pca", "foods.csv"],
        &["plan", "pca", "foods.csv"],
        &["describe", "m"],
        &["transform", "m", "foods.csv"],
        &["inverse", "m", "scores.csv"],
    ] {
        sandbox.done(words);
        assert_eq!(before, sandbox.listing(), "{words:?}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let values: Vec<f64> = (0..50_000 * 4).map(|_| next()).collect();
    sandbox.write("x.npy", npy_f64(4, &values));
    sandbox.done(&["fit", "pca", "x.npy", "-m", "m", "-k", "all"]);
    sandbox.done(&["fit", "pca", "x.npy", "-o", "s.npy", "-k", "all"]);
    for words in [
        &["transform", "m", "x.npy"][..],
        &["inverse", "m", "s.npy"],
        &["fit", "pca", "x.npy", "-k", "all", "-o", "-", "-m", "new"],
    ] {
        let mut command = sandbox.command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
        reader.read_line(&mut line).expect("a line");
        drop(reader);
        let run = Run::from(words, child.wait_with_output().expect("the program ends"));
        assert_eq!(run.code, Some(0), "{run:#?}");
        assert!(!run.err.contains("error"), "{run:#?}");
    }
    // The model was asked for as a file, whatever became of the scores.
    sandbox.done(&["describe", "new"]);
}

#[test]
fn a_result_never_replaces_its_own_input() {
    let sandbox = Sandbox::with_model("foods.csv");
    let before = std::fs::read(sandbox.path("foods.csv")).expect("the table");
    for words_of in [
        vec!["fit", "pca", "foods.csv", "-o", "foods.csv"],
        vec!["fit", "pca", "foods.csv", "-m", "./foods.csv"],
        vec!["transform", "m", "foods.csv", "-o", "foods.csv"],
        vec!["inverse", "m", "scores.csv", "-o", "scores.csv"],
    ] {
        let run = sandbox.refused(&words_of);
        run.says(&["is the input: the result would replace it"]);
    }
    let run = sandbox.refused(&["fit", "pca", "foods.csv", "-m", "-"]);
    run.says(&["a model is not written to standard output"]);
    assert_eq!(
        std::fs::read(sandbox.path("foods.csv")).expect("the table"),
        before
    );
}
