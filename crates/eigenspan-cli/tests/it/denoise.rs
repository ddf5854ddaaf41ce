//! Denoising of tables and pictures by a model of clean ones.

use std::path::Path;

use eigenspan::Context;
use eigenspan_io::{Input, Numbers, ReadOptions, open};

use crate::support::{
    Sandbox, assert_close, beside, noise, npy_f64, npy_values, reference, workspace,
};

/// Two numbers of one circle and a third of nothing, and the same with noise; an id stands between them.
fn with_circle() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let (mut clean, mut noisy) = ("x,name,y,z\n".to_owned(), "z,x,name,y,remark\n".to_owned());
    for i in 0..80 {
        let angle = f64::from(i) * 0.7;
        let (x, y) = (3.0 * angle.cos(), 3.0 * angle.sin());
        clean += &format!("{x},c{i},{y},{}\n", 0.01 * next());
        let (dx, dy) = (next(), next());
        noisy += &format!("{},{},n{i},{},row {i}\n", next(), x + dx, y + dy);
    }
    sandbox.write("clean.csv", clean);
    sandbox.write("noisy.csv", noisy);
    sandbox
}

/// Mean distance of rows from the circle.
fn off(sandbox: &Sandbox, table: &str) -> f64 {
    let table = sandbox.table(table);
    let (x, y) = (table.numbers("x"), table.numbers("y"));
    let off = x.iter().zip(&y).map(|(x, y)| (x.hypot(*y) - 3.0).abs());
    off.sum::<f64>() / x.len() as f64
}

#[test]
fn a_kernel_brings_rows_back_to_a_circle_and_keeps_the_form_of_the_table() {
    let sandbox = with_circle();
    let typed = "denoise kpca noisy.csv --train clean.csv -k 8 --kernel rbf(sigma=1) -o out.csv";
    let run = sandbox.done(&typed.split(' ').collect::<Vec<_>>());
    for word in [
        "denoised by kernel PCA",
        "8 components of the 80 rows of clean.csv",
        "taken out",
    ] {
        assert!(run.out.contains(word), "{word}: {run:#?}");
    }
    let (noisy, out) = (sandbox.table("noisy.csv"), sandbox.table("out.csv"));
    assert_eq!(out.names, noisy.names);
    assert_eq!(out.column("name"), noisy.column("name"));
    assert_eq!(out.column("remark"), noisy.column("remark"));
    let (before, after) = (off(&sandbox, "noisy.csv"), off(&sandbox, "out.csv"));
    assert!(after < before / 2.0, "{before} and {after}");
    // What is said to be taken out is what is gone.
    let object = sandbox.json(&typed.split(' ').collect::<Vec<_>>());
    let square = |name: &str| {
        let pairs = noisy.numbers(name).into_iter().zip(out.numbers(name));
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
    };
    let rms = ((square("x") + square("y") + square("z")) / 240.0).sqrt();
    let said = object["rms_change"].as_f64().expect("a number");
    assert!((said - rms).abs() < 1e-12 * rms, "{said} and {rms}");
    assert_eq!(
        object["residual"]["each"].as_array().map(Vec::len),
        Some(80)
    );
}

#[test]
fn all_components_of_a_pca_change_nothing_and_few_take_out_what_clean_rows_lack() {
    let sandbox = with_circle();
    let typed = "denoise pca noisy.csv --train clean.csv -o out.csv -q -k";
    let words = |k: &'static str| typed.split(' ').chain([k]).collect::<Vec<_>>();
    sandbox.done(&words("3"));
    let (noisy, out) = (sandbox.table("noisy.csv"), sandbox.table("out.csv"));
    assert_eq!(out.names, noisy.names);
    for name in ["x", "y", "z"] {
        assert_close(&noisy.numbers(name), &out.numbers(name), 1e-12);
    }
    // z never varies in clean rows: two components leave next to nothing of it.
    sandbox.done(&words("2"));
    let z = sandbox.table("out.csv").numbers("z");
    assert!(z.iter().all(|z| z.abs() < 0.05), "{z:?}");
}

#[test]
fn arrays_come_out_as_arrays_in_the_type_of_the_input() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let clean: Vec<f64> = (0..600).map(|i| f64::from(i % 5) + 0.01 * next()).collect();
    let noisy: Vec<f64> = clean.iter().map(|x| x + 0.3 * next()).collect();
    sandbox.write("clean.npy", npy_f64(6, &clean));
    sandbox.write("noisy.npy", npy_f64(6, &noisy));
    let typed = "denoise kpca noisy.npy --train clean.npy -k 4 --gamma median -o out.npy -q";
    sandbox.done(&typed.split(' ').collect::<Vec<_>>());
    let out = npy_values(&sandbox.bytes("out.npy"));
    assert_eq!(out.len(), 600);
    let error = |x: &[f64]| {
        x.iter()
            .zip(&clean)
            .map(|(a, b)| (a - b) * (a - b))
            .sum::<f64>()
    };
    assert!(error(&out) < error(&noisy) / 2.0);
    let one = sandbox.done(&[
        "denoise",
        "kpca",
        "noisy.npy",
        "--train",
        "clean.npy",
        "-k",
        "4",
        "--threads",
        "1",
        "-o",
        "-",
    ]);
    let two = sandbox.done(&[
        "denoise",
        "kpca",
        "noisy.npy",
        "--train",
        "clean.npy",
        "-k",
        "4",
        "--threads",
        "2",
        "-o",
        "-",
    ]);
    assert_eq!(one.out, two.out);
}

/// The bytes of an IDX file of pictures of 8 × 8 pixels.
fn idx(pictures: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, 3];
    for size in [pictures.len() as u32, 8, 8] {
        bytes.extend(size.to_be_bytes());
    }
    pictures.iter().for_each(|picture| bytes.extend(picture));
    bytes
}

#[test]
fn pictures_come_out_as_pictures() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    // Bars at one of eight heights.
    let bar = |i: usize| {
        (0..64)
            .map(|p| if p / 8 == i % 8 { 200u8 } else { 20 })
            .collect()
    };
    let clean: Vec<Vec<u8>> = (0..40).map(bar).collect();
    let noisy: Vec<Vec<u8>> = (0..8)
        .map(|i| {
            clean[i]
                .iter()
                .map(|x| (f64::from(*x) + 38.0 * next()) as u8)
                .collect()
        })
        .collect();
    sandbox.write("clean-images-idx3-ubyte", idx(&clean));
    sandbox.write("noisy-images-idx3-ubyte", idx(&noisy));
    let typed = "denoise kpca noisy-images-idx3-ubyte --train clean-images-idx3-ubyte -k 7 --gamma median -o";
    let to = |place: &'static str| typed.split(' ').chain([place]).collect::<Vec<_>>();
    sandbox.done(&to("out/"));
    let count = std::fs::read_dir(sandbox.path("out"))
        .expect("a folder")
        .count();
    assert_eq!(count, 8);
    // As numbers they are nearer to the clean ones than the noisy ones were.
    sandbox.done(&to("out.npy"));
    let out = npy_values(&sandbox.bytes("out.npy"));
    let clean = clean[..8].concat();
    let error = |x: &mut dyn Iterator<Item = f64>| {
        x.zip(&clean)
            .map(|(a, b)| (a - f64::from(*b)).powi(2))
            .sum::<f64>()
    };
    let (before, after) = (
        error(&mut noisy.concat().into_iter().map(f64::from)),
        error(&mut out.into_iter()),
    );
    assert!(after < before / 4.0, "{before} and {after}");
}

#[test]
fn what_cannot_be_denoised_is_refused_and_leaves_no_file() {
    let sandbox = with_circle();
    let refused = |typed: &str, words: &[&str]| {
        sandbox
            .refused(&typed.split(' ').collect::<Vec<_>>())
            .says(words);
    };
    refused("denoise kpca noisy.csv -o out.csv", &["--train"]);
    refused(
        "denoise kpca noisy.csv --train gone.csv -o out.csv",
        &["gone.csv"],
    );
    refused(
        "denoise pca noisy.csv --train clean.csv -o clean.csv",
        &["is the input"],
    );
    refused(
        "denoise pca noisy.csv --train clean.csv -o noisy.csv",
        &["is the input"],
    );
    refused(
        "denoise pca noisy.csv --train clean.csv -k 4 -o out.csv",
        &["4 components"],
    );
    refused(
        "denoise pca noisy.csv --train clean.csv -o out.png",
        &["was not fitted to pictures"],
    );
    sandbox.write("other.csv", "x,w\n1,2\n3,4\n5,7\n");
    refused(
        "denoise kpca other.csv --train clean.csv -o out.csv",
        &["missing: y, z"],
    );
    refused(
        "denoise kpca noisy.csv --train clean.csv --kernel chi2 -o out.csv",
        &["chi2"],
    );
}

/// An array of an archive of digits.
fn digits(path: &Path, member: &str) -> Vec<f64> {
    let options = ReadOptions {
        member: Some(member.to_owned()),
        ..Default::default()
    };
    let table = open(&Input::new(path), &options, &Context::new()).expect("digits");
    let Numbers::F64(source) = table.numbers() else {
        panic!("digits are f64");
    };
    let mut cells = Vec::new();
    for part in 0..source.n_parts() {
        let read = source.read_part(part, &mut |rows| {
            cells.extend_from_slice(rows.block.to_mat().as_slice());
            Ok(())
        });
        read.expect("digits");
    }
    cells
}

fn mean_square(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>() / a.len() as f64
}

/// The error that denoising leaves.
fn left(sandbox: &Sandbox, typed: &str, clean: &[f64]) -> f64 {
    let typed = format!("denoise {typed} -o out.npy -q");
    sandbox.done(&typed.split(' ').collect::<Vec<_>>());
    mean_square(&npy_values(&sandbox.bytes("out.npy")), clean)
}

#[test]
fn digits_are_left_with_the_errors_that_scikit_learn_leaves() {
    let path = workspace().join("data/digits-denoising/digits-denoising.npz");
    let reference = reference("digits_denoising.json");
    let sandbox = Sandbox::new();
    for member in ["X_train", "X_train_noisy", "X_test_noisy"] {
        sandbox.write(
            &format!("{member}.npy"),
            npy_f64(64, &digits(&path, member)),
        );
    }
    let clean = digits(&path, "X_test");
    for (key, train) in [
        ("trained_on_clean", "X_train"),
        ("trained_on_noisy", "X_train_noisy"),
    ] {
        let expected = &reference["results"][key];
        let given = format!("X_test_noisy.npy --train {train}.npy");
        let mut cases = vec![];
        for k in ["4", "16", "32"] {
            cases.push((format!("pca {given} -k {k}"), &expected["pca"][k]));
        }
        for gamma in ["0.01", "0.1"] {
            let case = format!("gamma={gamma},q=32");
            let options = format!("-k 32 --gamma {gamma} --pre-image ridge --alpha 0.005");
            let want = &expected["kpca_rbf_ridge_alpha5e-3"][&case];
            cases.push((format!("kpca {given} {options}"), want));
        }
        for (typed, want) in cases {
            let error = left(&sandbox, &typed, &clean);
            assert_close(&[want.as_f64().expect("a number")], &[error], 1e-9);
        }
    }
}

/// Digits to tune a kernel PCA on, and what it is compared with.
struct Contest<'a> {
    archive: &'a Path,
    pixels: usize,
    /// Numbers of components: of kernel PCA, and those that PCA may choose from.
    of_kernel: &'a str,
    of_pca: [&'a str; 5],
    gammas: [&'a str; 3],
    alphas: [&'a str; 2],
    /// The error that scikit-learn's PCA with 32 components leaves where it has seen noisy digits only.
    peer: f64,
}

impl Contest<'_> {
    /// The options of kernel PCA with the least error on digits that were held out from the training digits.
    fn tuned(&self, sandbox: &Sandbox, train: &[f64]) -> String {
        let (learn, rest) = train.split_at(600 * self.pixels);
        let held_out = &rest[..100 * self.pixels];
        let mut next = noise();
        // The sum of twelve uniform numbers has variance 1.
        let mut normal = || (0..12).map(|_| next()).sum::<f64>();
        let spoiled: Vec<f64> = held_out.iter().map(|x| x + 0.25 * normal()).collect();
        sandbox.write("learn.npy", npy_f64(self.pixels, learn));
        sandbox.write("spoiled.npy", npy_f64(self.pixels, &spoiled));
        let mut best = (f64::INFINITY, String::new());
        for gamma in self.gammas {
            for alpha in self.alphas {
                let k = self.of_kernel;
                let options = format!("-k {k} --gamma {gamma} --pre-image ridge --alpha {alpha}");
                let typed = format!("kpca spoiled.npy --train learn.npy {options}");
                let error = left(sandbox, &typed, held_out);
                println!("training digits, {options}: {error:.4}");
                if error < best.0 {
                    best = (error, options);
                }
            }
        }
        best.1
    }

    /// Both on digits that nobody has seen; PCA may even choose its number of components there.
    fn held(&self) {
        let sandbox = Sandbox::new();
        let array = |member: &str| digits(self.archive, member);
        let (train, test, noisy) = (array("X_train"), array("X_test"), array("X_test_noisy"));
        let options = self.tuned(&sandbox, &train);
        sandbox.write("train.npy", npy_f64(self.pixels, &train));
        sandbox.write("noisy.npy", npy_f64(self.pixels, &noisy));
        let by_pca = self.of_pca.map(|k| {
            let typed = format!("pca noisy.npy --train train.npy -k {k}");
            left(&sandbox, &typed, &test)
        });
        let by_pca_best = by_pca.iter().copied().fold(f64::INFINITY, f64::min);
        let typed = format!("kpca noisy.npy --train train.npy {options}");
        let by_kernel = left(&sandbox, &typed, &test);
        println!("PCA {by_pca:.4?}, kernel PCA {by_kernel:.4} ({options})");
        assert!(
            by_kernel < 0.9 * by_pca_best,
            "{by_kernel} and {by_pca_best}"
        );
        sandbox.write("seen.npy", npy_f64(self.pixels, &array("X_train_noisy")));
        let peer = left(&sandbox, "pca noisy.npy --train seen.npy -k 32", &test);
        assert!((peer - self.peer).abs() < 1e-8, "{peer}");
    }
}

#[test]
fn kernel_pca_tuned_on_training_digits_denoises_held_out_ones_better_than_pca_at_its_best() {
    let noisy = &reference("digits_denoising.json")["results"]["trained_on_noisy"];
    let contest = Contest {
        archive: &workspace().join("data/digits-denoising/digits-denoising.npz"),
        pixels: 64,
        of_kernel: "32",
        of_pca: ["12", "16", "20", "24", "32"],
        gammas: ["0.02", "0.05", "0.1"],
        alphas: ["0.003", "0.01"],
        peer: noisy["pca"]["32"].as_f64().expect("a number"),
    };
    contest.held();
}

#[test]
fn kernel_pca_does_so_on_the_usps_digits_too() {
    let Some(archive) = beside("data/usps_denoising/usps_denoising.npz") else {
        return;
    };
    let usps = &reference("usps_denoising.json")["results"];
    let contest = Contest {
        archive: &archive,
        pixels: 256,
        of_kernel: "128",
        of_pca: ["24", "32", "48", "64", "96"],
        gammas: ["0.003", "0.01", "0.03"],
        alphas: ["0.003", "0.01"],
        peer: usps["pca_sweep"]["32"].as_f64().expect("a number"),
    };
    contest.held();
}
