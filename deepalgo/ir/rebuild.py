"""Put results into the structure that the heuristic returns.

>>> from deepalgo.ir import Leaf, Mapping, Static
>>> rebuild(Mapping("dict", ("root", "method"), (Leaf(0), Static("newton"))), [1.5])
{'root': 1.5, 'method': 'newton'}
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, assert_never

from deepalgo.ir.program import Leaf, Mapping, Slot, Static, Tree
from deepalgo.ir.program import Sequence as SequenceTree

Builder: TypeAlias = Callable[[Iterator[Any]], Any]


def rebuild(tree: Tree, results: Sequence[Any]) -> Any:
    """The structure with its leaves taken from `results` in reading order."""
    return builder(tree)(iter(results))


def builder(tree: Tree) -> Builder:
    """What puts results into a structure, for more than one call."""
    match tree:
        case Leaf() | Slot():
            return next
        case Static(item):
            return lambda results: item
        case SequenceTree(kind, items, names):
            parts = [builder(item) for item in items]
            made: Any = {"list": list, "tuple": tuple}.get(kind) or _named(kind, names)._make
            return lambda results: made([part(results) for part in parts])
        case Mapping(kind, keys, items):
            pairs = [(key, builder(item)) for key, item in zip(keys, items, strict=True)]
            if kind == "dict":
                return lambda results: {key: part(results) for key, part in pairs}
            return lambda results: types.SimpleNamespace(**{str(key): part(results) for key, part in pairs})
        case _:
            assert_never(tree)


@functools.cache
def _named(kind: str, names: tuple[str, ...]) -> Any:
    return collections.namedtuple(kind, names)
