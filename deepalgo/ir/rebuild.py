"""Put results into the structure that the heuristic returns.

>>> from deepalgo.ir import Leaf, Mapping, Static
>>> rebuild(Mapping("dict", ("root", "method"), (Leaf(0), Static("newton"))), [1.5])
{'root': 1.5, 'method': 'newton'}
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from deepalgo.ir.program import Leaf, Mapping, Slot, Static, Tree
from deepalgo.ir.program import Sequence as SequenceTree


def rebuild(tree: Tree, results: Sequence[Any]) -> Any:
    """The structure with its leaves taken from `results` in reading order."""
    return _build(tree, iter(results))


def _build(tree: Tree, results: Iterator[Any]) -> Any:
    match tree:
        case Leaf() | Slot():
            return next(results)
        case Static(item):
            return item
        case SequenceTree(kind, items, names):
            built = [_build(item, results) for item in items]
            if kind == "list":
                return built
            return tuple(built) if kind == "tuple" else _named(kind, names)(*built)
        case Mapping(kind, keys, items):
            content = {key: _build(item, results) for key, item in zip(keys, items, strict=True)}
            return content if kind == "dict" else types.SimpleNamespace(**{str(key): item for key, item in content.items()})
        case _:
            assert_never(tree)


@functools.cache
def _named(kind: str, names: tuple[str, ...]) -> Any:
    return collections.namedtuple(kind, names)
