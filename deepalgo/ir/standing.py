"""What the source says of a weight as far as training asks: who declares it, who reads it, and whether it trains by default.

>>> from deepalgo.ir.program import Weight
>>> gain = Weight("gain", 2.0, standing=Standing(Declared.FUNCTION, ("pid",)))
>>> total = Weight("total", 0.0, standing=Standing(reads=("pid",), still="a sum that starts at zero"))
>>> why_still([gain, Weight("mass", 1.5), total])
{'gain': '', 'mass': 'gain is declared', 'total': 'a sum that starts at zero'}
>>> why_still([Weight("mass", 1.5), total])
{'mass': '', 'total': 'a sum that starts at zero'}
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepalgo.ir.program import Weight

#: Why a weight is frozen that data may free.
WHOLE_EXPONENT = "a whole exponent of a base that may be negative"
#: So many names stand in a sentence.
NAMED = 4


class Declared(enum.StrEnum):
    """Who declares a parameter: nobody, a default of a helper or a class, or the function itself and whoever wrote `da.weight`."""

    NOBODY = ""
    HELPER = "helper"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Standing:
    """`reads` are the functions that read it. `still` is why it does not train unless somebody names it, or ''.

    `made` says that a transformation made it or gave it a value of its own; `low` and `high` are the bounds that the source says.
    """

    declared: Declared = Declared.NOBODY
    reads: tuple[str, ...] = ()
    still: str = ""
    made: bool = False
    low: float = -math.inf
    high: float = math.inf


def why_still(weights: Iterable[Weight]) -> dict[str, str]:
    """For each weight why it does not train by default, or ''.

    Where anything declares parameters these train, else the constants of the text; what a transformation made trains always.
    """
    weights = list(weights)
    declared = _declared(weights)
    return {weight.key: _why(weight, declared) for weight in weights}


def is_declared(weights: Iterable[Weight]) -> bool:
    """Whether the function or one of its helpers declares a parameter that can be trained."""
    return bool(_declared(list(weights)))


def _declared(weights: list[Weight]) -> list[str]:
    free = [weight for weight in weights if not weight.frozen and not weight.standing.still]
    own = [weight.key for weight in free if weight.standing.declared is Declared.FUNCTION]
    helpers = [weight.key for weight in free if weight.standing.declared is Declared.HELPER and weight.role != "threshold"]
    return own or helpers


def _why(weight: Weight, declared: list[str]) -> str:
    if weight.frozen:
        return weight.frozen
    if weight.standing.made or weight.key in declared:
        return ""
    if weight.standing.still or not declared:
        return weight.standing.still
    more = f" and {len(declared) - NAMED} more" if len(declared) > NAMED else ""
    return f"{', '.join(declared[:NAMED])}{more} {'is' if len(declared) == 1 else 'are'} declared"
