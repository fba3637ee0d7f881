"""The plain form runs under `numba.njit`, with the same answers where the heuristic answers at all.

Numba does not compile `try` with a class of exceptions, dictionaries of mixed values and parameters by name only; its `math` returns NaN
where Python's raises, and its `round` to digits is another one.
"""

import pytest

import deepalgo as da
from tests.support.cases import BY_NAME, network
from tests.support.source_check import agree, live_arguments, load, outcome

BEYOND_NUMBA = {"months_to_pay", "centroid", "guarded", "lift_force", "rounded", "signs"}
QUICK = ["haaland", "colebrook", "income_tax"]


def check(name):
    import numba

    case, net = BY_NAME[name], network(name, errors="raise")
    plain = load(da.source(net))
    fast = numba.njit(plain)
    answered = 0
    for row in case.rows(8):
        args, kwargs = live_arguments(net, *case.arrange(*row))
        wanted = outcome(plain, args, kwargs)
        if not isinstance(wanted, str):
            answered += 1
            assert agree(wanted, outcome(fast, args, kwargs)), row
    assert answered


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", QUICK)
def test_the_plain_form_runs_under_njit(name):
    check(name)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in {*BEYOND_NUMBA, *QUICK, "adaptive_simpson"}][::2])
def test_more_of_the_plain_forms_run_under_njit(name):
    check(name)


@pytest.mark.filterwarnings("ignore")
def test_a_grown_network_runs_under_njit():
    import numba

    net = da.untie(da.remember(network("damper", errors="raise"), "position", depth=1))
    fast = numba.njit(load(da.source(net)))
    assert fast(0.3, -0.4) == pytest.approx(float(net(0.3, -0.4).detach()), rel=1e-10)
