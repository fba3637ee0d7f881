"""The inputs of one sample as the arguments of a plain call, and the answer of a plain call as the numbers of one sample.

>>> tree = SequenceTree("tuple", (Leaf(0), Static("m")))
>>> numbers(tree, (2.5, "m"))
[2.5]
>>> numbers(tree, (2.5, "km"))
Traceback (most recent call last):
deepalgo.certificate.arguments.OtherStructure: 'km' instead of 'm'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np
from torch import Tensor

from deepalgo.ir import Leaf, Mapping, Slot, Static, Tree
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.ir.rebuild import rebuild
from deepalgo.signature import Signature


class OtherStructure(Exception):
    """The function returned something that the network cannot return."""


def plain_values(signature: Signature, leaves: Sequence[Tensor], sample: int) -> list[Any]:
    """The inputs of one sample as plain Python numbers, or as NumPy arrays."""
    return [
        _plain(leaf[sample], len(item.value.type.shape) > 0 or item.path in signature.numpy)
        for item, leaf in zip(signature.inputs(), leaves, strict=True)
    ]


def _plain(value: Tensor, numpy: bool) -> Any:
    return value.detach().cpu().numpy().copy()[()] if numpy else value.item()


def plain_call(signature: Signature, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the plain call that has these inputs; every call gets arrays and lists of its own."""
    rest = iter([value.copy() if isinstance(value, np.ndarray) else value for value in values])
    given = {argument.name: rebuild(argument.tree, _take(argument.tree, rest)) for argument in signature.arguments}
    args: list[Any] = []
    for name in signature.order:
        if name not in given:
            break
        args.append(given.pop(name))
    args.extend(given.pop(signature.star, ()) if signature.star else ())
    others = given.pop(signature.double_star, {}) if signature.double_star else {}
    return args, {**given, **others}


def _take(tree: Tree, rest: Any) -> list[Any]:
    return [next(rest) for _ in range(_size(tree))]


def _size(tree: Tree) -> int:
    match tree:
        case Leaf() | Slot():
            return 1
        case Static():
            return 0
        case SequenceTree(items=items) | Mapping(items=items):
            return sum(map(_size, items))
        case _:
            assert_never(tree)


def numbers(tree: Tree, value: Any) -> list[Any]:
    """The numbers of an answer in the order of the tree."""
    match tree:
        case Leaf() | Slot():
            return [value]
        case Static(item):
            if not _is_same(item, value):
                raise OtherStructure(f"{value!r} instead of {item!r}")
            return []
        case SequenceTree(items=items):
            if not isinstance(value, (list, tuple)) or len(value) != len(items):
                raise OtherStructure(f"{value!r} instead of {len(items)} items")
            return [number for item, part in zip(items, value, strict=True) for number in numbers(item, part)]
        case Mapping(kind, keys, items):
            held = value if kind == "dict" else vars(value)
            if not isinstance(held, dict) or set(held) != set(keys):
                raise OtherStructure(f"{value!r} instead of the keys {list(keys)}")
            return [number for key, item in zip(keys, items, strict=True) for number in numbers(item, held[key])]
        case _:
            assert_never(tree)


def _is_same(item: object, value: object) -> bool:
    return item is value or (type(item) is type(value) and (bool(np.all(item == value)) or item != item))
