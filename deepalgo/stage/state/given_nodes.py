"""Syntax nodes that stand for a value at hand, or for the result of a function of ours."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any


class Given(ast.expr):
    """An expression whose value is there already."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Asked(ast.expr):
    """An expression that a function of ours computes when it is evaluated."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        super().__init__()
        self.ask = ask
