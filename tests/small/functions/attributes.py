"""Attributes that are computed, kept in slots, or missing; and what classes say about themselves."""

import enum
from dataclasses import KW_ONLY, InitVar, dataclass, field


class Slotted:
    __slots__ = ("value",)
    limit = 3.0

    def __init__(self, value):
        self.value = value


class Doubling:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name, 0.5) * 2

    def __set__(self, instance, value):
        setattr(instance, self.name, value + 1)


class Described:
    first = Doubling()


class Reading:
    def __init__(self, value):
        self.kept = value

    @property
    def value(self):
        return self.kept

    @value.deleter
    def value(self):
        self.kept = 0.25

    def __getattr__(self, name):
        if name.startswith("times_"):
            return self.kept * len(name)
        raise AttributeError(name)

    def __float__(self):
        return self.kept + 1.0


class Scaled(Reading):
    @property
    def value(self):
        return super().value * 3.0


@dataclass(slots=True)
class Pair:
    first: float
    second: float = 1.0


@dataclass
class Started:
    gain: float
    _: KW_ONLY
    offset: float = 2.0
    start: InitVar[float] = 1.0
    state: float = field(default=0.0, init=False)

    def __post_init__(self, start):
        self.state = start * self.gain


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Colour(enum.Enum):
    RED = 1.5
    BLUE = 2.5


def slot_that_is_not_there(x):
    held = Slotted(x)
    try:
        held.other = 1.0
    except AttributeError as error:
        return held.value + len(str(error))
    return x


def slot_read_only(x):
    held = Slotted(x)
    try:
        held.limit = 1.0
    except AttributeError as error:
        return held.value + len(str(error))
    return x


def slots_class(x):
    held = Slotted(x)
    return x if type(held) is Slotted and held.__class__ is Slotted else -x


def descriptor(x):
    held = Described()
    before = held.first
    held.first = x
    return before + held.first * 3


def property_without_setter(x):
    held = Reading(x)
    try:
        held.value = 3.0
    except AttributeError as error:
        return held.value + len(str(error))
    return 0.0


def property_deleted(x):
    held = Reading(x)
    del held.value
    return held.value + x


def property_of_super(x):
    return Scaled(x).value


def getattr_of_class(x):
    held = Reading(x)
    return held.times_two + getattr(held, "other", 4.0) + hasattr(held, "times_") + 2 * hasattr(held, "none")


def float_of_object(x):
    return float(Reading(x))


def dataclass_slots(x):
    pair = Pair(x)
    pair.second = 7.0
    return pair.first + pair.second + (pair == Pair(x, 7.0))


def dataclass_init_var(x):
    started = Started(x, offset=3.0, start=x)
    return started.gain + started.offset + started.state


def dataclass_wrong_arguments(x):
    try:
        return Started(x, 3.0).gain
    except TypeError as error:
        return x + len(str(error))


def dataclass_local_repr(x):
    @dataclass
    class Point:
        place: int = 3

    return x + len(repr(Point()))


def int_enum_in_sum(x):
    return (x > 0) + Level.HIGH + (Level.LOW < 3)


def enum_match_chosen(x):
    colour = Colour.RED if x > 1 else Colour.BLUE
    match colour:
        case Colour.RED:
            return x
        case Colour.BLUE:
            return -x


def reversed_method(x):
    class Twice:
        def __iter__(self):
            yield 1.0
            yield x

        def __reversed__(self):
            return iter([x])

    return list(reversed(Twice()))[0]


def reversed_ordered_dict(x):
    from collections import OrderedDict

    table = OrderedDict(a=x, bb=2.0)
    return x * len(list(reversed(table))[0]) + list(reversed(table.values()))[0]


def cached_property_of_local_class(x):
    import functools

    class Doubled:
        def __init__(self, value):
            self.value = value

        @functools.cached_property
        def twice(self):
            return self.value * 2.0

    held = Doubled(x)
    return held.twice + held.twice
