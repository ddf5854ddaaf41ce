//! `n_components = auto`: the rules choose a number, and the fit equals one with that number given.

use eigenspan::choose::{ChooseOptions, Rule};
use eigenspan::method::GrowingPca;
use eigenspan::prepare::{Missing, Scale};
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Dense, Passes, Sink, Source};
use eigenspan::{Context, Error, Mat, Note, PcaOptions};

use crate::support::{assert_said, bits, fit, holed, mixed, table_without};

fn keeping(n_components: Keep) -> PcaOptions {
    PcaOptions {
        n_components,
        ..Default::default()
    }
}

fn auto() -> PcaOptions {
    keeping(Keep::Auto)
}

#[test]
fn auto_is_the_fit_of_the_number_that_choose_gives() {
    let x = table_without("wine/wine.csv", &["target"]);
    let rows = Dense::new(x.view());
    for scale in [Scale::None, Scale::Std] {
        for solver in [Solver::Auto, Solver::Covariance, Solver::Lanczos] {
            let options = PcaOptions {
                scale,
                solver,
                ..auto()
            };
            let rules = ChooseOptions::default();
            let chosen = options
                .choose(&Context::new(), &rows, &rules)
                .expect("advice");
            let consensus = chosen.choices.consensus;
            let k = consensus.k.expect("a number");
            let auto = fit(&options, &x);
            let count = PcaOptions {
                n_components: Keep::Count(k),
                ..options.clone()
            };
            assert_eq!(bits(&auto), bits(&fit(&count, &x)));
            assert_eq!(auto.parts().options, options);
            assert_eq!(
                auto.notes()[0],
                Note::Chosen {
                    n_components: k,
                    advised: Some(k),
                    why: consensus.reason(),
                }
            );
            assert_eq!(
                auto.notes()[0].to_string(),
                format!(
                    "auto keeps {}: {}",
                    eigenspan::error::counted(k, "component"),
                    consensus.reason()
                )
            );
        }
    }
}

#[test]
fn a_component_is_kept_where_none_stands_out() {
    let mut rng = Rng::new(1);
    let noise = Mat::from_fn(200, 6, |_, _| rng.normal());
    let pca = fit(&auto(), &noise);
    assert_eq!(pca.n_components(), 1);
    let text = pca.notes()[0].to_string();
    let words = "auto keeps 1 component; the rules say 0: no component stands above noise: parallel analysis";
    assert!(text.starts_with(words), "{text}");
    let pca = fit(&auto(), &Mat::<f64>::zeros(5, 3));
    assert_eq!(pca.n_components(), 1);
    assert_eq!(
        pca.notes()[0].to_string(),
        "auto keeps 1 component: no rule has an answer here"
    );
}

#[test]
fn missing_cells_are_filled_before_the_rules_are_asked() {
    let x = holed(&mixed(80, 6, 3), 0.05, 4);
    for missing in [Missing::Drop, Missing::Mean, Missing::Em] {
        let options = PcaOptions { missing, ..auto() };
        let pca = fit(&options, &x);
        assert!(
            matches!(pca.notes()[0], Note::Chosen { n_components, .. } if n_components == pca.n_components())
        );
        assert!(pca.n_components() < 6);
        assert_eq!(pca.parts().options, options);
        let rules = ChooseOptions::default();
        let rows = Dense::new(x.view());
        let chosen = options
            .choose(&Context::new(), &rows, &rules)
            .expect("advice");
        let text = chosen.notes[0].to_string();
        assert!(text.contains("missing"), "{text}");
    }
}

/// Rows that can be read once.
struct Pipe<'a>(Dense<'a, f64>);

impl Source<f64> for Pipe<'_> {
    fn n_cols(&self) -> usize {
        self.0.n_cols()
    }
    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        self.0.read_part(part, sink)
    }
    fn passes(&self) -> Passes {
        Passes::Once
    }
}

#[test]
fn what_is_read_once_cannot_be_looked_at_first() {
    let x = mixed(30, 3, 1);
    let (ctx, pipe) = (Context::new(), Pipe(Dense::new(x.view())));
    let text = "n_components = `auto` looks at the rows before it fits them, but this input can be read only once";
    let hint = "n_components = 90%: is resolved during the fit; or write the data to a file first";
    let refusals = [
        auto().fit(&ctx, &pipe).expect_err("a refusal"),
        auto().plan(&ctx, &pipe).expect_err("a refusal"),
        auto()
            .choose(&ctx, &pipe, &ChooseOptions::default())
            .expect_err("a refusal"),
    ];
    for error in &refusals {
        assert_said(error, text, Some(hint));
    }
    let mut growing = GrowingPca::new(auto(), 3);
    growing.add(&ctx, &Dense::new(x.view())).expect("rows");
    assert_said(&growing.fit(&ctx).expect_err("a refusal"), text, Some(hint));
}

#[test]
fn auto_is_a_word_in_text_and_json() {
    assert_eq!("auto".parse::<Keep>().expect("a word"), Keep::Auto);
    assert_eq!(Keep::Auto.to_string(), "auto");
    let json = serde_json::to_string(&auto()).expect("JSON");
    assert!(json.contains("\"n_components\":\"auto\""), "{json}");
    let back: PcaOptions = serde_json::from_str(&json).expect("options");
    assert_eq!(back, auto());
}

#[test]
fn a_plan_counts_what_the_rules_read() {
    let x = mixed(30, 3, 1);
    let plan = |options: &PcaOptions| {
        let rows = Dense::new(x.view());
        options.plan(&Context::new(), &rows).expect("a plan")
    };
    let (all, auto) = (plan(&PcaOptions::default()), plan(&auto()));
    assert_eq!(auto.passes, 2 * all.passes + 1);
    assert!(auto.reason.contains(&all.reason), "{}", auto.reason);
}

#[test]
fn a_share_in_the_rules_is_the_share_of_a_fit() {
    let x = table_without("iris/iris.csv", &["species"]);
    let rules = ChooseOptions {
        share: 0.99,
        ..Default::default()
    };
    let rows = Dense::new(x.view());
    let chosen = auto()
        .choose(&Context::new(), &rows, &rules)
        .expect("advice");
    let share = chosen.choices.advice(Rule::Share).expect("asked");
    let kept = fit(&keeping(Keep::Share(0.99)), &x).n_components();
    assert_eq!(share.k, Some(kept));
}

#[test]
fn large_tables_are_counted_without_vectors_and_give_the_same() {
    for (n, d) in [(400, 150), (150, 400)] {
        let x = mixed(n, d, 5);
        for scale in [Scale::None, Scale::Std] {
            let options = PcaOptions { scale, ..auto() };
            let rules = ChooseOptions {
                n_draws: 20,
                ..Default::default()
            };
            let rows = Dense::new(x.view());
            let chosen = options
                .choose(&Context::new(), &rows, &rules)
                .expect("advice");
            let all = fit(
                &PcaOptions {
                    scale,
                    ..keeping(Keep::All)
                },
                &x,
            );
            let (got, want) = (chosen.scree.values(), all.explained_variance());
            assert_eq!(got.len(), want.len());
            let off = crate::support::distance(got, &want) / want[0];
            assert!(off < 1e-13, "{n} × {d}: {off:e}");
            let total = all.spectrum().total_variance();
            assert!((chosen.scree.total() / total - 1.0).abs() < 1e-12);
        }
    }
}
