//! Presets: `like` another program gives the numbers that it prints, signs and names included.

use eigenspan::method::{Like, Names, Retain};
use eigenspan::prepare::Scale;
use eigenspan::solve::{Convention, Keep, Sign};
use eigenspan::{Mat, Pca, PcaOptions};

use crate::support::{SOLVERS, distance, fit, numbers, reference, scores, table_without};

fn hald() -> Mat<f64> {
    table_without("hald/hald.csv", &[])
}

fn decathlon() -> Mat<f64> {
    let without = ["athlete", "Rank", "Points", "Competition"];
    table_without("decathlon/decathlon.csv", &without)
}

fn usarrests() -> Mat<f64> {
    table_without("usarrests/usarrests.csv", &["state"])
}

#[track_caller]
fn assert_near(got: &[f64], want: &[f64], tolerance: f64) {
    let away = distance(got, want);
    assert!(away < tolerance, "{got:?} is not {want:?}: off by {away:e}");
}

/// The page of MATLAB's `pca`, its four digits as printed.
#[test]
fn matlab_prints_these_coefficients_of_hald_with_these_signs() {
    let pca = fit(&Like::Matlab.options(), &hald());
    let coeff = [
        [-0.0678, -0.6460, 0.5673, 0.5062],
        [-0.6785, -0.0200, -0.5440, 0.4933],
        [0.0290, 0.7553, 0.4036, 0.5156],
        [0.7309, -0.1085, -0.4684, 0.4844],
    ];
    for (j, row) in coeff.iter().enumerate() {
        let got: Vec<f64> = (0..4).map(|i| pca.components()[(i, j)]).collect();
        assert_near(&got, row, 5.1e-5);
    }
    let first = [
        -0.067799985695474,
        -0.678516235418647,
        0.029020832106229,
        0.730873909451461,
    ];
    assert_near(pca.components().row(0), &first, 1e-12);
    assert_near(
        &pca.explained_variance(),
        &[517.7969, 67.4964, 12.4054, 0.2372],
        5.1e-5,
    );
    let explained: Vec<f64> = pca.explained_variance_ratio();
    let explained: Vec<f64> = explained.iter().map(|share| 100.0 * share).collect();
    assert_near(&explained, &[86.5974, 11.2882, 2.0747, 0.0397], 5.1e-5);
}

/// `prcomp(USArrests, scale. = TRUE)`; R has no rule for signs, so they are free here.
#[test]
fn r_prints_these_deviations_and_loadings_of_usarrests() {
    let x = usarrests();
    let options = PcaOptions {
        scale: Scale::Std,
        ..Like::R.options()
    };
    let pca = fit(&options, &x);
    let sdev: Vec<f64> = pca.explained_variance().iter().map(|v| v.sqrt()).collect();
    let want = [1.5748783, 0.9948694, 0.5971291, 0.4164494];
    assert_near(&sdev, &want, 5.1e-8);
    let first = [0.5358995, 0.5831836, 0.2781909, 0.5434321];
    assert_near(pca.components().row(0), &first, 5.1e-8);
    let alabama: Vec<f64> = scores(&pca, &x).row(0).iter().map(|x| x.abs()).collect();
    let want = [0.9756604, 1.1220012, 0.43980366, 0.154696581];
    assert_near(&alabama, &want, 5.1e-8);
    assert_eq!(pca.component_names(), ["PC1", "PC2", "PC3", "PC4"]);
    // Without being told, prcomp does not scale.
    assert_eq!(Like::R.options().scale, Scale::None);
}

/// The page of FactoMineR: SEBRLE and CLAY on three axes, all with their signs.
#[test]
fn factominer_prints_these_coordinates_of_decathlon_with_these_signs() {
    let x = decathlon();
    for solver in SOLVERS {
        let options = PcaOptions {
            solver,
            ..Like::FactoMineR.options()
        };
        let pca = fit(&options, &x);
        let scores = scores(&pca, &x);
        let (sebrle, clay) = (&scores.row(0)[..3], &scores.row(1)[..3]);
        assert_near(sebrle, &[0.7916277, 0.7716112, 0.8268412], 5.1e-8);
        assert_near(clay, &[1.2349906, 0.5745781, 2.1412470], 5.1e-8);
        let sprint = pca.components()[(0, 0)] * pca.explained_variance()[0].sqrt();
        assert_near(&[sprint], &[-0.7747], 5.1e-5);
        assert_eq!(pca.component_name(0), "Dim.1");
        assert_eq!(pca.spectrum().divisor, 41.0);
    }
}

/// Where an axis of FactoMineR points the other way than the rule of the largest entry has it: USArrests on axis 3.
#[test]
fn factominer_and_its_preset_agree_in_sign_on_every_axis() {
    let reference = reference("r_prcomp_factominer_lda.json");
    let cases = [
        ("factominer_decathlon", decathlon(), Scale::Std),
        ("factominer_usarrests", usarrests(), Scale::Std),
    ];
    let mut turned = 0;
    for (key, x, scale) in cases {
        let options = PcaOptions {
            scale,
            ..Like::FactoMineR.options()
        };
        let pca = fit(&options, &x);
        let scores = scores(&pca, &x);
        let people = reference[key]["ind_coord_first5"].as_array();
        for (i, want) in people.expect("a list").iter().enumerate() {
            let want = numbers(want);
            assert_near(&scores.row(i)[..want.len()], &want, 1e-9);
        }
        let plain = fit(
            &PcaOptions {
                sign: Sign::Largest,
                ..options
            },
            &x,
        );
        turned += (0..pca.n_components())
            .filter(|&i| plain.components()[(i, 0)] * pca.components()[(i, 0)] < 0.0)
            .count();
    }
    assert!(turned > 0, "both rules agree: nothing was tested");
}

/// The example in scikit-learn's docstring, and `PCA().fit(x).components_` of iris in scikit-learn 1.9.1.
#[test]
fn scikit_learn_prints_these_numbers_under_these_names() {
    let cells = [
        [-1.0, -1.0],
        [-2.0, -1.0],
        [-3.0, -2.0],
        [1.0, 1.0],
        [2.0, 1.0],
        [3.0, 2.0],
    ];
    let x = Mat::from_fn(6, 2, |i, j| cells[i][j]);
    let pca = fit(&Like::Sklearn.options(), &x);
    assert_near(
        &pca.explained_variance_ratio(),
        &[0.99244289, 0.00755711],
        5.1e-9,
    );
    assert_near(
        &pca.spectrum().singular_values,
        &[6.30061232, 0.54980396],
        5.1e-9,
    );
    assert_eq!(pca.component_names(), ["pca0", "pca1"]);

    let pca = fit(
        &Like::Sklearn.options(),
        &table_without("iris/iris.csv", &["species"]),
    );
    let components = [
        [0.36138659, -0.08452251, 0.85667061, 0.3582892],
        [0.65658877, 0.73016143, -0.17337266, -0.07548102],
        [-0.58202985, 0.59791083, 0.07623608, 0.54583143],
        [0.31548719, -0.3197231, -0.47983899, 0.75365743],
    ];
    for (i, want) in components.iter().enumerate() {
        assert_near(pca.components().row(i), want, 5.1e-9);
    }
}

/// Component matrix v√λ of decathlon as GNU PSPP 1.6.2 prints it, which computes what SPSS does:
/// `FACTOR /VARIABLES=… /EXTRACTION=PC /ROTATION=NOROTATE /CRITERIA=MINEIGEN(1)` with `SET FORMAT=F12.8`. Neither has a
/// rule for signs; the third column points the other way there.
#[test]
fn the_component_matrix_of_spss_is_ours_and_stops_at_eigenvalue_1() {
    let x = decathlon();
    let pca = fit(&Like::Spss.options(), &x);
    assert_eq!(Like::Spss.retain(), Retain::Kaiser);
    let k = Like::Spss.retain().after(&pca).expect("a count");
    assert_eq!(k, 4);
    let pca = pca.truncated(k);
    let values = pca.explained_variance();
    assert_near(
        &values,
        &[3.27190554, 1.73713102, 1.40491668, 1.05685035],
        5.1e-9,
    );
    let matrix = [
        [-0.77471983, 0.18714199, 0.18440714, -0.03781826],
        [0.74189974, -0.34542129, -0.18221105, 0.10178564],
        [0.62250255, 0.59830332, 0.02337844, 0.19059161],
        [0.57194530, 0.35029361, 0.25951193, -0.13559420],
        [-0.67960994, 0.56943778, -0.13146970, 0.02930198],
        [-0.74624532, 0.22879335, 0.09263738, 0.29083103],
        [0.55246652, 0.60631339, -0.04295225, -0.25967143],
        [0.05034151, -0.18035687, -0.69175665, 0.55153397],
        [0.27711085, 0.31698906, 0.38965541, 0.71227728],
        [-0.05807706, 0.47422377, -0.78214280, -0.16108904],
    ];
    for (j, row) in matrix.iter().enumerate() {
        let got: Vec<f64> = (0..4)
            .map(|i| pca.components()[(i, j)] * values[i].sqrt())
            .collect();
        let want = [row[0], row[1], -row[2], row[3]];
        assert_near(&got, &want, 5.1e-9);
    }
    assert_eq!(
        pca.component_names(),
        ["Component 1", "Component 2", "Component 3", "Component 4"]
    );
    // Scores as SPSS saves them: variance 1.
    let scores = scores(&pca, &x);
    for i in 0..4 {
        let column = scores.col(i);
        let variance = column.iter().map(|x| x * x).sum::<f64>() / 40.0;
        assert!((variance - 1.0).abs() < 1e-12, "{variance}");
    }
}

#[test]
fn a_sum_of_zero_leaves_the_sign_to_the_largest_entry() {
    // Two scaled columns that oppose each other: the second component is (1, −1)/√2, whose sum is rounding.
    let x = Mat::from_fn(5, 2, |i, j| {
        let (a, b) = ([1.0, 2.0, 4.0, 3.0, 7.0][i], [2.0, 1.0, 5.0, 4.0, 6.0][i]);
        [a, b][j]
    });
    for solver in SOLVERS {
        let options = PcaOptions {
            solver,
            scale: Scale::Std,
            sign: Sign::Sum,
            ..Default::default()
        };
        let pca = fit(&options, &x);
        let half = 0.5f64.sqrt();
        assert_near(pca.components().row(1), &[half, -half], 1e-12);
    }
}

#[test]
fn rules_for_signs_only_turn_components() {
    let x = usarrests();
    let with = |sign| {
        let options = PcaOptions {
            sign,
            scale: Scale::Std,
            ..Default::default()
        };
        fit(&options, &x)
    };
    let (largest, sum) = (with(Sign::Largest), with(Sign::Sum));
    assert_eq!(
        largest.spectrum().singular_values,
        sum.spectrum().singular_values
    );
    let mut turned = 0;
    for (a, b) in largest.components().rows().zip(sum.components().rows()) {
        let minus: Vec<f64> = a.iter().map(|x| -x).collect();
        assert!(a == b || minus == b);
        assert!(b.iter().sum::<f64>() > 0.0);
        turned += usize::from(minus == b);
    }
    assert!(turned > 0, "both rules agree: nothing was tested");
}

#[test]
fn what_presets_retain_depends_on_the_data() {
    assert_eq!(Like::FactoMineR.retain().before(41, 10), Keep::Count(5));
    assert_eq!(Like::FactoMineR.retain().before(41, 4), Keep::All);
    assert_eq!(Like::FactoMineR.retain().before(4, 17), Keep::All);
    for like in [Like::Sklearn, Like::R, Like::Matlab, Like::Spss] {
        assert_eq!(like.retain().before(41, 10), Keep::All);
    }
    // No eigenvalue of an identity lies above the mean; one component is kept nevertheless.
    let x = Mat::from_fn(4, 2, |i, j| {
        [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]][i][j]
    });
    let pca = fit(&Like::Spss.options(), &x);
    assert_eq!(Retain::Kaiser.after(&pca).expect("a count"), 1);
}

#[test]
fn the_first_components_alone_are_those_of_a_smaller_fit() {
    let x = decathlon();
    let all = fit(&PcaOptions::default(), &x);
    let few = fit(
        &PcaOptions {
            n_components: Keep::Count(3),
            ..Default::default()
        },
        &x,
    );
    let cut: Pca = all.clone().truncated(3);
    assert_eq!(cut.components(), few.components());
    assert_eq!(cut.parts().options, few.parts().options);
    let (got, want) = (cut.spectrum(), few.spectrum());
    assert_eq!(got.singular_values, want.singular_values);
    assert_eq!(got.total_variance(), want.total_variance());
    assert!(
        got.angle.is_some_and(|angle| angle < 1e-10),
        "{:?}",
        got.angle
    );
    assert_eq!(all.truncated(99).n_components(), 10);
}

#[test]
fn presets_and_their_words_are_stable() {
    let words = Like::ALL.map(|like| serde_json::to_value(like).expect("a word"));
    assert_eq!(words, ["sklearn", "R", "MATLAB", "FactoMineR", "SPSS"]);
    let old: PcaOptions = serde_json::from_str("{}").expect("options of an older model");
    assert_eq!((old.sign, old.names), (Sign::Largest, Names::Pc));
    assert_eq!(
        Like::FactoMineR.options().convention,
        Convention::Population
    );
}
