"""An operation that the package does not know is added in one row, and everything the package does works with it."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.backends.native.numbers import REALS
from deepalgo.backends.native.text import literal
from deepalgo.kinds import Kind
from deepalgo.ops.table import MEANS, TABLE, register
from tests.fuzz.campaign import examine
from tests.fuzz.constructs.table import call_of
from tests.fuzz.generator import generate
from tests.fuzz.registry import EXPRESSIONS
from tests.ops.test_ops_exact import test_an_exact_row_has_the_bits_of_numpy_and_python as check_exact
from tests.ops.test_ops_slope import test_the_slope_is_the_central_difference as check_slope
from tests.ops.test_ops_slope import test_the_slope_is_the_gradient_that_torch_has as check_torch
from tests.support import new_operation
from tests.support.new_operation import SOFTSIGN, softsign


@pytest.fixture(autouse=True)
def added():
    register(SOFTSIGN)
    yield
    del TABLE[SOFTSIGN.name]
    for name in SOFTSIGN.means:
        del MEANS[name]


def squashed(x, gain=1.5):
    return 2.0 * softsign(gain * x) + 0.25


def operations(net):
    from deepalgo.ir import Op, walk

    return [item.name for item in walk(net.program.body) if isinstance(item, Op)]


XS = torch.linspace(-3.0, 3.0, 7, dtype=torch.float64)


def test_a_function_that_calls_it_compiles_to_the_operation():
    net = da.compile(squashed)
    assert "softsign" in operations(net)
    assert net(XS).tolist() == [squashed(x) for x in XS.tolist()]


def test_it_takes_arrays():
    def total(x):
        return softsign(x).sum()

    net = da.compile(total, example=((np.array([1.0, -2.0]),), {}))
    rows = np.array([[0.5, -1.5], [2.0, 3.0]])
    assert net(torch.tensor(rows)).tolist() == pytest.approx([total(row) for row in rows], rel=1e-15)


def test_it_has_derivatives_by_inputs_and_weights():
    net = da.compile(squashed)
    x = (XS + 0.1).requires_grad_()
    net(x).sum().backward()
    assert x.grad.tolist() == pytest.approx([(squashed(v + 1e-6) - squashed(v - 1e-6)) / 2e-6 for v in x.tolist()], rel=1e-6)
    assert all(weight.grad is not None for weight in net.parameters())


def test_its_facts_are_checked_as_those_of_every_row():
    from tests.support.row_cases import cases

    for case in cases("softsign"):
        check_exact(case)
        check_slope(case)
        check_torch(case)


@pytest.mark.parametrize("style", ["python", "numpy"])
def test_it_prints_as_source(style):
    text = da.source(da.compile(squashed), style=style)
    assert "abs(" in text
    space = {}
    exec(text, space)
    values = XS.numpy() if style == "numpy" else XS.tolist()
    results = space["squashed"](values) if style == "numpy" else [space["squashed"](x) for x in values]
    assert list(results) == pytest.approx([squashed(x) for x in XS.tolist()], rel=1e-15)


def test_it_is_drawn(tmp_path):
    from deepalgo.drawing.boxes import text
    from deepalgo.drawing.formula import ATOM, PRODUCT, Term, formula

    assert formula("softsign", [Term(text("x"))], {}).level == PRODUCT < ATOM  # `softsign x`, as sines are written
    da.draw(da.compile(squashed), tmp_path / "squashed.svg")
    assert (tmp_path / "squashed.svg").stat().st_size > 1000


def test_it_is_saved_and_loaded(tmp_path):
    net = da.compile(squashed)
    net.save(tmp_path / "net.pt")
    assert da.load(tmp_path / "net.pt")(XS).tolist() == net(XS).tolist()


def test_it_takes_part_in_the_fuzz(monkeypatch):
    monkeypatch.setitem(EXPRESSIONS, "float", [*EXPRESSIONS["float"], call_of(SOFTSIGN)])
    texts = {seed: generate(seed).source for seed in range(30)}
    calling = [seed for seed, text in texts.items() if "tests.support.new_operation.softsign(" in text]
    assert len(calling) > 3
    for seed in calling[:4]:
        assert not examine(seed).verdict.failed, texts[seed]


def half_power(x):
    return math.sqrt(x)


def test_a_row_that_says_where_it_fails_has_its_check(monkeypatch):
    row = replace(TABLE["sqrt"], name="half_power", means=(f"{__name__}.half_power",))
    monkeypatch.setitem(TABLE, row.name, row)
    monkeypatch.setitem(MEANS, row.means[0], row.name)

    def f(x):
        try:
            return half_power(x)
        except ValueError:
            return -1.0

    net = da.compile(f)
    assert "half_power" in operations(net)
    assert net(torch.tensor([4.0, -4.0])).tolist() == [2.0, -1.0]


def test_it_says_why_it_does_not_run_natively_and_has_the_same_answers():
    net = da.compile(squashed, backend="native")
    assert net.backend.startswith("torch (softsign of real numbers, line ")
    assert net(XS).tolist() == [squashed(x) for x in XS.tolist()]


def test_with_a_line_of_native_code_it_runs_natively(monkeypatch):
    def form(n, x):
        return n.apply("div", (x, n.apply("add", (literal(1.0, Kind.REAL), n.apply("abs", (x,))))))

    monkeypatch.setitem(REALS, "softsign", form)
    net = da.compile(squashed, backend="native")
    assert net.backend == "native"
    x = (XS + 0.1).requires_grad_()
    assert net(x).tolist() == [squashed(item) for item in x.tolist()]
    net(x).sum().backward()
    assert x.grad.tolist() == pytest.approx([(squashed(v + 1e-6) - squashed(v - 1e-6)) / 2e-6 for v in x.tolist()], rel=1e-6)


def test_without_the_row_its_text_is_compiled():
    TABLE.pop("softsign")
    MEANS.pop("tests.support.new_operation.softsign")
    net = da.compile(squashed)
    assert "softsign" not in operations(net)
    assert net(XS).tolist() == [squashed(x) for x in XS.tolist()]
    register(new_operation.SOFTSIGN)
