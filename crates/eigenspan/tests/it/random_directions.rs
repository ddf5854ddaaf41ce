//! What random directions keep of the variance, beside principal ones.

use eigenspan::Context;
use eigenspan::method::KeptByDirections;

#[test]
fn random_directions_keep_their_share_of_the_columns_on_average() {
    let ctx = Context::new();
    let kept = |values: &[f64], d: usize| {
        let found = KeptByDirections::new(&ctx, values, d, 40, 7);
        found.expect("shares")
    };
    // Where all columns vary alike, every k directions keep k of them.
    let even = kept(&[2.0; 6], 6).expect("shares");
    for k in 0..=6 {
        let want = k as f64 / 6.0;
        for share in [even.principal[k], even.random[k], even.low[k], even.high[k]] {
            assert!((share - want).abs() < 1e-12, "{k}: {even:?}");
        }
    }
    // One column of variance: k directions keep what a beta distribution says, whose mean is k/d; all of them keep everything.
    let one = kept(&[3.0], 20).expect("shares");
    assert_eq!(one.principal[1], 1.0);
    for k in 1..20 {
        assert!(one.low[k] < k as f64 / 20.0 && k as f64 / 20.0 < one.high[k]);
        assert!(one.low[k] >= one.low[k - 1] && one.high[k] <= 1.0);
    }
    assert!((one.low[20] - 1.0).abs() < 1e-12);
    // Nine of ten draws of one direction of 20: between the 5 % and 95 % quantiles of Beta(1/2, 19/2), 0.0002 and 0.187.
    assert!(
        one.low[1] < 0.003 && (0.12..0.3).contains(&one.high[1]),
        "{one:?}"
    );
    assert_eq!(kept(&[0.0, 0.0], 2), None);
    // Of many columns, as few directions as are affordable.
    let wide = kept(&[1.0], 50_000).expect("shares");
    assert!((2..41).contains(&wide.principal.len()));
}
