"""Seeded changes of JSON, as a careless or a hostile hand would make them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

#: What a text with code would leave behind if anything ran it.
MARK = "CAUGHT"
CODE = f"__import__('builtins').__dict__.__setitem__('{MARK}', 1)"
NUMBERS = [
    0,
    1,
    -1,
    2,
    3,
    7,
    31,
    65,
    1000,
    70_000,
    2**24,
    2**31,
    2**53,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    2**64,
    10**30,
    10**400,
    0.5,
    -0.0,
    1e-320,
    1e300,
    -1e300,
]
TEXTS = [
    "",
    "x",
    "y",
    "run",
    "torch",
    "np",
    "math",
    "class",
    "None",
    "True",
    "if",
    "_",
    "__class__",
    "self",
    "print",
    "int",
    "exec",
    "left",
    "right",
    "...",
    "slice",
    "inf",
    "nan",
    "test_1",
    "body_1",
    "table 0",
    "a b",
    "a.b",
    "x[0]",
    "x['k']",
    "p[0][1]",
    "\u0130",
    "\ufb01",
    "\uff52un",
    "\ud800",
    "\u2028",
    "\x00",
    "a\nb",
    "a\rb",
    "\x0c",
    '"',
    "'",
    '"""',
    "\\",
    "'''\\",
    "{0}",
    "{0!r}",
    "{0:d}",
    "{0:.3f}",
    "{}",
    "{",
    "{9}",
    "%s",
    "ValueError",
    "KeyError",
    "SystemExit",
    "LoopBound",
    "LinAlgError",
    "NoNumber",
    "REAL",
    "INT",
    "BOOL",
    "COMPLEX",
    "float64",
    "<U4",
    "<U999999999",
    "O",
    "(9,9)f8",
    "n" * 400,
    CODE,
    f"x[{CODE}]",
    f"x['{CODE}']",
    f"x]\n{CODE}#[",
    f"x); {CODE}; (",
    f"' + {CODE} + '",
    f'""" + {CODE} + """',
    f"{{0.{CODE}}}",
    f"{{0}} \" ' + {CODE} + '",
    f'{{0}}\\" + {CODE} + "',
    f"{{0:.2f}}' + {CODE} + '\"",
    "{{0}} and {0}",
    "a, (b, [c " * 20,
    ")]} or x, " * 20,
]
OTHERS: list[Any] = [
    None,
    True,
    False,
    [],
    {},
    [[]],
    [0],
    ["x"],
    [None],
    {"tuple": []},
    {"list": [1]},
    {"float": "nan"},
    {"float": "inf"},
    {"int": "9" * 40},
    {"int": "9" * 5000},
    {"complex": [1.0, 2.0]},
    {"complex": ["1", "2"]},
    {"tuple": ["slice", None, None, -1]},
    {"tuple": [{"tuple": ["slice", None, None, 0]}]},
    {"tuple": [{"tuple": ["slice", 1]}]},
    {"tuple": [0]},
    {"tuple": [-1]},
    {"tuple": [10**30]},
    {"tuple": ["..."]},
    {"tuple": [None]},
    {"ellipsis": None},
    {"bytes": "QQ=="},
    {"range": [0, 10**15, 1]},
    {"set": [1, 2]},
    {"dict": [[1, 2]]},
    {"dict": [[{"list": []}, 2]]},
    {"slice": [0, 1, 2]},
    {"fingerprint": ["a", "b", "c"]},
    {"array": ["<f8", [2], {"list": [1.0, 2.0]}]},
    {"array": ["<U999999999", [1], {"list": ["a"]}]},
    {"array": ["O", [1], {"list": ["a"]}]},
    {"tuple": {"tensor": "table 0"}},
    {"tuple": {"tensor": "absent"}},
    {"leaf": 0},
    {"static": "x"},
]

Change = Callable[[Any, random.Random], None]


def anything(held: Any, chance: random.Random) -> Any:
    """Another value for a place: mostly of its own kind."""
    if chance.random() < 0.25:
        return copy.deepcopy(chance.choice(OTHERS))
    match held:
        case bool():
            return chance.choice([not held, 1, 0, None])
        case int() | float():
            return chance.choice([*NUMBERS, held + 1, held - 1, -held, held * 2, float(held), str(held)])
        case str():
            return chance.choice([*TEXTS, held + "x", held[:-1], held.upper(), f"{held}\n", held * 40])
        case list():
            return chance.choice([[], held * 2, held[:-1], held[::-1], [held], *([held[0]] if held else [])])
        case _:
            return copy.deepcopy(chance.choice([*OTHERS, *NUMBERS, *TEXTS]))


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every holder and key below a container."""
    found, waiting = [], [data]
    while waiting:
        holder = waiting.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, item in pairs:
            found.append((holder, key))
            if isinstance(item, (dict, list)):
                waiting.append(item)
    return found


def place(data: Any, chance: random.Random) -> tuple[Any, Any]:
    """One of them: any with equal chances, or a child of a child as far down as chance leads, so that small parts are met as often."""
    if chance.random() < 0.5:
        return chance.choice(places(data))
    holder: Any = data
    while True:
        key = chance.choice([*holder] if isinstance(holder, dict) else [*range(len(holder))])
        inner = holder[key]
        if not isinstance(inner, (dict, list)) or not inner or chance.random() < 0.1:
            return holder, key
        holder = inner


def _replace(data: Any, chance: random.Random) -> None:
    holder, key = place(data, chance)
    holder[key] = anything(holder[key], chance)


def _delete(data: Any, chance: random.Random) -> None:
    holder, key = place(data, chance)
    del holder[key]


def _double(data: Any, chance: random.Random) -> None:
    holder, key = place(data, chance)
    if isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    else:
        holder[chance.choice(TEXTS)] = copy.deepcopy(holder[key])


def _swap(data: Any, chance: random.Random) -> None:
    """Two places of the same list, such as statements or arguments, change their contents."""
    lists = [holder for holder, _ in places(data) if isinstance(holder, list) and len(holder) > 1]
    if lists:
        holder = chance.choice(lists)
        one, other = chance.sample(range(len(holder)), 2)
        holder[one], holder[other] = holder[other], holder[one]


def _copy(data: Any, chance: random.Random) -> None:
    """One place gets what another place of the same key, or any place, holds."""
    holder, key = place(data, chance)
    alike = [(one, name) for one, name in places(data) if name == key] if chance.random() < 0.8 else places(data)
    other, name = chance.choice(alike)
    holder[key] = copy.deepcopy(other[name])


def _wrap(data: Any, chance: random.Random) -> None:
    holder, key = place(data, chance)
    held = holder[key]
    holder[key] = (
        held[0] if isinstance(held, list) and held and chance.random() < 0.5 else [held] if chance.random() < 0.7 else {"tuple": [held]}
    )


CHANGES: dict[str, Change] = {"replace": _replace, "delete": _delete, "double": _double, "swap": _swap, "copy": _copy, "wrap": _wrap}


def double_a_key(text: str, chance: random.Random) -> str:
    """The text of an object with one of its keys twice."""
    spots = [spot for spot in range(len(text)) if text.startswith('{"', spot)]
    spot = chance.choice(spots)
    key = json.loads(f"[{text[spot + 1 : text.index(':', spot)]}]")[0]
    return f"{text[: spot + 1]}{json.dumps(key)}:{json.dumps(chance.choice(TEXTS))},{text[spot + 1 :]}"
