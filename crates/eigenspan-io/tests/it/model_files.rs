//! Model files that earlier versions wrote (`tests/models`): they load, give the scores they gave, and are written as the same bytes.

use eigenspan::method::contract::Scores;
use eigenspan::{Context, Mat};
use eigenspan_io::model::Model;
use eigenspan_io::{Input, open};

use super::{options, repository};

const FILES: [&str; 6] = [
    "pca",
    "pca-em",
    "pca-like",
    "kpca",
    "kpca-nystrom",
    "kpca-fourier",
];

fn bytes_of(name: &str) -> Vec<u8> {
    let path = repository("tests/models").join(format!("{name}.safetensors"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn a_model_file_of_before_is_read_and_written_as_the_same_bytes() {
    for name in FILES {
        let bytes = bytes_of(name);
        let model = Model::from_bytes(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let method = name.split('-').next().unwrap_or_default();
        assert_eq!(model.fitted.method(), method, "{name}");
        assert_eq!(model.to_bytes().expect("bytes"), bytes, "{name}");
        assert_eq!(model.clone().to_bytes().expect("bytes"), bytes, "{name}");
    }
}

/// The variances of iris (scikit-learn's) and the mean at the origin, through a file of before.
#[test]
fn a_model_file_of_before_projects_rows() {
    let model = Model::from_bytes(&bytes_of("pca")).expect("a model");
    let path = repository("data/iris/iris.csv");
    let ctx = Context::new();
    let table = open(&Input::new(&path), &options(|_| ()), &ctx).expect("a table");
    let Scores::F64(scores) = model
        .fitted
        .transform(&ctx, table.numbers())
        .expect("scores")
    else {
        panic!("iris has 64-bit floats");
    };
    let variance = |scores: &Mat<f64>, j: usize| {
        scores.col(j).iter().map(|x| x * x).sum::<f64>() / (scores.n_rows() - 1) as f64
    };
    assert!((variance(&scores, 0) - 4.22824171).abs() < 1e-8);
    assert!((variance(&scores, 1) - 0.24267075).abs() < 1e-8);
}
