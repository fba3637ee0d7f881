"""Views that a program reads again and again: the front end reads a slice anew at each use, as its array may have changed meanwhile.

>>> from deepalgo.ir import Kind, Type
>>> a, first, second = (Value(i, Type(Kind.REAL, (n,)), name) for i, n, name in ((0, 4, "a"), (1, 2, "head"), (2, 2, "head")))
>>> key = (("key", (("slice", None, 2, None),)),)
>>> sorted(value.id for value in rereads([Op(first, "take", (a,), key), Op(second, "take", (a,), key)]))
[1, 2]
"""

from __future__ import annotations

from collections.abc import Iterable

from deepalgo.ir import Op, Value

#: What shows an array in another way.
VIEWS = ("take", "reshape", "permute")


def rereads(ops: Iterable[Op]) -> set[Value]:
    """Named views that are read more than once, each time by an operation of its own."""
    found: dict[object, list[Value]] = {}
    for op in ops:
        if op.name in VIEWS and op.result.name:
            found.setdefault((op.result.name, op.name, op.attrs), []).append(op.result)
    return {value for values in found.values() if len(values) > 1 for value in values}
