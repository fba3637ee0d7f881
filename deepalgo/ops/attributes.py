"""What the attributes of an operation may be: whole numbers of 64 bits, numbers, tables of them, subscripts and a few words.

An attribute becomes part of written code, so nothing else may stand there.

>>> from deepalgo.kinds import Kind
>>> complaint("sum", [Type(Kind.REAL, (3,))], {"axis": 0})
''
>>> complaint("sum", [Type(Kind.REAL, (3,))], {"axis": "print()"})
"cannot have 'axis' = 'print()'"
>>> complaint("sum", [Type(Kind.REAL, (3,))], {})
"needs 'axis'"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from deepalgo.kinds import Attr, Type
from deepalgo.ops.table import TABLE

#: Places of templates that the writers of code fill themselves.
FILLED = re.compile(r"\d+|\*|batch\d*|path|subscript")
PLACE = re.compile(r"\{(\w+|\*)\}")
#: The largest number of digits that Python rounds to, the largest order of a special function, the longest way of a transform.
MOST_DIGITS, MOST_ORDER, FARTHEST = 2**31 - 1, 10_000, 10_000
#: Axes that an array can have.
MOST_AXES = 32


def complaint(name: str, args: Sequence[Type], attrs: Mapping[str, Attr]) -> str:
    """What is wrong with the attributes of an operation on such operands; '' if nothing is."""
    wanted = needed(name)
    for key in wanted:
        if key not in attrs:
            return f"needs {key!r}"
    for key, value in attrs.items():
        if key not in wanted or not rule_of(name, key)(value):
            return f"cannot have {key!r:.60} = {value!r:.60}"
    if name == "index" and not _is_within(attrs["key"], args):
        return f"cannot have 'key' = {attrs['key']!r:.60}"
    return ""


def needed(name: str) -> set[str]:
    """The names of the attributes of an operation."""
    row = TABLE[name]
    places = {place for template in (row.torch, row.python, row.numpy) for place in PLACE.findall(template)}
    return {place for place in places if not FILLED.fullmatch(place)}


def rule_of(name: str, key: str) -> Callable[[Attr], bool]:
    """What an attribute may be; one that stands in quotes is a word."""
    if key == "key" and f"'{{{key}}}'" in TABLE[name].torch:
        return is_dotted_name
    return RULES[key]


def is_whole(value: Attr) -> bool:
    """A whole number of 64 bits, which no truth value is."""
    return type(value) is int and -(2**63) <= value < 2**63


def is_number(value: Attr) -> bool:
    """A number that torch can hold; whole ones may be larger where they are brought to floats."""
    return type(value) in (bool, int, float, complex)


def is_dotted_name(value: Attr) -> bool:
    """The key of a weight, or ''."""
    return isinstance(value, str) and (not value or all(part.isidentifier() for part in f"_{value}".split(".")))


def _is_real(value: Attr) -> bool:
    return type(value) in (int, float)


def _are_digits(value: Attr) -> bool:
    return type(value) is int and abs(value) <= MOST_DIGITS


def _is_order(value: Attr) -> bool:
    return _is_real(value) and -MOST_ORDER <= value <= MOST_ORDER  # type: ignore[operator]


def _is_constant(value: Attr) -> bool:
    """A number, or a rectangular table of numbers of 64 bits."""
    return is_number(value) or isinstance(value, tuple) and _shape(value, _is_storable) is not None


def _is_storable(value: Attr) -> bool:
    return is_number(value) and (type(value) is not int or is_whole(value))


def _is_table(value: Attr) -> bool:
    """Whole numbers in a rectangle."""
    return _shape(value, is_whole) is not None


def _shape(value: Attr, allowed: Callable[[Attr], bool]) -> tuple[int, ...] | None:
    """The shape of a rectangle of allowed items; None for anything else."""
    if not isinstance(value, tuple):
        return () if allowed(value) else None
    found = {_shape(item, allowed) for item in value}
    if None in found or len(found) > 1:
        return None
    return (len(value), *(found.pop() or () if found else ()))


def _are_whole(value: Attr) -> bool:
    return isinstance(value, tuple) and all(map(is_whole, value))


def _is_axis(value: Attr) -> bool:
    return value is None or is_whole(value)


def _is_subscript(value: Attr) -> bool:
    """A tuple as `ops.indexing` describes it."""
    return isinstance(value, tuple) and all(map(_is_entry, value))


def _is_entry(value: Attr) -> bool:
    if isinstance(value, tuple):
        return len(value) == 4 and value[0] == "slice" and all(item is None or is_whole(item) for item in value[1:])
    return value is None or value == "..." or is_whole(value)


def _are_transforms(value: Attr) -> bool:
    """Tuples of an angle and two whole numbers."""
    return isinstance(value, tuple) and bool(value) and all(map(_is_transform, value))


def _is_transform(value: Attr) -> bool:
    if not isinstance(value, tuple) or len(value) != 3 or not all(map(_is_real, value)):
        return False
    return all(abs(step) <= FARTHEST for step in value) and all(map(is_whole, value[1:]))  # type: ignore[arg-type]


def _is_within(key: Attr, args: Sequence[Type]) -> bool:
    """Whether fixed places lie in the array."""
    if not isinstance(key, tuple) or not args or len(key) > len(args[0].shape):
        return False
    return all(is_whole(place) and -size <= place < size for place, size in zip(key, args[0].shape, strict=False))  # type: ignore[operator]


RULES: dict[str, Callable[[Attr], bool]] = {
    "digits": _are_digits,
    "value": _is_constant,
    "key": _is_subscript,
    "axis": _is_axis,
    "axes": _are_whole,
    "count": lambda value: type(value) is int and 0 < value <= MOST_AXES,
    "shape": _are_whole,
    "indices": _is_table,
    "side": lambda value: value in ("left", "right"),
    "order": _is_order,
    "branch": lambda value: type(value) is int and value in (0, -1),
    "p": lambda value: _is_real(value) and value > 0,  # type: ignore[operator]
    "transforms": _are_transforms,
    "full": lambda value: type(value) is bool,
}


def beyond_64_bits(value: Attr) -> bool:
    """Whether a whole number fits no tensor: it may only meet floats."""
    return type(value) is int and not is_whole(value)

