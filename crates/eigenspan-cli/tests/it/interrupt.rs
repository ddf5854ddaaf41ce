//! Ctrl-C during long work: exit code 130, and no files left behind. Linux only, where a test can see that the program handles it.

#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{Run, Sandbox, noise, npy_f64};

/// Whether the process has a handler for SIGINT, number 2.
fn listens(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 2 != 0)
}

/// Interrupts the program once it listens and has had time to begin.
fn interrupt(child: &mut Child) {
    while !listens(child.id()) && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // So that work is under way; the test holds without it, too.
    std::thread::sleep(Duration::from_millis(300));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
}

#[test]
fn waiting_for_a_pipe_can_be_interrupted() {
    let sandbox = Sandbox::new();
    let words = ["fit", "pca", "-", "-o", "scores.csv"];
    let mut command = sandbox.command(&words);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // Nothing is ever written to it, and it stays open until the program has ended.
    let pipe = child.stdin.take();
    interrupt(&mut child);
    let run = Run::from(&words, child.wait_with_output().expect("the program ends"));
    drop(pipe);
    assert_eq!(run.code, Some(130), "{run:#?}");
    assert!(!sandbox.path("scores.csv").exists());
}

#[test]
fn an_interrupted_fit_stops_and_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let values: Vec<f64> = (0..300_000 * 60).map(|_| next()).collect();
    sandbox.write("x.npy", npy_f64(60, &values));
    drop(values);
    sandbox.write("scores.csv", "old");
    let names = || {
        let entries = std::fs::read_dir(sandbox.path("")).expect("a folder");
        let mut names: Vec<_> = entries.map(|e| e.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let works: [&[&str]; 3] = [
        &["pca", "-k", "all", "--solver", "power"],
        &["pca", "-k", "all", "--solver", "full"],
        &["kpca", "-k", "3", "--n-landmarks", "1500"],
    ];
    for work in works {
        let common = ["x.npy", "-m", "m", "-o", "scores.csv"];
        let words = [&["fit"], work, &common].concat();
        let mut command = sandbox.command(&words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        interrupt(&mut child);
        let run = Run::from(&words, child.wait_with_output().expect("the program ends"));
        assert_eq!(run.code, Some(130), "{run:#?}");
        run.says(&["interrupted: nothing was written"])
            .assert_no_crash();
        assert_eq!(run.out, "");
        assert_eq!(before, names());
        assert_eq!(sandbox.text("scores.csv"), "old");
    }
}
