//! Files of every format, changed at random: each is read or refused, and none makes the program panic or take memory.
//!
//! The same seeds give the same files. The work is done in a child of this test whose address space is limited by the
//! shell, so that a size believed too early ends it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;

use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};
use eigenspan_io::model::{Element, Estimator, Model, Origin};
use eigenspan_io::{Input, Numbers, ReadOptions, open};

use super::{Folder, columnar, packed, pictures, plink, sparse, tenx};

/// Changed copies of each file.
const COPIES: u64 = 60;
/// What a reader may use.
const BUDGET: u64 = 32 << 20;
/// What the whole process may reserve, in kilobytes; threads and their heaps take a third of it before anything is read.
const ADDRESSES: u64 = 1 << 21;
/// Says that this is the child.
const CHILD: &str = "EIGENSPAN_DAMAGED";
const THIS: &str = "damage::no_change_to_a_file_of_any_format_ends_the_program";

/// Files by name; those of a set stand side by side and are opened by the first.
fn samples() -> Vec<Vec<(String, Vec<u8>)>> {
    let csv = "id,x,y,when\na,1,2.5,2024-01-01\nb,-3e5,NA,2024-02-01\n\"c,\"\"d\"\"\",7,,\n";
    let semicolons = "a;b;c\n1,5;2;x\n2,5;3;y\n";
    let alone = |name: &str, bytes: Vec<u8>| vec![(name.to_owned(), bytes)];
    let mut samples = vec![
        alone("t.csv", csv.into()),
        alone("t.tsv", csv.replace(',', "\t").into()),
        alone("t.txt", "1 2 3\n4 5 6\n7 8 1e400\n".into()),
        alone("s.csv", semicolons.into()),
        alone("t.csv.gz", packed::gzipped(csv.as_bytes())),
        alone("p.jpg", pictures::jpeg_of_gray_200()),
        alone(
            "p.png",
            pictures::png((2, 2), (8, 0, 0), &[], &[0, 1, 2, 0, 3, 4]),
        ),
        alone("t.idx", pictures::idx(8, &[3, 2, 2], &[7; 12])),
    ];
    let folder = Folder::new();
    plink::write(&folder);
    let read = |name: &str| {
        (
            name.to_owned(),
            std::fs::read(folder.path(name)).expect("a file"),
        )
    };
    samples.push(["x.bed", "x.bim", "x.fam"].map(read).to_vec());
    let text = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    samples.push(vec![
        text("matrix.mtx", tenx::MATRIX),
        text("features.tsv", tenx::FEATURES),
        text("barcodes.tsv", tenx::BARCODES),
    ]);
    let whole = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        alone(&name, std::fs::read(&path).expect("a fixture"))
    };
    let arrays = [
        "dense.npy",
        "gram.npy",
        "stored.npz",
        "packed.npz",
        "csr.npz",
        "csc.npz",
    ];
    let texts = [
        "general.mtx",
        "array.mtx",
        "one_based.svm",
        "zero_based.svm",
    ];
    let named = arrays.iter().chain(&texts);
    samples.extend(named.map(|name| whole(sparse::fixture(name))));
    let tables = [
        "types.parquet",
        "ragged.parquet",
        "types.feather",
        "polars.arrow",
    ];
    samples.extend(tables.iter().map(|name| whole(columnar::file(name))));
    if cfg!(feature = "h5ad") {
        let hdf = ["dense.h5ad", "dense_gzip.h5ad", "csr.h5ad", "csc.h5ad"];
        samples.extend(hdf.iter().map(|name| whole(sparse::fixture(name))));
    }
    samples
}

/// A model file.
fn model() -> Vec<u8> {
    let x = Mat::from_fn(6, 3, |i, j| ((i * i + 3 * j) % 7) as f64);
    let fit = PcaOptions::default().fit(&Context::new(), &Dense::new(x.view()));
    let model = Model {
        fitted: Box::new(fit.expect("a fit")),
        origin: Origin {
            element: Some(Element::F32),
            estimator: Some(Estimator {
                class: "TruncatedSVD".to_owned(),
                parameters: serde_json::Map::new(),
                lists: [("explained_variance".to_owned(), vec![2.0, 1.0])].into(),
            }),
            ..Origin::default()
        },
        picture: None,
    };
    let bytes = model.to_bytes().expect("a model file");
    let again = Model::from_bytes(&bytes).expect("the same model");
    assert_eq!(again.origin, model.origin);
    assert_eq!(again.to_bytes().expect("the same bytes"), bytes);
    model.to_bytes().expect("a model file")
}

/// The bytes with one to four changes: bits turned over, numbers blown up, pieces cut, doubled, moved or made up.
fn changed(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut out = bytes.to_vec();
    for _ in 0..1 + rng.below(4) {
        if out.is_empty() {
            break;
        }
        let at = rng.below(out.len());
        let length = 1 + rng.below((out.len() - at).min(40));
        match rng.below(7) {
            0 => out[at] ^= 1 << rng.below(8),
            1 => out[at..at + length].fill([0, 0xff, b'9', b'"'][rng.below(4)]),
            2 => out.truncate(at),
            3 => drop(out.drain(at..at + length)),
            4 => {
                let piece = out[at..at + length].to_vec();
                let to = rng.below(out.len());
                out.splice(to..to, piece);
            }
            5 => {
                let made_up: Vec<u8> = (0..length).map(|_| rng.bits() as u8).collect();
                out[at..at + length].copy_from_slice(&made_up);
            }
            // A length, a count or a dimension becomes huge.
            _ => {
                let huge = [u64::MAX, 1 << 62, u64::from(u32::MAX), 1 << 40][rng.below(4)];
                let place = out.len().min(at + 8);
                out[at..place].copy_from_slice(&huge.to_le_bytes()[..place - at]);
            }
        }
    }
    out
}

/// Opens what is at a path, and takes all of it that there is, up to a few parts.
fn take_all(path: PathBuf, options: &ReadOptions, ctx: &Context) {
    let Ok(table) = open(&Input::new(path), options, ctx) else {
        return;
    };
    for part in 0..table.n_parts().min(3) {
        let _ = match table.numbers() {
            Numbers::F32(source) => source.read_part(part, &mut |_| Ok(())),
            Numbers::F64(source) => source.read_part(part, &mut |_| Ok(())),
        };
        let columns: Vec<usize> = (0..table.all_columns().len().min(3)).collect();
        let _ = table.part_texts(part, &columns);
    }
}

fn damage_all() {
    let ctx = Context::new().with_threads(1).expect("a pool");
    let ctx = ctx.with_memory(BUDGET);
    let guarded = |name: &str, seed: u64, work: &mut dyn FnMut()| {
        let ended = catch_unwind(AssertUnwindSafe(work));
        assert!(
            ended.is_ok(),
            "{name}, changed by seed {seed}, made it panic"
        );
    };
    for sample in samples() {
        for (member, (name, whole)) in sample.iter().enumerate() {
            let folder = Folder::new();
            for (name, bytes) in &sample {
                folder.file(name, bytes);
            }
            for seed in 0..COPIES {
                folder.file(name, changed(whole, seed * 1000 + member as u64));
                let options = ReadOptions {
                    transpose: seed % 5 == 4,
                    ..ReadOptions::default()
                };
                guarded(name, seed, &mut || {
                    take_all(folder.path(&sample[0].0), &options, &ctx);
                });
            }
        }
    }
    let whole = model();
    let mut refused = 0;
    for seed in 0..10 * COPIES {
        let bytes = changed(&whole, seed);
        guarded("model.safetensors", seed, &mut || {
            refused += usize::from(Model::from_bytes(&bytes).is_err());
        });
    }
    assert!(refused > 0, "no change to a model file was found out");
}

#[test]
fn no_change_to_a_file_of_any_format_ends_the_program() {
    if std::env::var_os(CHILD).is_some() {
        return damage_all();
    }
    let this = std::env::current_exe().expect("this test");
    let mut child = match cfg!(target_os = "linux") {
        true => {
            let mut shell = Command::new("sh");
            let limited = format!("ulimit -v {ADDRESSES} && exec \"$0\" \"$@\"");
            shell.args(["-c", &limited]).arg(this);
            shell
        }
        false => Command::new(this),
    };
    child.args(["--exact", THIS, "--nocapture", "--test-threads=1"]);
    let done = child.env(CHILD, "1").output().expect("a child");
    let said = String::from_utf8_lossy(&done.stderr);
    let lines: Vec<&str> = said.lines().collect();
    let last = lines[lines.len().saturating_sub(20)..].join("\n");
    assert!(done.status.success(), "{}\n{last}", done.status);
    let ran = String::from_utf8_lossy(&done.stdout);
    assert!(ran.contains("1 passed"), "the child ran nothing:\n{ran}");
}
