//! Feature selection: scores are scikit-learn's, shares of variance are those of linear regression, and every dropped column has its reason.

use eigenspan::method::contract::{Scores, Value};
use eigenspan::method::{Fate, Fitted, Method, Rule, SelectOptions, Selection, Training, registry};
use eigenspan::prepare::Scale;
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat, PcaOptions};

use crate::support::{
    assert_close, assert_said, columns_without, distance, mixed, numbers, reference, repository,
    table_without, to_f32,
};

fn by(by: Rule, n_components: Keep) -> SelectOptions {
    SelectOptions {
        by,
        n_components,
        ..Default::default()
    }
}

fn fit(options: &SelectOptions, x: &Mat<f64>, labels: Option<&[String]>) -> Selection {
    let rows = Dense::new(x.view());
    let fitted = options.fit(&Context::new(), &rows, labels);
    fitted.expect("a fit")
}

fn refused(options: &SelectOptions, x: &Mat<f64>, labels: Option<&[String]>) -> Error {
    let rows = Dense::new(x.view());
    let fitted = options.fit(&Context::new(), &rows, labels);
    fitted.expect_err("a refusal")
}

/// A column of texts of a table.
fn texts(file: &str, column: &str) -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("data").join(file)).expect("a table");
    let mut lines = text
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let place = header
        .iter()
        .position(|name| name == column)
        .expect("the column");
    lines.map(|line| line[place].clone()).collect()
}

fn list(model: &Selection, name: &str) -> Vec<f64> {
    match Fitted::value(model, name) {
        Some(Value::List(list)) => list,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn f_statistics_and_their_probabilities_are_scikit_learns() {
    let stored = reference("selection.json");
    for (name, label) in [
        ("iris", "species"),
        ("wine", "target"),
        ("breast-cancer", "diagnosis"),
    ] {
        let file = format!("{name}/{name}.csv");
        let (x, labels) = (table_without(&file, &[label]), texts(&file, label));
        let model = fit(&by(Rule::Anova, Keep::Count(2)), &x, Some(&labels));
        let want = &stored["results"][name];
        // scikit-learn squares before it takes means out, which costs it some digits.
        assert_close(&list(&model, "scores"), &numbers(&want["f"]), 1e-9);
        let (got, want) = (list(&model, "p_values"), numbers(&want["p"]));
        for (got, want) in got.iter().zip(&want) {
            assert!(
                (got - want).abs() <= 1e-9 * want.abs() + 1e-300,
                "{got} is not {want}"
            );
        }
        // An offset changes nothing.
        let far = Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| x[(i, j)] + 1e3);
        let moved = fit(&by(Rule::Anova, Keep::Count(2)), &far, Some(&labels));
        assert_close(&list(&moved, "scores"), &list(&model, "scores"), 1e-6);
    }
    let x = table_without("iris/iris.csv", &["species"]);
    let labels = texts("iris/iris.csv", "species");
    let model = fit(&by(Rule::Anova, Keep::Count(2)), &x, Some(&labels));
    assert_eq!(model.kept(), [2, 3]);
}

/// The numbers of `make_maps.py`.
fn drawn(n: usize, d: usize) -> Mat<f64> {
    let mut state = 1u64;
    Mat::from_fn(n, d, |_, _| {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        state as f64 / (1u64 << 31) as f64
    })
}

#[test]
fn mutual_information_is_scikit_learns_where_no_values_are_equal() {
    let class = |i: usize| [40, 70, 89].iter().filter(|end| i >= **end).count();
    let shifts = [0.0, 0.125, 0.5, 1.0, 0.0];
    let x = drawn(90, 5);
    let x = Mat::from_fn(90, 5, |i, j| x[(i, j)] + class(i) as f64 * shifts[j]);
    let labels: Vec<String> = (0..90).map(|i| class(i).to_string()).collect();
    let stored = reference("selection.json");
    for k in [1, 3, 5] {
        for seed in [0, 7] {
            let options = SelectOptions {
                n_neighbors: k,
                seed,
                ..by(Rule::MutualInformation, Keep::Count(2))
            };
            let model = fit(&options, &x, Some(&labels));
            let want = numbers(&stored["results"]["drawn"][format!("{k} neighbors")]);
            let away = distance(&list(&model, "scores"), &want);
            assert!(away < 1e-12, "{away:e}");
            assert_eq!(model.kept(), [2, 3]);
        }
    }
    // A column that names the class, and equal values everywhere: the noise of sameness is small.
    let named = Mat::from_fn(300, 2, |i, j| [(i % 3) as f64, ((i / 3) % 2) as f64][j]);
    let labels: Vec<String> = (0..300).map(|i| (i % 3).to_string()).collect();
    let model = fit(
        &by(Rule::MutualInformation, Keep::All),
        &named,
        Some(&labels),
    );
    let scores = list(&model, "scores");
    assert!(
        (scores[0] - 3f64.ln()).abs() < 0.02 && scores[1] < 0.05,
        "{scores:?}"
    );
}

/// The share of the variance that some columns explain, by Gram–Schmidt on the centered columns.
fn explained(x: &Mat<f64>, kept: &[usize], scale: bool) -> f64 {
    let (n, d) = (x.n_rows(), x.n_cols());
    let mut columns: Vec<Vec<f64>> = (0..d)
        .map(|j| {
            let column = x.col(j);
            let mean = column.iter().sum::<f64>() / n as f64;
            let column: Vec<f64> = column.iter().map(|x| x - mean).collect();
            let norm = column.iter().map(|x| x * x).sum::<f64>().sqrt();
            let unit = if scale && norm > 0.0 { norm } else { 1.0 };
            column.iter().map(|x| x / unit).collect()
        })
        .collect();
    let square = |column: &[f64]| column.iter().map(|x| x * x).sum::<f64>();
    let total: f64 = columns.iter().map(|c| square(c)).sum();
    for &j in kept {
        let own = columns[j].clone();
        let norm = square(&own);
        if norm < 1e-20 * total {
            continue;
        }
        for column in &mut columns {
            let along = own
                .iter()
                .zip(column.iter())
                .map(|(a, b)| a * b)
                .sum::<f64>()
                / norm;
            column
                .iter_mut()
                .zip(&own)
                .for_each(|(x, a)| *x -= along * a);
        }
    }
    1.0 - columns.iter().map(|c| square(c)).sum::<f64>() / total
}

#[test]
fn the_share_explained_is_that_of_linear_regression_and_at_most_that_of_pca() {
    let x = table_without("wine/wine.csv", &["target"]);
    for scale in [Scale::None, Scale::Std] {
        for rule in [Rule::Variance, Rule::Correlation, Rule::PrincipalFeatures] {
            for k in [1, 3, 7] {
                let options = SelectOptions {
                    scale,
                    ..by(rule, Keep::Count(k))
                };
                let model = fit(&options, &x, None);
                assert_eq!(model.kept().len(), k);
                let want = explained(&x, model.kept(), scale == Scale::Std);
                assert!(
                    (model.explained() - want).abs() < 1e-9,
                    "{} {want}",
                    model.explained()
                );
                let lost: f64 = list(&model, "share_lost").iter().sum();
                assert!((model.explained() + lost - 1.0).abs() < 1e-12);
                let pca = PcaOptions {
                    scale,
                    n_components: Keep::Count(k),
                    ..Default::default()
                };
                let pca = pca
                    .fit(&Context::new(), &Dense::new(x.view()))
                    .expect("a fit");
                assert!(model.explained() <= pca.spectrum().total_share() + 1e-12);
            }
        }
    }
}

#[test]
fn principal_features_explain_nearly_as_much_as_the_best_columns_do() {
    let x = table_without("wine/wine.csv", &["target"]);
    let options = SelectOptions {
        scale: Scale::Std,
        ..by(Rule::PrincipalFeatures, Keep::Count(3))
    };
    let model = fit(&options, &x, None);
    let mut best = 0.0f64;
    for a in 0..13 {
        for b in 0..a {
            for c in 0..b {
                best = best.max(explained(&x, &[a, b, c], true));
            }
        }
    }
    assert!(
        model.explained() > 0.97 * best,
        "{} {best}",
        model.explained()
    );
    // The first is the best of all single columns.
    let one = SelectOptions {
        n_components: Keep::Count(1),
        ..options
    };
    let one = fit(&one, &x, None);
    let singles = (0..13)
        .map(|j| explained(&x, &[j], true))
        .fold(0.0, f64::max);
    assert!((one.explained() - singles).abs() < 1e-12);
}

#[test]
fn a_share_keeps_the_fewest_columns_in_the_order_of_the_rule() {
    let x = table_without("wine/wine.csv", &["target"]);
    for rule in [Rule::Variance, Rule::PrincipalFeatures] {
        let of = |keep| {
            fit(
                &SelectOptions {
                    scale: Scale::Std,
                    ..by(rule, keep)
                },
                &x,
                None,
            )
        };
        let model = of(Keep::Share(0.9));
        let k = model.kept().len();
        assert!(model.explained() >= 0.9 && k > 1);
        assert!(of(Keep::Count(k - 1)).explained() < 0.9);
        assert_eq!(of(Keep::Count(k)).kept(), model.kept());
        let all = of(Keep::All);
        assert_eq!(all.kept().len(), 13);
        assert!((all.explained() - 1.0).abs() < 1e-12);
    }
}

/// Columns: a, its copy times −2, a constant, noise, a + noise.
fn hard(n: usize) -> Mat<f64> {
    let mut rng = Rng::new(5);
    let base: Vec<(f64, f64)> = (0..n).map(|_| (rng.normal(), rng.normal())).collect();
    Mat::from_fn(n, 5, |i, j| {
        let (a, b) = base[i];
        [a, -2.0 * a, 7.5, 0.1 * b, a + 0.1 * b][j]
    })
}

#[test]
fn every_dropped_column_has_its_reason() {
    let x = hard(200);
    let model = fit(&by(Rule::Correlation, Keep::All), &x, None);
    assert_eq!(model.kept(), [1, 3]);
    let fates: Vec<Fate> = model.columns().iter().map(|c| c.fate).collect();
    assert!(
        matches!(fates[0], Fate::Correlated { with: 1, correlation } if correlation < -0.999_999)
    );
    assert_eq!(
        (fates[1], fates[2], fates[3]),
        (Fate::Kept, Fate::Constant, Fate::Kept)
    );
    assert!(matches!(fates[4], Fate::Correlated { with: 1, .. }));
    // What is lost with a column that kept ones determine is nothing.
    let lost = list(&model, "share_lost");
    assert!(lost.iter().all(|x| x.abs() < 1e-10), "{lost:?}");
    assert!((model.explained() - 1.0).abs() < 1e-10);

    let model = fit(&by(Rule::PrincipalFeatures, Keep::All), &x, None);
    assert_eq!(model.kept().len(), 2);
    assert_eq!(model.columns()[2].fate, Fate::Constant);
    let model = fit(&by(Rule::Variance, Keep::Count(2)), &x, None);
    assert_eq!(model.kept(), [1, 4]);
    let facts = Fitted::facts(&model);
    assert_eq!(facts[0], ("kept", "2 of 5 columns: 2, 5".to_owned()));
    assert_eq!(
        facts[2],
        (
            "dropped",
            "1, 4 (later in the order); 3 (constant)".to_owned()
        )
    );
    let limit = SelectOptions {
        threshold: Some(0.5),
        ..by(Rule::Variance, Keep::All)
    };
    let model = fit(&limit, &x, None);
    assert_eq!(model.columns()[3].fate, Fate::BelowThreshold);
    assert!(model.columns().iter().all(|c| c.fate != Fate::NotNeeded));
}

#[test]
fn hard_columns_have_the_scores_that_they_should() {
    let labels: Vec<String> = (0..40).map(|i| ["a", "b"][i % 2].to_owned()).collect();
    // Constant within classes, constant, noise, a million times the noise.
    let mut rng = Rng::new(1);
    let noise: Vec<f64> = (0..40).map(|_| rng.normal()).collect();
    let x = Mat::from_fn(40, 4, |i, j| {
        [(i % 2) as f64, 3.0, noise[i], 1e6 * noise[i]][j]
    });
    let model = fit(&by(Rule::Anova, Keep::Count(3)), &x, Some(&labels));
    let scores = list(&model, "scores");
    assert_eq!(scores[0], f64::INFINITY);
    assert!(scores[1].is_nan() && (scores[2] / scores[3] - 1.0).abs() < 1e-9);
    assert_eq!(model.kept(), [0, 2, 3]);
    assert_eq!(model.columns()[1].fate, Fate::Constant);
    assert_eq!(list(&model, "p_values")[0], 0.0);
    let again = registry::find("select")
        .expect("the method")
        .from_record(&Fitted::record(&model).expect("a record"));
    assert_eq!(again.expect("a model").facts(), Fitted::facts(&model));
}

#[test]
fn the_model_hands_out_the_kept_cells_and_is_the_same_after_saving() {
    let x = table_without("iris/iris.csv", &["species"]);
    let columns = columns_without("iris/iris.csv", &["species"]);
    let source = Dense::new(x.view()).with_names(columns).expect("names");
    let options = by(Rule::PrincipalFeatures, Keep::Count(2));
    let ctx = Context::new();
    let model = options.fit(&ctx, &source, None).expect("a fit");
    let kept = model.kept().to_vec();
    let record = Fitted::record(&model).expect("a record");
    let entry = registry::find("select").expect("the method");
    let again = entry.from_record(&record).expect("a model");
    for fitted in [&model as &dyn Fitted, &*again] {
        let Ok(Scores::F64(scores)) = fitted.transform(&ctx, Numbers::F64(&source)) else {
            panic!("no scores")
        };
        assert_eq!(scores, Mat::from_fn(150, 2, |i, c| x[(i, kept[c])]));
        let names = ["sepal_length", "sepal_width", "petal_length", "petal_width"];
        assert_eq!(fitted.axis_name(0), names[kept[0]]);
        assert!(fitted.directions().is_none() && fitted.spectrum().is_none());
    }
    let narrow = to_f32(&x);
    let of_f32 = options
        .fit(&ctx, &Dense::new(narrow.view()), None)
        .expect("a fit");
    assert_eq!(of_f32.kept(), model.kept());
    let mut holed = x.clone();
    holed[(3, kept[0])] = f64::NAN;
    let rows = Dense::new(holed.view());
    let error = (&model as &dyn Fitted).transform(&ctx, Numbers::F64(&rows));
    assert!(matches!(error, Err(Error::NotFinite { row: 3, .. })));
}

#[test]
fn the_same_columns_and_bits_come_out_for_any_number_of_threads() {
    let x = mixed(6_000, 40, 9);
    let labels: Vec<String> = (0..6_000).map(|i| (i % 3).to_string()).collect();
    for rule in [
        Rule::Variance,
        Rule::Correlation,
        Rule::Anova,
        Rule::MutualInformation,
        Rule::PrincipalFeatures,
    ] {
        let mut first: Option<(Vec<usize>, Vec<u64>)> = None;
        for threads in [1, 2, 8] {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let model = by(rule, Keep::Count(5)).fit(&ctx, &Dense::new(x.view()), Some(&labels));
            let model = match model {
                Err(Error::TooFewSelected { .. }) => continue,
                model => model.expect("a fit"),
            };
            let numbers = ["scores", "share_lost"]
                .map(|name| list(&model, name))
                .concat();
            let bits = numbers.iter().map(|x| x.to_bits()).collect();
            let result = (model.kept().to_vec(), bits);
            match &first {
                None => first = Some(result),
                Some(first) => assert!(*first == result, "{rule:?} with {threads} threads"),
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let x = hard(30);
    let same = Mat::from_fn(30, 2, |_, j| j as f64);
    let labels: Vec<String> = (0..30).map(|_| "one".to_owned()).collect();
    assert_said(
        &refused(&by(Rule::PrincipalFeatures, Keep::Count(4)), &x, None),
        "4 columns asked for, but only 2 of 5 can be chosen by principal-features",
        Some("n_components = all: keeps those that can be chosen"),
    );
    assert_said(
        &refused(&by(Rule::Variance, Keep::Count(9)), &x, None),
        "9 components asked for, but 5 columns allow at most 5",
        Some("n_components = 90%: keeps as many as 90 % of the variance needs"),
    );
    assert_said(
        &refused(&by(Rule::Variance, Keep::All), &same, None),
        "1 column asked for, but only 0 of 2 can be chosen by variance",
        None,
    );
    assert_said(
        &refused(&by(Rule::Variance, Keep::Auto), &x, None),
        "n_components = `auto` is not known; it takes a count such as 5, a share such as 90%, or all",
        None,
    );
    assert_said(
        &refused(&by(Rule::Anova, Keep::Count(1)), &x, None),
        "anova learns from classes, and these rows have no labels",
        Some("label_column = COLUMN: names the column with the class of every row"),
    );
    assert!(matches!(
        refused(
            &by(Rule::MutualInformation, Keep::Count(1)),
            &x,
            Some(&labels)
        ),
        Error::Tuning(_)
    ));
    let each: Vec<String> = (0..30).map(|i| i.to_string()).collect();
    assert!(matches!(
        refused(&by(Rule::Anova, Keep::Count(1)), &x, Some(&each)),
        Error::NotDetermined { .. }
    ));
    let high = SelectOptions {
        threshold: Some(1.5),
        ..by(Rule::Correlation, Keep::All)
    };
    assert_said(
        &refused(&high, &x, None),
        "threshold = `1.5` is not known; it takes a correlation from 0 to 1",
        None,
    );
    let limit = SelectOptions {
        threshold: Some(0.5),
        ..Default::default()
    };
    assert!(matches!(
        refused(&limit, &x, None),
        Error::OptionsConflict { .. }
    ));
    let mut holed = x.clone();
    holed[(2, 1)] = f64::NAN;
    assert!(matches!(
        refused(&SelectOptions::default(), &holed, None),
        Error::NotFinite { row: 2, col: 1, .. }
    ));
    let rows = Dense::new(x.view());
    let training = Training {
        rows: Numbers::F64(&rows),
        labels: Some(&labels[1..]),
    };
    let error = Method::fit(&by(Rule::Anova, Keep::Count(1)), &Context::new(), &training);
    assert_eq!(
        error.expect_err("a refusal").to_string(),
        "29 labels given for 30 rows"
    );
    let weights = vec![1.0; 30];
    let weighted = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    let two: Vec<String> = (0..30).map(|i| (i % 2).to_string()).collect();
    let error = by(Rule::Anova, Keep::Count(1)).fit(&Context::new(), &weighted, Some(&two));
    assert!(matches!(error, Err(Error::OptionsConflict { .. })));
}
