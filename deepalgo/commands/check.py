"""`deepalgo check`: whether a function compiles, what of it can be trained, and where it could grow."""

from __future__ import annotations

from collections import Counter

import deepalgo
from deepalgo.commands.target import Example, Target, load_function, parse_example, told
from deepalgo.ir import Program, walk


def check(target: Target, example: Example = "") -> None:
    """Print what compiles: weights, where the function could grow, and a summary; or the reason why it is refused.

    Example: deepalgo check heat.py:loss --example "30.0"
    """
    with told("check"):
        function, call = load_function(target), parse_example(example)
        network = deepalgo.compile(function, example=call)
    print(network.weights)
    suggestions = deepalgo.suggest(network)
    if suggestions:
        print(f"\n{suggestions}")
    for note in network.notes:
        print(f"\n{note}")
    print(f"\n{summarise(network.program)}")


def summarise(program: Program) -> str:
    """Count what a program is made of.

    >>> from deepalgo.ir import Block, Input, Kind, Leaf, Op, Type, Value
    >>> x, y = Value(0, Type(Kind.REAL), "x"), Value(1, Type(Kind.REAL))
    >>> print(summarise(Program("double", (Input("x", x),), (), Block((), (Op(y, "add", (x, x)),), (y,)), Leaf(0))))
    double: 1 input, 0 weights (0 trainable), 1 operation, 0 checks, 0 branches, 0 loops
    """
    kinds = Counter(type(statement).__name__ for statement in walk(program.body))
    trainable = sum(not weight.frozen for weight in program.weights)
    counts = {
        "input": len(program.inputs),
        "weight": len(program.weights),
        "operation": kinds["Op"],
        "check": kinds["Check"],
        "branch": kinds["If"] + kinds["Try"],
        "loop": kinds["Loop"] + kinds["While"],
    }
    parts = {noun: f"{count} {_plural(noun, count)}" for noun, count in counts.items()}
    parts["weight"] += f" ({trainable} trainable)"
    return f"{program.name}: {', '.join(parts.values())}"


def _plural(noun: str, count: int) -> str:
    if count == 1:
        return noun
    return noun + ("es" if noun.endswith("ch") else "s")
