"""Recompute rounds in the backward pass: without their checks, because samples that failed in the forward pass are gone.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %ok = gt %x 0.0
...   check %ok guard 1 else ValueError('math domain error')
...   %y = log %x guard 1
...   return %y
... ''')
>>> [type(statement).__name__ for statement in RunAgain(Fresh.of(program), 100).copy(program.body).body]
['Op', 'Op', 'Op']
"""

from __future__ import annotations

from dataclasses import replace

from deepalgo.ir import Check, While
from deepalgo.ir.rewriter import Fresh, Rewriter


class RunAgain(Rewriter):
    """Copies without checks; loops that end by data are known to end within the largest number of `rounds`."""

    def __init__(self, fresh: Fresh, rounds: int) -> None:
        super().__init__(fresh)
        self.rounds = rounds

    def check(self, check: Check) -> None:
        """It held the first time."""

    def guard(self, number: int) -> int:
        """There are no checks that an operation could share a number with."""
        return 0

    def repeat(self, loop: While) -> None:
        """It ended the first time."""
        super().repeat(replace(loop, bound=self.rounds) if loop.bound is None else loop)
