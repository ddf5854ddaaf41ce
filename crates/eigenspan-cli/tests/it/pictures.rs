//! Pictures through the program: patches in, a picture back, and the compression errors that courses teach.

use std::path::{Path, PathBuf};

use eigenspan::Context;
use eigenspan_io::{Input, Numbers, ReadOptions, open};
use serde_json::Value;

use crate::support::{Sandbox, assert_close, beside, npy_values, numbers, reference, workspace};

/// The pixels of a picture, and its width.
fn pixels(path: &Path) -> (Vec<f64>, usize) {
    let table = open(&Input::new(path), &ReadOptions::default(), &Context::new());
    let table = table.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let Numbers::F64(source) = table.numbers() else {
        panic!("pictures are f64");
    };
    let mut cells = Vec::new();
    for part in 0..source.n_parts() {
        let read = source.read_part(part, &mut |rows| {
            cells.extend_from_slice(rows.block.to_mat().as_slice());
            Ok(())
        });
        read.expect("a picture");
    }
    (cells, table.picture().expect("a shape").width)
}

/// The mean squared difference of a picture and a part of another, from its upper left corner.
fn error_of(rebuilt: &Path, original: &Path) -> f64 {
    let (a, width) = pixels(rebuilt);
    let (b, wide) = pixels(original);
    let height = a.len() / width;
    let square = |i: usize| (a[i] - b[i / width * wide + i % width]).powi(2);
    (0..width * height).map(square).sum::<f64>() / a.len() as f64
}

fn camera() -> PathBuf {
    workspace().join("data/camera/camera.png")
}

/// Fits patches, and gives what is printed and the errors of the rebuilt rows and of the rebuilt picture.
fn compress(picture: &Path, k: &str) -> (Value, f64, f64) {
    let sandbox = Sandbox::new();
    let file = picture.to_str().expect("UTF-8");
    let fit = [
        "fit",
        "pca",
        file,
        "--patch",
        "12",
        "-k",
        k,
        "-m",
        "m.safetensors",
        "--solver",
        "full",
    ];
    let printed = sandbox.json(&fit);
    sandbox.done(&["transform", "m.safetensors", file, "-o", "scores.npy"]);
    sandbox.done(&["inverse", "m.safetensors", "scores.npy", "-o", "back.png"]);
    sandbox.done(&["inverse", "m.safetensors", "scores.npy", "-o", "rows.npy"]);
    let rebuilt = npy_values(&sandbox.bytes("rows.npy"));
    let options = ReadOptions {
        patch: Some(12),
        ..ReadOptions::default()
    };
    let table = open(&Input::new(picture), &options, &Context::new()).expect("patches");
    let Numbers::F64(source) = table.numbers() else {
        panic!("pictures are f64");
    };
    let (mut squares, mut at) = (0.0, 0);
    for part in 0..source.n_parts() {
        let read = source.read_part(part, &mut |rows| {
            for cell in rows.block.to_mat().as_slice() {
                squares += (cell - rebuilt[at]).powi(2);
                at += 1;
            }
            Ok(())
        });
        read.expect("patches");
    }
    assert_eq!(at, rebuilt.len());
    let of_picture = error_of(&sandbox.path("back.png"), picture);
    (printed, squares / at as f64, of_picture)
}

#[test]
fn a_photograph_is_compressed_as_the_lecture_says() {
    for (k, error, rounded, stored) in [
        ("60", 10.48764291946891, 10.503791852434654, 0.4647),
        ("16", 58.80708060104712, 58.2177146166623, 0.1245),
        ("3", 237.98059313116036, 236.2620421365504, 0.0240),
    ] {
        let (printed, of_rows, of_picture) = compress(&camera(), k);
        assert_eq!(
            (&printed["n_rows"], &printed["n_cols"]),
            (&1271.into(), &144.into())
        );
        assert_close(&[error], &[of_rows], 1e-9);
        // A number on the edge between two grays may fall to either side.
        assert_close(&[rounded], &[of_picture], 1e-5);
        let variances = numbers(&printed, "explained_variance");
        assert_close(
            &[827539.3663132358, 18341.90964659432],
            &variances[..2],
            1e-9,
        );
        let k: f64 = k.parse().expect("a number");
        let share = (1271.0 * k + 144.0 * k + 144.0) / (372.0 * 492.0);
        assert!((share - stored).abs() < 5e-5, "{share}");
    }
}

/// Holds the patches of a picture, with 16 components, against a peer's.
fn check_patches(picture: &Path, expected: &Value) {
    let name = picture.display();
    let (printed, of_rows, of_picture) = compress(picture, "16");
    assert_eq!(printed["n_rows"], expected["n_patches"], "{name}");
    let variances = numbers(&printed, "explained_variance");
    let wanted = numbers(expected, "eigenvalues");
    assert_close(&wanted[..16], &variances, 1e-10);
    let error = |key: &str| expected["per_k"]["16"][key].as_f64().expect("a number");
    assert_close(&[error("mse")], &[of_rows], 1e-8);
    assert_close(&[error("mse_rounded_clipped_uint8")], &[of_picture], 1e-4);
}

#[test]
fn patches_of_photographs_agree_with_numpy() {
    let reference = &reference("image_patches.json")["results"];
    for (name, file) in [
        ("camera_crop_372x492", "camera/camera"),
        ("camera", "camera/camera-512"),
        ("brick", "textures/brick"),
        ("grass", "textures/grass"),
        ("gravel", "textures/gravel"),
    ] {
        let picture = workspace().join(format!("data/{file}.png"));
        check_patches(&picture, &reference[name]);
    }
}

#[test]
fn patches_of_photographs_that_may_not_be_passed_on_agree_with_numpy_too() {
    let reference = &reference("image_patches.json")["results"];
    for name in ["coins", "moon"] {
        if let Some(picture) = beside(&format!("data/images/{name}.png")) {
            check_patches(&picture, &reference[name]);
        }
    }
}

#[test]
fn patches_of_doubled_pixels_have_the_rank_of_the_pixels_and_agree_with_scikit_learn() {
    let expected = &reference("stand_ins.json")["results"]["camera_doubled"];
    let (camera, width) = pixels(&camera());
    let sandbox = Sandbox::new();
    // The upper left 186 × 246 pixels as a picture of twice the size, in an IDX file.
    let mut bytes = vec![0, 0, 8, 3];
    for size in [1u32, 372, 492] {
        bytes.extend(size.to_be_bytes());
    }
    let doubled = (0..372 * 492).map(|i| camera[i / 492 / 2 * width + i % 492 / 2] as u8);
    bytes.extend(doubled);
    sandbox.write("doubled-images-idx3-ubyte", bytes);
    let picture = sandbox.path("doubled-images-idx3-ubyte");
    check_patches(&picture, expected);
    let file = picture.to_str().expect("UTF-8");
    let found = sandbox.json(&["fit", "pca", file, "--patch", "12", "-k", "all"]);
    // 144 pixels of a patch are copies of 36.
    let variances = numbers(&found, "explained_variance");
    assert_close(&numbers(expected, "eigenvalues"), &variances[..36], 1e-10);
    assert!(variances[36..].iter().all(|x| *x < 1e-9 * variances[0]));
}

#[test]
fn a_model_cuts_other_pictures_as_its_own_and_rebuilds_them_by_their_size() {
    let sandbox = Sandbox::new();
    let file = camera();
    let file = file.to_str().expect("UTF-8");
    sandbox.done(&[
        "fit",
        "pca",
        file,
        "--patch",
        "12",
        "-k",
        "3",
        "-m",
        "a.safetensors",
        "-o",
        "a.csv",
    ]);
    sandbox.done(&["inverse", "a.safetensors", "a.csv", "-o", "small.png"]);
    // The same rows as a picture of another shape: 62 patches across, and one row of patches too few.
    sandbox
        .refused(&[
            "inverse",
            "a.safetensors",
            "a.csv",
            "--size",
            "744x252",
            "-o",
            "x.png",
        ])
        .says(&[
            "744 × 252 pixels takes 1,302 rows",
            "there are 1,271",
            "--size",
        ]);
    sandbox.done(&[
        "inverse",
        "a.safetensors",
        "a.csv",
        "--size",
        "380x500",
        "-o",
        "tall.png",
    ]);
    assert_eq!(pixels(&sandbox.path("tall.png")).1, 372);
    sandbox.done(&["transform", "a.safetensors", "small.png", "-o", "b.csv"]);
    assert_eq!(sandbox.table("b.csv").rows.len(), 1271);
    assert_eq!(sandbox.table("b.csv").names[0], "patch");
    sandbox
        .refused(&["transform", "a.safetensors", "small.png", "-o", "x.png"])
        .says(&["x.png"]);
    sandbox
        .refused(&["inverse", "a.safetensors", "a.csv", "-o", "small.png/"])
        .says(&["small.png"]);
    sandbox
        .refused(&["fit", "pca", file, "-m", "b.safetensors"])
        .says(&["1 row is too few", "--patch 12"]);
}

#[test]
fn a_folder_of_pictures_comes_back_as_a_folder_of_pictures() {
    let sandbox = Sandbox::new();
    let file = camera();
    let file = file.to_str().expect("UTF-8");
    // Five pictures: the photograph rebuilt with more and more components.
    std::fs::create_dir(sandbox.path("faces")).expect("a folder");
    for (i, k) in ["1", "2", "3", "5", "8"].iter().enumerate() {
        sandbox.done(&[
            "fit",
            "pca",
            file,
            "--patch",
            "62",
            "-k",
            k,
            "-m",
            "k.safetensors",
            "-o",
            "k.npy",
        ]);
        let name = format!("faces/face{}.png", i + 9);
        sandbox.done(&["inverse", "k.safetensors", "k.npy", "-o", &name]);
    }
    sandbox.done(&[
        "fit",
        "pca",
        "faces",
        "-k",
        "all",
        "-m",
        "f.safetensors",
        "-o",
        "f.csv",
    ]);
    let scores = sandbox.table("f.csv");
    assert_eq!(scores.column("picture")[..2], ["face9.png", "face10.png"]);
    sandbox.done(&["inverse", "f.safetensors", "f.csv", "-o", "back/"]);
    for i in 9..14 {
        let name = format!("face{i}.png");
        let error = error_of(
            &sandbox.path("back").join(&name),
            &sandbox.path("faces").join(&name),
        );
        assert_eq!(error, 0.0, "{name}");
    }
    // A folder in use stays as it is, and so do the pictures that the model was fitted to.
    sandbox
        .refused(&["inverse", "f.safetensors", "f.csv", "-o", "faces/"])
        .says(&["not empty"]);
    sandbox
        .refused(&["inverse", "f.safetensors", "f.csv", "-o", "one.png"])
        .says(&["takes 1 row of scores, but there are 5", "-o NAME/"]);
    sandbox.done(&[
        "inverse",
        "f.safetensors",
        "f.csv",
        "--rows",
        "2:2",
        "-o",
        "one.png",
    ]);
    assert_eq!(
        error_of(&sandbox.path("one.png"), &sandbox.path("faces/face10.png")),
        0.0
    );
    // A model of whole pictures takes no other size.
    sandbox
        .refused(&["transform", "f.safetensors", file, "-o", "x.csv"])
        .says(&["492 × 372 pixels, but the model has 434 × 372"]);
}

#[test]
fn a_model_without_pictures_makes_none() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&[
        "fit",
        "pca",
        "wine.csv",
        "-k",
        "2",
        "-m",
        "w.safetensors",
        "-o",
        "s.csv",
    ]);
    sandbox
        .refused(&["inverse", "w.safetensors", "s.csv", "-o", "x.png"])
        .says(&["was not fitted to pictures", ".csv"]);
    sandbox
        .refused(&["fit", "pca", "wine.csv", "--patch", "12"])
        .says(&["pictures only"]);
}
