"""A row says that its result may share its numbers with an operand exactly where its spelling for arrays gives such a result."""

import itertools

import numpy as np

from deepalgo.kinds import Kind, Type
from deepalgo.ops.table import TABLE, infer
from tests.support.row_cases import Case, cases, in_numpy, in_python, samples

MATRIX = (2, 3)


def of_arrays(case):
    """The case, and ways to call it with matrices where it is listed with single numbers, or with a single place."""
    yield case
    if case.name == "gather":
        yield Case(case.name, (Type(Kind.REAL, MATRIX), Type(Kind.INT)))
    if any(type.shape for type in case.types):
        return
    for kind, *shapes in itertools.product(Kind, *[((), MATRIX)] * len(case.types)):
        kinds = [type.kind if type.kind < Kind.REAL else max(kind, TABLE[case.name].common or kind) for type in case.types]
        yield Case(case.name, tuple(map(Type, kinds, shapes)), case.attrs)


def gives_an_array(case):
    try:
        return bool(infer(case.name, case.types, case.attrs).shape)
    except (TypeError, ValueError):
        return False


def shares(case):
    """Whether NumPy's spelling gives numbers of an operand, or Python's of a choice by a single condition."""
    operands = samples(case, 1)[0]
    given = [item if item.ndim else item.item() for item in operands]  # as numbers stand in source
    found = [in_numpy(case, given), *([in_python(case, operands)] if TABLE[case.name].apart else [])]
    return any(isinstance(item, np.ndarray) and np.shares_memory(item, operand) for item in found for operand in operands)


def can_share(name):
    written = "gather" if name == "pick_at" else name  # source writes both as `array[place]`
    return any(shares(case) for listed in cases(written) for case in of_arrays(listed) if gives_an_array(case))


def test_rows_say_whether_their_result_can_share_its_numbers():
    assert {name for name in TABLE.keys() - {"const", "weight"} if can_share(name)} == {name for name, row in TABLE.items() if row.views}
