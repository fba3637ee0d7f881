"""One engine of what is known at a place of a program: `varies`, `constants`, `truths`, `ranges`, and `Facts`, which puts them together."""

from deepalgo.ir.facts.constants import constants
from deepalgo.ir.facts.engine import Facts
from deepalgo.ir.facts.knowing import Knowing, Learning
from deepalgo.ir.facts.varies import Level, find_levels

__all__ = ["Facts", "Knowing", "Learning", "Level", "constants", "find_levels"]
