"""The slope of every row is its derivative: by differences inside of the domain, and at its ends what torch computes with."""

import ast
import itertools
import math

import mpmath
import numpy as np
import pytest
import torch

from deepalgo.kinds import Kind
from deepalgo.ops.by_numpy import type_of
from deepalgo.ops.formula import NoFormulaError, adjoints, parsed
from deepalgo.ops.slope import FLAT, Adjoint, Numerical, Slope
from deepalgo.ops.table import TABLE
from tests.support.row_cases import Case, all_cases, in_numpy, in_torch, label, samples

inf = math.inf
#: A step that is a power of two, for central differences of sixth order.
STEP, WEIGHTS = 2.0**-11, (3 / 4, -3 / 20, 1 / 60)
DIFFERENTIABLE = [
    case for case in all_cases()
    if isinstance(TABLE[case.name].slope, Slope) and any(type.kind >= Kind.REAL for type in case.types) and not TABLE[case.name].numpy_form
]


class Arrays:
    """Operations carried out at once, by their NumPy spellings."""

    def op(self, name, args, attrs):
        return in_numpy(Case(name, tuple(map(type_of, args)), dict(attrs)), args)

    def const(self, value):
        return np.asarray(value)

    def type(self, value):
        return type_of(value)

    def guards(self, hazard):
        return False


def by_formula(case, sample, g):
    result = in_numpy(case, sample)
    return adjoints(TABLE[case.name], sample, result, g, case.attrs, Arrays())


def adjoint_by_differences(case, sample, place, g):
    """Central differences of Re(conj(g) f), by the real and the imaginary part of each number."""
    total = np.zeros(sample[place].shape, sample[place].dtype)
    for index in np.ndindex(total.shape):
        for unit in (1, 1j) if sample[place].dtype == complex else (1,):
            slope = 0.0
            for number, weight in enumerate(WEIGHTS, 1):
                for sign in (1, -1):
                    moved = [np.array(item) for item in sample]
                    moved[place][index] += sign * number * STEP * unit
                    slope += sign * weight * np.sum(np.real(np.conj(g) * in_numpy(case, moved))) / STEP
            total[index] += slope * unit
    return total


def is_ordinary(case, sample):
    """Whether the result is a number here and everywhere near."""
    near = [np.array(item) if item.dtype.kind not in "fc" else item + shift for shift in (-4 * STEP, 0, 4 * STEP) for item in sample]
    rows = [near[start : start + len(sample)] for start in range(0, len(near), len(sample))]
    with np.errstate(all="ignore"):
        found = [in_numpy(case, row) for row in rows]
    ours = in_torch(case, [torch.as_tensor(item)[None] for item in sample])()
    return all(np.all(np.isfinite(item)) and np.all(np.abs(item) < 1e6) for item in (*found, ours.resolve_conj().numpy()))


def adjoint_of(result, seed=3):
    rng = np.random.default_rng(seed)
    g = rng.uniform(0.5, 1.5, result.shape)
    return np.asarray(g + 1j * rng.uniform(0.5, 1.5, result.shape) if result.dtype.kind == "c" else g)


def part_of(case, place):
    slope = TABLE[case.name].slope
    return slope.of(place) if slope.by else None


#: What is one of its operands, with another derivative; at a softness of 0 a choice is, too.
OTHERWISE = ("cut", "at_root", "or_inf", "soft_choice")


@pytest.mark.parametrize("case", [case for case in DIFFERENTIABLE if case.name not in OTHERWISE], ids=label)
def test_the_slope_is_the_central_difference(case):
    tried = 0
    for sample in samples(case)[::3]:
        if not is_ordinary(case, sample):
            continue
        result = in_numpy(case, sample)
        if result.dtype.kind not in "fc":
            continue
        g = adjoint_of(result)
        try:
            found = by_formula(case, sample, g)
        except NoFormulaError:
            found = formulas_only(case, sample, result, g)
        for place, (operand, ours) in enumerate(zip(sample, found, strict=True)):
            if operand.dtype.kind not in "fc" or isinstance(part_of(case, place), Numerical) or part_of(case, place) is None:
                continue
            expected = adjoint_by_differences(case, sample, place, g)
            ours = np.zeros(operand.shape) if ours is None else ours
            assert np.shape(ours) == operand.shape
            np.testing.assert_allclose(ours, expected, rtol=2e-7, atol=2e-8, err_msg=f"{case} operand {place} of {sample}")
            tried += 1
    assert tried or TABLE[case.name].slope is FLAT or all(isinstance(part_of(case, place), Numerical) for place in range(len(case.types)))


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=label)
def test_the_slope_is_the_gradient_that_torch_has(case):
    for sample in samples(case)[::7]:
        leaves = [torch.as_tensor(item)[None].clone().requires_grad_(item.dtype.kind in "fc") for item in sample]
        if not is_ordinary(case, sample) or case.name == "or_inf" and sample[0].dtype == complex:
            continue
        if case.name == "cut" and not sample[0]:
            continue  # what arrives at a sample that was cut off is 0 already, or NaN
        result = in_torch(case, leaves)()
        if not result.requires_grad:
            continue
        g = adjoint_of(result.detach()[0].resolve_conj().numpy())
        asked = [leaf for leaf in leaves if leaf.requires_grad]
        theirs = iter(torch.autograd.grad(result, asked, torch.as_tensor(g)[None], allow_unused=True))
        for place, ours in enumerate(formulas_only(case, sample, in_numpy(case, sample), g)):
            grad = next(theirs) if leaves[place].requires_grad else None
            if grad is None or isinstance(part_of(case, place), Numerical):
                continue
            expected = grad.resolve_conj().numpy()[0] if grad.shape[:1] == (1,) else grad.numpy()
            np.testing.assert_allclose(np.zeros(expected.shape) if ours is None else ours, expected, rtol=1e-9, atol=1e-12)


def formulas_only(case, sample, result, g):
    """The adjoints by the operands that have a formula."""
    from deepalgo.ops.formula import FormulaWriter

    writer = FormulaWriter(TABLE[case.name], sample, result, g, case.attrs, Arrays())
    return [None if isinstance(part_of(case, place), Numerical) else writer.adjoint(place) for place in range(len(sample))]


#: Numbers at which something can be special.
ENDS = [-inf, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, inf]
SINGLE = [case for case in DIFFERENTIABLE if all(type.kind is Kind.REAL and not type.shape for type in case.types)]
ENDED = [case for case in SINGLE if any(not isinstance(end, str) for _, ends in TABLE[case.name].slope.at for end in ends)]


@pytest.mark.parametrize("case", ENDED, ids=label)
def test_at_the_ends_of_the_domain_the_slope_is_what_torch_has(case):
    slope, tried = TABLE[case.name].slope, 0
    numbers = ENDS if any("inf" in text for text, _ in slope.at) else ENDS[1:-1]
    for sample in map(list, itertools.product(map(np.array, numbers), repeat=len(case.types))):
        writer_holds = [holds(case, sample, text) for text, _ in slope.at]
        if not any(writer_holds):
            continue
        leaves = [torch.tensor([item.item()], dtype=torch.float64, requires_grad=True) for item in sample]
        theirs = torch.autograd.grad(in_torch(case, leaves)().sum(), leaves, allow_unused=True)
        for place, grad in enumerate(theirs):
            ends = [end for (_, end), here in zip(slope.ends(place), writer_holds, strict=True) if here and end is not None]
            if ends and not isinstance(ends[-1], str) and not isinstance(part_of(case, place), Numerical):
                ours = formulas_only(case, sample, value_of(case, sample), np.array(1.0))[place]
                assert (0.0 if ours is None else float(ours)) == ends[-1] == pytest.approx(grad.item(), rel=1e-12), (case, sample, place)
                tried += 1
    assert tried


def value_of(case, sample):
    return in_torch(case, [torch.as_tensor(item)[None] for item in sample])()[0].numpy()


def holds(case, sample, text):
    from deepalgo.ops.formula import FormulaWriter

    return bool(FormulaWriter(TABLE[case.name], sample, value_of(case, sample), np.array(1.0), case.attrs, Arrays()).value(parsed(text)))


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.slope is FLAT])
def test_a_flat_row_has_no_gradient_in_torch(name):
    for case in (case for case in all_cases() if case.name == name and any(type.kind is Kind.REAL for type in case.types)):
        for sample in samples(case)[:20]:
            leaves = [torch.as_tensor(item)[None].clone().requires_grad_(item.dtype.kind == "f") for item in sample]
            result = in_torch(case, leaves)()
            if result.dtype.is_floating_point and result.requires_grad:
                for grad in torch.autograd.grad(result.sum(), [leaf for leaf in leaves if leaf.requires_grad], allow_unused=True):
                    assert grad is None or not torch.nan_to_num(grad).any()


@pytest.mark.parametrize("row", TABLE.values(), ids=lambda row: row.name)
def test_every_formula_is_in_the_language_of_the_table(row):
    """Texts are parsed, and a numerical form is a function that exists."""
    from deepalgo.ops import forms

    parts = [row.slope] if isinstance(row.slope, Numerical) else [*row.slope.by, *(text for text, _ in row.slope.at), row.slope.plane]
    for part in parts:
        if isinstance(part, Numerical):
            assert callable(getattr(forms, part.form.removeprefix("ops.")))
        elif part:
            assert isinstance(parsed(part), ast.expr)


def test_an_adjoint_of_a_gradient_is_summed_over_the_axes_that_broadcasting_added():
    x, y = np.arange(3.0), np.ones((2, 1))
    case = Case("mul", (type_of(x), type_of(y)))
    left, right = by_formula(case, [x, y], np.ones((2, 3)))
    assert left.tolist() == [2.0, 2.0, 2.0]
    assert right.tolist() == [[3.0], [3.0]]


def test_the_checker_finds_a_wrong_slope():
    case = Case("mul", (type_of(1.0), type_of(1.0)))
    sample = [np.array(2.0), np.array(3.0)]
    assert adjoint_by_differences(case, sample, 0, np.array(1.0)) == pytest.approx(3.0)
    assert float(mpmath.diff(lambda x: x * 3, 2)) == 3.0
    assert isinstance(TABLE["matmul"].slope, Adjoint)
