"""The names of the two operations without operands, where values of a program come from besides its inputs."""

from __future__ import annotations

from typing import Final

#: A number or an array that is written in the program: the attribute `value`.
CONST: Final = "const"
#: A weight of the program: the attribute `key` says which, `site` the calls and unrolled rounds that this use belongs to.
WEIGHT: Final = "weight"
