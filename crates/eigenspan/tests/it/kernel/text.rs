//! Kernels as text: every value reads back to itself, and errors name the column at which a text goes wrong.

use eigenspan::kernel::{Base, Gamma, Kernel};
use eigenspan::method::KernelPcaOptions;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_260_101),
        ..ProptestConfig::default()
    }
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![1e-3f64..1e3, Just(1.0), Just(1e-12), Just(0.1), Just(3e20)]
}

fn gamma(median: bool) -> impl Strategy<Value = Gamma> {
    let word = if median { Gamma::Median } else { Gamma::Scale };
    prop_oneof![
        Just(Gamma::Auto),
        Just(Gamma::Scale),
        Just(word),
        positive().prop_map(Gamma::Value)
    ]
}

fn base() -> impl Strategy<Value = Kernel> {
    let coef0 = || prop_oneof![-5f64..5.0, Just(0.0), Just(1.0)];
    prop_oneof![
        Just(Base::Linear),
        Just(Base::Cosine),
        (1u32..=100, gamma(false), coef0()).prop_map(|(degree, gamma, coef0)| Base::Poly {
            degree,
            gamma,
            coef0
        }),
        gamma(true).prop_map(|gamma| Base::Rbf { gamma }),
        positive().prop_map(|sigma| Base::Rbf {
            gamma: Gamma::Sigma(sigma)
        }),
        gamma(true).prop_map(|gamma| Base::Laplacian { gamma }),
        (gamma(false), coef0()).prop_map(|(gamma, coef0)| Base::Tanh { gamma, coef0 }),
        (0u32..11, positive()).prop_map(|(p, length)| Base::Matern {
            nu: if p == 10 {
                f64::INFINITY
            } else {
                f64::from(p) + 0.5
            },
            length
        }),
        (positive(), positive())
            .prop_map(|(alpha, length)| Base::RationalQuadratic { alpha, length }),
        gamma(true).prop_map(|gamma| Base::Chi2 { gamma }),
    ]
    .prop_map(|base| Kernel::base(base).expect("a sound base kernel"))
}

/// Any expression without functions of one's own.
fn kernel() -> impl Strategy<Value = Kernel> {
    base().prop_recursive(5, 24, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a * b),
            (inner.clone(), 1e-3f64..1e3).prop_map(|(a, c)| a.times(c).expect("a multiple")),
            inner.clone().prop_map(Kernel::exp),
            inner.prop_map(Kernel::normalized),
        ]
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_kernel_reads_back_from_its_text(kernel in kernel()) {
        let text = kernel.to_string();
        prop_assert_eq!(text.parse::<Kernel>().expect(&text), kernel);
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_column_inside_it(text in "[a-z0-9().,*+= -]{0,24}|\\PC{0,12}") {
        if let Err(error) = text.parse::<Kernel>() {
            let said = error.to_string();
            let after = said.strip_prefix(&format!("kernel `{text}`, column ")).expect(&said);
            let column: usize = after.split(':').next().and_then(|c| c.parse().ok()).expect(&said);
            prop_assert!((1..=text.chars().count() + 1).contains(&column), "{}", said);
        }
    }
}

#[test]
fn text_is_read_as_people_write_it() {
    for (given, meant) in [
        ("sigmoid", "tanh(coef0=1)"),
        (" rbf ( gamma = 0.5 ) ", "rbf(gamma=0.5)"),
        ("rbf(gamma='scale')", "rbf(gamma=scale)"),
        ("rbf(gamma=\"median\")", "rbf(gamma=median)"),
        ("rbf(gamma=auto)", "rbf(gamma=auto)"),
        ("gaussian", "rbf"),
        ("Gaussian(sigma=2)", "rbf(sigma=2)"),
        ("RBF(gamma=2)", "rbf(gamma=2)"),
        ("polynomial(degree=2)", "poly(degree=2, coef0=1)"),
        ("laplace + sigmoid*cos", "laplacian + tanh(coef0=1)*cosine"),
        ("chi_squared(gamma=1)", "chi2(gamma=1)"),
        ("rbf()", "rbf"),
        ("rbf(gamma=1e-3)", "rbf(gamma=0.001)"),
        ("poly", "poly(degree=3, coef0=1)"),
        ("poly(coef0=-2.5,degree=2)", "poly(degree=2, coef0=-2.5)"),
        ("(rbf + linear)*2", "2*(rbf + linear)"),
        ("2*3*linear", "6*linear"),
        ("0.5*linear*2", "linear"),
        ("rbf + (linear + cosine)", "rbf + linear + cosine"),
        ("rbf*(2*linear)*(cosine)", "2*rbf*linear*cosine"),
        ("exp(2*(linear))", "exp(2*linear)"),
        ("matern(nu=inf)", "matern(nu=inf, length=1)"),
        ("rbf+linear", "rbf + linear"),
    ] {
        let kernel: Kernel = given.parse().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(kernel.to_string(), meant);
    }
}

#[test]
fn what_cannot_be_read_is_told_with_its_column() {
    for (given, column, what) in [
        (
            "rfb(gamma=1)",
            1,
            "`rfb` is not a kernel (`rbf`?); kernels are linear, poly, rbf, laplacian, tanh, sigmoid, cosine, matern, rational_quadratic, chi2, precomputed, exp, normalize",
        ),
        (
            "linear + rbf(gama=1)",
            14,
            "`gama` is not a parameter of rbf (`gamma`?); there are gamma, sigma",
        ),
        (
            "rbf(gamma=-1)",
            11,
            "gamma = -1 does not fit: rbf takes a number above 0, auto (1 ÷ columns), scale or median",
        ),
        (
            "rbf(gamma=big)",
            11,
            "gamma = big is not known; it takes a number above 0, auto (1 ÷ columns), scale or median",
        ),
        ("rbf(gamma=1x)", 11, "`1x` is not a number"),
        (
            "rbf(gamma=)",
            11,
            "`)` is not expected here, but a number is expected",
        ),
        (
            "rbf(gamma)",
            10,
            "`)` is not expected here, but `=` and a value are expected",
        ),
        ("rbf(gamma=1, sigma=2)", 14, "gamma or sigma is given twice"),
        (
            "poly(degree=0)",
            13,
            "degree = 0 does not fit: poly takes a whole number from 1 to 100",
        ),
        (
            "poly(degree=2.5)",
            13,
            "degree = 2.5 does not fit: poly takes a whole number from 1 to 100",
        ),
        (
            "poly(gamma=median)",
            12,
            "gamma = median does not fit: poly takes a number above 0, auto (1 ÷ columns) or scale: the kernel is not a function of distances",
        ),
        (
            "poly(sigma=1)",
            6,
            "`sigma` is not a parameter of poly; there are degree, gamma, coef0",
        ),
        (
            "matern(nu=1)",
            11,
            "nu = 1 does not fit: matern takes 0.5, 1.5, 2.5, …, 10.5, or inf",
        ),
        (
            "rational_quadratic(alpha=0)",
            26,
            "alpha = 0 does not fit: rational_quadratic takes a number above 0",
        ),
        ("linear(gamma=1)", 8, "linear takes no parameters"),
        ("rbf(", 5, "the text ends here, but rbf takes gamma, sigma"),
        (
            "rbf(gamma=1",
            12,
            "the text ends here, but `,` or `)` is expected",
        ),
        (
            "(rbf + linear",
            14,
            "the text ends here, but `+`, `*` or `)` is expected",
        ),
        (
            "exp",
            4,
            "the text ends here, but `(` and a kernel are expected",
        ),
        (
            "",
            1,
            "the text ends here, but a kernel or a number is expected",
        ),
        (
            "rbf +",
            6,
            "the text ends here, but a kernel or a number is expected",
        ),
        (
            "rbf - linear",
            5,
            "a difference of kernels is not a kernel; kernels are joined by `+` and `*`",
        ),
        (
            "-2*rbf",
            1,
            "a kernel is multiplied by a number above 0, not by -2",
        ),
        (
            "0*rbf",
            1,
            "a kernel is multiplied by a number above 0, not by 0",
        ),
        (
            "rbf + 2",
            7,
            "a number alone is not a kernel; it stands before one, as in `0.5*rbf`",
        ),
        (
            "rbf linear",
            5,
            "`l` is not expected here; kernels are joined by `+` and `*`",
        ),
        (
            "é + rbf",
            1,
            "`é` is not a kernel; kernels are linear, poly, rbf, laplacian, tanh, sigmoid, cosine, matern, rational_quadratic, chi2, precomputed, exp, normalize",
        ),
    ] {
        let error = given.parse::<Kernel>().expect_err(given);
        assert_eq!(
            error.to_string(),
            format!("kernel `{given}`, column {column}: {what}")
        );
    }
    let deep = format!("{}rbf{}", "(".repeat(60), ")".repeat(60));
    let error = deep.parse::<Kernel>().expect_err("too deep").to_string();
    assert!(
        error.ends_with("column 51: more than 50 parentheses in each other"),
        "{error}"
    );
}

#[test]
fn options_travel_as_json_and_a_function_of_ones_own_does_not() {
    let options = KernelPcaOptions {
        kernel: "2*rbf(gamma=median) + linear".parse().expect("a kernel"),
        gamma: Some(Gamma::Scale),
        ..Default::default()
    };
    let json = serde_json::to_string(&options).expect("JSON");
    assert!(
        json.contains(r#""kernel":"2*rbf(gamma=median) + linear","gamma":"scale""#),
        "{json}"
    );
    assert_eq!(
        serde_json::from_str::<KernelPcaOptions>(&json).expect("options"),
        options
    );
    let number: KernelPcaOptions = serde_json::from_str(r#"{"gamma": 0.5}"#).expect("options");
    assert_eq!(number.gamma, Some(Gamma::Value(0.5)));
    assert!(serde_json::from_str::<KernelPcaOptions>(r#"{"gamma": -1}"#).is_err());
    let error =
        serde_json::from_str::<KernelPcaOptions>(r#"{"kernel": "rfb"}"#).expect_err("no kernel");
    assert!(
        error
            .to_string()
            .contains("column 1: `rfb` is not a kernel (`rbf`?)"),
        "{error}"
    );
    let own = Kernel::default().weighted("first", |row| row[0]);
    assert_eq!(own.to_string(), "weighted(first, rbf)");
    let error = serde_json::to_string(&own)
        .expect_err("a function")
        .to_string();
    assert_eq!(
        error,
        "the kernel has a function of its own (`first`), which cannot be written down"
    );
}
