"""The report: every line of it is true, and says so in the same words."""

import math
import re

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.fitting.judge.contenders import is_guarded

X = torch.linspace(0.5, 4, 300, dtype=torch.float64)


def root(s):
    x = 1.0
    for _ in range(2):
        x = x - 0.9 * (x * x - s) / (2 * x)
    return x


def off(x, s):
    return x * x - s


def rough(x):
    if x > 100.0:
        return 7.0 * x
    y = 2.0
    for _ in range(4):
        if abs(y * y - x) < 0.01:
            break
        y = 0.5 * (y + x / y)
    return y + 0.1


def domain(x):
    return math.sqrt(x - 1.0) * 0.9


def lines(fit):
    return str(fit).splitlines()


def test_the_report_of_a_grown_network_compares_three_contenders():
    fit = da.fit(da.untie(da.compile(root)), X, residual=off, steps=40)
    assert [contender.name for contender in fit.contenders] == ["heuristic", "tuned constants", "tensorized"]
    assert fit.held.name == "tensorized"
    heuristic, tuned, grown = (fit.held_out[contender.name] for contender in fit.contenders)
    assert grown.centre < tuned.centre < heuristic.centre
    text = str(fit)
    assert lines(fit)[0] == "weight  value       trains  place"
    assert re.search(
        r"\n\nroot: tensorized kept, rms error \S+ -> \S+ on 60 held-out samples: \S+ % of the heuristic's \(\S+ .. \S+ %\)\.\n", text
    )
    assert "up to 25 % beyond the training range" in text
    assert re.search(r"one evaluation: \S+ µs before, \S+ µs after \(\S+ times, in batches\)", text)
    assert lines(fit)[-1] == "samples: 180 training, 60 validation, 60 test"


def test_the_numbers_are_those_of_the_held_out_samples():
    fit = da.fit(da.compile(root), X, residual=off, steps=40)
    before, after = fit.contenders[0].test, fit.held.test
    summary = fit.held_out["tuned constants"]
    assert summary.centre == pytest.approx(after.mean().sqrt().item())
    assert summary.mean == pytest.approx(after.sqrt().mean().item())
    assert summary.median == pytest.approx(after.sqrt().quantile(0.5).item())
    assert summary.tail == pytest.approx(after.sqrt().quantile(0.99).item())
    assert summary.better == (after < before).double().mean().item()
    assert summary.better + summary.equal + summary.worse == pytest.approx(1)
    assert summary.low < summary.centre < summary.high
    assert summary.share[0] == pytest.approx((after.mean() / before.mean()).sqrt().item())
    assert summary.share[1] < summary.share[0] < summary.share[2]


def test_the_loss_of_a_weight_put_back_is_the_loss_with_it_put_back():
    fit = da.fit(da.compile(root), X, residual=off, steps=40)
    item = fit.moved[0]
    with torch.no_grad():
        fit.network.weights[item.weight.key].copy_(item.born)
    again = da.fit(fit.network, X, residual=off, steps=1, search=da.SearchOptions(polished=False))
    assert [contender.name for contender in again.contenders][:2] == ["heuristic", "as given"]
    assert again.contenders[1].validation.mean().item() == pytest.approx(item.loss)


def test_dead_weights_untried_arms_and_loops_at_their_bound_are_named():
    fit = da.fit(da.compile(rough), X, targets=torch.sqrt(X), steps=40)
    text = str(fit)
    place = r"tests/fitting/test_fit_report.py:\d+"
    assert re.search(rf"^c\d+ moves no answer \(threshold, {place}; da.soften lets it learn\)$", text, re.MULTILINE)
    assert re.search(rf"^{place}: this arm is never taken in the data: if x > 100.0:$", text, re.MULTILINE)
    bound = fit.at_bound[0]
    assert bound.bound == 4 and 0 < bound.samples <= 240
    assert re.search(rf"^{place}: {bound.samples} samples? stopped at the bound of 4 rounds$", text, re.MULTILINE)


def test_samples_without_an_answer_are_counted():
    x = torch.linspace(0.5, 4, 300, dtype=torch.float64)
    net = da.compile(domain)
    fit = da.fit(net, x, targets=torch.sqrt((x - 1).clamp(min=0)), steps=40, rates={next(iter(net.weights)): 0})
    assert sum(fit.failures.values()) == int((~fit.held.validation.isfinite()).sum()) > 0
    assert re.search(
        r"^\d+ validation samples got no answer: tests/fitting/test_fit_report.py:\d+: ValueError: math domain error$",
        str(fit),
        re.MULTILINE,
    )
    assert fit.network.errors == "raise" and not fit.network.failures


def test_without_a_reference_the_drift_from_the_heuristic_is_told():
    fit = da.fit(da.compile(root), X, targets=torch.sqrt(X), steps=40)
    assert fit.outside == {} and 0 < fit.drift.median < fit.drift.largest
    assert "beyond the training range, where nothing says what is right, answers differ from the heuristic's by" in str(fit)
    judged = da.fit(da.compile(root), X, targets=torch.sqrt, steps=40)
    assert judged.drift is None and set(judged.outside) == {"heuristic", "tuned constants"}


def test_a_heuristic_that_stays_says_why():
    random = np.random.default_rng(1)
    fit = da.fit(da.compile(root), X, targets=random.normal(0, 1e3, 300), steps=20, search=da.SearchOptions(polished=False))
    assert not fit.improved
    assert "root: nothing is better than the heuristic beyond noise, so the heuristic is kept." in lines(fit)
    assert re.search(r"^not kept: tuned constants, as (it is not better on|the gain on) validation", str(fit), re.MULTILINE)


def test_growth_without_a_gain_is_not_kept():
    grown = da.correct(da.compile(half), "y")
    fit = da.fit(grown, X, targets=0.7 * X + 0.05 * torch.sin(1e4 * X), steps=30)
    assert fit.held.name == "tuned constants"
    assert fit.network.program == fit.network.heuristic
    assert re.search(r"^not kept: tensorized, as ", str(fit), re.MULTILINE)


def half(x):
    y = 0.5 * x
    return y


def test_with_a_guard_no_sample_is_worse_in_or_out_of_range():
    net = da.guard(da.untie(da.compile(root)), by=lambda x, s: abs(x * x - s))
    fit = da.fit(net, X, residual=off, steps=40)
    assert fit.held.name == "tensorized"
    assert fit.held_out["tensorized"].worse == 0
    assert fit.outside["tensorized"].worse == 0


def test_constants_that_would_do_without_the_guard_are_not_handed_back():
    net = da.guard(da.compile(root), by=lambda x, s: abs(x * x - s))
    assert is_guarded(net) and is_guarded(da.untie(net)) and not is_guarded(da.untie(da.compile(root)))
    fit = da.fit(net, X, residual=off, steps=40)
    assert fit.held.name == "tensorized" and is_guarded(fit.network)
    assert fit.network(1.0).item() == root(1.0) == 1.0  # from x = 1 the heuristic is right about s = 1


@pytest.mark.parametrize("case", ["gain", "none", "absolute"])
def test_the_plot_shows_errors_course_and_weights(case, tmp_path):
    if case == "none":
        fit = da.fit(da.compile(half), X, targets=0.5 * X)
    else:
        fit = da.fit(da.compile(half), X, targets=0.7 * X + 0.01 * torch.sin(9 * X), steps=20, loss=case if case == "absolute" else None)
    figure = fit.plot()
    assert [axes.get_title() for axes in figure.axes] == [
        "half: held-out samples", "validation loss, relative to the heuristic's", "if a weight is put back",
    ]  # fmt: skip
    figure.savefig(tmp_path / "fit.png")


def test_nothing_is_shown_in_a_pipe_and_progress_where_it_is_wanted(capfd):
    da.fit(da.compile(half), X, targets=0.7 * X, steps=20)
    assert capfd.readouterr() == ("", "")
    da.fit(da.compile(half), X, targets=0.7 * X, steps=20, progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "tuned constants" in err
