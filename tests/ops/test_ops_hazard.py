"""What rows say about infinities is true at the edges.

Edges are 0 of either sign, ends of domains and their neighbours, tiny and huge numbers, infinities and NaN.
The operands are single numbers in all combinations, or arrays that hold an edge once, everywhere, or several of them.
"""

import itertools
import math

import numpy as np
import pytest
import torch

from deepalgo.kinds import Kind
from deepalgo.ops.row import Hazard
from deepalgo.ops.table import TABLE
from tests.support.row_cases import all_cases, in_numpy, in_torch, label, samples

pytestmark = pytest.mark.filterwarnings("ignore")  # of NumPy about the edges, which are the point

inf, nan = math.inf, math.nan
#: Ends of domains and the floats beside them, and numbers inside and outside of the domains.
ORDINARY = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 0.3, -0.7, 7.5, 1e-8, math.pi / 2,
    *(math.nextafter(end, toward) for end in (0.5, 1.0, -1.0) for toward in (-inf, inf)),
)
#: Ordinary still, but large for functions that grow fast.
LARGE = (750.0, -750.0, 1e5)
#: Numbers whose products leave the range of floats, and those whose sums do.
EXTREME = (1e-300, -1e-300, 5e-324, 1e150, -1e150)
LARGEST = (1.7e308, -1.7e308)
BEYOND = (inf, -inf, nan)
COUNT = 300
#: Rows that are taken for hazards although no edge shows it in any precision, and why.
RESERVED = {
    "pinv": "the inverse of a matrix that is nearly singular is as large as one likes",
    "eigvalsh": "computed with the vectors, whose derivative is infinite where two values are equal",
    "eigh_w": "computed with the vectors, whose derivative is infinite where two values are equal",
    "eigh_v": "the derivative is infinite where two values are equal, which rounding prevents",
    "svd_s": "computed with the vectors, whose derivative is infinite where two values are equal",
}

#: Rows whose two forms are not finite for the same operands, and why.
APART = {
    "beta": "next to its poles", "betaln": "next to its poles", "binom": "next to its poles",
    "eig_w": "complex in NumPy where they are not real", "eig_v": "complex in NumPy where they are not real",
    "lambertw": "complex in SciPy where it is not real",
    "jv_of": "at orders of which a check knows", "iv_of": "at orders of which a check knows", "kv_of": "at orders of which a check knows",
    "soft_choice": "blended by a softness, which only torch has",
    "pow": "a complex number that is not finite to the power of 0 is 1 in NumPy",
    "solve": "LAPACK may miss that a matrix of tiny numbers is singular, or that it holds NaN",
    "inv": "LAPACK may miss that a matrix of tiny numbers is singular, or that it holds NaN",
    "det_log": "LAPACK may miss that a matrix of tiny numbers is singular",
}

CASES = [case for case in all_cases() if any(type.kind >= Kind.REAL for type in case.types)]


def edges(case, numbers):
    """Lists of operands made of these numbers; what is no real operand stays as samples have it."""
    rng = np.random.default_rng(0)
    base = samples(case, 1, 3)[0]
    places = [place for place, type in enumerate(case.types) if type.kind >= Kind.REAL]
    if any(case.types[place].shape for place in places):
        return [*_arrays(case, numbers, base, places), *_mixed(case, numbers, base, places, rng, COUNT // 4)]
    if any(case.types[place].kind is Kind.COMPLEX for place in places) or len(numbers) ** len(places) > 4 * COUNT:
        return _mixed(case, numbers, base, places, rng, 2 * COUNT)
    return [_with(base, dict(zip(places, map(np.array, row), strict=True))) for row in itertools.product(numbers, repeat=len(places))]


def _arrays(case, numbers, base, places):
    for number in numbers:
        yield _with(base, {place: np.full_like(base[place], number) for place in places})
        for place in places:
            changed = base[place].copy()
            changed.flat[0] = number
            yield _with(base, {place: changed})


def _mixed(case, numbers, base, places, rng, count):
    def drawn(type):
        found = rng.choice(numbers, type.shape)
        return np.asarray(found if type.kind is Kind.REAL else np.vectorize(complex)(found, rng.choice(numbers, type.shape)))
    return [_with(base, {place: drawn(case.types[place]) for place in places}) for _ in range(count)]


def _with(base, changes):
    return [changes.get(place, operand) for place, operand in enumerate(base)]


def finite(case, rows, dtype=torch.float64):
    """For each list of operands whether the value is finite, and whether the derivatives are."""
    stacked = [np.stack([np.asarray(row[place]) for row in rows]) for place in range(len(case.types))]
    batch = [torch.tensor(column) for column in stacked]
    batch = [(item.to(dtype) if item.is_floating_point() else item).requires_grad_(item.is_floating_point() or item.is_complex())
             for item in batch]
    out = in_torch(case, batch)()
    good = torch.ones(len(rows), dtype=torch.bool)
    values = torch.isfinite(out).reshape(len(rows), -1).all(1)
    if out.requires_grad:
        leaves = [item for item in batch if item.requires_grad]
        for slope in torch.autograd.grad(out, leaves, torch.ones_like(out), allow_unused=True):
            good &= True if slope is None else torch.isfinite(slope).reshape(len(rows), -1).all(1)
    return values, good


def finite_in_numpy(case, rows):
    """For each list of operands whether NumPy has a finite value."""
    return torch.tensor([_is_finite_in_numpy(case, row) for row in rows])


def _is_finite_in_numpy(case, row):
    try:
        return bool(np.isfinite(in_numpy(case, row)).all())
    except (ValueError, ArithmeticError):  # of matrices that have no answer, and of forms that `math` has
        return False


def first(rows, mask):
    """The first list of operands for which something holds, to show it."""
    return next((rows[place] for place in torch.nonzero(mask).flatten().tolist()), None)


def hazard(case):
    return TABLE[case.name].hazard_of(case.types)


@pytest.mark.parametrize("case", [case for case in CASES if hazard(case) is Hazard.NONE], ids=label)
def test_without_a_hazard_values_are_finite_where_operands_are_and_derivatives_everywhere(case):
    rows = edges(case, (*ORDINARY, *LARGE, *EXTREME))
    assert first(rows, ~finite(case, rows)[0]) is None
    assert first(rows, ~finite_in_numpy(case, rows)) is None
    rows = edges(case, (*ORDINARY, *LARGE, *EXTREME, *LARGEST, *BEYOND))
    assert first(rows, ~finite(case, rows)[1]) is None


@pytest.mark.parametrize("case", [case for case in CASES if hazard(case) is Hazard.SPREADS], ids=label)
def test_a_hazard_that_spreads_arises_at_no_ordinary_operand(case):
    rows = edges(case, ORDINARY)
    values, slopes = finite(case, rows)
    assert first(rows, ~values) is None
    assert first(rows, ~slopes) is None
    assert first(rows, ~finite_in_numpy(case, rows)) is None


@pytest.mark.parametrize("case", [case for case in CASES if hazard(case) is Hazard.ARISES], ids=label)
def test_a_hazard_arises_in_torch_where_it_does_in_numpy(case):
    is_matrix = any(len(type.shape) > 1 for type in case.types)  # of which LAPACK may not return where numbers are not finite
    far = () if "special." in TABLE[case.name].numpy else (*LARGE, *EXTREME)
    rows = edges(case, (*ORDINARY, *far, *(() if is_matrix else BEYOND)))[:: 3 if len(case.types) > 1 else 1]
    other = finite(case, rows)[0] != finite_in_numpy(case, rows)
    assert first(rows, other) is None or case.name in APART


@pytest.mark.parametrize("name", [name for name in TABLE if any(case.name == name and hazard(case) is Hazard.ARISES for case in CASES)])
def test_a_hazard_that_arises_is_shown_by_an_ordinary_operand(name):
    """An infinity or a NaN, in double or in half precision, or a derivative that the row states to be replaced there."""
    shown = any(arises(case) for case in CASES if case.name == name and hazard(case) is Hazard.ARISES)
    assert shown is (name not in RESERVED)


def arises(case):
    rows = edges(case, (*ORDINARY, *LARGE))
    values, slopes = finite(case, rows)
    if not (values & slopes).all():
        return True
    if getattr(TABLE[case.name].slope, "at", ()):
        return True
    try:
        return not torch.stack(finite(case, edges(case, ORDINARY), torch.float16)).all()
    except RuntimeError:  # torch has no such operation in half precision
        return False



PAIRS = [case for case in CASES if len(case.types) == 2 and all(type.kind is Kind.REAL for type in case.types)]
SINGLE = [case for case in CASES if not any(type.shape or type.kind is Kind.COMPLEX for type in case.types)]
NUMBERS = [case for case in PAIRS if not any(type.shape for type in case.types)]


@pytest.mark.parametrize("case", [case for case in SINGLE if hazard(case) is Hazard.ARISES], ids=label)
def test_a_pole_is_the_operand_whose_zero_alone_is_a_hazard(case):
    rows = edges(case, (*ORDINARY, *LARGE))
    values, slopes = finite(case, rows)
    bad = [row for row, good in zip(rows, (values & slopes).tolist(), strict=True) if not good]
    alone = [place for place, type in enumerate(case.types) if type.kind is Kind.REAL and bad and all(row[place] == 0 for row in bad)]
    assert alone == ([] if TABLE[case.name].pole is None else [TABLE[case.name].pole])


@pytest.mark.parametrize("case", [case for case in NUMBERS if TABLE[case.name].pole is not None], ids=label)
def test_behind_a_divisor_that_is_an_ordinary_constant_no_derivative_is_infinite(case):
    """Whatever the dividend is."""
    pole = TABLE[case.name].pole
    for divisor in (2.0, -0.5, 7.5):
        rows = [row for row in edges(case, (*ORDINARY, *EXTREME, *LARGEST, *BEYOND)) if row[pole] == 2.0]
        dividends = torch.tensor([float(row[1 - pole]) for row in rows], dtype=torch.float64, requires_grad=True)
        divisors = torch.full_like(dividends, divisor).detach()
        out = in_torch(case, [divisors, dividends] if pole == 0 else [dividends, divisors])()
        slopes = torch.autograd.grad(out.sum(), dividends, allow_unused=True)[0] if out.requires_grad else None
        assert slopes is None or torch.isfinite(slopes).all()


@pytest.mark.parametrize("case", PAIRS, ids=label)
def test_bilinear_rows_are_those_that_are_linear_in_each_operand(case):
    one, two = samples(case, 4), samples(case, 4, seed=1)
    def value(*pair):
        return in_torch(case, [torch.tensor(np.asarray(item))[None] for item in pair])()
    linear = value(*one[0]).is_floating_point() and all(
        torch.allclose(value(a + c, b), value(a, b) + value(c, b)) and torch.allclose(value(a, b + d), value(a, b) + value(a, d))
        for (a, b), (c, d) in zip(one, two, strict=True)
    )
    assert TABLE[case.name].bilinear is linear


@pytest.mark.parametrize("case", NUMBERS, ids=label)
def test_a_choice_that_takes_the_second_by_a_comparison_alone_says_by_which(case):
    rows = edges(case, (0.0, -0.0, 1.0, 2.0, -3.0, *BEYOND))
    batch = [torch.tensor([float(row[place]) for row in rows], dtype=torch.float64) for place in range(2)]
    out = in_torch(case, batch)()
    taken = {name: torch.where(by(batch[1], batch[0]), batch[1], batch[0]) for name, by in (("lt", torch.lt), ("gt", torch.gt))}
    same = [name for name, expected in taken.items() if out.dtype == expected.dtype and _same_bits(out, expected)]
    assert same == [name for name in (TABLE[case.name].second_if,) if name]


def _same_bits(one, other):
    return bool(((one == other) & (torch.signbit(one) == torch.signbit(other)) | one.isnan() & other.isnan()).all())
