"""Random calls of functions and methods that have rules, with random subsets of their options, one to four to a program.

>>> program = generate(3)
>>> program.source == generate(3).source
True
"""

from __future__ import annotations

import functools
import math
import random
from typing import Any

import numpy as np

from tests.fuzz.option_values import call, functions, random_options, value
from tests.fuzz.program import Program
from tests.fuzz.small_program import Draft

PREAMBLE = "import math\nimport numpy as np"
ORDINARY, TIES, TRIES = 3, 4, 60
SHAPES = {"v": (4,), "w": (3,), "m": (2, 3), "s": (3, 3)}
#: Methods of arrays, with their parameters.
METHODS = {
    "sum": ("axis", "keepdims"), "mean": ("axis", "keepdims"), "max": ("axis", "keepdims"), "min": ("axis", "keepdims"), "prod": ("axis",),
    "std": ("axis", "ddof", "keepdims"), "var": ("axis", "ddof"), "ravel": ("order",), "flatten": ("order",), "reshape": ("shape", "order"),
    "cumsum": ("axis",), "argmax": ("axis",), "argmin": ("axis",), "round": ("decimals",), "clip": ("a_min", "a_max"),
    "take": ("indices", "axis"), "repeat": ("repeats", "axis"), "swapaxes": ("axis1", "axis2"), "diagonal": ("offset",),
    "trace": ("offset",), "transpose": (), "copy": ("order",), "any": ("axis",), "all": ("axis",), "squeeze": (), "tolist": (),
    "item": ("k",),
}
#: Parameters of methods that only go by position.
BY_POSITION = frozenset({"shape", "k"})


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random_options(seed)
    names = rng.sample(sorted(SHAPES), rng.randint(1, 2)) + rng.sample(["x", "items"], rng.randint(0, 2))
    samples = [{name: _drawn(name, rng, number < ORDINARY) for name in names} for number in range(ORDINARY + TIES)]
    draft = Draft(rng, {name: [sample[name] for sample in samples] for name in names}, PREAMBLE)
    used: set[str] = set()
    wanted = rng.choice((1, 2, 2, 3, 4))
    for _ in range(TRIES):
        label, text = _method(draft) if rng.random() < 0.25 else _function(draft)
        if text is not None and draft.add(text) is not None:
            used.add(label)
        if len(draft.made) == wanted:
            break
    if not draft.made:
        draft.add(f"{names[0]} * 1.0")
    return Program(seed, draft.text("program"), "program", tuple(samples), {}, frozenset(used), "options", ORDINARY)


def _drawn(name: str, rng: random.Random, ordinary: bool) -> Any:
    """Numbers anywhere, or distinct quarters, which may equal the numbers in a call; an unstable sort has one answer for them."""
    count = 4 if name == "items" else math.prod(SHAPES.get(name, (1,)))
    numbers = [rng.uniform(-3.0, 3.0) if ordinary else number * 0.25 for number in rng.sample(range(-12, 13), count)]
    if name == "x":
        return numbers[0]
    return numbers if name == "items" else np.array(numbers).reshape(SHAPES[name])


@functools.cache
def _functions() -> dict[str, Any]:
    return functions()


def _function(draft: Draft) -> tuple[str, str | None]:
    label = draft.rng.choice(list(_functions()))
    text = call(draft, label, _functions()[label])
    if label in ("np.argsort", "np.sort") and text is not None and "kind" not in text:
        text = f"{text[:-1]}, kind='stable')"
    return label, text


def _method(draft: Draft) -> tuple[str, str | None]:
    owners = draft.of("vector", "matrix", "block")
    if not owners:
        return "", None
    owner, name = draft.rng.choice(owners), draft.rng.choice(list(METHODS))
    texts = []
    by_position = True
    for parameter in METHODS[name]:
        text = value(draft, f"array.{name}", parameter)
        if text is None or (parameter != "shape" and draft.rng.random() < 0.4):
            by_position = False
            continue
        by_position &= parameter in BY_POSITION or draft.rng.random() < 0.5
        texts.append(text if by_position or parameter in BY_POSITION else f"{parameter}={text}")
    return f".{name}", f"{owner}.{name}({', '.join(texts)})"
