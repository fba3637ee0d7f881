"""Transformations: each takes a network and returns one with more weights that gives the same answers.

One transformation a file, which has the function of its name and `suggestions(network)`, the places where it applies.
`TRANSFORMATIONS` lists them: the public names of the package, `deepalgo tune --tensorize` and `da.suggest` derive from it. `grow` holds
what they share: rebuilding a program with new weights while the trained values of the old ones are kept; `find` is how a user names
the loop, the signal or the weight that is meant.

>>> [item.name for item in TRANSFORMATIONS if item.takes_data]
['soften']
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Transformation:
    """A transformation by its public name, which is the name of its module, too.

    `companions` are further public names, by the module of `deepalgo.tensorize` that has them. One that `takes_data` is given the inputs
    beside the network, to measure something on them.
    """

    name: str
    companions: tuple[tuple[str, str], ...] = ()  # a module, and names in it
    takes_data: bool = False

    @property
    def module(self) -> str:
        """Where it lives."""
        return f"{__name__}.{self.name}"

    @property
    def public(self) -> dict[str, str]:
        """Its public names and their modules."""
        named = {name: f"{__name__}.{module}" for module, names in self.companions for name in names.split()}
        return {self.name: self.module, **named}


#: All transformations, in the order in which they are suggested.
TRANSFORMATIONS = (
    Transformation("untie"),
    Transformation("remember"),
    Transformation("choose", companions=(("choose", "Adds Scales Steps"),)),
    Transformation(
        "widen",
        companions=(("structures", "BlockToeplitz Dense Diagonal LowRank Product Scalar Toeplitz"), ("kronecker", "Kronecker")),
    ),
    Transformation("soften", companions=(("soften", "anneal"),), takes_data=True),
    Transformation("correct"),
    Transformation("guard"),
)
