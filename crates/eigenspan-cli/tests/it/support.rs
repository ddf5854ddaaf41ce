//! A temporary folder for every test, functions that run the program in it, and tables to write and read.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const EIGENSPAN: &str = env!("CARGO_BIN_EXE_eigenspan");

/// The folder with everything in it.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A table of the repository's data folder.
pub(crate) fn data(name: &str) -> PathBuf {
    workspace()
        .join("data")
        .join(name)
        .join(format!("{name}.csv"))
}

/// A folder that one test has for itself.
pub(crate) struct Sandbox(TempDir);

impl Sandbox {
    pub(crate) fn new() -> Self {
        Sandbox(tempfile::tempdir().expect("a temporary folder"))
    }

    /// With tables: `foods.csv`, `wine.csv`, `iris.csv`, `penguins.csv`, `decathlon.csv`, `digits.csv` and `rings.csv`.
    pub(crate) fn with_tables() -> Self {
        let sandbox = Sandbox::new();
        copy_tables(sandbox.0.path());
        sandbox
    }

    /// With tables, a model `m` of one of them, and its `scores.csv`.
    pub(crate) fn with_model(table: &str) -> Self {
        let sandbox = Sandbox::with_tables();
        let typed = format!("fit pca {table} -k 2 -m m -o scores.csv --quiet");
        sandbox.done(&typed.split(' ').collect::<Vec<_>>());
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a file in the sandbox");
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    pub(crate) fn table(&self, name: &str) -> Cells {
        Cells::parse(
            &self.text(name),
            if name.ends_with(".tsv") { '\t' } else { ',' },
        )
    }

    /// Every file below, with its bytes: what a failed command must leave as it was.
    pub(crate) fn listing(&self) -> Vec<(PathBuf, Vec<u8>)> {
        listing(self.0.path())
    }

    /// The program, not started yet, in this folder and without the tester's settings of color.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(EIGENSPAN);
        command.args(words).current_dir(self.0.path());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Run {
        Run::command(&mut self.command(words), words)
    }

    /// Runs a command that must succeed.
    pub(crate) fn done(&self, words: &[&str]) -> Run {
        let run = self.run(words);
        assert_eq!(run.code, Some(0), "{run:#?}");
        run
    }

    /// Runs a command that must be refused: exit code 2, one `error:` line, no trace of a crash, and every file as before.
    pub(crate) fn refused(&self, words: &[&str]) -> Run {
        let before = self.listing();
        let run = self.run(words);
        run.assert_refused();
        assert_eq!(before, self.listing(), "files changed: {run:#?}");
        run
    }

    /// The object a command prints with `--json`.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let mut words = words.to_vec();
        words.push("--json");
        self.done(&words).json()
    }

    pub(crate) fn run_with_stdin(&self, words: &[&str], stdin: &[u8]) -> Run {
        let mut command = self.command(words);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        // A program that refuses early reads no further; that is its right.
        let _ = pipe.write_all(stdin);
        drop(pipe);
        Run::from(words, child.wait_with_output().expect("the program ends"))
    }
}

/// Copies the tables of the welcome page into a folder.
pub(crate) fn copy_tables(folder: &Path) {
    for (name, copy) in [
        ("uk-foods", "foods"),
        ("wine", "wine"),
        ("iris", "iris"),
        ("penguins", "penguins"),
        ("decathlon", "decathlon"),
        ("digits", "digits"),
        ("rings", "rings"),
    ] {
        std::fs::copy(data(name), folder.join(format!("{copy}.csv"))).expect("a copy of the data");
    }
}

/// Every file below a folder, with its bytes, in order.
pub(crate) fn listing(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            found.extend(listing(&path));
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

/// What came out of the program.
#[derive(Debug)]
pub(crate) struct Run {
    #[allow(dead_code, reason = "shown when a test fails")]
    words: String,
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn command(command: &mut Command, words: &[&str]) -> Self {
        Run::from(words, command.output().expect("the program starts"))
    }

    pub(crate) fn from(words: &[&str], output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Run {
            words: words.join(" "),
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }

    pub(crate) fn assert_refused(&self) {
        assert_eq!(self.code, Some(2), "{self:#?}");
        let errors = self.err.lines().filter(|l| l.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{self:#?}");
        assert!(self.err.starts_with("error: "), "{self:#?}");
        self.assert_no_crash();
    }

    pub(crate) fn assert_no_crash(&self) {
        for word in ["panicked", "RUST_BACKTRACE", "stack backtrace", "os error"] {
            assert!(!self.err.contains(word), "{word}: {self:#?}");
        }
    }

    /// Asserts that standard error holds each of the words.
    pub(crate) fn says(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not said: {self:#?}");
        }
        self
    }
}

/// A list of numbers in a JSON object.
pub(crate) fn numbers(object: &Value, key: &str) -> Vec<f64> {
    let list = object[key]
        .as_array()
        .unwrap_or_else(|| panic!("{key} in {object:#}"));
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// A table of cells, as written.
#[derive(Debug, PartialEq)]
pub(crate) struct Cells {
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Cells {
    /// Reads plain text without quotes.
    pub(crate) fn parse(text: &str, delimiter: char) -> Self {
        let mut lines = text
            .lines()
            .map(|line| line.split(delimiter).map(str::to_owned).collect());
        Cells {
            names: lines.next().expect("a header"),
            rows: lines.collect(),
        }
    }

    pub(crate) fn column(&self, name: &str) -> Vec<&str> {
        let place = self.names.iter().position(|n| n == name);
        let place = place.unwrap_or_else(|| panic!("no column {name} in {:?}", self.names));
        self.rows.iter().map(|row| row[place].as_str()).collect()
    }

    pub(crate) fn numbers(&self, name: &str) -> Vec<f64> {
        let cells = self.column(name).into_iter();
        cells
            .map(|cell| cell.parse().unwrap_or_else(|e| panic!("{cell}: {e}")))
            .collect()
    }

    /// The same table with its columns in the order given, as CSV.
    pub(crate) fn to_csv(&self, names: &[&str]) -> String {
        let columns: Vec<Vec<&str>> = names.iter().map(|name| self.column(name)).collect();
        let mut out = names.join(",") + "\n";
        for row in 0..self.rows.len() {
            let cells: Vec<&str> = columns.iter().map(|column| column[row]).collect();
            out += &(cells.join(",") + "\n");
        }
        out
    }
}

/// Asserts that two lists agree to `tolerance` times the largest number in the first.
pub(crate) fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let size = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * size, "place {i}: {x} and {y}");
    }
}

/// Numbers that look random and are the same everywhere: between −0.5 and 0.5 (Knuth's MMIX constants).
pub(crate) fn noise() -> impl FnMut() -> f64 {
    let mut state = 1u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }
}

/// The bytes of a NumPy array.
pub(crate) fn npy(descr: &str, shape: (usize, usize), data: &[u8]) -> Vec<u8> {
    let (n, d) = shape;
    let mut head = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n}, {d}), }}");
    let padding = (64 - (10 + head.len() + 1) % 64) % 64;
    head += &" ".repeat(padding);
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    bytes.extend(data);
    bytes
}

/// The bytes of a NumPy array of 64-bit floats with `d` columns.
pub(crate) fn npy_f64(d: usize, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy("<f8", (values.len() / d, d), &data)
}

/// The numbers of a NumPy array of 64-bit floats, as this program writes it.
pub(crate) fn npy_values(bytes: &[u8]) -> Vec<f64> {
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let head = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[10..10 + head]).into_owned();
    assert!(
        text.contains("'<f8'") && text.contains("'fortran_order': False"),
        "{text}"
    );
    let (values, rest) = bytes[10 + head..].as_chunks::<8>();
    assert!(rest.is_empty());
    values
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
        .collect()
}

/// A peer's numbers in `tests/reference`. They are part of the repository: a missing file fails the test.
pub(crate) fn reference(file: &str) -> Value {
    let path = workspace().join("tests/reference").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Data that may not be passed on, where they lie beside the repository.
pub(crate) fn beside(path: &str) -> Option<PathBuf> {
    let found = workspace().join("../shared").join(path);
    if found.exists() {
        return Some(found);
    }
    skip(path, "it is not beside the repository");
    None
}

/// A part of a test that this machine cannot run, said aloud.
pub(crate) fn skip(what: &str, why: &str) {
    println!("skipped: {what} ({why})");
}
