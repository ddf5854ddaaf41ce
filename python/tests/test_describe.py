"""What tables hold and what models are; tables that were read; noise taken out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sklearn.exceptions import NotFittedError

from support import ROOT, noise

import eigenspan as es

X = noise(50, 4)
FOODS = ROOT / "data/uk-foods/uk-foods.csv"


def test_a_file_is_described_as_the_program_describes_it(program):
    theirs = json.loads(program("describe", FOODS, "--json"))
    for given in (FOODS, es.read(FOODS)):
        ours = es.describe(given).to_dict()
        assert ours["columns"] == theirs["columns"] and ours["n_rows"] == theirs["n_rows"]
        assert len(ours["warnings"]) == len(theirs["warnings"])
        assert not any("--" in text for text in ours["warnings"] + ours["notes"])
    assert repr(es.describe(FOODS)).splitlines()[0] == program("describe", FOODS, "--quiet").splitlines()[0]


def test_rows_in_memory_have_the_numbers_of_their_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame.loc[7, "b"] = np.nan
    frame["d"] = 3.0
    about = es.describe(frame)
    assert [column["name"] for column in about["columns"]] == list("abcd")
    for column in about["columns"]:
        cells = frame[column["name"]].dropna()
        np.testing.assert_allclose([column["mean"], column["sd"], column["min"], column["max"]], [cells.mean(), cells.std(), cells.min(), cells.max()])
        assert column["missing"] == 50 - len(cells)
    assert "d is constant and says nothing" in about["warnings"]
    assert "note: d is constant" in repr(about)
    from scipy import sparse

    for other in (frame.to_numpy(), sparse.csr_array(np.nan_to_num(frame.to_numpy()))):
        assert [column["name"] for column in es.describe(other)["columns"]] == ["0", "1", "2", "3"]


@pytest.mark.parametrize("estimator", [es.PCA(2, names="PC"), es.KernelPCA(2, kernel="rbf(gamma=0.5)")], ids=lambda e: type(e).__name__)
def test_a_model_is_described_as_the_program_describes_it(estimator, program, tmp_path):
    pandas = pytest.importorskip("pandas")
    place = tmp_path / "m.safetensors"
    estimator.fit(pandas.DataFrame(X, columns=list("abcd"))).save(place)
    theirs = json.loads(program("describe", place, "--json"))
    ours = estimator.describe()
    for name in ("n_components", "explained_variance", "total_variance", "residuals", "solver", "reason", "component_names"):
        assert ours[name] == theirs[name], name
    text = program("describe", place, "--quiet")
    # The heading has the name of the file, or of the class.
    assert repr(ours).splitlines()[1:] == text.rstrip("\n").splitlines()[1:]
    assert repr(es.describe(place)) == repr(es.describe(estimator)) == repr(ours)


def test_columns_without_names_are_counted_from_0():
    assert es.PCA(2).fit(X).describe()["columns"] == ["0", "1", "2", "3"]


def test_a_model_that_is_not_fitted_has_nothing_to_describe():
    with pytest.raises(NotFittedError):
        es.PCA().describe()


def test_a_table_that_was_read_says_what_it_is():
    foods = es.read(FOODS, id_column="country")
    assert repr(foods) == f"<Table {FOODS}: 4 rows × 17 columns, ids: country>"
    assert foods.shape == (4, 17) and len(foods) == 4 and len(foods.columns) == 17
    assert foods.ids == foods.texts("country") and "Wales" in foods.ids and foods.labels is None
    assert foods.to_numpy().shape == (4, 17)
    assert es.read(FOODS, label_column="country").labels == foods.ids
    with pytest.raises(ValueError, match="no column"):
        foods.texts("planet")


def test_everything_takes_a_table_that_was_read(tmp_path):
    np.save(tmp_path / "x.npy", X)
    rows = es.read(tmp_path / "x.npy")
    np.testing.assert_array_equal(rows.to_numpy(), X)
    pca = es.PCA(2).fit(rows)
    for ask in (pca.transform, pca.denoise, pca.residual_rows, pca.score_samples):
        np.testing.assert_array_equal(ask(rows), ask(X))
    np.testing.assert_array_equal(pca.row_facts(rows).q, pca.row_facts(X).q)
    assert es.choose(rows).k == es.choose(X).k
    assert es.describe(rows)["n_rows"] == 50
    assert pca.adequacy(rows).kmo == pca.adequacy(X).kmo
    assert es.tune(rows, kernel="rbf(gamma=[0.1, 1])", n_components=1, n_folds=3).best_score_ > 0
    assert es.PCA(2).plan(rows)["solver"]


def test_noise_is_taken_out_as_the_program_takes_it_out(program, tmp_path):
    clean, noisy = X[:30], X[30:] + np.random.default_rng(0).normal(scale=0.1, size=(20, 4))
    np.save(tmp_path / "clean.npy", clean)
    np.save(tmp_path / "noisy.npy", noisy)
    for method, options, ours in (
        ("pca", ["-k", "2"], es.PCA(2)),
        ("kpca", ["-k", "2", "--kernel", "rbf(gamma=0.2)", "--pre-image", "fixed-point"], es.KernelPCA(2, kernel="rbf(gamma=0.2)", pre_image="fixed-point")),
    ):
        program("denoise", method, tmp_path / "noisy.npy", "--train", tmp_path / "clean.npy", *options, "-o", tmp_path / "out.npy")
        theirs = np.load(tmp_path / "out.npy")
        np.testing.assert_array_equal(es.denoise(noisy, clean, method=ours), theirs)
        assert not hasattr(ours, "n_features_in_")
        np.testing.assert_array_equal(ours.fit(clean).denoise(noisy), theirs)
    np.testing.assert_array_equal(es.denoise(noisy, clean, n_components=2), es.PCA(2).fit(clean).denoise(noisy))
    with pytest.raises(ValueError, match="method='median': it takes 'pca', 'kpca'.* or an estimator"):
        es.denoise(noisy, clean, method="median")
    with pytest.raises(TypeError, match="n_components cannot be given beside it"):
        es.denoise(noisy, clean, method=es.PCA(), n_components=2)
