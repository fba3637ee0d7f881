"""Every corner of the language means in a network what it means in Python, or is refused."""

import inspect
import random

import pytest

import deepalgo as da
from tests.support import language
from tests.support.oracle import answer, columns, sample

#: What would need an object whose identity, length or type differs from sample to sample.
REFUSED = {
    "dict_key_one_arm": "the keys of a dict depend on data",
    "cond_call_effect": "the length of a list depends on data: 1 and 0 items on different paths",
    "alias_made_in_arm": "this changes a list that has two names on some path, depending on data",
    "alias_loop_swap": "this changes a list that has two names on some path, depending on data",
    "int_float_isinstance": "whether this number is an int or a float depends on data",
}
HELPERS = {"deep"}
FUNCTIONS = {name: item for name, item in vars(language).items() if inspect.isfunction(item) and name not in HELPERS}


def rows(function):
    """Seeded draws, and the whole numbers at which branches turn."""
    parameters = inspect.signature(function).parameters.values()
    count = sum(item.default is item.empty and item.kind is item.POSITIONAL_OR_KEYWORD for item in parameters)
    draw = random.Random(function.__name__)
    return [*(tuple(draw.uniform(-5, 5) for _ in range(count)) for _ in range(16)), *((float(value),) * count for value in (0, 1, 2, -1))]


@pytest.mark.parametrize("loops", ["run", "settle"])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in REFUSED])
def test_it_means_what_it_means_in_python(name, loops):
    function = FUNCTIONS[name]
    samples = rows(function)
    results = da.compile(function, errors="nan", loops=loops)(*columns(samples))
    for place, row in enumerate(samples):
        wanted, got = answer(function, *row), sample(results, place)
        if wanted.error is not None or wanted.leaves == [None]:
            assert all(item != item for item in got if isinstance(item, float)), f"{row}: {wanted}, but got {got}"
        else:
            assert got == pytest.approx(wanted.leaves, rel=1e-10, abs=0), row


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_rather_than_guessed(name):
    with pytest.raises(da.CompileError) as caught:
        da.compile(FUNCTIONS[name])
    assert caught.value.reason == REFUSED[name]
