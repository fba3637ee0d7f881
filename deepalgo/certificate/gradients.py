"""Gradients of the network by its inputs, held against differences of the original."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.certificate.account import Account, are_finite, is_no_oracle
from deepalgo.certificate.original import CallOutcome, Original
from deepalgo.certificate.paths import all_paths
from deepalgo.certificate.report import Gradients
from deepalgo.certificate.slopes import around
from deepalgo.errors import VerificationError
from deepalgo.ir import Program

if TYPE_CHECKING:
    from deepalgo.network import Network

#: So many samples, and of an array so many items, are differenced.
MOST_SAMPLES = 32
MOST_ITEMS = 8
#: Of the numbers of a list so many are.
MOST_MEMBERS = 16
#: So many lines of the function are run in all, unless that would leave fewer than FEWEST moves.
MOST_LINES = 300_000
FEWEST = 12


@dataclass(frozen=True, slots=True)
class Move:
    """An input (or an item of it) of a sample that is moved: the sample's row and number, the input and its item."""

    row: int
    sample: int
    place: int
    item: tuple[int, ...]
    x: float


class GradientCheck:
    """Collects the differences between both gradients; raises at the first that is too large."""

    def __init__(self, network: Network, original: Original, inputs: Mapping[int, Sequence[Any]]) -> None:
        self.network = network
        self.program: Program = network.program
        self.original = original
        self.inputs = inputs
        self.places = moved_inputs(self.program)
        self.heres: dict[int, CallOutcome] = {}
        self.account = Account()

    def check(self, leaves: Sequence[Tensor], samples: Sequence[int]) -> Gradients:
        """Compare the gradients of these samples."""
        gradients = network_gradients(self.network, leaves) if samples else []
        moves = self._affordable([move for row, sample in enumerate(samples) for move in self._moves(row, sample)])
        for move, steady in zip(moves, self._steady(leaves, moves), strict=True):
            points = self._points(move, around(move.x)) if steady else None
            for output, row in enumerate(gradients):
                found = row[move.place]
                self._compare(move, output, None if points is None else [point[output] for point in points], found, leaves)
        return Gradients(self.account.compared, self.account.skipped, self.account.largest)

    def _affordable(self, moves: list[Move]) -> list[Move]:
        """Evenly spaced ones where the function takes long: each costs four runs."""
        if len(moves) <= FEWEST:
            return moves
        lines = max(1, self._here(moves[0].sample).hits.total())
        most = max(FEWEST, MOST_LINES // (4 * lines))
        return moves if len(moves) <= most else [moves[round(place)] for place in np.linspace(0, len(moves) - 1, most)]

    def _moves(self, row: int, sample: int) -> Iterator[Move]:
        for place, value in enumerate(self.inputs[sample]):
            if place in self.places and isinstance(value, (float, np.ndarray)):
                yield from (Move(row, sample, place, item, float(np.asarray(value)[item])) for item in items_of(value))

    def _steady(self, leaves: Sequence[Tensor], moves: Sequence[Move]) -> list[bool]:
        """For which moves the network takes the same path at all five points: a line of the function may hide two paths."""
        rows = torch.tensor([move.row for move in moves], dtype=torch.long).repeat_interleave(5)
        moved = [leaf.detach()[rows] for leaf in leaves]
        for number, move in enumerate(moves):
            for k, x in enumerate(around(move.x)):
                moved[move.place][(5 * number + k, *move.item)] = x
        paths = all_paths(self.network, moved) if moves else []
        return [len(set(paths[5 * number : 5 * number + 5])) == 1 and paths[5 * number] is not None for number in range(len(moves))]

    def _points(self, move: Move, at: Sequence[float]) -> list[list[float]] | None:
        """The outputs at points around an input; None if the function takes another path at one of them."""
        values = self.inputs[move.sample]
        here, found = self._here(move.sample), []
        for x in at:
            moved = [*values[: move.place], _replaced(values[move.place], move.item, x), *values[move.place + 1 :]]
            outcome = self.original.run(moved) if x != move.x else here
            if outcome.error is not None or outcome.hits != here.hits:
                return None
            found.append([project(value) for value in outcome.numbers])
        return found

    def _here(self, sample: int) -> CallOutcome:
        """What the function does with a sample itself, called once more: it may remember earlier calls."""
        if sample not in self.heres:
            self.heres[sample] = self.original.run(self.inputs[sample])
        return self.heres[sample]

    def _compare(self, move: Move, output: int, values: list[float] | None, gradient: np.ndarray | None,
                 leaves: Sequence[Tensor]) -> None:
        got = 0.0 if gradient is None else float(gradient[(move.row, *move.item)])
        name = self.program.inputs[move.place].path + (str(list(move.item)) if move.item else "")
        if math.isnan(got) and are_finite(*self.inputs[move.sample], self._here(move.sample).numbers[output]):
            raise VerificationError(f"the gradient by `{name}` is not a number", sample=move.sample, expected="finite", got=got)

        def doubt(difference: float, expected: float) -> bool:
            rough = difference <= 4 * self._roughness(move, output, leaves)
            return rough or is_no_oracle(lambda at: self._points(move, at), move.x, output, difference, expected)

        expected = self.account.compare(got, values, move.x, doubt, self.inputs[move.sample])
        if expected is not None:
            what = f"the gradients of output {output} by `{name}` differ"
            raise VerificationError(what, sample=move.sample, expected=expected, got=got)

    def _roughness(self, move: Move, output: int, leaves: Sequence[Tensor]) -> float:
        """How far the network's own derivative moves with the last digits of the inputs: cancellation leaves it few digits."""
        near = near_rows(leaves, move.row)
        _, failures = self.network.outcomes(near)
        if any(failures):
            return math.inf
        found = network_gradients(self.network, near)[output][move.place]
        items = [0.0] if found is None else [float(row[move.item]) for row in found]
        return max(items) - min(items)


def near_rows(leaves: Sequence[Tensor], row: int) -> list[Tensor]:
    """Sixteen copies of a sample whose inputs differ in their last digits."""
    generator = torch.Generator().manual_seed(0)
    near = []
    for leaf in leaves:
        rows = leaf.detach()[[row] * 16]
        digits = torch.randint(-4, 5, rows.shape, generator=generator).to(rows)
        near.append(rows * (1 + digits * torch.finfo(rows.dtype).eps) if rows.is_floating_point() else rows)
    return near


def moved_inputs(program: Program) -> set[int]:
    """The inputs that are moved: evenly spaced ones of a list.

    >>> from deepalgo.ir import Block, Input, Kind, Static, Type, Value
    >>> inputs = [Input("gain", Value(0, Type(Kind.REAL)))]
    >>> inputs += [Input(f"series[{number}]", Value(1 + number, Type(Kind.REAL))) for number in range(40)]
    >>> sorted(moved_inputs(Program("f", tuple(inputs), (), Block((), (), ()), Static(None))))
    [0, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40]
    """
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(program.inputs):
        groups.setdefault(re.sub(r"\[\d+\]", "[]", item.path), []).append(place)
    return {place for group in groups.values() for place in group[:: max(1, -(-len(group) // MOST_MEMBERS))]}


def items_of(value: Any, most: int = MOST_ITEMS) -> list[tuple[int, ...]]:
    """The places of an input that are moved: evenly spaced ones of an array."""
    everywhere = list(np.ndindex(np.shape(value)))
    return everywhere[:: max(1, -(-len(everywhere) // most))]


def _replaced(value: Any, item: tuple[int, ...], moved: float) -> Any:
    if not isinstance(value, np.ndarray):
        return type(value)(moved)
    copy = value.copy()
    copy[item] = moved
    return copy


def project(value: Any) -> float:
    """One number for each output: itself, or a sum in which no two items weigh the same."""
    items = np.asarray(value).reshape(-1)
    return float(np.real(items) @ _directions(len(items)))


def _directions(size: int) -> np.ndarray:
    return np.cos(np.arange(size, dtype=float)) if size > 1 else np.ones(size)


def network_gradients(network: Network, leaves: Sequence[Tensor]) -> list[list[np.ndarray | None]]:
    """The gradient of each projected output by each input, for all samples at once: they do not know of each other."""
    inputs = [leaf.detach().clone().requires_grad_(leaf.is_floating_point()) for leaf in leaves]
    wanted = [leaf for leaf in inputs if leaf.requires_grad]
    rows: list[list[np.ndarray | None]] = []
    for total in totals_of(network.execute(inputs)):
        if total is None or not total.requires_grad or not wanted:
            rows.append([None] * len(inputs))
            continue
        found = iter(torch.autograd.grad(total.sum(), wanted, retain_graph=True, allow_unused=True))
        rows.append([_array(next(found)) if leaf.requires_grad else None for leaf in inputs])
    return rows


def totals_of(results: Sequence[Tensor]) -> list[Tensor | None]:
    """Each output projected to one number a sample; None for whole numbers."""
    return [_total(result) if result.is_floating_point() or result.is_complex() else None for result in results]


def _total(result: Tensor) -> Tensor:
    flat = result.reshape(len(result), math.prod(result.shape[1:]))
    flat = flat.real if flat.is_complex() else flat
    return flat @ torch.as_tensor(_directions(flat.shape[1]), dtype=flat.dtype, device=flat.device)


def _array(gradient: Tensor | None) -> np.ndarray | None:
    return None if gradient is None else gradient.detach().cpu().numpy()
