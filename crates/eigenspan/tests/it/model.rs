//! What a fitted model refuses: rows of the wrong width, and parts that do not make a model.

use eigenspan::method::PcaParts;
use eigenspan::prepare::Scale;
use eigenspan::solve::Keep;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Pca, PcaOptions};

use crate::support::{FILL, assert_said, fit, mixed, names};

fn keeping(n_components: Keep) -> PcaOptions {
    PcaOptions {
        n_components,
        ..Default::default()
    }
}

#[test]
fn rows_of_another_width_are_refused() {
    let x = mixed(6, 3, 4);
    let pca = fit(&keeping(Keep::Count(2)), &x);
    let text = "4 columns given, but 3 expected";
    let ctx = Context::new();
    let wide = mixed(6, 4, 4);
    let wide = Dense::new(wide.view());
    assert_said(&pca.transform(&ctx, &wide).expect_err("wide"), text, None);
    let error = pca.reconstruction_error(&ctx, &wide).expect_err("wide");
    assert_said(&error, text, None);
    assert_said(
        &pca.inverse(x.view()).expect_err("wide"),
        "3 columns given, but 2 expected",
        None,
    );
    assert_said(
        &Dense::new(x.view())
            .with_names(names(&["a", "b"]))
            .expect_err("names"),
        "2 columns given, but 3 expected",
        None,
    );
    assert_said(
        &Mat::from_vec(2, 3, vec![0.0; 5]).expect_err("five"),
        "5 elements do not make a 2 × 3 matrix",
        None,
    );
}

#[test]
fn new_rows_that_are_not_numbers_are_refused() {
    let x = mixed(6, 3, 4);
    let mut new = mixed(4, 3, 5);
    new[(2, 1)] = f64::NAN;
    let source = Dense::new(new.view());
    let ctx = Context::new();
    let text = "1 cell is not a finite number (1 NaN, 0 infinite); the first is row 3, column 2";
    let pca = fit(&PcaOptions::default(), &x);
    let error = pca.transform(&ctx, &source).expect_err("NaN");
    assert_said(&error, text, Some(FILL));
    let error = pca.reconstruction_error(&ctx, &source).expect_err("NaN");
    assert_said(&error, text, Some(FILL));
}

#[test]
fn a_model_of_parts_that_do_not_belong_together_is_refused() {
    let options = PcaOptions {
        scale: Scale::Std,
        ..keeping(Keep::Count(2))
    };
    let good = fit(&options, &mixed(9, 3, 9)).parts().clone();
    assert!(Pca::from_parts(good.clone()).is_ok());
    let refused = |what: &str, spoil: &dyn Fn(&mut PcaParts)| {
        let mut parts = good.clone();
        spoil(&mut parts);
        let error = Pca::from_parts(parts).expect_err(what);
        assert_said(&error, what, None);
    };
    let lengths = "the numbers of eigenvalues, eigenvectors and residuals differ";
    refused(lengths, &|p| p.spectrum.singular_values.push(0.1));
    refused(lengths, &|p| p.spectrum.residuals.clear());
    let columns = "the numbers of columns, means and scales differ";
    refused(columns, &|p| p.preparation.center.push(0.0));
    refused(columns, &|p| p.preparation.scale = Some(vec![1.0]));
    refused(columns, &|p| p.columns = Some(names(&["a", "b"])));
    let count = "the number of components does not fit the number of columns";
    refused(count, &|p| p.spectrum.rank = 3);
    refused(count, &|p| {
        p.spectrum.singular_values.clear();
        p.spectrum.residuals.clear();
        p.spectrum.vectors = Mat::zeros(0, 3);
    });
    let finite = "some numbers are not finite";
    refused(finite, &|p| p.spectrum.norm = f64::NAN);
    refused(finite, &|p| p.preparation.center[0] = f64::INFINITY);
    refused(finite, &|p| p.spectrum.vectors[(1, 1)] = f64::NAN);
    let sign = "a singular value is negative, or a scale or divisor is not positive";
    refused(sign, &|p| p.spectrum.singular_values[1] = -1.0);
    refused(sign, &|p| p.spectrum.divisor = 0.0);
    refused(sign, &|p| p.preparation.scale = Some(vec![1.0, 0.0, 1.0]));
    refused("the components are not orthonormal", &|p| {
        p.spectrum.vectors[(0, 0)] += 0.1;
    });
}
