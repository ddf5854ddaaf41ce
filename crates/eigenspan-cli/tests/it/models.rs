//! Model files that are damaged, of another kind or from a newer version are refused by name before anything is written.

use serde_json::{Value, json};

use crate::own_method::built_in;
use crate::support::{Run, Sandbox};

/// Refuses the model `bad` on every road that reads one.
fn refused(sandbox: &Sandbox, words: &[&str]) -> Run {
    sandbox
        .refused(&["transform", "bad", "iris.csv", "-o", "new.csv"])
        .says(words);
    sandbox
        .refused(&["transform", "bad", "iris.csv"])
        .says(words);
    sandbox
        .refused(&["inverse", "bad", "scores.csv", "-o", "new.csv"])
        .says(words);
    // What is no model could be data; a name says which is meant.
    let named = "bad.safetensors";
    sandbox.write(named, sandbox.bytes("bad"));
    sandbox.refused(&["describe", named, "--json"]).says(words);
    let run = sandbox.refused(&["describe", named]);
    run.says(words).says(&["bad.safetensors: "]);
    run
}

/// The header of a model file, its own JSON within, and the bytes of the tensors.
struct Parts {
    header: Value,
    model: Value,
    tensors: Vec<u8>,
}

impl Parts {
    fn read(sandbox: &Sandbox) -> Self {
        let bytes = sandbox.bytes("m");
        let length = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
        let header: Value = serde_json::from_slice(&bytes[8..8 + length]).expect("JSON");
        let model = header["__metadata__"]["eigenspan"]
            .as_str()
            .expect("our metadata");
        let model = serde_json::from_str(model).expect("JSON");
        Parts {
            header,
            model,
            tensors: bytes[8 + length..].to_vec(),
        }
    }

    fn write(mut self, sandbox: &Sandbox) {
        self.header["__metadata__"]["eigenspan"] = self.model.to_string().into();
        let mut header = self.header.to_string();
        header += &" ".repeat((8 - header.len() % 8) % 8);
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(self.tensors);
        sandbox.write("bad", bytes);
    }

    /// Sets every number of one tensor.
    fn fill(&mut self, tensor: &str, value: f64) {
        let place = &self.header[tensor]["data_offsets"];
        let at = |i: usize| place[i].as_u64().expect("an offset") as usize;
        let (cells, _) = self.tensors[at(0)..at(1)].as_chunks_mut::<8>();
        cells
            .iter_mut()
            .for_each(|cell| *cell = value.to_le_bytes());
    }
}

#[test]
fn a_model_taken_apart_and_put_together_again_is_the_same_model() {
    let sandbox = Sandbox::with_model("iris.csv");
    Parts::read(&sandbox).write(&sandbox);
    sandbox.done(&["transform", "bad", "iris.csv", "-o", "again.csv"]);
    assert_eq!(sandbox.text("scores.csv"), sandbox.text("again.csv"));
}

#[test]
fn a_model_cut_anywhere_is_refused() {
    let sandbox = Sandbox::with_model("iris.csv");
    let good = sandbox.bytes("m");
    for cut in (0..8)
        .map(|i| good.len() * i / 8)
        .chain([1, 7, 8, 9, good.len() - 1])
    {
        sandbox.write("bad", &good[..cut]);
        refused(&sandbox, &["not a model"]);
    }
    sandbox.write("bad", [&good[..], b"more"].concat());
    refused(&sandbox, &["not a model"]);
}

#[test]
fn files_of_another_kind_are_no_models() {
    let sandbox = Sandbox::with_model("iris.csv");
    let iris = sandbox.bytes("iris.csv");
    let other = b"{\"t\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}      ";
    let length = (other.len() as u64).to_le_bytes();
    let other = [&length[..], other, &[0; 8]].concat();
    for (content, words) in [
        (iris, "not a model"),
        (b"\x80\x04\x95rubbish".to_vec(), "not a model"),
        (Vec::new(), "it is empty"),
        (other, "without eigenspan's metadata"),
    ] {
        sandbox.write("bad", content);
        refused(&sandbox, &[words]);
    }
    sandbox
        .refused(&["describe", "gone"])
        .says(&["no file gone"]);
    sandbox
        .refused(&["transform", "gone", "iris.csv"])
        .says(&["gone: no such file"]);
    std::fs::create_dir(sandbox.path("folder")).expect("a folder");
    sandbox
        .refused(&["transform", "folder", "iris.csv"])
        .says(&["it is a folder"]);
    sandbox
        .refused(&["describe", "folder"])
        .says(&["folder is a folder without files"]);
}

#[test]
fn a_newer_model_says_that_it_is_newer() {
    let sandbox = Sandbox::with_model("iris.csv");
    for version in [json!(2), json!(4_000_000_000_000u64)] {
        let mut parts = Parts::read(&sandbox);
        parts.model["format_version"] = version;
        parts.model["model"] = json!({"unheard": "of"});
        parts.write(&sandbox);
        refused(&sandbox, &["newer than this version reads (1)"]);
    }
    for version in [json!(0), json!(-1), json!("1"), json!(null)] {
        let mut parts = Parts::read(&sandbox);
        parts.model["format_version"] = version;
        parts.write(&sandbox);
        refused(&sandbox, &["damaged model"]);
    }
}

#[test]
fn an_unknown_method_is_named() {
    let sandbox = Sandbox::with_model("iris.csv");
    let mut parts = Parts::read(&sandbox);
    parts.model["method"] = json!("tarot");
    parts.write(&sandbox);
    let known = format!("it knows: {}", built_in());
    refused(&sandbox, &["`tarot`", &known]);
}

#[test]
fn numbers_that_no_fit_gives_are_refused() {
    let sandbox = Sandbox::with_model("iris.csv");
    for (tensor, value) in [
        ("components", 0.0),
        ("components", f64::NAN),
        ("components", 1e300),
        ("mean", f64::NAN),
        ("mean", f64::INFINITY),
        ("singular_values", -1.0),
        ("singular_values", f64::NAN),
    ] {
        let mut parts = Parts::read(&sandbox);
        parts.fill(tensor, value);
        parts.write(&sandbox);
        refused(&sandbox, &["damaged model"]);
    }
}

/// Something done to a model.
type Fault = fn(&mut Parts);

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let sandbox = Sandbox::with_model("iris.csv");
    let faults: [(&str, Fault); 8] = [
        ("no component", |p| {
            p.header["components"]["shape"] = json!([0, 4]);
            p.header["components"]["data_offsets"] = json!([0, 0]);
        }),
        ("a shape that is not its bytes", |p| {
            p.header["components"]["shape"] = json!([4, 4])
        }),
        ("a shape that overflows", |p| {
            p.header["components"]["shape"] = json!([u64::MAX, u64::MAX]);
        }),
        ("other components than columns", |p| {
            p.header["components"]["shape"] = json!([4, 2])
        }),
        ("a column too few", |p| {
            p.model["model"]["columns"] = json!(["a", "b", "c"])
        }),
        ("a tensor of another type", |p| {
            p.header["mean"]["dtype"] = json!("I64")
        }),
        ("a tensor missing", |p| {
            let mean = p.header.as_object_mut().and_then(|h| h.remove("mean"));
            p.header["average"] = mean.expect("a mean");
        }),
        ("no rows", |p| p.model["model"]["n_rows"] = json!(-5)),
    ];
    for (what, fault) in faults {
        let mut parts = Parts::read(&sandbox);
        fault(&mut parts);
        parts.write(&sandbox);
        println!("{what}: {}", refused(&sandbox, &[]).err.trim());
    }
}

/// With the model `m` of a kernel PCA of iris, and its `scores.csv`.
fn with_kernel_model() -> Sandbox {
    let sandbox = Sandbox::with_tables();
    let typed =
        "fit kpca iris.csv -k 2 -m m -o scores.csv --quiet --scale --kernel rbf(gamma=0.25)";
    sandbox.done(&typed.split(' ').collect::<Vec<_>>());
    sandbox
}

#[test]
fn numbers_that_no_fit_of_a_kernel_gives_are_refused() {
    let sandbox = with_kernel_model();
    for (tensor, value) in [
        ("weights", f64::NAN),
        ("weights", f64::INFINITY),
        ("basis", f64::NAN),
        ("offset", f64::NAN),
        ("mean", f64::NAN),
        ("origin", f64::NAN),
        ("scale", 0.0),
        ("center", f64::NAN),
        ("singular_values", -1.0),
        ("singular_values", f64::NAN),
        ("eigenvalues", f64::NAN),
    ] {
        let mut parts = Parts::read(&sandbox);
        parts.fill(tensor, value);
        parts.write(&sandbox);
        refused(&sandbox, &["damaged model"]);
    }
}

#[test]
fn parts_of_a_kernel_pca_that_do_not_belong_together_are_refused() {
    let sandbox = with_kernel_model();
    let faults: [(&str, Fault); 12] = [
        ("a kernel that cannot be read", |p| {
            p.model["model"]["kernel"] = json!("rbf(gama=1)")
        }),
        ("a kernel with open parameters", |p| {
            p.model["model"]["kernel"] = json!("rbf(gamma=median)")
        }),
        ("a kernel without rows", |p| {
            p.model["model"]["kernel"] = json!("precomputed")
        }),
        ("no component", |p| {
            p.header["weights"]["shape"] = json!([150, 0]);
        }),
        ("weights of other rows", |p| {
            p.header["weights"]["shape"] = json!([100, 3])
        }),
        ("a shape that overflows", |p| {
            p.header["basis"]["shape"] = json!([u64::MAX, u64::MAX]);
        }),
        ("rows of other columns", |p| {
            p.header["basis"]["shape"] = json!([100, 6])
        }),
        ("a column too few", |p| {
            p.model["model"]["columns"] = json!(["a", "b", "c"])
        }),
        ("columns that are not there", |p| {
            p.model["model"]["n_cols"] = json!(5)
        }),
        ("a tensor of another type", |p| {
            p.header["mean"]["dtype"] = json!("I64")
        }),
        ("a tensor missing", |p| {
            let basis = p.header.as_object_mut().and_then(|h| h.remove("basis"));
            p.header["points"] = basis.expect("a basis");
        }),
        ("no rows", |p| p.model["model"]["n_rows"] = json!(0)),
    ];
    for (what, fault) in faults {
        let mut parts = Parts::read(&sandbox);
        fault(&mut parts);
        parts.write(&sandbox);
        println!("{what}: {}", refused(&sandbox, &[]).err.trim());
    }
}

#[test]
fn a_kernel_model_cut_anywhere_is_refused() {
    let sandbox = with_kernel_model();
    let whole = sandbox.bytes("m");
    for length in [1, 8, 9, 100, whole.len() / 2, whole.len() - 1] {
        sandbox.write("bad", &whole[..length]);
        refused(&sandbox, &[]);
    }
}
