//! Quantiles and tails against SciPy 1.x (`scipy.stats.norm`, `chi2`, `beta`, `f`: `ppf` and `sf`), printed to the last digit.

use eigenspan::distribution::{
    beta_quantile, chi2_quantile, chi2_tail, f_quantile, f_tail, normal_quantile, normal_two_sided,
};

use crate::support::close;

#[track_caller]
fn check(got: f64, want: f64) {
    assert!(close(got, want, 1e-10), "{got} is not {want}");
}

#[test]
fn quantiles_are_those_of_scipy() {
    check(normal_quantile(0.99), 2.3263478740408408);
    check(normal_quantile(0.025), -1.9599639845400545);
    assert_eq!(normal_quantile(0.5), 0.0);
    for (p, df, want) in [
        (0.99, 1.0, 6.6348966010212145),
        (0.95, 10.0, 18.307038053275146),
        (0.5, 3.0, 2.3659738843753377),
        (0.99, 250.5, 305.4915708373162),
        (1e-6, 4.0, 0.0028297613229586872),
        (0.95, 1e6, 1002327.310781219),
    ] {
        check(chi2_quantile(p, df), want);
    }
    for (p, a, b, want) in [
        (0.99, 1.0, 4.0, 0.683772233983162),
        (0.95, 0.5, 20.0, 0.09265666990602676),
        (0.99, 2.5, 73.0, 0.09723481106686017),
        (0.99, 5.0, 5e5, 2.3208888992092636e-05),
        (0.01, 30.0, 0.5, 0.8944929762564698),
    ] {
        check(beta_quantile(p, a, b), want);
    }
    for (p, d1, d2, want) in [
        (0.99, 2.0, 39.0, 5.194413382614363),
        (0.95, 4.0, 9.0, 3.6330885114190794),
        (0.99, 3.0, 1.0, 5403.352013738533),
        (0.99, 10.0, 1e6, 2.32094276571227),
        (0.05, 5.0, 7.0, 0.2050915328338954),
    ] {
        check(f_quantile(p, d1, d2), want);
    }
}

#[test]
fn tails_are_those_of_scipy() {
    check(chi2_tail(3.84, 1.0), 0.05004352124870519);
    check(chi2_tail(500.0, 45.0), 4.404316515849516e-78);
    check(chi2_tail(1e-3, 2.0), 0.9995001249791693);
    check(f_tail(3.2, 2.0, 39.0), 0.05166193947783122);
    check(f_tail(0.4, 5.0, 7.0), 0.8348334275037029);
    check(f_tail(80.0, 3.0, 120.0), 1.7008981943592737e-28);
    check(normal_two_sided(1.9599639845400545), 0.05);
    assert_eq!(f_tail(f64::INFINITY, 1.0, 3.0), 0.0);
}

#[test]
fn what_is_out_of_range_is_not_a_number() {
    assert!(chi2_quantile(1.0, 3.0).is_nan() && chi2_quantile(0.5, 0.0).is_nan());
    assert!(beta_quantile(-0.1, 1.0, 1.0).is_nan() && f_quantile(0.5, 1.0, f64::NAN).is_nan());
    assert!(normal_quantile(1.0).is_nan() && f_tail(f64::NAN, 1.0, 1.0).is_nan());
}
