"""`match` and classes inside of functions answer as in Python."""

import math
from dataclasses import dataclass

import pytest

import deepalgo as da
from tests.support.like_python import assert_like_python


@dataclass
class Point:
    x: float
    y: float


class Mode:
    FAST = 1
    SLOW = 2.5


def on_values(x):
    match math.floor(x) if math.isfinite(x) else 0:
        case 0:
            return x
        case 1 | 2:
            return 2.0 * x
        case n if n < 0:
            return float(n)
        case _:
            return -x


def on_constants(x):
    match x:
        case 2.5:
            return 1.0
        case Mode.FAST:
            return 2.0
        case Mode.SLOW:
            return 3.0
    return 0.0


def on_tuples(x, y):
    match (x > 0.0, y):
        case (True, 0.0):
            return x
        case (True, other):
            return x * other
        case (False, _):
            return -x
    return 9.0


def on_lengths(x):
    total = 0.0
    for items in ([], [x], [x, 2.0], [x, 2.0, 3.0, 4.0]):
        match items:
            case []:
                total += 1.0
            case [one]:
                total += one
            case [first, second]:
                total += first * second
            case [first, *middle, last]:
                total += first + len(middle) * last
    return total


def on_mappings(x):
    match {"kind": "line", "slope": x, "other": 2.0}:
        case {"kind": "point"}:
            return 0.0
        case {"kind": "line", "slope": slope, **rest}:
            return slope * rest["other"] + len(rest)
    return -1.0


def on_classes(x, y):
    point = Point(x, y)
    match point:
        case Point(0.0, second):
            return second
        case Point(x=first, y=0.0):
            return first
        case Point(a, b):
            return a + 2.0 * b
    return 0.0


def on_types(x):
    total = 0.0
    for item in (x, 3, "text", None, [x], (1, x)):
        match item:
            case float(value):
                total += value
            case int() as count:
                total += count
            case str():
                total += 100.0
            case None:
                total += 1000.0
            case [only]:
                total += only
            case _:
                total -= 1.0
    return total


def on_one_of_two(x):
    found = None if x < 0.0 else x
    match found:
        case None:
            return -1.0
        case value:
            return value * 2.0


def alternatives_capture(x, y):
    match (x, y):
        case (0.0, value) | (value, 0.0):
            return value
        case _:
            return x * y


def guard_binds(x):
    match x:
        case value if value > 1.0:
            return value
    return value * 10.0


def on_nested(x):
    match [Point(x, 1.0), (2.0, [x, 3.0])]:
        case [Point(x=0.0), _]:
            return 0.0
        case [Point(y=height), (_, [inner, *_])]:
            return height + inner
    return 1.0


def in_a_loop(x):
    state, total = "up", 0.0
    for place in range(6):
        match state:
            case "up":
                total += x
                state = "down" if place % 2 else "up"
            case "down":
                total -= 1.0
                state = "up"
    return total


def leaving_by_case(x):
    for place in range(5):
        match place * x > 2.0:
            case True:
                break
            case False:
                continue
    return float(place)


def a_class_inside(x):
    class Spring:
        stiffness = 2.0

        def __init__(self, rest):
            self.rest = rest

        def force(self, length):
            return -self.stiffness * (length - self.rest)

    return Spring(1.5).force(x)


def a_dataclass_inside(x):
    @dataclass
    class Pair:
        a: float
        b: float = 2.0

        @property
        def product(self):
            return self.a * self.b

    pair = Pair(x)
    pair.b += 1.0
    return pair.product


def a_class_that_captures(x):
    scale = x * 2.0

    class Scaled:
        def at(self, value):
            return scale * value

    return Scaled().at(3.0)


def a_class_that_inherits(x):
    class Base:
        def value(self):
            return x

        def twice(self):
            return 2.0 * self.value()

    class Derived(Base):
        def value(self):
            return super().value() + 1.0

        @staticmethod
        def fixed():
            return 7.0

        @classmethod
        def named(cls):
            return len(cls.__name__)

    return Derived().twice() + Derived.fixed() + Derived.named()


def operators_of_a_class(x):
    class Vector:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, other):
            return Vector(self.a + other.a, self.b + other.b)

        def __getitem__(self, place):
            return (self.a, self.b)[place]

        def __call__(self, factor):
            return self.a * factor

    both = Vector(x, 1.0) + Vector(2.0, x)
    return both[0] * both[1] + both(3.0)


class Sealed:
    def __init__(self, gain):
        self.__gain = gain

    def raise_gain(self, by):
        self.__gain += by
        return sum(self.__gain * item for item in (1.0, 2.0))


def private_names(x):
    return Sealed(x).raise_gain(0.5)


def an_error_of_ones_own(x):
    class TooLarge(ValueError):
        pass

    try:
        if x > 1.0:
            raise TooLarge("too large")
        return x
    except TooLarge:
        return 1.0


@pytest.mark.parametrize("function", [
    on_constants, on_tuples, on_lengths, on_mappings, on_classes, on_types, on_one_of_two, alternatives_capture, guard_binds,
    on_nested, in_a_loop, leaving_by_case, a_class_inside, a_dataclass_inside, a_class_that_captures, a_class_that_inherits,
    operators_of_a_class, an_error_of_ones_own, private_names,
], ids=lambda function: function.__name__)
def test_patterns_and_classes_answer_as_in_python(function):
    assert_like_python(function)


def test_a_whole_number_picks_its_case():
    assert_like_python(on_values, edges=(0.0, -0.0, 1.0, 2.0, 3.0))


def later_change(x):
    scale = 2.0

    class Scaled:
        def at(self, value):
            return scale * value

    made = Scaled()
    scale = x
    return made.at(3.0)


def data_in_the_body(x):
    class Scaled:
        factor = x

    return Scaled.factor


@pytest.mark.parametrize(("function", "reason"), [
    (later_change, "this class uses `scale`, which changes after the class"),
    (data_in_the_body, "the body of this class uses `x`, which depends on data"),
])
def test_classes_that_would_see_other_values_are_refused(function, reason):
    with pytest.raises(da.CompileError, match=reason):
        da.compile(function)
