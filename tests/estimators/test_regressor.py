"""A heuristic is a regressor like any other of scikit-learn."""

import pickle

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

import deepalgo as da
from deepalgo.errors import CompileError
from tests.estimators.heuristics import both, cooling, friction, line, mean, steep

RNG = np.random.default_rng(5)
X = np.column_stack([RNG.uniform(500, 4000, 120), RNG.uniform(0.01, 1, 120)])
TRUE = np.array([friction(*row, laminar=70.0, rough=0.12) for row in X])


def regressor(function=friction, **options):
    return da.HeuristicRegressor(function, **{"steps": 20, **options})


@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_complain_of():
    check_estimator(regressor(line, steps=5), on_skip=None)


def test_a_fit_has_report_diff_and_source():
    model = regressor().fit(X, TRUE)
    assert model.result_.improved and model.result_.network is model.network_
    assert "+def friction(reynolds, roughness, laminar=70.0, rough=0.12):" in str(model.diff_)
    scope = {}
    exec(model.source_, scope)
    assert model.predict(X).tolist() == pytest.approx([scope["friction"](*row) for row in X], rel=1e-12)
    assert model.score(X, TRUE) > 0.999999


def test_it_is_what_fit_finds():
    model = regressor().fit(X, TRUE)
    alone = da.fit(da.compile(friction), (X[:, 0].copy(), X[:, 1].copy()), TRUE, test=None, steps=20)
    assert [weight.item() for weight in model.network_.weights.tensors()] == [weight.item() for weight in alone.network.weights.tensors()]


def test_what_trains_is_passed_on():
    model = regressor(rates={"rough": 0}).fit(X, TRUE)
    assert model.network_.weights["rough"].item() == 0.1
    assert model.network_.weights["laminar"].item() == pytest.approx(70.0, rel=1e-4)


def test_options_and_groups_go_to_fit_as_they_are_given(monkeypatch):
    taken = {}
    monkeypatch.setattr("deepalgo.estimators.base.fit", lambda *data, **options: taken.update(options) or da.fit(*data, steps=1))
    options = {"train": ["lam*"], "fixed": "rough", "bounds": {"laminar": (1.0, None)}, "validation": 0.3, "seconds": 9.0}
    groups = np.arange(120) // 12
    regressor(**options, steps=7, random_state=3).fit(X, TRUE, groups=groups)
    expected = {**options, "groups": groups, "loss": "squared", "steps": 7, "seed": 3, "test": None, "progress": False}
    assert {name: taken[name] for name in expected} == expected


def test_columns_are_taken_by_name_or_by_order():
    swapped = pl.DataFrame({"roughness": X[:, 1], "reynolds": X[:, 0]})
    other = pl.DataFrame({"first": X[:, 0], "second": X[:, 1]})
    found = [regressor().fit(data, TRUE).predict(data).tolist() for data in (X, swapped, other)]
    assert found[0] == found[1] == found[2]
    with pytest.raises(ValueError, match="The feature names should match those that were passed during fit"):
        regressor().fit(swapped, TRUE).predict(swapped.select("reynolds", "roughness"))


def test_columns_of_which_only_some_have_the_names_of_arguments_are_refused():
    with pytest.raises(ValueError, match=r"^X has no column 'reynolds'; it has 'roughness', 're'$"):
        regressor().fit(pl.DataFrame({"roughness": X[:, 1], "re": X[:, 0]}), TRUE)


@pytest.mark.parametrize(("function", "wanted"), [(friction, 2), (cooling, 1), (da.compile(friction), 2)], ids=["two", "one", "network"])
def test_a_wrong_number_of_columns_is_refused_in_the_words_of_scikit_learn(function, wanted):
    with pytest.raises(ValueError, match=rf"^X has 3 features, but HeuristicRegressor is expecting {wanted} features as input\.$"):
        regressor(function).fit(np.ones((20, 3)) * np.arange(20)[:, None], np.arange(20))
    model = regressor().fit(X, TRUE)
    with pytest.raises(ValueError, match="X has 1 features, but HeuristicRegressor is expecting 2 features as input."):
        model.predict(X[:, :1])


def test_a_function_of_one_number_takes_one_column():
    t = np.linspace(0, 10, 50)[:, None]
    model = regressor(cooling).fit(t, cooling(t[:, 0], room=21.0, heat=55.0))
    assert model.predict([[0.0]]).tolist() == pytest.approx([76.0])


def test_rows_are_taken_by_functions_of_an_array_and_by_stars():
    data = RNG.normal(size=(60, 4))
    assert regressor(line).fit(data, 0.7 * data[:, 0] + 1).predict([[1.0, 0, 0, 0]]).tolist() == pytest.approx([1.7])
    assert regressor(mean).fit(data, 0.25 * data.sum(1)).predict([[1.0, 2, 3, 4]]).tolist() == pytest.approx([2.5])


def test_several_answers_are_several_targets():
    data = RNG.normal(size=(60, 2))
    model = regressor(both).fit(data, np.column_stack([2.5 * data[:, 0], data[:, 0] - data[:, 1]]))
    assert model.predict([[1.0, 2.0]])[0].tolist() == pytest.approx([2.5, -1.0])
    with pytest.raises(ValueError, match=r"^y has 1 outputs, but both\(\) returns 2 numbers$"):
        regressor(both).fit(data, data[:, 0])


def test_a_column_of_targets_is_a_row_with_a_warning():
    with pytest.warns(DataConversionWarning):
        model = regressor().fit(X, TRUE[:, None])
    assert model.predict(X).shape == (120,)


def test_pipelines_groups_and_grids():
    chain = make_pipeline(FunctionTransformer(lambda X: X * [1e3, 1.0]), regressor())
    data = X / [1e3, 1.0]
    groups = np.arange(120) // 12
    assert cross_val_score(chain, data, TRUE, cv=GroupKFold(3), groups=groups, error_score="raise").min() > 0.99
    grid = GridSearchCV(chain, {"heuristicregressor__rates": [{"laminar": 0}, None]}, cv=2, error_score="raise").fit(data, TRUE)
    assert grid.best_params_ == {"heuristicregressor__rates": None}
    assert make_pipeline(MinMaxScaler(), regressor(both)).fit(data, data).predict(data).shape == (120, 2)


@pytest.mark.parametrize("backwards", [lambda model, path: pickle.loads(pickle.dumps(model)),
                                       lambda model, path: joblib.load(joblib.dump(model, path / "model")[0])], ids=["pickle", "joblib"])
def test_a_fitted_one_can_be_kept_and_goes_on(backwards, tmp_path):
    model = regressor().fit(X, TRUE)
    twin = backwards(model, tmp_path)
    assert twin.predict(X).tolist() == model.predict(X).tolist()
    assert twin.source_ == model.source_ and str(twin.diff_) == str(model.diff_)
    assert str(twin.result_) == str(model.result_)
    assert twin.fit(X, TRUE).predict(X).tolist() == model.predict(X).tolist()


def test_a_clone_is_not_fitted_and_asks_for_it():
    twin = clone(regressor(rates={"rough": 0}).fit(X, TRUE))
    assert twin.function is friction and twin.rates == {"rough": 0}
    for name in ("diff_", "source_", "network_"):
        with pytest.raises(NotFittedError):
            getattr(twin, name)


def test_a_network_that_was_compiled_before_keeps_its_options():
    net = da.compile(friction, errors="nan")
    model = regressor(net).fit(X, TRUE)
    assert model.network_.errors == "nan" and net.weights["laminar"].item() == 64.0
    assert np.isnan(model.predict([[0.0, 0.5]])[0])


def test_what_fit_refuses_is_a_value_error_and_what_does_not_compile_says_why():
    with pytest.raises(ValueError, match="all targets are the same"):
        regressor().fit(X, np.ones(120))

    def ask(x, y):
        return x * y * float(input())

    with pytest.raises(CompileError, match="this asks the user for input"):
        regressor(ask).fit(X, TRUE)


def test_without_a_seed_each_fit_draws_one():
    x = RNG.normal(size=(40, 1))
    y = 2.5 * x[:, 0] + RNG.normal(size=40)
    fits = [regressor(steep, random_state=state).fit(x, y).result_ for state in (0, 0, None)]
    parts = [fit.contenders[0].validation.tolist() for fit in fits]
    assert parts[0] == parts[1] != parts[2]
