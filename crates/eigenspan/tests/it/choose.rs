//! How many components: numbers of other programs, and laws that every rule has to satisfy.

use eigenspan::choose::{
    Advice, Choices, ChooseOptions, Detail, Rule, Sample, Scree, choose, choose_with_rows,
    hard_threshold_known, known_noise_factor, minka, parallel_analysis, share,
    unknown_noise_factor,
};
use eigenspan::linalg::orthonormalize_rows;
use eigenspan::prepare::Scale;
use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

use crate::support::{close, fit, table_without};

fn scree(x: &Mat<f64>, scale: Scale) -> Scree {
    let options = PcaOptions {
        scale,
        ..Default::default()
    };
    let pca = fit(&options, x);
    Scree::from_spectrum(pca.spectrum(), x.n_rows(), scale == Scale::Std).expect("a scree")
}

fn quick() -> ChooseOptions {
    ChooseOptions {
        n_draws: 20,
        n_splits: 2,
        ..Default::default()
    }
}

fn all_rules(ctx: &Context, x: &Mat<f64>, scale: Scale, options: &ChooseOptions) -> Choices {
    let sample = Sample::gather(ctx, &Dense::new(x.view()), true, scale, options).expect("rows");
    choose_with_rows(ctx, &scree(x, scale), &sample, options).expect("choices")
}

#[track_caller]
fn said(choices: &Choices, rule: Rule) -> Option<usize> {
    choices.advice(rule).expect("asked").k
}

fn of_values(values: Vec<f64>, n_rows: usize) -> Scree {
    let (total, d) = (values.iter().sum(), values.len());
    Scree::new(values, total, n_rows, d, false).expect("a scree")
}

/// `rank` equally strong directions, at right angles to each other, in noise of deviation 1.
fn signal(n: usize, d: usize, rank: usize, strength: f64, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    let left = Mat::from_fn(n, rank, |_, _| rng.normal());
    let mut right = Mat::from_fn(rank, d, |_, _| rng.normal());
    orthonormalize_rows(&mut right);
    let strength = strength * (d as f64).sqrt();
    Mat::from_fn(n, d, |i, j| {
        let own: f64 = (0..rank).map(|l| left[(i, l)] * right[(l, j)]).sum();
        strength * own + rng.normal()
    })
}

#[test]
fn decathlon_gives_the_numbers_of_the_books() {
    let without = ["athlete", "Rank", "Points", "Competition"];
    let x = table_without("decathlon/decathlon.csv", &without);
    let choices = choose(&scree(&x, Scale::Std), &ChooseOptions::default()).expect("choices");
    assert_eq!(said(&choices, Rule::Kaiser), Some(4));
    assert_eq!(said(&choices, Rule::BrokenStick), Some(1));
    assert_eq!(said(&choices, Rule::Share), Some(7));
    assert_eq!(
        choices.advice(Rule::Kaiser).map(|a| a.sentence.as_str()),
        Some("4 eigenvalues above 1, the variance of one column")
    );
}

/// What the consensus says of a table, with all rules at their defaults, and what it says to its eigenvalues alone.
fn both_ways(x: &Mat<f64>, scale: Scale) -> (Choices, Choices) {
    let rules = ChooseOptions::default();
    let with_rows = all_rules(&Context::new(), x, scale, &rules);
    (
        with_rows,
        choose(&scree(x, scale), &rules).expect("choices"),
    )
}

#[test]
fn real_tables_have_the_numbers_of_the_literature_with_rows_and_without() {
    let decathlon = ["athlete", "Rank", "Points", "Competition"];
    let cases: [(&str, &[&str], &[usize]); 5] = [
        ("wine/wine.csv", &["target"], &[3]),
        ("breast-cancer/breast-cancer.csv", &["diagnosis"], &[5]),
        ("iris/iris.csv", &["species"], &[1]),
        ("decathlon/decathlon.csv", &decathlon, &[1, 2]),
        ("digits/digits.csv", &["digit"], &[15, 16, 17]),
    ];
    for (file, without, wanted) in cases {
        let x = table_without(file, without);
        let (rows, alone) = both_ways(&x, Scale::Std);
        let k = rows.consensus.k.expect("a number");
        assert!(wanted.contains(&k), "{file}: {}", rows.consensus.sentence);
        let other = alone.consensus.k.expect("a number");
        assert!(
            wanted.contains(&other),
            "{file}: {}",
            alone.consensus.sentence
        );
        let range = rows.consensus.range.expect("rules disagree");
        let words = format!("{k}; other rules say {} to {}. ", range.low, range.high);
        assert!(
            rows.consensus.sentence.starts_with(&words),
            "{}",
            rows.consensus.sentence
        );
    }
}

#[test]
fn a_rule_at_its_ceiling_abstains_and_says_so() {
    let x = table_without("wine/wine.csv", &["target"]);
    let (choices, _) = both_ways(&x, Scale::Std);
    let blocks = choices.advice(Rule::BiCrossValidation).expect("asked");
    assert!(blocks.k.is_some_and(|k| k <= 6), "{}", blocks.sentence);
    let why = "the error still falls at 6, the largest number tested";
    assert_eq!(blocks.abstains.as_deref(), Some(why), "{}", blocks.sentence);
    for rule in [Rule::Minka, Rule::HeldOutLikelihood, Rule::MarchenkoPastur] {
        let advice = choices.advice(rule).expect("asked");
        assert!(advice.k.is_some(), "{}", advice.sentence);
        assert_eq!(advice.counted(), None, "{}", advice.sentence);
    }
    let consensus = &choices.consensus;
    assert!(consensus.disagreeing.is_empty(), "{consensus:?}");
    assert!(
        consensus
            .sentence
            .starts_with("3; other rules say 2 to 8. ")
    );
}

#[test]
fn noise_alone_is_said_to_be_noise() {
    // One table of noise in twenty has an eigenvalue above the 95 % quantile.
    let mut none = 0;
    for seed in 0..5 {
        let x = signal(100, 12, 0, 0.0, 30 + seed);
        let (rows, alone) = both_ways(&x, Scale::Std);
        for consensus in [rows.consensus, alone.consensus] {
            if consensus.k != Some(0) {
                continue;
            }
            none += 1;
            let sentence = &consensus.sentence;
            let words = "No component stands above noise: parallel analysis";
            assert!(sentence.starts_with("0; other rules say "), "{sentence}");
            assert!(sentence.contains(words), "{sentence}");
        }
    }
    assert!(none >= 7, "{none} of 10");
}

#[test]
fn iris_has_three_components_by_minka() {
    let x = table_without("iris/iris.csv", &["species"]);
    assert_eq!(minka(&scree(&x, Scale::None)).k, Some(3));
}

#[test]
fn digits_need_as_many_components_as_scikit_learn_says() {
    let x = table_without("digits/digits.csv", &["digit"]);
    let scree = scree(&x, Scale::None);
    let counts = [0.9, 0.95, 0.99].map(|goal| share(&scree, goal).k);
    assert_eq!(counts, [Some(21), Some(29), Some(41)]);
}

#[test]
fn minka_agrees_with_scikit_learn_on_spectra() {
    let falling = |rate: f64, d: usize| (0..d).map(|i| (-rate * i as f64).exp()).collect();
    let line = (0..20).map(|i| 50.0 - 49.5 * f64::from(i) / 19.0).collect();
    let cases: [(Vec<f64>, usize, usize); 4] = [
        (falling(0.05, 12), 60, 8),
        (falling(0.3, 30), 60, 22),
        (falling(0.1, 50), 200, 36),
        (line, 100, 19),
    ];
    for (values, n, k) in cases {
        for unit in [1.0, 1e-150, 1e150] {
            let scaled = values.iter().map(|x| x * unit).collect();
            assert_eq!(minka(&of_values(scaled, n)).k, Some(k), "n = {n}, × {unit}");
        }
    }
}

#[test]
fn minka_stands_equal_eigenvalues() {
    assert_eq!(minka(&of_values(vec![2.0; 6], 50)).k, Some(0));
    let tied = vec![9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(minka(&of_values(tied, 100)).k, Some(3));
}

#[test]
fn thresholds_are_those_of_gavish_and_donoho() {
    for (beta, factor) in [(1.0, 2.309401), (0.5, 1.978599), (0.1, 1.581648)] {
        assert!((known_noise_factor(beta) - factor).abs() < 1e-6, "{beta}");
    }
    // Their table of ω: 1 → 2.8582, 0.1 → 1.6089.
    assert!(close(unknown_noise_factor(1.0), 2.8582, 1e-4));
    assert!(close(unknown_noise_factor(0.1), 1.6089, 1e-3));
}

#[test]
fn noise_has_no_components() {
    for (n, d, seed) in [(100, 20, 1), (60, 60, 2), (40, 90, 3)] {
        let x = signal(n, d, 0, 0.0, seed);
        for scale in [Scale::None, Scale::Std] {
            let choices = all_rules(&Context::new(), &x, scale, &quick());
            for rule in [
                Rule::ParallelAnalysis,
                Rule::MarchenkoPastur,
                Rule::BiCrossValidation,
            ] {
                let k = said(&choices, rule);
                assert!(k.is_some_and(|k| k <= 1), "{n} × {d}, {rule:?}: {k:?}");
            }
            let k = choices.consensus.k;
            assert!(k.is_some_and(|k| k <= 1), "{n} × {d}: {k:?}");
        }
    }
}

#[test]
fn five_strong_directions_are_found_by_every_rule_that_looks_for_noise() {
    for (n, d, seed) in [(200, 20, 1), (100, 40, 2), (60, 60, 3), (60, 100, 4)] {
        let x = signal(n, d, 5, 3.0, seed);
        let choices = all_rules(&Context::new(), &x, Scale::None, &quick());
        for rule in Rule::ALL.into_iter().filter(|rule| rule.looks_for_noise()) {
            let advice = choices.advice(rule).expect("asked");
            assert_eq!(advice.k, Some(5), "{n} × {d}, {}", advice.sentence);
        }
        assert_eq!(choices.consensus.k, Some(5));
        let why = &choices.consensus.why;
        assert!(why.starts_with("parallel analysis"), "{why}");
        assert!(why.ends_with(" agree"), "{why}");
        let known = hard_threshold_known(&scree(&x, Scale::None), 1.0);
        assert_eq!(known.k, Some(5), "{}", known.sentence);
    }
}

#[test]
fn rows_without_noise_have_their_rank() {
    let exact = signal(40, 20, 0, 0.0, 5);
    let x = Mat::from_fn(60, 20, |i, j| {
        (0..3)
            .map(|l| exact[(i % 40, l)] * exact[(l + 7, j)] * (1.0 + (i / 40) as f64))
            .sum()
    });
    let choices = all_rules(&Context::new(), &x, Scale::None, &quick());
    for rule in [Rule::HeldOutLikelihood, Rule::BiCrossValidation] {
        assert_eq!(said(&choices, rule), Some(3), "{rule:?}");
    }
    assert_eq!(said(&choices, Rule::MarchenkoPastur), None);
}

#[test]
fn any_number_of_threads_gives_the_same_choices() {
    let x = signal(80, 30, 3, 1.0, 9);
    let with = |threads| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        all_rules(&ctx, &x, Scale::None, &quick())
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn parallel_analysis_shows_its_null_band() {
    let x = signal(60, 8, 2, 2.0, 3);
    let choices = all_rules(&Context::new(), &x, Scale::None, &quick());
    let advice = choices.advice(Rule::ParallelAnalysis).expect("asked");
    let Detail::Band {
        observed,
        mean,
        upper,
    } = &advice.detail
    else {
        panic!("{advice:?}")
    };
    assert_eq!((observed.len(), mean.len(), upper.len()), (8, 8, 8));
    // Permuting keeps every column's variance, and so the trace.
    let (before, after): (f64, f64) = (observed.iter().sum(), mean.iter().sum());
    assert!(close(after, before, 1e-10), "{after} is not {before}");
    assert!(mean.iter().zip(upper).all(|(mean, upper)| mean <= upper));
}

#[test]
fn a_sample_says_so() {
    let x = signal(200, 6, 2, 3.0, 3);
    let options = ChooseOptions {
        max_rows: 50,
        ..quick()
    };
    let choices = all_rules(&Context::new(), &x, Scale::None, &options);
    let sentence = &choices
        .advice(Rule::ParallelAnalysis)
        .expect("asked")
        .sentence;
    assert!(sentence.ends_with("(on 50 rows of 200)"), "{sentence}");
    let tight = Context::new().with_memory(60);
    let refused = Sample::gather(&tight, &Dense::new(x.view()), true, Scale::None, &options);
    let text = refused.expect_err("too little memory").to_string();
    assert_eq!(
        text,
        "a sample of two rows needs 384 B, but only 60 B may be used"
    );
}

#[test]
fn degenerate_tables_are_answered_without_panic() {
    let tables = [
        Mat::zeros(10, 4),
        Mat::from_fn(2, 3, |i, j| (i * (j + 1)) as f64),
        Mat::from_fn(2, 1, |i, _| i as f64),
        Mat::from_fn(9, 1, |i, _| i as f64),
        Mat::from_fn(3, 2, |i, j| (i * i + j) as f64),
        Mat::from_fn(4, 2, |i, j| f64::from(i == 0 && j == 0)),
        Mat::from_fn(7, 5, |i, _| i as f64),
    ];
    for x in &tables {
        let choices = all_rules(&Context::new(), x, Scale::None, &quick());
        assert_eq!(choices.advices.len(), Rule::ALL.len());
        let limit = x.n_rows().min(x.n_cols());
        let counts = choices.advices.iter().filter_map(|a: &Advice| a.k);
        assert!(counts.max().is_none_or(|k| k <= limit), "{choices:?}");
    }
    let nothing = all_rules(&Context::new(), &tables[0], Scale::None, &quick());
    assert_eq!(nothing.consensus.k, None);
    assert_eq!(nothing.consensus.sentence, "no rule has an answer here");
}

#[test]
fn leading_eigenvalues_alone_still_have_a_share() {
    let scree = Scree::new(vec![8.0, 1.5], 10.0, 100, 10, false).expect("a scree");
    let choices = choose(&scree, &ChooseOptions::default()).expect("choices");
    assert_eq!(said(&choices, Rule::Share), Some(2));
    assert_eq!(said(&choices, Rule::Minka), None);
    assert_eq!(
        choices.consensus.sentence,
        "2; other rules say 1. No rule can tell noise from signal here, and 2 components hold at least 90 % of the variance"
    );
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let scree = of_values(vec![2.0, 1.0], 10);
    let refused =
        |options: ChooseOptions| choose(&scree, &options).expect_err("an error").to_string();
    let text = refused(ChooseOptions {
        n_folds: 1,
        ..Default::default()
    });
    assert_eq!(
        text,
        "n_folds = `1` is not known; it takes a whole number from 2"
    );
    assert!(Scree::new(vec![1.0, 2.0], 3.0, 10, 2, false).is_err());
    assert!(Scree::new(vec![f64::NAN], 3.0, 10, 2, false).is_err());
}

#[test]
fn long_rows_are_looked_at_less_and_that_is_said() {
    // Quick enough to be run: what is limited is asked of, not what it takes.
    let x = signal(1000, 400, 3, 1.0, 7);
    let options = ChooseOptions {
        n_draws: 2000,
        ..Default::default()
    };
    let rows = Dense::new(x.view());
    let sample = Sample::gather(&Context::new(), &rows, true, Scale::None, &options);
    let sample = sample.expect("rows");
    assert_eq!(sample.matrix.n_rows(), 1000);
    let ctx = Context::new();
    let advice = parallel_analysis(&ctx, &sample.matrix, &options).expect("advice");
    assert_eq!(advice.k, Some(3));
    assert!(
        advice
            .sentence
            .ends_with("(not of 2000, which would take too long)"),
        "{}",
        advice.sentence
    );
    let wide = Mat::from_fn(3000, 1500, |i, j| ((i * j) % 11) as f64);
    let rows = Dense::new(wide.view());
    let sample = Sample::gather(&ctx, &rows, true, Scale::None, &options).expect("rows");
    let seen = sample.matrix.n_rows();
    assert!((200..1500).contains(&seen), "{seen}");
    assert_eq!(sample.n_rows, Some(3000));
}

#[test]
fn huge_and_tiny_units_change_no_rule() {
    let x = signal(60, 8, 2, 2.0, 3);
    let plain = all_rules(&Context::new(), &x, Scale::None, &quick());
    for unit in [1e-120, 1e120] {
        let scaled = Mat::from_fn(60, 8, |i, j| unit * x[(i, j)]);
        let choices = all_rules(&Context::new(), &scaled, Scale::None, &quick());
        for (a, b) in plain.advices.iter().zip(&choices.advices) {
            assert_eq!(a.k, b.k, "{}", b.sentence);
        }
        let Some(Detail::Band { observed, .. }) =
            choices.advice(Rule::ParallelAnalysis).map(|a| &a.detail)
        else {
            panic!("no band")
        };
        let scree = scree(&scaled, Scale::None);
        assert!(close(observed[0], scree.values()[0], 1e-9), "{unit}");
    }
}
