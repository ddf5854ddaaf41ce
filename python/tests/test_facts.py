"""What a PCA means and how sure it is, as arrays: against FactoMineR, against the program, and against formulas written out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from support import ROOT, noise

import eigenspan as es

X = noise(60, 5)


@pytest.fixture
def decathlon():
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(ROOT / "data/decathlon/decathlon.csv", index_col=0)
    reference = json.loads((ROOT / "tests/reference/r_prcomp_factominer_lda.json").read_text())["factominer_decathlon"]
    return table, reference


def factominer(table):
    events = table.drop(columns=["Rank", "Points", "Competition"])
    return events, es.PCA(like="FactoMineR").fit(events)


def test_rows_have_factominers_coordinates_cos2_and_contributions(decathlon):
    table, theirs = decathlon
    events, pca = factominer(table)
    facts = pca.row_facts(events)
    k = len(theirs["ind_coord_first5"][0])
    assert pca.n_components_ == k == 5
    np.testing.assert_allclose(facts.scores[:5], theirs["ind_coord_first5"], atol=1e-8)
    np.testing.assert_allclose(facts.cos2[:5], theirs["ind_cos2_first5"], atol=1e-8)
    np.testing.assert_allclose(facts.contributions[:5], theirs["ind_contrib_first5"], atol=1e-8)


def test_columns_beside_the_fit_have_factominers_numbers(decathlon):
    table, theirs = decathlon
    events, pca = factominer(table)
    beside = pca.supplementary(events, table[["Rank", "Points", "Competition"]])
    np.testing.assert_allclose([beside.correlations["Rank"], beside.correlations["Points"]], theirs["quanti_sup_coord"], atol=1e-8)
    groups = beside.groups["Competition"]
    order = np.argsort(groups.levels)
    np.testing.assert_allclose(groups.centroids[order], theirs["quali_sup_coord"], atol=1e-8)
    np.testing.assert_allclose(groups.v_tests[order], theirs["quali_sup_vtest"], atol=1e-8)
    assert groups.n_rows.sum() == len(table) and groups.eta2.shape == (5,)


def test_t2_and_q_are_what_their_formulas_say():
    pca = es.PCA(2).fit(X)
    facts = pca.row_facts(X, level=0.95)
    scores = pca.transform(X)
    np.testing.assert_allclose(facts.t2, (scores**2 / pca.explained_variance_).sum(axis=1))
    left = X - pca.inverse_transform(scores)
    np.testing.assert_allclose(facts.q, (left**2).sum(axis=1))
    np.testing.assert_allclose(pca.residual_rows(X), left, atol=1e-12)
    n, k = len(X), 2
    np.testing.assert_allclose(facts.limits.t2, (n - 1) ** 2 / n * stats.beta.ppf(0.95, k / 2, (n - k - 1) / 2))
    np.testing.assert_allclose(facts.limits.t2_new, k * (n + 1) * (n - 1) / (n * (n - k)) * stats.f.ppf(0.95, k, n - k))
    beyond = (facts.t2 > facts.limits.t2) | (facts.q > facts.limits.q)
    np.testing.assert_array_equal(facts.outliers, np.flatnonzero(beyond))
    with pytest.raises(ValueError, match="level=1.5: it takes a number above 0 and below 1"):
        pca.row_facts(X, level=1.5)
    with pytest.raises(ValueError):
        facts.t2[0] = 0


def test_every_rule_says_what_the_program_says(program, tmp_path, iris):
    np.save(tmp_path / "iris.npy", iris)
    theirs = json.loads(program("choose", tmp_path / "iris.npy", "--scale", "--json"))
    ours = es.choose(iris, scale="std")
    assert (ours.k, ours.sentence, ours.why) == (theirs["k"], theirs["sentence"], theirs["why"])
    assert {rule["rule"]: (rule["k"], rule["sentence"]) for rule in theirs["rules"]} == {
        name: (rule["k"], rule["sentence"]) for name, rule in ours.rules.items()
    }
    assert len(ours.rules) == 11
    np.testing.assert_allclose(ours.eigenvalues, theirs["eigenvalues"], rtol=1e-12)
    assert f"Keep {ours.sentence}." in repr(ours)
    told = es.choose(iris, share=0.5)
    assert told.rules["share"]["k"] == 1
    with pytest.raises(ValueError, match="share"):
        es.choose(iris, share=1.5)


def test_rotations_leave_communalities_alone_and_give_scores():
    pca = es.PCA(scale="std").fit(X)
    for rotation in ("varimax", "promax", "oblimin"):
        turned = pca.rotate(rotation, n_components=2)
        common = np.einsum("jc,cd,jd->j", turned.pattern, turned.phi, turned.pattern)
        np.testing.assert_allclose(common, (pca.loadings_[:, :2] ** 2).sum(axis=1))
        np.testing.assert_allclose(turned.variances.sum(), pca.explained_variance_[:2].sum())
        scores = turned.transform(X)
        np.testing.assert_allclose(np.corrcoef(scores.T), turned.phi, atol=1e-9)
        np.testing.assert_allclose(turned.structure, turned.pattern @ turned.phi)
    with pytest.raises(ValueError, match="rotation='sideways': it takes 'varimax', 'promax' or 'oblimin'"):
        pca.rotate("sideways")
    with pytest.raises(ValueError, match="kappa"):
        pca.rotate("promax", kappa=0.5)


def test_adequacy_is_kmo_and_bartlett_from_the_correlation_matrix():
    wine = pytest.importorskip("sklearn.datasets").load_wine().data
    found = es.PCA().fit(wine).adequacy(wine)
    r = np.corrcoef(wine.T)
    inverse = np.linalg.inv(r)
    partial = -inverse / np.sqrt(np.outer(np.diag(inverse), np.diag(inverse)))
    off = ~np.eye(len(r), dtype=bool)
    np.testing.assert_allclose(found.kmo, (r[off] ** 2).sum() / ((r[off] ** 2).sum() + (partial[off] ** 2).sum()))
    n, d = wine.shape
    chi2 = -(n - 1 - (2 * d + 5) / 6) * np.linalg.slogdet(r)[1]
    np.testing.assert_allclose(found.chi2, chi2)
    assert found.df == d * (d - 1) / 2 and found.p_value < 1e-10 and found.unknown is None
    np.testing.assert_allclose(found.kmo_columns[0], (r[0, 1:] ** 2).sum() / ((r[0, 1:] ** 2).sum() + (partial[0, 1:] ** 2).sum()))


def test_the_bootstrap_gives_arrays_with_an_entry_per_component():
    pca = es.PCA().fit(X)
    sure = pca.bootstrap(X, n_replicates=80)
    assert sure.eigenvalues.low.shape == (5,) and sure.loadings.estimate.shape == (5, 5)
    np.testing.assert_allclose(sure.eigenvalues.estimate, pca.explained_variance_)
    np.testing.assert_allclose(sure.loadings.estimate, pca.components_)
    known = np.isfinite(sure.eigenvalues.low)
    assert known.any() and (sure.eigenvalues.low[known] < sure.eigenvalues.high[known]).all()
    assert (sure.stability >= 0).all() and (sure.stability <= 1).all() and sure.apart.dtype == bool
    assert sure.angles.shape == (5, 2) and sure.n_replicates == 80 and "80 draws of 60 rows" in sure.sentence
    again = pca.bootstrap(X, n_replicates=80)
    np.testing.assert_array_equal(again.loadings.low, sure.loadings.low)
    with pytest.raises(ValueError, match="level"):
        pca.bootstrap(X, level=2)


def test_rows_that_are_drawn_have_the_models_covariance():
    pca = es.PCA(2).fit(X)
    rows = pca.sample(200_000, random_state=1)
    np.testing.assert_allclose(np.cov(rows.T), pca.get_covariance(), atol=0.02)
    np.testing.assert_array_equal(rows, pca.sample(200_000, random_state=1))
    assert es.PCA(2).fit(X.astype(np.float32)).sample(3).dtype == np.float32


def test_results_are_shown_by_their_shapes_and_come_as_dictionaries():
    facts = es.PCA(2).fit(X).row_facts(X)
    assert "scores=<60 × 2 float64>" in repr(facts) and "level=0.99" in repr(facts)
    assert set(facts.to_dict()["limits"]) == {"level", "n_components", "t2", "t2_new", "q", "q_from"}
