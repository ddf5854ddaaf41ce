"""Presets: the conventions of other programs, by one parameter."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from sklearn.base import clone

from support import ROOT, noise

import eigenspan as es
from eigenspan._pca import LIKE

X = noise(40, 8) * np.arange(1, 9)


@pytest.mark.parametrize("like", LIKE)
def test_a_preset_is_the_programs(like, program, tmp_path):
    np.save(tmp_path / "x.npy", X)
    program("fit", "pca", tmp_path / "x.npy", "--like", like, "-m", tmp_path / "m.safetensors", "--quiet")
    theirs = json.loads(program("describe", tmp_path / "m.safetensors", "--json"))
    pca = es.PCA(like=like).fit(X)
    np.testing.assert_array_equal(pca.components_, theirs["components"])
    np.testing.assert_array_equal(pca.explained_variance_, theirs["explained_variance"])
    assert list(pca.get_feature_names_out()) == theirs["component_names"]
    scores = es.load(tmp_path / "m.safetensors").transform(X)
    np.testing.assert_array_equal(pca.transform(X), scores)


def test_a_preset_has_factominers_numbers():
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(ROOT / "data/decathlon/decathlon.csv", index_col=0).drop(columns=["Rank", "Points", "Competition"])
    theirs = json.loads((ROOT / "tests/reference/r_prcomp_factominer_lda.json").read_text())["factominer_decathlon"]
    pca = es.PCA(like="FactoMineR").set_output(transform="pandas").fit(table)
    np.testing.assert_allclose(pca.loadings_, theirs["var_coord"], atol=1e-8)
    scores = pca.transform(table)
    assert list(scores.columns) == ["Dim.1", "Dim.2", "Dim.3", "Dim.4", "Dim.5"]
    np.testing.assert_allclose(scores.to_numpy()[:5], theirs["ind_coord_first5"], atol=1e-8)


def test_what_is_given_beside_a_preset_wins():
    pca = es.PCA(3, like="FactoMineR", scale=False, convention="n", names="PC").fit(X)
    assert pca.n_components_ == 3 and pca.scale_ is None
    assert list(pca.get_feature_names_out()) == ["PC1", "PC2", "PC3"]
    np.testing.assert_allclose(pca.explained_variance_, es.PCA(3, convention="n").fit(X).explained_variance_)


def test_presets_are_parameters_like_others(tmp_path):
    pca = clone(es.PCA(like="SPSS")).fit(X)
    assert pca.get_params()["like"] == "SPSS"
    pca.save(tmp_path / "m")
    again = es.load(tmp_path / "m")
    assert again.like == "SPSS" and list(again.get_feature_names_out()) == list(pca.get_feature_names_out())
    np.testing.assert_array_equal(again.transform(X), pca.transform(X))
    holed = X.copy()
    holed[3, 2] = np.nan
    assert es.PCA(like="FactoMineR").fit(holed).n_samples_ == 40
    with pytest.raises(ValueError, match="like='Excel': it takes 'sklearn', 'R', 'MATLAB', 'FactoMineR', 'SPSS' or None"):
        es.PCA(like="Excel").fit(X)
    with pytest.raises(ValueError, match="like needs all rows at once"):
        es.PCA(like="R").fit(iter([X]))


def factors(n_factors: int, n: int = 80, d: int = 12) -> np.ndarray:
    """Rows with a few strong directions, so that SPSS's rule keeps fewer components than there are columns."""
    rng = np.random.default_rng(n_factors)
    return rng.normal(size=(n, n_factors)) @ rng.normal(size=(n_factors, d)) + 0.3 * rng.normal(size=(n, d))


def names_on(page: es._look.Report, prefix: str) -> int:
    """How many components a page speaks of."""
    return max(int(number) for number in re.findall(rf"\b{prefix}(\d+)\b", page.html))


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@pytest.mark.parametrize(("like", "prefix"), [("SPSS", "Component "), ("FactoMineR", r"Dim\.")])
def test_a_report_keeps_as_many_components_as_a_fit(like, prefix, program, tmp_path):
    rows = factors(4)
    np.savetxt(tmp_path / "x.csv", rows, delimiter=",", header=",".join("abcdefghijkl"), comments="")
    pca = es.PCA(like=like).fit(rows)
    theirs = json.loads(program("report", tmp_path / "x.csv", "--like", like, "--json", "-o", tmp_path / "x.html"))
    above_one = int((np.linalg.eigvalsh(np.corrcoef(rows.T)) > 1).sum())
    assert pca.n_components_ == theirs["n_components"] == {"SPSS": above_one, "FactoMineR": 5}[like]
    assert 1 < above_one < 5 and es.PCA().fit(rows).n_components_ == 12
    for X in (rows, tmp_path / "x.csv", es.read(tmp_path / "x.csv")):
        assert names_on(es.PCA(like=like).report(X), prefix) == pca.n_components_
    # A number that is given wins, in both.
    assert names_on(es.PCA(3, like=like).report(rows), prefix) == es.PCA(3, like=like).fit(rows).n_components_ == 3
    solver = es.PCA(like=like).plan(rows)["solver"]
    assert solver == pca.plan_["solver"] and es.PCA(like=like).plan(rows)["flops"] == pca.plan_["flops"]


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@pytest.mark.parametrize("asked", ["mle", 0.5, 0.9, "90%", "auto", 3, np.int64(2)])
def test_a_report_follows_scikit_learns_rules_too(asked):
    # The first direction holds exactly half of the variance: a share that is only just reached keeps one component more.
    tied = np.array([[2.0, 0, 0], [-2, 0, 0], [0, 2**0.5, 0], [0, -(2**0.5), 0], [0, 0, 2**0.5], [0, 0, -(2**0.5)]]) * 8
    for rows in (factors(4), tied):
        pca = es.PCA(asked, names="PC").fit(rows)
        assert names_on(es.PCA(asked, names="PC").report(rows), "PC") == pca.n_components_


def test_a_report_refuses_what_a_fit_refuses():
    for wrong, said in (({"n_components": 99}, "n_components=99 must be between 0 and"), ({"n_components": "mle"}, "n_samples >= n_features")):
        for call in (es.PCA(**wrong).fit, es.PCA(**wrong).report, es.PCA(**wrong).plan):
            with pytest.raises(ValueError, match=said):
                call(X[:6])
    with pytest.raises(ValueError, match="n_components=0 keeps no component"):
        es.PCA(0).report(X)
    with pytest.raises(TypeError, match="an iterator of batches can be read only once"):
        es.PCA().report(iter([X]))


def test_a_report_draws_no_random_number_and_leaves_the_estimator():
    random = np.random.RandomState(0)
    pca = es.PCA(0.9, random_state=random)
    pca.report(factors(3))
    assert random.randint(100) == np.random.RandomState(0).randint(100)
    assert not hasattr(pca, "n_features_in_")


@pytest.mark.parametrize(("names", "first"), [("pca", "pca0"), ("PC", "PC1"), ("Dim", "Dim.1"), ("Component", "Component 1")])
def test_names_of_components_are_a_parameter(names, first):
    pca = es.PCA(2, names=names).fit(X)
    assert pca.get_feature_names_out()[0] == first
    assert first in pca.plot_scores(X).svg
