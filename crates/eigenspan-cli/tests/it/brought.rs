//! Difficult input: missing cells in a first look, data in unusual places, and too little memory.

use std::process::{Command, Stdio};

use crate::support::{EIGENSPAN, Run, Sandbox, npy_f64, skip};

#[test]
fn a_first_look_leaves_rows_with_missing_cells_out_and_counts_them() {
    let sandbox = Sandbox::with_tables();
    let told = [
        "2 of 344 rows have missing cells (8 of ",
        "--missing em",
        "left out",
    ];
    let look = sandbox.done(&["penguins.csv"]);
    look.says(&told);
    let dropped = sandbox.json(&["penguins.csv", "--missing", "drop"]);
    let looked = sandbox.json(&["penguins.csv"]);
    assert_eq!(looked["explained_variance"], dropped["explained_variance"]);
    // What it suggests works as it stands.
    let next = look
        .out
        .lines()
        .find_map(|line| line.strip_prefix("next:  "))
        .expect("next");
    for command in next.split("      ") {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        sandbox.done(&words);
    }
    assert!(next.contains("--missing drop"), "{next}");
    sandbox.done(&["report", "penguins.csv", "-o", "p.html"]);
    sandbox.done(&["plot", "scree", "penguins.csv"]);
    // A fit does not choose by itself.
    sandbox
        .refused(&["fit", "pca", "penguins.csv", "-o", "x.csv"])
        .says(&["--missing"]);
    // Arrays are looked at only while they are read.
    sandbox.write(
        "nan.npy",
        npy_f64(2, &[1., 2., 3., f64::NAN, 5., 7., 2., 1.]),
    );
    sandbox
        .done(&["nan.npy"])
        .says(&["1 of 4 rows has missing cells", "--missing em"]);
    // Where nothing would be left, the cells are named instead.
    sandbox.write("holes.csv", "a,b\n1,\n,2\n3,\n");
    sandbox
        .refused(&["holes.csv"])
        .says(&["line 2, column \"b\"", "--missing mean"]);
}

#[cfg(unix)]
#[test]
fn odd_places_for_data_are_named_as_what_they_are() {
    let sandbox = Sandbox::with_tables();
    std::os::unix::fs::symlink("gone.csv", sandbox.path("link.csv")).expect("a link");
    std::os::unix::fs::symlink("link.csv", sandbox.path("far.csv")).expect("a link");
    std::fs::create_dir(sandbox.path("x.csv")).expect("a folder");
    for (words, said) in [
        (
            &["link.csv"][..],
            "link.csv is a link to gone.csv, which does not exist",
        ),
        (
            &["far.csv"],
            "far.csv is a link to link.csv, which does not exist",
        ),
        (
            &["transform", "link.csv", "foods.csv"],
            "a link to gone.csv, which does not exist",
        ),
        (
            &["/dev/zero"],
            "/dev/zero is a binary file of an unknown kind",
        ),
        (
            &["/dev/urandom"],
            "/dev/urandom is a binary file of an unknown kind",
        ),
        (&["x.csv"], "x.csv is a folder"),
        (&["/dev/null"], "/dev/null is empty"),
    ] {
        // Links that lead nowhere cannot be listed with their bytes.
        let run = sandbox.run(words);
        run.assert_refused();
        run.says(&[said]);
    }
    // An endless pipe of bytes is given up as soon as it is seen.
    let words = ["-"];
    let mut command = sandbox.command(&words);
    command.stdin(std::fs::File::open("/dev/zero").expect("a device"));
    let run = Run::command(&mut command, &words);
    run.assert_refused();
    // A named pipe is read to its end.
    let made = Command::new("mkfifo")
        .arg(sandbox.path("pipe.csv"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return skip("a named pipe", "there is no mkfifo");
    }
    let (from, to) = (sandbox.path("foods.csv"), sandbox.path("pipe.csv"));
    let writer = std::thread::spawn(move || std::fs::copy(from, to));
    sandbox.done(&["pipe.csv"]);
    writer.join().expect("a writer").expect("a copy");
}

#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_ends_with_one_line_and_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    // 40,000 × 60 numbers: 19 MB, held more than once on the way.
    let cells: Vec<f64> = (0..2_400_000u32)
        .map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 12))
        .collect();
    sandbox.write("x.npy", npy_f64(60, &cells));
    let before = sandbox.listing();
    let (mut refused, mut done) = (0, 0);
    for megabytes in [60, 80, 100, 120, 140, 160, 200, 250] {
        let typed = "fit pca x.npy -k 5 --threads 2 -m m.safetensors -o s.csv";
        let script = format!("ulimit -v {}; exec {EIGENSPAN} {typed}", megabytes * 1000);
        let mut command = Command::new("bash");
        command.args(["-c", &script]).current_dir(sandbox.path(""));
        let Ok(output) = command.stdin(Stdio::null()).output() else {
            return skip("a limit of memory", "there is no bash");
        };
        let run = Run::from(&["ulimit -v", &megabytes.to_string()], output);
        if run.code == Some(0) {
            done += 1;
            for name in ["m.safetensors", "s.csv"] {
                std::fs::remove_file(sandbox.path(name)).expect("written");
            }
        } else {
            refused += 1;
            assert_eq!(run.code, Some(2), "{run:#?}");
            let lines: Vec<&str> = run
                .err
                .lines()
                .filter(|line| !line.starts_with("  tip:"))
                .collect();
            assert_eq!(lines.len(), 1, "{run:#?}");
            assert!(lines[0].contains("memory"), "{run:#?}");
        }
        assert_eq!(before, sandbox.listing(), "{run:#?}");
    }
    assert!(
        refused > 0 && done + refused == 8,
        "{refused} refused, {done} done"
    );
}

#[test]
fn a_plan_counts_what_the_data_takes() {
    let sandbox = Sandbox::new();
    let cells: Vec<f64> = (0..180_000u32)
        .map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 12))
        .collect();
    sandbox.write("x.npy", npy_f64(6, &cells));
    sandbox.done(&["fit", "pca", "x.npy", "-k", "all", "-o", "x.parquet"]);
    // One group of rows: 30,000 × 6 numbers are kept and held.
    let words = ["plan", "pca", "x.parquet", "-k", "2"];
    let object = sandbox.json(&words);
    let bytes = object["data_bytes"].as_u64().expect("bytes");
    assert!(bytes >= 30_000 * 6 * 8, "{bytes}");
    let run = sandbox.done(&words);
    assert!(run.out.contains("for the data"), "{run:#?}");
}
