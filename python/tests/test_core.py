"""The private module: one class of models for every method, and methods by the engine's names."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support import noise

import eigenspan as es
from eigenspan import _core

X = noise(40, 4)
ROWS = _core.Rows.dense(X, None, None)
ANY = {"threads": None, "memory": None}


def fitted(method: str, options: str = "{}") -> _core.Model:
    return _core.Model.fit(method, options, ROWS, ANY)


def test_methods_are_those_of_the_engine():
    assert dict(_core.methods()) | {"pca": "Principal component analysis"} == dict(_core.methods())
    for method, _ in _core.methods():
        assert json.loads(_core.schema(method)).keys() == {"schema", "defaults"}
    with pytest.raises(ValueError, match="no options of `tsne`; there are those of pca, .* and pre-image$"):
        _core.schema("tsne")
    with pytest.raises(ValueError, match="no method `tsne`; there are pca"):
        fitted("tsne")


def test_options_that_are_wrong_are_said_without_their_place_in_the_json():
    with pytest.raises(ValueError) as error:
        fitted("pca", '{"n_component": 2}')
    assert "unknown field `n_component`" in str(error.value) and "line" not in str(error.value)


@pytest.mark.parametrize("method", ["pca", "kpca"])
def test_a_model_answers_by_the_names_of_its_values(method):
    model = fitted(method, '{"n_components": 2}')
    assert (model.method, model.n_rows, model.n_cols, model.n_components) == (method, 40, 4, 2)
    assert model.explained_variance.shape == (2,) and isinstance(model.total_variance, float)
    assert model.scale is None and model.takes_new_rows and model.names is None
    assert json.loads(model.options)["n_components"] == 2 and json.loads(model.plan)["solver"]
    again = _core.Model(model.to_bytes())
    np.testing.assert_array_equal(again.transform(ROWS, ANY), model.transform(ROWS, ANY))
    with pytest.raises(AttributeError, match="^'eigenspan._core.Model' object has no attribute 'loadings'$"):
        model.loadings


def test_what_one_method_has_is_refused_of_another():
    pca, kpca = fitted("pca"), fitted("kpca", '{"n_components": 2}')
    assert not hasattr(pca, "eigenvalues") and not hasattr(kpca, "noise_variance")
    assert str(_core.kernel_of(kpca)) == kpca.kernel
    for refused in (_core.pca_covariance, _core.pca_precision, _core.pca_choices, _core.Growing.from_model):
        with pytest.raises(ValueError, match="only a model of PCA has this, not one of kernel PCA"):
            refused(kpca)
    with pytest.raises(ValueError, match="a model of PCA has no kernel"):
        _core.kernel_of(pca)
    with pytest.raises(ValueError, match="the method `pca` takes no kernel"):
        _core.Model.fit("pca", "{}", ROWS, ANY, es.kernels.linear())
    with pytest.raises(ValueError, match="pre-images are for kernel PCA"):
        pca.inverse(pca.transform(ROWS, ANY), '{"method": "ridge"}', ANY)


def test_rows_rebuilt_by_components_have_no_residuals():
    pca = fitted("pca")
    rows, residuals, notes = pca.inverse(pca.transform(ROWS, ANY), "{}", ANY)
    np.testing.assert_allclose(rows, X, atol=1e-12)
    assert residuals.shape == (0,) and notes == []
