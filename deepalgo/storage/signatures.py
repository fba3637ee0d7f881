"""How a network is called, as JSON and back. A leaf of an argument is the number of the program's input that it fills."""

from __future__ import annotations

import itertools

from deepalgo.ir import Mapping, Program, Sequence, Slot, Static, Tree, Type, changed
from deepalgo.ir.check import DEEPEST_TREE, Nonsense, check_structure
from deepalgo.ir.names import is_name
from deepalgo.ir.paths import parse_path
from deepalgo.signature import Argument, Signature
from deepalgo.storage.plain import Json, NotPlain, Tensors, encode_or_recognise
from deepalgo.storage.read_program import listed, read_tree, text, whole
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
        Argument(_name(name), read_tree(tree, tensors, lambda number: Slot(program.inputs[whole(number)].value)))
        for name, tree in listed(data["arguments"])
    )
    star, double = (None if name is None else _name(name) for name in (data["star"], data["double_star"]))
    signature = Signature(text(data["function"]), tuple(map(_name, listed(data["order"]))), arguments,
                          tuple(map(_name, listed(data["defaults"]))), star, double, frozenset(map(text, listed(data["numpy"]))))
    check_signature(signature, program)
    return signature


def check_signature(signature: Signature, program: Program) -> None:
    """Every parameter once, every argument of a structure that a call can have, and the inputs and changes those of the program."""
    held = {argument.name: argument.tree for argument in signature.arguments}
    stars = [name for name in (signature.star, signature.double_star) if name is not None]
    for names in ([*signature.order, *stars], [*held], [*signature.defaults], [argument.name for argument in signature.arguments]):
        _require(len(set(names)) == len(names), "a parameter occurs twice")
    _require(not held.keys() & set(signature.defaults), "a parameter has an argument and its default")
    for argument in signature.arguments:
        _check_tree(argument.tree, 0)
    _require(isinstance(held.get(signature.star or "", Sequence("tuple", ())), Sequence), "`*` takes no sequence")
    _require(isinstance(held.get(signature.double_star or "", Mapping("dict", (), ())), Mapping), "`**` takes no dict")
    _require(signature.inputs() == program.inputs, "the arguments are not the inputs of the program")
    _require(signature.numpy <= {item.path for item in program.inputs}, "numbers of NumPy that are no inputs")
    for path, value in changed(program):
        name, keys = parse_path(path)
        _require(name in held, f"{path!r:.60} is changed and is no argument")
        _require(_can_be_changed(held[name], keys, value.type), f"{path!r:.60} cannot be changed to {value.type}")


def _can_be_changed(tree: Tree, keys: tuple[object, ...], type_: Type) -> bool:
    """Whether a call leaves a place in the argument that can hold this: an array of its shape, or an item of a list or dict."""
    holder: Tree | None = None
    for key in keys:
        holder = tree
        match tree:
            case Sequence(items=items) if type(key) is int and 0 <= key < len(items):
                tree = items[key]
            case Mapping(keys=names, items=items) if key in names:
                tree = items[names.index(key)]
            case _:
                return False
    if isinstance(tree, Slot) and tree.value.type.shape:
        return tree.value.type.shape == type_.shape and type_.kind <= tree.value.type.kind
    is_holder = isinstance(holder, Sequence) and holder.kind == "list" or isinstance(holder, Mapping) and holder.kind == "dict"
    return is_holder and not type_.shape and isinstance(tree, (Slot, Static))


def _name(data: Json) -> str:
    if not isinstance(data, str) or not is_name(data):
        raise Nonsense(f"{data!r:.60} is no name of a parameter")
    return data


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise Nonsense(complaint)


def _check_tree(tree: Tree, depth: int) -> None:
    _require(depth <= DEEPEST_TREE, "an argument is nested too deeply")
    check_structure(tree)
    if isinstance(tree, (Sequence, Mapping)):
        for item in tree.items:
            _check_tree(item, depth + 1)
