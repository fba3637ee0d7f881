"""A class that says how its attributes are written is asked; one that answers for every attribute itself is refused."""

import dataclasses

import pytest

import deepalgo as da


class Doubling:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


class Inherited:
    def __init__(self, value):
        self.value = value

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2)


class ByDict:
    def __setattr__(self, name, value):
        self.__dict__[name] = value + 1


class Bounded:
    least = 0.0

    def __init__(self, value):
        self.value = value

    def __setattr__(self, name, value):
        if value < self.least:
            raise ValueError("too small")
        object.__setattr__(self, name, value)


class Counting:
    def __setattr__(self, name, value):
        if name == "total":
            self.count = 1.0
        object.__setattr__(self, name, value)


@dataclasses.dataclass(frozen=True)
class Derived:
    a: float
    b: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, "b", self.a * 2)


class Answering:
    def __init__(self):
        self.value = 1.0

    def __getattribute__(self, name):
        return object.__getattribute__(self, name) * 2


def written(x):
    made = Doubling()
    made.value = x
    setattr(made, "other", 3.0)
    return made.value + made.other


def in_a_branch(x):
    made = Inherited(x)
    if x > 1:
        made.value = 7.0
    return made.value


def by_dict(x):
    made = ByDict()
    made.value = x
    return made.value


def bounded(x):
    made = Bounded(x)
    try:
        made.value = x - 1
    except ValueError:
        return -made.value
    return made.value


def counted(x):
    made = Counting()
    made.total = x
    return made.total + made.count


def derived(x):
    return Derived(x).b


def on_path(x):
    made = Doubling() if x > 1 else ByDict()
    made.value = x
    return made.value


@pytest.mark.parametrize("function", [written, in_a_branch, by_dict, bounded, counted, derived, on_path], ids=lambda item: item.__name__)
def test_attributes_are_written_as_the_class_says(function):
    network = da.compile(function, example=((1.3,), {}))
    for x in (0.5, 1.5, 2.0):
        assert network(x).item() == pytest.approx(function(x), rel=1e-15)


def test_a_class_that_answers_for_every_attribute_is_refused():
    def answering(x):
        return Answering().value * x

    with pytest.raises(da.CompileError) as refused:
        da.compile(answering, example=((1.3,), {}))
    assert refused.value.reason == "`Answering` has a `__getattribute__` of its own"
