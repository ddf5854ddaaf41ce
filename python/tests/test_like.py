"""Presets: the conventions of other programs, by one parameter."""

from __future__ import annotations

import json

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


@pytest.mark.parametrize(("names", "first"), [("pca", "pca0"), ("PC", "PC1"), ("Dim", "Dim.1"), ("Component", "Component 1")])
def test_names_of_components_are_a_parameter(names, first):
    pca = es.PCA(2, names=names).fit(X)
    assert pca.get_feature_names_out()[0] == first
    assert first in pca.plot_scores(X).svg
