"""How a network is called, as JSON and back. A leaf of an argument is the number of the program's input that it fills."""

from __future__ import annotations

import itertools

from deepalgo.ir import Leaf, Mapping, Program, Sequence, Static, Tree
from deepalgo.signature import Argument, Signature
from deepalgo.storage.check_program import Nonsense
from deepalgo.storage.plain import Json, NotPlain, Tensors, encode_or_recognise
from deepalgo.storage.read_program import read_tree
from deepalgo.storage.write_program import write_tree


def write_signature(signature: Signature, tensors: Tensors) -> Json:
    """The signature; of a fixed argument that is no plain data, the fingerprint is kept."""
    numbers = itertools.count()
    arguments = [[item.name, _argument(item, tensors, numbers)] for item in signature.arguments]
    return {"function": signature.function, "order": list(signature.order), "arguments": arguments, "defaults": list(signature.defaults),
            "star": signature.star, "double_star": signature.double_star, "numpy": sorted(signature.numpy)}


def _argument(argument: Argument, tensors: Tensors, numbers: itertools.count[int]) -> Json:
    try:
        return write_tree(argument.tree, tensors, lambda _: next(numbers), static=encode_or_recognise)
    except NotPlain as error:
        raise NotPlain(f"the fixed argument '{argument.name}': {error}") from None


def read_signature(data: Json, program: Program, tensors: Tensors) -> Signature:
    """The signature of a program; Nonsense unless parameters have names and its leaves are the program's inputs, in order."""
    arguments = tuple(
        Argument(_name(name), read_tree(tree, tensors, lambda number: program.inputs[number].value)) for name, tree in data["arguments"]
    )
    for argument in arguments:
        _check_tree(argument.tree)
    star, double = (None if name is None else _name(name) for name in (data["star"], data["double_star"]))
    signature = Signature(str(data["function"]), tuple(map(_name, data["order"])), arguments, tuple(map(_name, data["defaults"])),
                          star, double, frozenset(map(str, data["numpy"])))
    if signature.inputs() != program.inputs:
        raise Nonsense("the arguments are not the inputs of the program")
    return signature


def _name(data: Json) -> str:
    if not isinstance(data, str) or not data.isidentifier():
        raise Nonsense(f"{data!r:.60} is no name of a parameter")
    return data


def _check_tree(tree: Tree) -> None:
    match tree:
        case Sequence(items=items):
            for item in items:
                _check_tree(item)
        case Mapping(keys=keys, items=items):
            if len(keys) != len(items):
                raise Nonsense("an argument has other keys than items")
            for item in items:
                _check_tree(item)
        case Leaf() | Static():
            return
