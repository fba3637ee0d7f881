"""`--tensorize "untie(net, 3)"`: transformations as `deepalgo check` suggests them, applied to a network."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import deepalgo
from deepalgo.commands.target import UsageError
from deepalgo.tensorize import TRANSFORMATIONS

if TYPE_CHECKING:
    from deepalgo.network import Network

#: The transformations by name.
NAMED = {item.name: item for item in TRANSFORMATIONS}


def grow(network: Network, call: str, names: Mapping[str, Any], inputs: Mapping[str, Any]) -> Network:
    """Apply one transformation. Its arguments are literals, structures of deepalgo, and functions of the user's file.

    A bare name stands for a call with the network alone; a transformation that takes data is given them.
    """
    function, args, keywords = _parse(call, names)
    if NAMED[function].takes_data:
        keywords = {**keywords, **inputs}
    grown: Network = getattr(deepalgo, function)(network, *args, **keywords)
    return grown


def _parse(call: str, names: Mapping[str, Any]) -> tuple[str, list[Any], dict[str, Any]]:
    try:
        node = ast.parse(call.strip(), mode="eval").body
    except SyntaxError:
        raise _refusal(call) from None
    if isinstance(node, ast.Name):
        node = ast.Call(node, [], [])
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in NAMED:
        raise _refusal(call)
    args = [item for item in node.args if not isinstance(item, ast.Starred)]
    if args and isinstance(args[0], ast.Name) and args[0].id == "net":
        args = args[1:]
    values = [_value(item, call, names) for item in args]
    return node.func.id, values, {item.arg: _value(item.value, call, names) for item in node.keywords if item.arg is not None}


def _value(node: ast.expr, call: str, names: Mapping[str, Any]) -> Any:
    """A literal, a function of the user's, or a structure such as `Dense()`."""
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[:1].isupper() and node.func.id in dir(deepalgo):
        inner = [_value(item, call, names) for item in node.args]
        return getattr(deepalgo, node.func.id)(*inner, **{item.arg: _value(item.value, call, names) for item in node.keywords if item.arg})
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise UsageError(f"--tensorize `{call}`: `{ast.unparse(node)}` is neither a literal nor a name in the file") from None
    if value is ...:
        raise UsageError(f"--tensorize `{call}`: put the name of a function of the file in the place of `...`")
    return value


def _refusal(call: str) -> UsageError:
    return UsageError(f"--tensorize takes a call of {', '.join(sorted(NAMED))}, as `deepalgo check` suggests them, not `{call}`")
