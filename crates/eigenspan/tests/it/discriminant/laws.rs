//! Laws: scatters add up, scores have variance 1 within classes, and the way rows arrive changes nothing.

use eigenspan::method::contract::Fitted;
use eigenspan::method::{Lda, LdaOptions, LdaSolver, QdaOptions, Shrinkage, Training};
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::source::{Block, Chain, Csr, Dense, Numbers, Rows, Source, Sparse};
use eigenspan::summary::{ClassScatter, ClassSums, Summary};
use eigenspan::{Context, Mat, MatView};

use super::{Classed, classed, probabilities, scores};
use crate::support::{distance, to_f32};

/// Normal rows of three classes, mixed; the first class is twice as large as the others.
pub(super) fn three_classes(n: usize, d: usize, seed: u64) -> Classed {
    let mut rng = Rng::new(seed);
    let mix = Mat::from_fn(d, d, |_, _| rng.normal());
    let class = |i: usize| [0, 0, 1, 2][i % 4];
    let mut rows = Mat::zeros(n, d);
    for i in 0..n {
        let z: Vec<f64> = (0..d).map(|_| rng.normal()).collect();
        for j in 0..d {
            let mixed: f64 = (0..d).map(|l| z[l] * mix[(l, j)]).sum();
            rows[(i, j)] = mixed + 3.0 * class(i) as f64 * ((j + class(i)) % 3) as f64;
        }
    }
    Classed {
        labels: (0..n)
            .map(|i| ["a", "b", "c"][class(i)].to_owned())
            .collect(),
        rows,
    }
}

fn codes(labels: &[String]) -> Vec<u32> {
    let code = |label: &String| label.as_bytes()[0] as u32 - 97;
    labels.iter().map(code).collect()
}

fn sums(source: &dyn Source<f64>, classes: &[u32], each: bool) -> ClassSums {
    let new = || ClassScatter::new(source.n_cols(), classes, 3).with_each(each);
    ClassScatter::read(&Context::new(), source, new).expect("a reading")
}

/// Scatter of rows about a mean, by the definition.
fn scatter(rows: &[&[f64]]) -> Mat<f64> {
    let (n, d) = (rows.len() as f64, rows[0].len());
    let mean: Vec<f64> = (0..d)
        .map(|j| rows.iter().map(|row| row[j]).sum::<f64>() / n)
        .collect();
    Mat::from_fn(d, d, |i, j| {
        rows.iter()
            .map(|row| (row[i] - mean[i]) * (row[j] - mean[j]))
            .sum()
    })
}

/// Every number of a model as bits.
pub(super) fn bits(lda: &Lda) -> Vec<u64> {
    let parts = lda.parts();
    let numbers = parts.scalings.as_slice().iter();
    numbers
        .chain(parts.coef.as_slice())
        .chain(&parts.constants)
        .chain(&parts.spectrum.singular_values)
        .chain(&parts.spectrum.residuals)
        .chain(&parts.preparation.center)
        .chain(parts.means.as_slice())
        .map(|x| x.to_bits())
        .collect()
}

#[test]
fn scatters_within_and_between_classes_add_up_to_that_of_all_rows() {
    let table = three_classes(700, 9, 1);
    let classes = codes(&table.labels);
    let found = sums(&Dense::new(table.rows.view()), &classes, false);
    let each = sums(&Dense::new(table.rows.view()), &classes, true);
    let of_class = |c: u32| -> Vec<&[f64]> {
        let rows = table.rows.rows().zip(&classes);
        rows.filter(|(_, class)| **class == c)
            .map(|(row, _)| row)
            .collect()
    };
    let mut within: Mat<f64> = Mat::zeros(9, 9);
    for c in 0..3 {
        let want = scatter(&of_class(c));
        let got = &each.each.as_ref().expect("scatters")[c as usize];
        assert!(distance(got.as_slice(), want.as_slice()) < 1e-9);
        let cells = within.as_mut_slice().iter_mut().zip(want.as_slice());
        cells.for_each(|(a, b)| *a += b);
    }
    assert!(distance(found.within.as_slice(), within.as_slice()) < 1e-9);
    assert!(distance(each.within.as_slice(), within.as_slice()) < 1e-9);
    assert!(distance(each.means.as_slice(), found.means.as_slice()) < 1e-12);
    let all: Vec<&[f64]> = table.rows.rows().collect();
    let total = scatter(&all);
    let shares: Vec<f64> = found.weights.iter().map(|w| w / 700.0).collect();
    let center = found.center(&shares);
    let between = Mat::from_fn(9, 9, |i, j| {
        let of_class = |c: usize| {
            found.weights[c] * (found.means[(c, i)] - center[i]) * (found.means[(c, j)] - center[j])
        };
        (0..3).map(of_class).sum::<f64>() + found.within[(i, j)]
    });
    assert!(distance(between.as_slice(), total.as_slice()) < 1e-9);
}

#[test]
fn scores_have_the_identity_as_their_covariance_within_classes() {
    for (name, label) in [("wine", "target"), ("digits", "digit"), ("iris", "species")] {
        let table = classed(name, label);
        for solver in [LdaSolver::Svd, LdaSolver::Eigen] {
            let lda = table.lda(&LdaOptions {
                solver,
                ..LdaOptions::default()
            });
            let lda = lda.expect("a fit");
            let scores = scores(&lda, &table.rows);
            let k = scores.n_cols();
            let mut within: Mat<f64> = Mat::zeros(k, k);
            for class in lda.classes() {
                let rows = scores.rows().zip(&table.labels);
                let rows: Vec<&[f64]> = rows
                    .filter(|(_, label)| *label == class)
                    .map(|(row, _)| row)
                    .collect();
                let own = scatter(&rows);
                let cells = within.as_mut_slice().iter_mut().zip(own.as_slice());
                cells.for_each(|(a, b)| *a += b / table.labels.len() as f64);
            }
            let identity = Mat::from_fn(k, k, |i, j| f64::from(i == j));
            assert!(
                distance(within.as_slice(), identity.as_slice()) < 1e-10,
                "{name}"
            );
            // The deviations of all rows are those of the scores.
            for i in 0..k {
                let column = scores.col(i);
                let rows: Vec<&[f64]> = column.iter().map(std::slice::from_ref).collect();
                let variance = scatter(&rows)[(0, 0)] / (column.len() - 1) as f64;
                let deviation = Fitted::deviation(&lda, i).expect("a deviation");
                assert!((deviation / variance.sqrt() - 1.0).abs() < 1e-10, "{name}");
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let table = three_classes(6000, 40, 2);
    let rows = Dense::new(table.rows.view());
    for options in [
        LdaOptions::default(),
        LdaOptions {
            shrinkage: Shrinkage::Auto,
            ..LdaOptions::default()
        },
    ] {
        let fit = |threads| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            bits(&options.fit(&ctx, &table.training(&rows)).expect("a fit"))
        };
        let one = fit(1);
        assert_eq!(fit(2), one);
        assert_eq!(fit(8), one);
    }
    let qda = |threads| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let qda = QdaOptions::default().fit(&ctx, &table.training(&rows));
        let whitening = qda.expect("a fit").parts().whitening.clone();
        whitening.into_vec()
    };
    assert_eq!(qda(8), qda(1));
}

/// The same rows, some cells of which are zero, as a sparse matrix.
fn sparse(rows: &Mat<f64>) -> Csr<f64> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows.rows() {
        for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            indices.push(j as u32);
            values.push(*x);
        }
        indptr.push(values.len());
    }
    Csr::from_rows(rows.n_cols(), indptr, indices, values).expect("a sparse matrix")
}

#[test]
fn sparse_rows_dense_rows_columns_and_f32_give_the_same_model() {
    let mut table = three_classes(500, 12, 3);
    let mut rng = Rng::new(8);
    for j in 0..10 {
        for i in 0..500 {
            if rng.uniform() < 0.8 {
                table.rows[(i, j)] = 0.0;
            }
        }
    }
    let want = table.lda(&LdaOptions::default()).expect("a fit");
    let close = |lda: &Lda, limit: f64| {
        let (a, b) = (lda.directions(), want.directions());
        assert!(distance(a.as_slice(), b.as_slice()) < limit);
        let (a, b) = (
            probabilities(lda, &table.rows),
            probabilities(&want, &table.rows),
        );
        assert!(distance(a.as_slice(), b.as_slice()) < 10.0 * limit);
    };
    let fit = |rows: Numbers<'_>| {
        let training = Training {
            rows,
            labels: Some(&table.labels),
        };
        let fitted = LdaOptions::default().fit(&Context::new(), &training);
        fitted.expect("a fit")
    };
    let csr = sparse(&table.rows);
    let rows = Sparse::new(csr.view());
    close(&fit(Numbers::F64(&rows)), 1e-11);
    let new = scores(&want, &table.rows);
    let found = <dyn Fitted>::transform(&want, &Context::new(), Numbers::F64(&rows));
    match found.expect("scores") {
        eigenspan::method::contract::Scores::F64(found) => {
            assert!(distance(found.as_slice(), new.as_slice()) < 1e-11);
        }
        other => panic!("{other:?}"),
    }
    let columns = table.rows.transposed();
    let rows = Dense::new(columns.view().transposed());
    close(&fit(Numbers::F64(&rows)), 1e-12);
    let single = to_f32(&table.rows);
    let rows = Dense::new(single.view());
    close(&fit(Numbers::F32(&rows)), 1e-5);
}

#[test]
fn two_shards_merged_are_the_whole() {
    let table = three_classes(900, 8, 4);
    let classes = codes(&table.labels);
    let whole = sums(&Dense::new(table.rows.view()), &classes, false);
    for cut in [1, 2, 300, 899] {
        for each in [false, true] {
            let mut both = ClassScatter::new(8, &classes, 3).with_each(each);
            let mut second = both.clone();
            let part = |from: usize, to: usize| Rows {
                first: from,
                block: Block::Dense(table.rows.view().slice_rows(from, to)),
                weights: None,
            };
            both.add(&part(0, cut)).expect("rows");
            second.add(&part(cut, 900)).expect("rows");
            Summary::<f64>::merge(&mut both, second);
            let both = both.into_sums();
            assert_eq!(both.n_rows, whole.n_rows);
            assert!(distance(both.within.as_slice(), whole.within.as_slice()) < 1e-9);
            assert!(distance(both.means.as_slice(), whole.means.as_slice()) < 1e-12);
        }
    }
    // And as a chain of sources, whose rows are numbered from its beginning.
    let (a, b) = (
        table.rows.view().slice_rows(0, 333),
        table.rows.view().slice_rows(333, 900),
    );
    let (a, b) = (Dense::new(a), Dense::new(b));
    let chain = Chain::new(vec![a, b]).expect("a chain");
    let chained = sums(&chain, &classes, false);
    assert!(distance(chained.within.as_slice(), whole.within.as_slice()) < 1e-9);
}

#[test]
fn a_weight_of_two_is_the_row_twice_and_a_weight_of_zero_no_row() {
    let table = three_classes(120, 5, 5);
    let weights: Vec<f64> = (0..120).map(|i| [1.0, 2.0, 0.0, 1.0, 3.0][i % 5]).collect();
    let mut repeated = Vec::new();
    let mut labels = Vec::new();
    for (i, weight) in weights.iter().enumerate() {
        for _ in 0..*weight as usize {
            repeated.extend_from_slice(table.rows.row(i));
            labels.push(table.labels[i].clone());
        }
    }
    let repeated = Classed {
        rows: Mat::from_vec(labels.len(), 5, repeated).expect("rows"),
        labels,
    };
    // Rows without weight may hold anything.
    let mut rows = table.rows.clone();
    for i in (0..120).filter(|&i| weights[i] == 0.0) {
        rows.row_mut(i).fill(f64::NAN);
    }
    for options in [
        LdaOptions::default(),
        LdaOptions {
            shrinkage: Shrinkage::Auto,
            ..LdaOptions::default()
        },
    ] {
        let want = repeated.lda(&options).expect("a fit");
        let source = Dense::new(rows.view())
            .with_weights(&weights)
            .expect("weights");
        let got = options.fit(&Context::new(), &table.training(&source));
        let got = got.expect("a fit");
        let (a, b) = (got.directions(), want.directions());
        assert!(distance(a.as_slice(), b.as_slice()) < 1e-11);
        assert!(distance(&got.parts().priors, &want.parts().priors) < 1e-14);
        let (a, b) = (
            probabilities(&got, &table.rows),
            probabilities(&want, &table.rows),
        );
        assert!(distance(a.as_slice(), b.as_slice()) < 1e-11);
    }
}

#[test]
fn fewer_components_are_the_first_ones_and_predict_the_same() {
    let digits = classed("digits", "digit");
    let whole = digits.lda(&LdaOptions::default()).expect("a fit");
    assert_eq!(whole.directions().n_rows(), 9);
    let keep = |n_components| LdaOptions {
        n_components,
        ..LdaOptions::default()
    };
    let two = digits.lda(&keep(Keep::Count(2))).expect("a fit");
    assert_eq!(
        two.directions().as_slice(),
        whole.directions().clone().top(2).as_slice()
    );
    assert_eq!(two.parts().coef, whole.parts().coef);
    let share = digits.lda(&keep(Keep::Share(0.9))).expect("a fit");
    let shares = whole.explained_variance_ratio();
    let k = share.directions().n_rows();
    assert!(shares[..k].iter().sum::<f64>() >= 0.9 && shares[..k - 1].iter().sum::<f64>() < 0.9);
    assert!(
        (share.parts().spectrum.left_out_variance().expect("a rest")
            - whole.ratios()[k..].iter().sum::<f64>())
        .abs()
            < 1e-10
    );
}

#[test]
fn rows_with_missing_cells_are_left_out_or_filled_as_if_by_hand() {
    use eigenspan::prepare::Missing;
    let table = three_classes(200, 6, 6);
    let mut holed = table.rows.clone();
    for i in (0..200).step_by(7) {
        holed[(i, i % 6)] = f64::NAN;
    }
    let kept: Vec<usize> = (0..200).filter(|i| i % 7 != 0).collect();
    let by_hand = Classed {
        rows: Mat::from_fn(kept.len(), 6, |i, j| table.rows[(kept[i], j)]),
        labels: kept.iter().map(|&i| table.labels[i].clone()).collect(),
    };
    let holed = Classed {
        rows: holed,
        labels: table.labels.clone(),
    };
    let missing = |missing| LdaOptions {
        missing,
        ..LdaOptions::default()
    };
    let want = by_hand.lda(&LdaOptions::default()).expect("a fit");
    let got = holed.lda(&missing(Missing::Drop)).expect("a fit");
    assert!(distance(got.directions().as_slice(), want.directions().as_slice()) < 1e-12);
    let said: Vec<String> = got.parts().notes.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["29 rows with missing cells left out"]);
    let found = probabilities(&got, &holed.rows);
    assert!(found.row(0).iter().all(|p| p.is_nan()) && found.row(1).iter().all(|p| p.is_finite()));
    // Filled with the means of the columns, in the fit and in new rows.
    let mean = |j: usize| {
        let known: Vec<f64> = holed
            .rows
            .col(j)
            .into_iter()
            .filter(|x| !x.is_nan())
            .collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    let means: Vec<f64> = (0..6).map(mean).collect();
    let filled = Classed {
        rows: Mat::from_fn(200, 6, |i, j| match holed.rows[(i, j)] {
            x if x.is_nan() => means[j],
            x => x,
        }),
        labels: holed.labels.clone(),
    };
    let want = filled.lda(&LdaOptions::default()).expect("a fit");
    let got = holed.lda(&missing(Missing::Mean)).expect("a fit");
    assert!(distance(got.directions().as_slice(), want.directions().as_slice()) < 1e-12);
    let (a, b) = (
        probabilities(&got, &holed.rows),
        probabilities(&want, &filled.rows),
    );
    assert!(distance(a.as_slice(), b.as_slice()) < 1e-11);
    let qda = holed.qda(&QdaOptions {
        missing: Missing::Mean,
        ..QdaOptions::default()
    });
    let want = filled.qda(&QdaOptions::default()).expect("a fit");
    let (a, b) = (
        probabilities(&qda.expect("a fit"), &holed.rows),
        probabilities(&want, &filled.rows),
    );
    assert!(distance(a.as_slice(), b.as_slice()) < 1e-10);
    // Missing cells are refused where nothing else was asked for.
    assert!(holed.lda(&LdaOptions::default()).is_err());
    let view: MatView<'_, f64> = holed.rows.view();
    let rows = Dense::new(view);
    let by = want.predictor().expect("a predictor");
    let refused = by.probabilities(&Context::new(), Numbers::F64(&rows));
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.contains("29 NaN"), "{refused}");
}
