"""`show`: what a pass makes of a program, for the examples of passes.

>>> from dataclasses import replace
>>> show(lambda program: replace(program, name="g"), '''
... f(x: real)
...   %y = add %x 1.0
...   return %y
... ''')
g(x: real)
  %y = add %x 1.0
  return %y
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from deepalgo.ir.parse import parse
from deepalgo.ir.program import Program

Pass: TypeAlias = Callable[[Program], Program]


def show(passes: Pass | tuple[Pass, ...], text: str) -> None:
    """Print the program of a text after a pass, or after several in order."""
    program = parse(text)
    for each in passes if isinstance(passes, tuple) else (passes,):
        program = each(program)
    print(program)  # noqa: T201  # that is what it is for
