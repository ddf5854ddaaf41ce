//! How many components of a kernel PCA: the rules that apply, and `n_components = auto`.

use eigenspan::choose::{ChooseOptions, Rule};
use eigenspan::method::KernelPcaOptions;
use eigenspan::rng::Rng;
use eigenspan::solve::{Approximate, Keep};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Note, PcaOptions};

use super::{asked, fitted, waves};
use crate::support::assert_close;

/// Two strong directions in six columns, and noise.
fn planted(n: usize) -> Mat<f64> {
    let mut rng = Rng::new(11);
    let mut rows = Mat::zeros(n, 6);
    for i in 0..n {
        let (a, b) = (3.0 * rng.normal(), 2.0 * rng.normal());
        for j in 0..6 {
            let signal = if j < 3 {
                a
            } else {
                b * if j == 4 { -1.0 } else { 1.0 }
            };
            rows[(i, j)] = signal + 0.5 * rng.normal();
        }
    }
    rows
}

#[test]
fn parallel_analysis_of_a_linear_kernel_is_that_of_pca() {
    let x = planted(120);
    let (ctx, rules) = (Context::new(), ChooseOptions::default());
    let source = Dense::new(x.view());
    let kernel = asked("linear", 1)
        .choose(&ctx, &source, &rules)
        .expect("advice");
    let plain = PcaOptions::default()
        .choose(&ctx, &source, &rules)
        .expect("advice");
    let k = |chosen: &eigenspan::method::Chosen| {
        chosen
            .choices
            .advice(Rule::ParallelAnalysis)
            .and_then(|a| a.k)
    };
    assert_eq!(k(&kernel), Some(2));
    assert_eq!(k(&kernel), k(&plain));
    assert_close(&kernel.scree.values()[..6], plain.scree.values(), 1e-9);
}

#[test]
fn columns_without_relations_seldom_have_components() {
    let ctx = Context::new();
    let rules = ChooseOptions {
        n_draws: 40,
        ..Default::default()
    };
    let said = |kernel: &str, x: &Mat<f64>| {
        let chosen = asked(kernel, 1).choose(&ctx, &Dense::new(x.view()), &rules);
        let choices = chosen.expect("advice").choices;
        choices.advice(Rule::ParallelAnalysis).and_then(|a| a.k)
    };
    // One table of noise in twenty has an eigenvalue above the 95 % quantile: four of twelve, one time in five hundred.
    let noisy = (0..12).filter(|&seed| {
        let mut rng = Rng::new(100 + seed);
        let x = Mat::from_fn(60, 4, |_, _| rng.normal());
        said("rbf(gamma=0.1)", &x) > Some(0)
    });
    let noisy = noisy.count();
    assert!(noisy < 4, "{noisy}");
    assert!(said("rbf(gamma=0.02)", &planted(100)) >= Some(2));
}

#[test]
fn auto_fits_as_many_as_the_rules_agree_on() {
    let x = planted(140);
    let auto = KernelPcaOptions {
        n_components: Keep::Auto,
        ..asked("linear", 1)
    };
    let model = fitted(&auto, &x);
    assert_eq!(model.n_components(), 2);
    assert_eq!(model.parts().options, auto);
    let Some(Note::Chosen {
        n_components: 2,
        advised: Some(2),
        ..
    }) = model.notes().first()
    else {
        panic!("{:?}", model.notes());
    };
    assert_eq!(
        model.eigenvalues(),
        fitted(&asked("linear", 2), &x).eigenvalues()
    );
    let plan = auto
        .plan(&Context::new(), &Dense::new(x.view()))
        .expect("a plan");
    assert!(
        plan.reason
            .starts_with("the rules choose the number of components first"),
        "{}",
        plan.reason
    );
    // By landmarks, too.
    let lean = KernelPcaOptions {
        approximate: Approximate::Nystrom,
        n_landmarks: Some(40),
        ..auto
    };
    assert_eq!(fitted(&lean, &x).n_components(), 2);
}

#[test]
fn rules_that_cannot_be_asked_say_why() {
    let x = waves(30, 3, 1);
    let inner = Mat::from_fn(30, 30, |i, j| {
        x.row(i)
            .iter()
            .zip(x.row(j))
            .map(|(a, b)| a * b)
            .sum::<f64>()
    });
    let (ctx, rules) = (Context::new(), ChooseOptions::default());
    let chosen = asked("precomputed", 1)
        .choose(&ctx, &Dense::new(inner.view()), &rules)
        .expect("advice");
    let advice = chosen
        .choices
        .advice(Rule::ParallelAnalysis)
        .expect("an answer");
    assert_eq!(advice.k, None);
    assert!(
        advice.sentence.contains("no columns to permute"),
        "{}",
        advice.sentence
    );
    // The share of the trace is left to go by.
    assert_eq!(chosen.choices.consensus.believed, [Rule::Share]);
    let many = planted(900);
    let chosen = asked("rbf", 1)
        .choose(
            &ctx,
            &Dense::new(many.view()),
            &ChooseOptions {
                n_draws: 20,
                ..rules
            },
        )
        .expect("advice");
    assert!(
        chosen
            .choices
            .advices
            .iter()
            .all(|a| a.sentence.ends_with("(on 500 rows of 900)"))
    );
}
