"""A heuristic that computes scores is a classifier like any other of scikit-learn."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.estimator_checks import check_estimator

import deepalgo as da
from tests.estimators.heuristics import nearest, score, steep

RNG = np.random.default_rng(5)
X = RNG.normal(size=(600, 1))
Y = np.where(3 * X[:, 0] + 1 + RNG.logistic(size=600) > 0, "yes", "no")


def classifier(function=steep, **options):
    return da.HeuristicClassifier(function, **{"steps": 50, **options})


@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_complain_of():
    check_estimator(classifier(score, steps=5), on_skip=None)


def test_one_score_decides_between_two_classes():
    model = classifier().fit(X, Y)
    assert model.result_.improved
    assert model.classes_.tolist() == ["no", "yes"]
    margin = model.decision_function(X)
    assert (model.predict(X) == np.where(margin > 0, "yes", "no")).all()
    assert model.score(X, Y) > np.mean(np.where([steep(x) > 0 for x in X[:, 0]], "yes", "no") == Y)
    shift, slope = (model.network_.weights[key].item() for key in ("shift", "slope"))
    assert -shift / slope == pytest.approx(1 / 3, abs=0.2)


def test_probabilities_are_those_of_scaled_scores():
    model = classifier().fit(X, Y)
    found = model.predict_proba(X)
    assert found.sum(1) == pytest.approx(1)
    assert found[:, 1] == pytest.approx(1 / (1 + np.exp(-model.scale_ * model.decision_function(X))))
    assert log_loss(Y, found) < 0.5


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_the_unit_of_scores_matters_to_nothing(unit):
    def scaled(x, slope=2.0 * unit, shift=0.9 * unit):
        return slope * x - shift

    found = classifier(scaled).fit(X, Y).predict_proba(X)
    assert found == pytest.approx(classifier().fit(X, Y).predict_proba(X), abs=0.01)


def test_a_threshold_parts_scores_that_are_never_negative():
    def points(x):
        return np.exp(1.5 * x)

    model = classifier(points, threshold=1.0).fit(X, Y)
    assert (model.predict(X) == np.where(model.decision_function(X) > 0, "yes", "no")).all()
    assert model.score(X, Y) > 0.75


def test_as_many_scores_as_classes():
    centres = np.array([[1.0, -0.5], [-0.5, 1.0], [-1.0, -1.0]])
    labels = RNG.integers(0, 3, 240)
    data = centres[labels] + 0.4 * RNG.normal(size=(240, 2))
    model = classifier(nearest).fit(data, labels * 10)
    assert model.decision_function(data).shape == (240, 3)
    assert (model.predict(data) == model.classes_[model.predict_proba(data).argmax(1)]).all()
    folds = StratifiedKFold(3)
    assert np.mean(cross_val_predict(model, data, labels, cv=folds) == labels) > 0.6
    with pytest.raises(ValueError, match=r"^nearest\(\) returns 3 scores, but y has 2 classes$"):
        classifier(nearest).fit(data, labels > 0)


@pytest.mark.parametrize("function", [steep, lambda x: (0.1 - x, 2.0 * x)], ids=["one", "two"])
def test_one_or_two_scores_for_three_classes_are_refused(function):
    with pytest.raises(ValueError, match=r"^Only binary classification is supported\. The type of the target is multiclass\.$"):
        classifier(function).fit(X, np.arange(600) % 3)


def test_decisions_are_no_scores():
    def decide(x):
        return x > 0.5

    with pytest.raises(ValueError, match=r"^decide\(\) must return scores: real numbers, not decisions or complex numbers$"):
        classifier(decide).fit(X, Y)


def test_a_sample_without_a_score_has_no_class():
    def root(x):
        return (2.0 - x) ** 0.5 - 1.2

    model = classifier(da.compile(root, errors="nan")).fit(np.minimum(X, 1.9), Y)
    with pytest.raises(ValueError, match=r"^the heuristic has no score for 1 samples, the first of which is sample 1$"):
        model.predict([[1.0], [30.0]])


def test_a_fitted_one_can_be_pickled():
    model = classifier().fit(X, Y)
    twin = pickle.loads(pickle.dumps(model))
    assert twin.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert twin.source_ == model.source_
