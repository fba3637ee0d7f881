"""Files of format 1 as format 2 has them: whose operation it is, what a check guards, and the classes above an error are found again.

Format 1 wrote a check at the place of the operation that raises by itself, and none for an operation of NumPy's.

>>> root = {"op": "sqrt", "result": 1, "args": [0], "span": 7}
>>> upgrade({"values": [[0, "REAL", [], "x"], [1, "REAL", [], ""]], "body": {"body": [root]}})
>>> root["by"], root["guard"]
('numpy', 0)
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from itertools import chain

from deepalgo.ir import By
from deepalgo.ops.row import Hazard
from deepalgo.ops.table import TABLE
from deepalgo.storage.plain import Json

#: Where a statement keeps its blocks, and a handler its own.
BLOCKS = ("then", "else", "body", "while", "try")


def upgrade(program: Json) -> None:
    """Write what is missing into the JSON of a program."""
    numpy = {number for number, _, shape, _ in program["values"] if shape}
    statements = list(_statements(program["body"]))
    guards: dict[int, int] = {}
    for statement in statements:
        if "check" in statement:
            statement["bases"] = list(_bases(statement["error"]))
            span = statement["span"]
            statement["guard"] = 0 if span is None else guards.setdefault(span, len(guards) + 1)
    for statement in statements:
        if "op" in statement:
            statement["guard"] = guards.get(statement["span"], 0)
            is_array = statement["result"] in numpy
            met = not statement["guard"] and not numpy.isdisjoint(statement["args"])
            statement["by"] = (By.NUMPY if is_array or met or _is_left_open(statement) else By.PYTHON).value
            if statement["by"] == By.NUMPY:
                numpy.add(statement["result"])


def _is_left_open(op: Json) -> bool:
    """Whether an operation that would raise in Python has no check."""
    row = TABLE.get(op["op"])
    return row is not None and row.hazard is Hazard.ARISES and not op["guard"]


def _bases(name: str) -> tuple[str, ...]:
    found = getattr(builtins, name, None)
    above = found.__mro__[1:] if isinstance(found, type) and issubclass(found, BaseException) else ()
    return tuple(base.__name__ for base in above if issubclass(base, BaseException))


def _statements(block: Json) -> Iterator[Json]:
    """All statements, in the order of the text."""
    waiting = [iter(block["body"])]
    while waiting:
        for statement in waiting[-1]:
            yield statement
            inner = [statement[key] for key in BLOCKS if isinstance(statement.get(key), dict)]
            inner += [handler["block"] for handler in statement.get("handlers", ())]
            if inner:
                waiting.append(chain.from_iterable([held["body"] for held in inner]))
                break
        else:
            waiting.pop()
