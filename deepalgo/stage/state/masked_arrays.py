"""Arrays whose length depends on data: what a mask keeps, and the positions where it holds."""

from __future__ import annotations

from dataclasses import dataclass

from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import DataLength, Signal


class Masked(DataLength):
    """`array[mask]` with a mask that depends on data: good for arithmetic with the same mask, for sums, and for storing back.

    It is an array of its own, which can be written to; `array` holds its numbers where they were before the mask.
    """

    python = "numpy.ndarray"
    fields = ("array", "mask")

    __slots__ = ("array", "mask")

    def __init__(self, array: Array, mask: Signal) -> None:
        self.array = array
        self.mask = mask

    @property
    def signal(self) -> Signal:
        """The numbers that it holds now, and some at the places that the mask drops."""
        held = self.array.held
        assert isinstance(held, Signal)
        return held


def kept(machine: Machine, signal: Signal, mask: Signal) -> Masked:
    """The numbers that a mask keeps, as a new array."""
    return Masked(machine.heap.created(Array(signal)), mask)


@dataclass(frozen=True, slots=True, eq=False)
class Positions(DataLength):
    """`np.nonzero(mask)` with a mask that depends on data: good as an index, where it is as good as the mask."""

    mask: Signal


def same_computation(machine: Machine, a: Signal, b: Signal, depth: int = 8) -> bool:
    """Whether two Signals are the same operation on the same values."""
    if a.value == b.value:
        return True
    one, other = machine.definition(a), machine.definition(b)
    if depth == 0 or one is None or other is None or one.name != other.name or len(one.args) != len(other.args):
        return False
    if dict(one.attrs).items() - {("site", None)} != dict(other.attrs).items() - {("site", None)} and one.name != "weight":
        return False
    if one.name == "weight":
        return one.attr("key") == other.attr("key")
    pairs = zip(one.args, other.args, strict=True)
    return all(same_computation(machine, Signal(x, "py"), Signal(y, "py"), depth - 1) for x, y in pairs)
