"""Compile written text into a function whose lines tracebacks and debuggers can show.

>>> load("def double(run, x):\\n    return x * 2,", "double")(None, 4)
(8,)
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

import torch

from deepalgo.backends.torch.parse_deep import is_deep, parse_deep
from deepalgo.ops import forms
from deepalgo.ops.forms import careful

_numbers = itertools.count(1)


def load(text: str, name: str) -> Callable[..., Any]:
    """Execute the text and return the function that it defines."""
    file = f"<deepalgo {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, [line + "\n" for line in text.splitlines()], file)
    space: dict[str, Any] = {"torch": torch, "ops": forms, "careful": careful, "inf": float("inf"), "nan": float("nan")}
    exec(compile(parse_deep(text) if is_deep(text) else text, file, "exec"), space)
    defined = [item for key, item in space.items() if callable(item) and getattr(item, "__code__", None) and key != "ops"]
    function: Callable[..., Any] = defined[-1]
    return function
