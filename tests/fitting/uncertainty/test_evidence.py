"""What the report says of weights is true together: of none it says two things that cannot both be."""

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.errors import InputError
from deepalgo.fitting.data.samples import read
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.uncertainty.residuals import Residuals


def rare(x, usual=1.0, seldom=2.0):
    if x < 4.0:
        return usual * x
    return seldom * x


def test_a_weight_with_a_standard_error_is_not_said_to_have_no_gradient():
    """The report looks for weights without a gradient on the first 2,000 samples; here the last hundred tell of one."""
    x = torch.cat([torch.linspace(1, 3, 2400, dtype=torch.float64), torch.linspace(5, 6, 100, dtype=torch.float64)])
    noise = 0.01 * torch.randn(2500, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    targets, quick = torch.where(x < 4, 1.1 * x, 2.3 * x) + noise, da.SearchOptions(polished=False)
    fit = da.fit(da.compile(rare), x, targets=targets, validation=None, steps=5, search=quick)
    assert fit.estimates["seldom"].error < 0.1
    assert "seldom" not in {item.key for item in fit.dead}
    assert not [line for line in str(fit).splitlines() if line.startswith("seldom") and ("no answer" in line or "no gradient" in line)]


def test_tied_weights_have_the_derivatives_of_all_that_follow():
    def plane(x, y, a=1.0, b=2.0):
        return a * x + b * y

    net = da.compile(plane)
    samples = read(net, (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.0, 1.0, 5.0])), torch.zeros(3))
    tied = Residuals(net, Objective(net), samples, ["a", "b"], np.array([[1.0], [2.0]]))
    roots, jacobian = tied.at(np.array([1.5]))
    assert tied.labels == ["a"] and len(tied) == 1
    assert roots == pytest.approx([1.5, 6.0, 19.5]) and jacobian[:, 0] == pytest.approx([1.0, 4.0, 13.0])
    assert tied.answers(np.array([1.5]))[:, 0] == pytest.approx([1.0, 4.0, 13.0])


def test_a_network_that_has_grown_is_not_told_which_of_its_weights_cannot_be_told_apart():
    def half(x):
        y = 0.5 * x
        return y

    x = torch.linspace(0, 1, 200, dtype=torch.float64)
    fit = da.fit(da.correct(da.compile(half), "y", hidden=2), x, targets=torch.sin(3 * x), steps=5, search=da.SearchOptions(polished=False))
    assert fit.contenders[-1].name == "tensorized" and fit.contenders[-1].training["undetermined"] == []


def test_the_report_names_groups_that_standard_errors_do_not_know():
    x = torch.linspace(0, 1, 240, dtype=torch.float64)
    site = torch.arange(240) % 24
    noise = 0.05 * torch.randn(240, generator=torch.Generator().manual_seed(1), dtype=torch.float64)

    def through_zero(x, slope=1.0):
        return slope * x

    fit = da.fit(da.compile(through_zero), x, targets=1.5 * x + noise, groups=site, validation=0.25, test=0.25, steps=5)
    line = "samples of a group may err together, which these errors do not know: fit.bootstrap() draws whole groups"
    assert line in str(fit).splitlines()
    assert fit.bootstrap(20).groups < 24


X = torch.linspace(0, 1, 60, dtype=torch.float64)
NOISE = 0.05 * torch.randn(60, generator=torch.Generator().manual_seed(4), dtype=torch.float64)


def straight(x, slope=1.0, start=0.0):
    return slope * x + start


def fitted(**options):
    return da.fit(da.compile(straight), X, targets=1.5 * X + 0.2 + NOISE, validation=None, steps=10, **options)


def test_what_is_expected_of_a_weight_counts_as_a_measurement():
    free, known = fitted(), fitted(priors={"start": (0.2, 0.001)})
    vague = fitted(priors={"start": (0.2, 1000.0)})
    assert known.estimates["start"].error == pytest.approx(0.001, rel=0.02)
    assert known.estimates["slope"].error < 0.6 * free.estimates["slope"].error
    assert vague.estimates.errors == pytest.approx(free.estimates.errors, rel=0.02)
    with pytest.raises(InputError) as caught:
        known.profile("slope")
    assert str(caught.value) == "fits to other data would have to know the priors: fit.estimates does"


def test_a_weight_at_its_bound_has_no_error_and_says_so():
    fit = fitted(bounds={"start": (-1.0, 0.1)})
    assert fit.network.weights["start"].item() == pytest.approx(0.1)
    assert np.isnan(fit.estimates["start"].error) and np.isfinite(fit.estimates["slope"].error)
    assert fit.estimates.is_settled
    assert "at a bound, so that no error can be told: start" in str(fit).splitlines()


def test_weights_on_a_logarithmic_scale_have_the_same_errors():
    plain, logs = fitted(), fitted(scales={"slope": "log"})
    assert logs.estimates.errors == pytest.approx(plain.estimates.errors, rel=1e-5)
