"""Small random heuristics of two numbers, as source text: constants everywhere, branches, loops, and functions that fail for some numbers.

>>> import numpy as np
>>> text = write_heuristic(np.random.default_rng(8))
>>> text.splitlines()[0], "def heuristic(x, y):" in text, text.rstrip().splitlines()[-1].startswith("    return ")
('import math', True, True)
"""

from __future__ import annotations

import numpy as np

EXPRESSIONS = (
    "{c} * {a} + {d} * {b}",
    "{c} * {a} * {b} - {d}",
    "{c} + abs({a}) ** {d}",
    "{c} * math.exp(-{d} * abs({a}))",
    "{c} * math.sin({d} * {a}) + {b}",
    "max({c} * {a}, {d} * {b})",
    "{a} / ({c} + {b} * {b})",
    "math.sqrt({a} + {c}) * {d}",  # has no answer for some numbers
    "{c} * math.log({a} + {d})",
    "{c}",
)
STATEMENTS = (
    "    z = {one}",
    "    if {a} > {c}:\n        z = {one}\n    else:\n        z = {two}",
    "    if {a} < {c}:\n        return {one}\n    z = {two}",
    "    for _ in range(3):\n        z = 0.5 * z + 0.3 * ({one})",
    "    while z * z < abs({a}) + {c}:\n        z = abs(z) * 1.3 + 0.1\n        if z > 50.0:\n            break",
    "    z = {c} if {a} > {d} else -{c}",  # a step: no gradient at all
)


def write_heuristic(random: np.random.Generator) -> str:
    """The text of a module with a function `heuristic(x, y)`."""
    statements = "\n".join(_fill(random, str(random.choice(STATEMENTS))) for _ in range(random.integers(1, 4)))
    return f"import math\n\n\ndef heuristic(x, y):\n    z = 1.0\n{statements}\n    return z + {_number(random)}\n"


def _fill(random: np.random.Generator, template: str) -> str:
    inner = {name: _expression(random) for name in ("one", "two")}
    return template.format(**inner, **_atoms(random))


def _expression(random: np.random.Generator) -> str:
    return str(random.choice(EXPRESSIONS)).format(**_atoms(random))


def _atoms(random: np.random.Generator) -> dict[str, str]:
    a, b = random.choice(["x", "y", "z"], 2, replace=False)
    return {"a": str(a), "b": str(b), "c": _number(random), "d": _number(random)}


def _number(random: np.random.Generator) -> str:
    size = random.uniform(0.1, 2.5) if random.random() < 0.8 else 10 ** random.uniform(-5, 4)
    return str(float(f"{size:.3g}"))
