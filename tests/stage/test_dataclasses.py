"""Functions of `dataclasses`, `super().__init__()`, and methods of NumPy's ufuncs, on data."""

import dataclasses
from dataclasses import asdict, astuple, dataclass, fields, replace

import numpy as np
import pytest

import deepalgo as da
from deepalgo.errors import CompileError


@dataclass
class Point:
    x: float
    y: float = 2.0

    def size(self):
        return self.x * self.x + self.y


@dataclass(frozen=True)
class Body:
    point: Point
    mass: float = 3.0
    path: list = dataclasses.field(default_factory=list)


class Base:
    def __init__(self):
        super().__init__()
        self.scale = 1.5


class Derived(Base):
    def __init__(self, x):
        super().__init__()
        self.x = x


def as_tuple(x):
    (u, v), mass, path = astuple(Body(Point(x), 2.0 * x, [x]))
    return u + 10 * v + mass + path[0]


def as_dict(x):
    entries = asdict(Body(Point(x), x * x))
    return entries["point"]["x"] + entries["mass"] + len(entries["path"])


def replaced(x):
    return replace(Point(x, 1.0), y=x * x).size()


def over_fields(x):
    point = Point(x)
    return sum(getattr(point, field.name) for field in fields(point))


def inherited(x):
    thing = Derived(x)
    return thing.x * thing.scale


def ufunc_methods(x):
    a = np.array([x, 2.0, 3.0 * x])
    table = np.multiply.outer(a, a[:2])
    both = np.logical_and.reduce((x > 0, x < 2.0))
    return np.add.reduce(table)[1] + np.maximum.reduce(a) + np.add.accumulate(a)[1] + np.subtract.outer(a, 1.0)[2] + both


def numpy_layouts(x):
    return np.vander(np.array([x, 2.0]), 3)[0, 0] + np.vander([x, 2.0], increasing=True)[0, 1] + np.diagflat([[x, 1.0]])[0, 0]


CASES = [as_tuple, as_dict, replaced, over_fields, inherited, ufunc_methods, numpy_layouts]


@pytest.mark.parametrize("function", CASES)
def test_answers_are_those_of_python(function):
    assert da.compile(function).verify([0.7, 1.7, -0.5]).compared == 3


def test_what_is_no_dataclass_raises_as_in_python():
    def of_a_number(x):
        return astuple(x)[0]

    with pytest.raises(CompileError, match=r"raises TypeError on every input: astuple\(\) should be called on dataclass instances"):
        da.compile(of_a_number)
