"""Functions with one pattern of `match` each."""

import dataclasses
import math


@dataclasses.dataclass
class Disc:
    radius: float


@dataclasses.dataclass
class Box:
    width: float
    height: float
    __match_args__ = ("width", "height")


def match_value(x):
    match int(x > 0.0):
        case 0:
            return -x
        case 1:
            return 2.0 * x


def match_wildcard(x):
    kind = "square"
    match kind:
        case "circle":
            return 3.0 * x
        case _:
            return x * x


def match_or(x):
    match 2 if x > 0.0 else 3:
        case 1 | 2:
            return x
        case 3 | 4:
            return -x
    return 0.0


def match_guard(x, y):
    match (x, y):
        case (a, b) if a > b:
            return a - b
        case (a, b):
            return 2.0 * (b - a)


def match_capture(x):
    match x * 2.0:
        case y:
            return y + 1.0


def match_as(x, y):
    match [x, y]:
        case [a, _] as pair:
            return a + len(pair)


def match_sequence(items):
    match items:
        case []:
            return 0.0
        case [a]:
            return a
        case [a, b, *rest]:
            return a * b + sum(rest)


def match_sequence_length(x, y):
    cells = [x, y, 1.0]
    match cells:
        case [a, b]:
            return a + b
        case [a, b, c]:
            return a * b + c


def match_nested(x, y):
    match ("line", (x, y)):
        case ("point", a):
            return 0.0
        case ("line", (a, b)):
            return a - b


def match_mapping(x):
    match {"kind": "disc", "r": x}:
        case {"kind": "box"}:
            return 0.0
        case {"kind": "disc", "r": r}:
            return 3.0 * r * r


def match_mapping_rest(x):
    match {"a": x, "b": 2.0, "c": 3.0}:
        case {"a": a, **rest}:
            return a * len(rest)


def match_class_keyword(x):
    match Disc(x):
        case Box(width=w):
            return w
        case Disc(radius=r):
            return 2.0 * r


def match_class_positional(x, y):
    match Box(x, y):
        case Disc(radius=r):
            return r
        case Box(w, h) if w > 0.0:
            return w * h
        case Box():
            return -1.0


def match_builtin_class(x):
    match x:
        case int():
            return 1.0
        case float(v):
            return v * 0.5


def match_none(x):
    best = None
    if x > 1.0:
        best = x
    match best:
        case None:
            return -1.0
        case value:
            return value * 3.0


def match_true(x):
    match x > 0.5:
        case True:
            return x
        case False:
            return 0.25 * x


def match_float_literal(x):
    match x:
        case 0.0:
            return 10.0
        case 1.0 | -1.0:
            return 5.0
        case _:
            return x


def match_dotted(x):
    match round(x) if abs(x) < 1e6 else 0:
        case 3 if math.pi > 3.0:
            return 3.5
        case _:
            return x


def match_no_case(x):
    y = 1.5
    match "nothing":
        case "something":
            y = x
    return y + x


def match_in_loop(items):
    total = 0.0
    for i, item in enumerate(items):
        match i % 3:
            case 0:
                total += item
            case 1:
                total -= item
            case _:
                total *= 0.5
    return total
