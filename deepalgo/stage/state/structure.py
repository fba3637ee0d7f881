"""The structure of a value: which parts are fixed, which are numbers, and how two structures meet at a join.

Every join (the end of a branch, the next round of a loop) asks the same three questions: what structure do both values fit
(`join`), which numbers does a value contribute to it (`encode`), and how does it look to the code that follows (`decode`).

>>> join(Fixed(1), Fixed(2)), join(Fixed(None), Number(Type(Kind.REAL), "py"))
(Number(type=Type(kind=<Kind.INT: 1>, shape=()), flavour='py'), \
Alternatives(cases=(Fixed(item=None), Number(type=Type(kind=<Kind.REAL: 2>, shape=()), flavour='py'))))
"""

from __future__ import annotations

import abc
import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.state import array_conversion, own_containers
from deepalgo.stage.state.arrays import Array, has_numbers, is_chosen, kind_of_array, root_of, shape_of, type_of_plain
from deepalgo.stage.state.builder import kind_of
from deepalgo.stage.state.error_values import parts_of
from deepalgo.stage.state.iterator_state import Spendable
from deepalgo.stage.state.values import DataText, Signal, StandIn, Union, is_number, user_method

if TYPE_CHECKING:
    from deepalgo.stage.state.machine import Machine


@dataclass(frozen=True, slots=True)
class Number:
    """One leaf; `mixed` if it is whole on some paths and not on others."""

    type: Type
    flavour: str
    mixed: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A static object, the same on every path."""

    item: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fixed) and same_static(self.item, other.item)

    def __hash__(self) -> int:
        return hash(type(self.item))


@dataclass(frozen=True, slots=True)
class Items:
    """A list, tuple, namedtuple or deque, whose longest length is `bound`."""

    kind: type
    items: tuple[Structure, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Fields:
    """A dict, or an object by its attributes."""

    kind: type
    keys: tuple[Any, ...]
    items: tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class Boxed:
    """An array object: `item` itself as long as it is the same one on every path that has an array, else a merged copy.

    `sources` are the arrays that others may hold and that the copy stands for on some path; `shared` is handed on to the copy.
    """

    type: Type
    shared: bool
    item: Array | None = None
    sources: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A Union: one of several structures, told apart by guards."""

    cases: tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """A value that nobody reads: it fits every structure."""


Structure: TypeAlias = Number | Fixed | Items | Fields | Boxed | Alternatives | Anything

ANYTHING = Anything()
#: The classes of classes whose objects are nothing but their attributes.
METACLASSES: tuple[type, ...] = (type, abc.ABCMeta)


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are one: the same number of the program, or interchangeable static objects."""
    if isinstance(a, Signal) or isinstance(b, Signal):
        return isinstance(a, Signal) and isinstance(b, Signal) and a.value == b.value
    return a is b or same_static(a, b)


def same_static(a: object, b: object) -> bool:
    """Whether two static objects are interchangeable: the same object, or equal plain data of one type."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, float) and isinstance(b, float):
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
    if isinstance(a, (bool, int, complex, str, bytes, range, slice, np.generic)):
        return bool(a == b)
    if isinstance(a, np.ndarray):
        return has_numbers(a) and np.array_equal(a, b)  # type: ignore[arg-type]  # both have the same type
    if type(a).__name__ == "method":
        return bool(a == b)
    if isinstance(a, BaseException) and isinstance(b, BaseException):
        return parts_of(a).keys() == parts_of(b).keys() and all(map(same_static, parts_of(a).values(), parts_of(b).values()))
    return False


def structure_of(value: Any, fresh: Callable[[Any], bool], made: Callable[[Any], bool] | None = None) -> Structure:
    """The structure of a value. A list or an object counts by its parts only if `fresh` says that no one else holds it.

    An array stands for itself unless it was `made` on this path.
    """
    made = made or fresh
    match value:
        case Anything():
            return value
        case Signal():
            return Number(value.type, value.flavour, value.mixed)
        case Union():
            return Alternatives(tuple(structure_of(item, fresh, made) for _, item in value.cases))
        case Array():
            return _box_of(value, made(root_of(value)))
        case tuple():
            return Items(type(value), tuple(structure_of(item, fresh, made) for item in value))
        case Spendable():
            return Fixed(value)
        case list() | dict() if own_containers.base_of(type(value)) is not None and fresh(value):
            held = own_containers.parts_of(value)
            return Fields(type(value), tuple(held), tuple(structure_of(item, fresh, made) for item in held.values()))
        case list() if fresh(value):
            return Items(list, tuple(structure_of(item, fresh, made) for item in value))
        case deque() if fresh(value):
            return Items(deque, tuple(structure_of(item, fresh, made) for item in value), value.maxlen)
        case dict() if type(value) is dict and fresh(value):
            return Fields(dict, tuple(value), tuple(structure_of(item, fresh, made) for item in value.values()))
        case BaseException():
            held = parts_of(value)
            items = tuple(structure_of(item, fresh, made) for item in held.values())
            return Fixed(value) if all(isinstance(item, Fixed) for item in items) else Fields(type(value), tuple(held), items)
        case StandIn() if value.fields:
            return Fields(type(value), value.fields, tuple(structure_of(getattr(value, name), fresh, made) for name in value.fields))
        case DataText():
            keys = (value.template, *range(len(value.operands)))
            return Fields(DataText, keys, (ANYTHING, *(structure_of(item, fresh, made) for item in value.operands)))
        case _:
            if is_plain_object(value) and fresh(value):
                names = vars(value)
                return Fields(type(value), tuple(names), tuple(structure_of(item, fresh, made) for item in names.values()))
            return Fixed(value)


def _box_of(array: Array, made: bool) -> Boxed:
    root = root_of(array)
    shared = array.shared or root.shared
    return Boxed(Type(kind_of_array(array), shape_of(array)), shared, None if made or is_chosen(array) else array, () if made else (root,))


def is_plain_object(value: object) -> bool:
    """An instance of a class written in Python, whose attributes are all in its `__dict__`."""
    return hasattr(value, "__dict__") and type(type(value)) in METACLASSES and not isinstance(value, (type, BaseException)) \
        and type(value).__module__ != "builtins" and (not callable(value) or user_method(value, "__call__") is not None)


def join(a: Structure, b: Structure) -> Structure:
    """The narrowest structure that both fit."""
    met = _unify(a, b)
    if met is not None:
        return met
    cases: list[Structure] = list(_cases(a))
    for case in _cases(b):
        _add_case(cases, case)
    return cases[0] if len(cases) == 1 else Alternatives(tuple(cases))


def _cases(structure: Structure) -> tuple[Structure, ...]:
    return structure.cases if isinstance(structure, Alternatives) else (structure,)


def _add_case(cases: list[Structure], case: Structure) -> None:
    for place, other in enumerate(cases):
        met = _unify(other, case)
        if met is not None:
            cases[place] = met
            return
    cases.append(case)


def _unify(a: Structure, b: Structure) -> Structure | None:
    """One structure without guards for both, where there is one."""
    match a, b:
        case Anything(), _:
            return b
        case _, Anything():
            return a
        case (Alternatives(), _) | (_, Alternatives()):
            return a if a == b else None
        case Fixed(), Fixed() if a == b:
            return a
        case (Number() | Fixed()), (Number() | Fixed()):
            return _unify_numbers(a, b)
        case Boxed(), Boxed() if a.type.shape == b.type.shape:
            type, sources = Type(max(a.type.kind, b.type.kind), a.type.shape), dict.fromkeys((*a.sources, *b.sources))
            return Boxed(type, a.shared or b.shared, a.item if a.item is b.item else None, tuple(sources))
        case Items(), Items() if a.kind is b.kind and len(a.items) == len(b.items) and a.bound == b.bound:
            return Items(a.kind, tuple(map(join, a.items, b.items)), a.bound)
        case Fields(), Fields() if a.kind is b.kind and a.keys == b.keys:
            return Fields(a.kind, a.keys, tuple(map(join, a.items, b.items)))
        case _:
            return None


def _unify_numbers(a: Number | Fixed, b: Number | Fixed) -> Number | None:
    first, second = _as_number(a), _as_number(b)
    if first is None or second is None or first.type.shape != second.type.shape:
        return None
    kind = max(first.type.kind, second.type.kind)
    if first.type.shape:
        return Number(Type(kind, first.type.shape), "np")
    mixed = first.mixed or second.mixed or first.type != second.type
    return Number(Type(kind), first.flavour if first.flavour == second.flavour else "either", mixed)


def _as_number(structure: Number | Fixed) -> Number | None:
    if isinstance(structure, Number):
        return structure
    if has_numbers(structure.item):
        return Number(type_of_plain(structure.item), "np")
    if not is_number(structure.item):
        return None
    return Number(Type(kind_of(structure.item)), "np" if isinstance(structure.item, np.generic) else "py")


def fits(case: Structure, structure: Structure) -> bool:
    """Whether a value of the first structure can be encoded in the second."""
    return _unify(structure, case) == structure


def to_signal(machine: Machine, value: Any) -> Signal:
    """An array as one Signal."""
    return array_conversion.to_signal(machine, value)


def encode(machine: Machine, value: Any, structure: Structure) -> list[Signal]:
    """The numbers that a value contributes to a structure, in order; missing parts are filled with zeros."""
    if isinstance(value, Anything):
        return [machine.zero(item.type, item.flavour) for item in numbers(structure)]
    if isinstance(value, Union) and not isinstance(structure, Alternatives):
        return _encode_choice(machine, value, structure)
    match structure:
        case Number():
            return [machine.cast(value, structure.type)]
        case Boxed(item=Array()):
            return []
        case Boxed():
            return [machine.cast(to_signal(machine, value), structure.type)]
        case Fixed() | Anything():
            return []
        case Items():
            return [leaf for item, part in zip(value, structure.items, strict=True) for leaf in encode(machine, item, part)]
        case Fields():
            held = _fields(value)
            parts = zip(structure.keys, structure.items, strict=True)
            return [leaf for key, part in parts for leaf in encode(machine, held[key], part)]
        case Alternatives():
            return _encode_union(machine, value, structure)
        case _:
            assert_never(structure)


def _fields(value: Any) -> Mapping[Any, Any]:
    match value:
        case list() | dict() if own_containers.base_of(type(value)) is not None:
            return own_containers.parts_of(value)
        case dict():
            return value
        case BaseException():
            return parts_of(value)
        case StandIn() if value.fields:
            return {name: getattr(value, name) for name in value.fields}
        case DataText():
            return {value.template: ANYTHING, **dict(enumerate(value.operands))}
        case _:
            return vars(value)  # type: ignore[no-any-return]  # attributes by their names


def stand_for(machine: Machine, copy: Array, sources: tuple[Array, ...]) -> None:
    """Remember that a merged copy is, on some path, one of these arrays: neither may change while the other is in use."""
    known = machine.kin if machine.kin_before is None else machine.kin_before
    related = {id(item): item for source in sources for item in (source, *known.get(id(source), ()))}
    for key, item in related.items():
        machine.kin[key] = (*machine.kin.get(key, (item,)), copy)
    if related:
        machine.kin[id(copy)] = (copy, *related.values())


def _encode_choice(machine: Machine, value: Union, structure: Structure) -> list[Signal]:
    """A Union all of whose cases fit one structure: its numbers are chosen by the guards."""
    *others, (_, last) = value.cases
    leaves = encode(machine, last, structure)
    for guard, item in reversed(others):
        leaves = [machine.select(guard, new, old) for new, old in zip(encode(machine, item, structure), leaves, strict=True)]
    return leaves


def collapse(machine: Machine, value: Union) -> Any:
    """A Union as one value with chosen numbers in it, where no one can tell it from the objects that it stands for."""
    structure: Structure = ANYTHING
    for _, item in value.cases:
        structure = join(structure, structure_of(item, lambda container: True))
    return value if isinstance(structure, Alternatives) else decode(machine, structure, iter(encode(machine, value, structure)))


def numbers(structure: Structure) -> Iterator[Number]:
    """The leaves of a structure, in the order of `encode`: for alternatives first the guards, then each case."""
    match structure:
        case Number():
            yield structure
        case Fixed() | Anything() | Boxed(item=Array()):
            return
        case Boxed():
            yield Number(structure.type, "np")
        case Items(items=items) | Fields(items=items):
            for item in items:
                yield from numbers(item)
        case Alternatives(cases=cases):
            for _ in cases[1:]:
                yield Number(Type(Kind.BOOL), "py")
            for case in cases:
                yield from numbers(case)
        case _:
            assert_never(structure)


def _encode_union(machine: Machine, value: Any, structure: Alternatives) -> list[Signal]:
    own = value.cases if isinstance(value, Union) else ((None, value),)
    guards: list[Signal | None] = [None] * len(structure.cases)
    payloads: list[list[Signal] | None] = [None] * len(structure.cases)
    for guard, item in own:
        held = machine.constant(True) if guard is None else guard
        place = _place(machine, item, structure)
        parts = encode(machine, item, structure.cases[place])
        before = payloads[place]
        if before is not None:
            parts = [machine.select(held, new, old) for new, old in zip(parts, before, strict=True)]
        earlier = guards[place]
        guards[place] = held if earlier is None else machine.either(earlier, held)
        payloads[place] = parts
    leaves = [machine.constant(False) if guard is None else guard for guard in guards[:-1]]
    for case, payload in zip(structure.cases, payloads, strict=True):
        leaves += encode(machine, ANYTHING, case) if payload is None else payload
    return leaves


def _place(machine: Machine, item: Any, structure: Alternatives) -> int:
    shape = structure_of(item, machine.is_loose, machine.is_made)
    for place, case in enumerate(structure.cases):
        if fits(shape, case):
            return place
    raise AssertionError(f"no case for {shape} in {structure}")


def decode(machine: Machine, structure: Structure, leaves: Iterator[Signal]) -> Any:
    """A value of this structure made of the given numbers."""
    match structure:
        case Number():
            leaf = next(leaves)
            return Signal(leaf.value, structure.flavour, leaf.uniform, leaf.known, structure.mixed)
        case Boxed(item=Array() as item):
            return item
        case Boxed():
            leaf = next(leaves)
            made = Array(Signal(leaf.value, "np", leaf.uniform, None))
            made.shared, made.certain = structure.shared, not machine.turned
            stand_for(machine, machine.heap.created(made), structure.sources)
            return made
        case Fixed():
            return structure.item
        case Anything():
            return structure
        case Items():
            items = [decode(machine, item, leaves) for item in structure.items]
            return machine.make_sequence(structure.kind, items, structure.bound)
        case Fields():
            parts = {key: decode(machine, item, leaves) for key, item in zip(structure.keys, structure.items, strict=True)}
            return machine.make_fields(structure.kind, parts)
        case Alternatives():
            guards = [next(leaves) for _ in structure.cases[1:]]
            guards.append(machine.none_of(guards))
            return Union(tuple((guard, decode(machine, case, leaves)) for guard, case in zip(guards, structure.cases, strict=True)))
        case _:
            assert_never(structure)
