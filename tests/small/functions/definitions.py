"""Functions with one definition or scope each."""

import abc
import math

K = 0.75


def def_inner(x):
    def square(t):
        return t * t
    return square(x) + square(0.5)


def def_default(x):
    def scale(t, k=1.5):
        return t * k
    return scale(x) + scale(x, 2.0) + scale(t=x, k=3.0)


def def_varargs(x, y):
    def total(*args, **kwargs):
        return sum(args) + sum(kwargs.values())
    return total(x, y, a=2.0, b=x)


def def_keyword_only(x):
    def part(t, /, *, share=0.25):
        return t * share
    return part(x) + part(x, share=0.5)


def def_recursive(x):
    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)
    return power(5)


def def_recursive_by_data(x):
    def halve(t, depth):
        if t <= 1.0 or depth > 20:
            return t + depth
        return halve(t / 2.0, depth + 1)
    return halve(x, 0)


def def_decorated(x):
    def doubled(function):
        def inner(t):
            return 2.0 * function(t)
        return inner
    @doubled
    def shift(t):
        return t + 1.5
    return shift(x)


def class_inner(x):
    class Line:
        def __init__(self, slope, offset=0.5):
            self.slope = slope
            self.offset = offset
        def at(self, t):
            return self.slope * t + self.offset
    return Line(x).at(2.0) + Line(1.0, x).at(x)


def class_inherits(x):
    class Base:
        gain = 2.0
        def run(self, t):
            return self.gain * t
    class Child(Base):
        def run(self, t):
            return super().run(t) + 1.0
    return Child().run(x)


def class_operators(x, y):
    class Point:
        def __init__(self, a, b):
            self.a, self.b = a, b
        def __add__(self, other):
            return Point(self.a + other.a, self.b + other.b)
        def __lt__(self, other):
            return self.a < other.a
        def __abs__(self):
            return math.hypot(self.a, self.b)
    p, q = Point(x, 1.0), Point(y, 2.0)
    return abs(p + q) if p < q else abs(p)


def class_property(x):
    class Disc:
        def __init__(self, r):
            self.r = r
        @property
        def area(self):
            return 3.5 * self.r ** 2
        @staticmethod
        def unit():
            return Disc(1.0)
    return Disc(x).area - Disc.unit().area


def class_call_and_item(x):
    class Table:
        def __init__(self, cells):
            self.cells = cells
        def __getitem__(self, i):
            return self.cells[i]
        def __len__(self):
            return len(self.cells)
        def __call__(self, t):
            return t * self[0]
    table = Table([x, 2.0])
    return table(3.0) + len(table) * table[1]


def global_read(x):
    global K
    return K * x


def global_write(x):
    global COUNT
    COUNT = 3.0 * x
    return COUNT + 1.0


def nonlocal_counter(x):
    count = 0.0
    def add(t):
        nonlocal count
        count += t
    add(x)
    add(2.0)
    return count


def import_inside(x):
    import math as m
    from math import cos
    return m.sin(x) if abs(x) < 10.0 else cos(1.0) * x


def expression_statement(x):
    cells = [x]
    cells.append(1.5)
    cells.reverse()
    return cells


def type_comment_like(x):
    y = x  # type: float
    return y


def async_function(x):
    async def later():
        return x
    return x * 2.0


def await_something(x):
    async def later():
        return 2.0 * x
    async def outer():
        return await later() + 1.0
    try:
        outer().send(None)
    except StopIteration as done:
        return done.value


def async_for(x):
    async def parts():
        yield x
        yield 2.0
    async def total():
        return sum([t async for t in parts()]) + sum([t * x async for t in parts() if t > 0.0])
    async def loop():
        acc = 0.0
        async for t in parts():
            acc += t
        return acc + await total()
    try:
        loop().send(None)
    except StopIteration as done:
        return done.value


def async_with(x):
    class Gate:
        async def __aenter__(self):
            return 1.5
        async def __aexit__(self, *_):
            return None
    async def inside():
        async with Gate() as k:
            return k * x
    try:
        inside().send(None)
    except StopIteration as done:
        return done.value


def multiple_returns_of_kinds(x):
    if x > 1.0:
        return 1
    return 0.5


def early_exit_in_loop(items):
    for item in items:
        if item > 1.5:
            return item
    return -1.0


class Scaled:
    def __init__(self, k):
        self.k = k * 2.0

    def __call__(self, t):
        return t * self.k


class Base(abc.ABC):
    def __init__(self, k):
        self.k = k * 2.0

    @abc.abstractmethod
    def apply(self, t): ...


class Times(Base):
    def apply(self, t):
        return t * self.k


class Minus(Base):
    def apply(self, t):
        return t - self.k


def callable_object_chosen(x):
    return (Scaled(x) if x > 0.0 else Scaled(-x))(1.5)


def callable_object_in_a_loop(x):
    p = Scaled(x)
    for i in range(3):
        if x > i:
            p = Scaled(p(0.75))
    return p(0.5)


def callable_object_in_a_list(x):
    scales = [Scaled(x), Scaled(1.0)]
    if x > 0.0:
        scales[0] = Scaled(2.0)
    return scales[0](1.0) + scales[1](x)


def abstract_object_chosen(x):
    return (Times(x) if x > 0.0 else Times(-x)).apply(1.5)


def abstract_objects_of_two_classes(x):
    return (Times(x) if x > 0.0 else Minus(-x)).apply(1.5)
