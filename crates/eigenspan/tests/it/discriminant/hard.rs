//! Data on which careless code fails: large offsets, unlike scales, classes far apart, duplicates, constant columns, few rows.

use eigenspan::method::contract::Fitted;
use eigenspan::method::{Lda, LdaOptions, LdaSolver, QdaOptions, Shrinkage, Training};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Mat};

use super::laws::three_classes;
use super::{Classed, classed, probabilities, scores};
use crate::support::{distance, to_f32};

/// The same classes, rows changed cell by cell.
fn changed(table: &Classed, change: impl Fn(usize, usize, f64) -> f64) -> Classed {
    let rows = &table.rows;
    Classed {
        rows: Mat::from_fn(rows.n_rows(), rows.n_cols(), |i, j| {
            change(i, j, rows[(i, j)])
        }),
        labels: table.labels.clone(),
    }
}

fn fitted(table: &Classed) -> Lda {
    table.lda(&LdaOptions::default()).expect("a fit")
}

/// How far scores differ, up to the sign of each.
fn scores_apart(a: (&Lda, &Classed), b: (&Lda, &Classed)) -> f64 {
    let (a, b) = (scores(a.0, &a.1.rows), scores(b.0, &b.1.rows));
    let column = |k: usize| {
        let (a, b) = (a.col(k), b.col(k));
        let turned: Vec<f64> = b.iter().map(|x| -x).collect();
        distance(&a, &b).min(distance(&a, &turned))
    };
    (0..a.n_cols()).map(column).fold(0.0, f64::max)
}

/// Rows whose cells are multiples of 2⁻²⁰, so that offsets of whole numbers change none of their digits.
fn rounded(table: &Classed) -> Classed {
    const UNIT: f64 = 1.0 / 1_048_576.0;
    changed(table, |_, _, x| (x / UNIT).round() * UNIT)
}

#[test]
fn an_offset_of_a_hundred_million_costs_no_digits() {
    let near = rounded(&three_classes(400, 6, 1));
    let far = changed(&near, |_, _, x| x + 1e8);
    let (a, b) = (fitted(&near), fitted(&far));
    assert!(scores_apart((&a, &near), (&b, &far)) < 1e-7);
    assert!(distance(&a.ratios(), &b.ratios()) < 1e-10);
    let (p, q) = (probabilities(&a, &near.rows), probabilities(&b, &far.rows));
    assert!(distance(p.as_slice(), q.as_slice()) < 1e-7);
    let eigen = LdaOptions {
        solver: LdaSolver::Eigen,
        ..LdaOptions::default()
    };
    let q = probabilities(&far.lda(&eigen).expect("a fit"), &far.rows);
    assert!(distance(p.as_slice(), q.as_slice()) < 1e-7);
}

#[test]
fn classes_that_lie_far_apart_keep_the_digits_of_the_scatter_within_them() {
    let near = rounded(&three_classes(400, 6, 2));
    let far = changed(&near, |i, j, x| match near.labels[i].as_str() {
        "a" => x,
        "b" => x + 3e8 + j as f64,
        _ => x - 1e8 * (j + 1) as f64,
    });
    // The total scatter is 1e16 times as large as that within classes: their difference would be noise.
    let rows = Dense::new(far.rows.view());
    let eigen = LdaOptions {
        solver: LdaSolver::Eigen,
        store_covariance: true,
        ..LdaOptions::default()
    };
    let own = near.lda(&eigen).expect("a fit");
    let want = own.parts().covariance.as_ref().expect("a covariance");
    let found = eigen
        .fit(&Context::new(), &far.training(&rows))
        .expect("a fit");
    let got = found.parts().covariance.as_ref().expect("a covariance");
    assert!(distance(got.as_slice(), want.as_slice()) < 1e-11);
    assert_eq!(far.right(&found), 400);
}

#[test]
fn a_column_in_other_units_changes_neither_scores_nor_probabilities() {
    let wine = classed("wine", "target");
    for factor in [1e6, 1e-6] {
        let scaled = changed(&wine, |_, j, x| if j == 3 { x * factor } else { x });
        let (a, b) = (fitted(&wine), fitted(&scaled));
        assert!(scores_apart((&a, &wine), (&b, &scaled)) < 1e-10, "{factor}");
        let (p, q) = (
            probabilities(&a, &wine.rows),
            probabilities(&b, &scaled.rows),
        );
        assert!(distance(p.as_slice(), q.as_slice()) < 1e-10);
        let qda = |table: &Classed| table.qda(&QdaOptions::default()).expect("a fit");
        let (p, q) = (
            probabilities(&qda(&wine), &wine.rows),
            probabilities(&qda(&scaled), &scaled.rows),
        );
        assert!(distance(p.as_slice(), q.as_slice()) < 1e-9);
        let residuals = &b.parts().spectrum.residuals;
        assert!(residuals.iter().all(|r| *r < 1e-10), "{residuals:?}");
    }
}

#[test]
fn duplicated_columns_and_constant_columns_change_nothing_and_are_noted() {
    let iris = classed("iris", "species");
    let wide = Classed {
        rows: Mat::from_fn(150, 7, |i, j| match j {
            4 | 5 => iris.rows[(i, j - 4)],
            6 => 5.1,
            _ => iris.rows[(i, j)],
        }),
        labels: iris.labels.clone(),
    };
    let want = fitted(&iris);
    for solver in [LdaSolver::Svd, LdaSolver::Eigen] {
        let got = wide.lda(&LdaOptions {
            solver,
            ..LdaOptions::default()
        });
        let got = got.expect("a fit");
        assert!(scores_apart((&want, &iris), (&got, &wide)) < 1e-9);
        let (p, q) = (
            probabilities(&want, &iris.rows),
            probabilities(&got, &wide.rows),
        );
        assert!(distance(p.as_slice(), q.as_slice()) < 1e-9);
        let said: Vec<String> = got.parts().notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "7 is constant and adds nothing",
                "within their classes, rows of 6 varying columns vary in 4 directions only: discriminants lie in the span of \
                 these, and differences between classes outside it are not used"
            ]
        );
        let residuals = &got.parts().spectrum.residuals;
        assert!(residuals.iter().all(|r| *r < 1e-10), "{residuals:?}");
    }
    // Rows twice are the same rows.
    let twice = Classed {
        rows: Mat::from_fn(300, 4, |i, j| iris.rows[(i % 150, j)]),
        labels: (0..300).map(|i| iris.labels[i % 150].clone()).collect(),
    };
    assert!(distance(&fitted(&twice).ratios(), &want.ratios()) < 1e-10);
}

#[test]
fn a_column_that_varies_only_between_classes_is_left_out_with_a_note() {
    let iris = classed("iris", "species");
    let told = Classed {
        rows: Mat::from_fn(150, 5, |i, j| match j {
            4 => (i / 50) as f64,
            _ => iris.rows[(i, j)],
        }),
        labels: iris.labels.clone(),
    };
    let got = fitted(&told);
    let said: Vec<String> = got.parts().notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "5 is constant within every class and not the same in all: differences are measured by the spread within classes, \
             which is 0 there, so it is left out"
        ]
    );
    assert!(got.directions().rows().all(|row| row[4] == 0.0));
    assert!(scores_apart((&fitted(&iris), &iris), (&got, &told)) < 1e-10);
}

#[test]
fn fewer_rows_than_columns_give_what_the_covariance_of_the_columns_gives() {
    let table = three_classes(40, 90, 3);
    let wide = fitted(&table);
    assert_eq!(wide.parts().plan.solver.name(), "dual");
    // With the covariance to be kept, the d × d matrix is decomposed.
    let square = table.lda(&LdaOptions {
        store_covariance: true,
        ..LdaOptions::default()
    });
    let square = square.expect("a fit");
    assert_eq!(square.parts().plan.solver.name(), "covariance");
    assert_eq!(wide.parts().rank_within, 37);
    assert!(distance(&wide.ratios(), &square.ratios()) < 1e-8 * wide.ratios()[0]);
    assert!(scores_apart((&wide, &table), (&square, &table)) < 1e-8);
    let (p, q) = (
        probabilities(&wide, &table.rows),
        probabilities(&square, &table.rows),
    );
    assert!(distance(p.as_slice(), q.as_slice()) < 1e-8);
    let (a, b) = (&wide.parts().deviations, &square.parts().deviations);
    assert!(distance(a, b) < 1e-7);
    assert!(wide.parts().spectrum.residuals.iter().all(|r| *r < 1e-9));
    let said = wide.parts().notes[0].to_string();
    assert!(
        said.contains("rows of 90 varying columns vary in 37 directions only"),
        "{said}"
    );
    // New rows differ in directions that no row varied in; with shrinkage these count too.
    let shrunk = table.lda(&LdaOptions {
        shrinkage: Shrinkage::Auto,
        ..LdaOptions::default()
    });
    assert!(shrunk.expect("a fit").parts().notes.is_empty());
    // The same for 32-bit rows, with one more row without a weight.
    let single = to_f32(&table.rows);
    let rows = Dense::new(single.view());
    let training = Training {
        rows: Numbers::F32(&rows),
        labels: Some(&table.labels),
    };
    let single = LdaOptions::default().fit(&Context::new(), &training);
    let single = single.expect("a fit");
    let (a, b) = (single.ratios(), wide.ratios());
    assert!((a[0] / b[0] - 1.0).abs() < 1e-3, "{a:?} {b:?}");
}

#[test]
fn a_class_of_one_row_is_a_class_for_lda_and_none_for_qda() {
    let iris = classed("iris", "species");
    let mut labels = iris.labels.clone();
    labels[0] = "alone".to_owned();
    let table = Classed {
        rows: iris.rows.clone(),
        labels,
    };
    for shrinkage in [Shrinkage::None, Shrinkage::Auto, Shrinkage::Fixed(0.5)] {
        let lda = table.lda(&LdaOptions {
            shrinkage,
            ..LdaOptions::default()
        });
        let lda = lda.expect("a fit");
        assert_eq!(lda.classes()[0], "alone");
        assert_eq!(lda.parts().weights, [1.0, 49.0, 50.0, 50.0]);
        assert!(
            probabilities(&lda, &table.rows)
                .as_slice()
                .iter()
                .all(|p| p.is_finite())
        );
    }
    let refused = table.qda(&QdaOptions::default()).expect_err("refused");
    assert_eq!(
        refused.to_string(),
        "class alone has 1 row, but a covariance of its own needs at least 2"
    );
}

#[test]
fn models_are_the_same_after_they_were_a_record() {
    use eigenspan::method::registry;
    let iris = classed("iris", "species");
    for shrinkage in [Shrinkage::None, Shrinkage::Auto] {
        let lda = iris.lda(&LdaOptions {
            shrinkage,
            store_covariance: true,
            ..LdaOptions::default()
        });
        let lda = lda.expect("a fit");
        let record = lda.record().expect("a record");
        let entry = registry::find("lda").expect("a method");
        let again = entry.from_record(&record).expect("a model");
        assert_eq!(again.downcast::<Lda>(), Some(&lda));
        assert_eq!(again.axis_names(), ["LD1", "LD2"]);
    }
    let qda = iris.qda(&QdaOptions::default()).expect("a fit");
    let record = qda.record().expect("a record");
    let entry = registry::find("qda").expect("a method");
    let again = entry.from_record(&record).expect("a model");
    assert_eq!(again.downcast(), Some(&qda));
    assert_eq!(
        again.axis_names(),
        ["p(setosa)", "p(versicolor)", "p(virginica)"]
    );
}
