"""Gradients of the network held against differences of the original; and weights that have none."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.certificate.original import Original, Outcome
from deepalgo.certificate.paths import all_paths
from deepalgo.certificate.report import Dead, Gradients
from deepalgo.certificate.slopes import around, rounding, slope, step
from deepalgo.errors import VerificationError
from deepalgo.ir import Program, Weight

if TYPE_CHECKING:
    from deepalgo.network import Network

#: So many samples, and of an array so many items, are differenced.
MOST_SAMPLES = 32
MOST_ITEMS = 8
#: Of the numbers of a list so many are.
MOST_MEMBERS = 16
#: A derivative may differ from a trusted difference quotient by so much of it.
RTOL = 1e-5


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
        self.heres: dict[int, Outcome] = {}
        self.compared = self.skipped = 0
        self.largest = 0.0

    def check(self, leaves: Sequence[Tensor], samples: Sequence[int]) -> Gradients:
        """Compare the gradients of these samples."""
        gradients = network_gradients(self.network, leaves) if samples else []
        moves = [move for row, sample in enumerate(samples) for move in self._moves(row, sample)]
        for move, steady in zip(moves, self._steady(leaves, moves), strict=True):
            points = self._points(move, around(move.x)) if steady else None
            for output, row in enumerate(gradients):
                found = row[move.place]
                self._compare(move, output, None if points is None else [point[output] for point in points], found, leaves)
        return Gradients(self.compared, self.skipped, self.largest)

    def _moves(self, row: int, sample: int) -> Iterator[Move]:
        for place, value in enumerate(self.inputs[sample]):
            if place in self.places and isinstance(value, (float, np.ndarray)):
                yield from (Move(row, sample, place, item, float(np.asarray(value)[item])) for item in _items(value))

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
            outcome = self.original.run([*values[: move.place], _replaced(values[move.place], move.item, x), *values[move.place + 1 :]])
            if outcome.error is not None or outcome.hits != here.hits:
                return None
            found.append([project(value) for value in outcome.numbers])
        return found

    def _here(self, sample: int) -> Outcome:
        """What the function does with a sample itself."""
        if sample not in self.heres:
            self.heres[sample] = self.original.run(self.inputs[sample])
        return self.heres[sample]

    def _compare(self, move: Move, output: int, values: list[float] | None, gradient: np.ndarray | None,
                 leaves: Sequence[Tensor]) -> None:
        got = 0.0 if gradient is None else float(gradient[(move.row, *move.item)])
        name = self.program.inputs[move.place].path + (str(list(move.item)) if move.item else "")
        if math.isnan(got):
            raise VerificationError(f"the gradient by `{name}` is not a number", sample=move.sample, expected="finite", got=got)
        expected = None if values is None else slope(values, move.x)
        if values is None or expected is None or _is_absorbed(values, got, move.x):
            self.skipped += 1
            return
        difference, noise = abs(got - expected), rounding(values, move.x)
        if not difference <= RTOL * abs(expected) + noise:
            rough = difference <= 4 * self._roughness(move, output, leaves)
            if not rough and not self._is_no_oracle(move, output, difference, expected):
                what = f"the gradients of output {output} by `{name}` differ"
                raise VerificationError(what, sample=move.sample, expected=expected, got=got)
            self.skipped += 1
            return
        self.compared += 1
        if abs(expected) > noise / RTOL:
            self.largest = max(self.largest, difference / abs(expected))

    def _roughness(self, move: Move, output: int, leaves: Sequence[Tensor]) -> float:
        """How far the network's own derivative moves with the last digits of the inputs: cancellation leaves it few digits."""
        generator = torch.Generator().manual_seed(0)
        near = []
        for leaf in leaves:
            rows = leaf.detach()[[move.row] * 16]
            digits = torch.randint(-4, 5, rows.shape, generator=generator).to(rows)
            near.append(rows * (1 + digits * torch.finfo(rows.dtype).eps) if rows.is_floating_point() else rows)
        _, failures = self.network.outcomes(near)
        if any(failures):
            return math.inf
        found = network_gradients(self.network, near)[output][move.place]
        items = [0.0] if found is None else [float(row[move.item]) for row in found]
        return max(items) - min(items)

    def _is_no_oracle(self, move: Move, output: int, difference: float, expected: float) -> bool:
        """Look again at a quotient that disagrees: the function may be rough, or periodic with less than the step."""
        near = self._points(move, [move.x * (1 + k * 2e-15) for k in range(-4, 5)])
        if near is None:
            return True
        roughness = max(row[output] for row in near) - min(row[output] for row in near)
        if difference <= 4 * roughness / step(move.x):
            return True
        for scale in (0.037, 0.0013):  # no simple fractions of the first step
            points = self._points(move, around(move.x, scale))
            values = None if points is None else [row[output] for row in points]
            closer = None if values is None else slope(values, move.x, scale)
            if values is None or closer is None or abs(closer - expected) > max(difference / 10, 4 * rounding(values, move.x, scale)):
                return True
        return False


def _is_absorbed(values: Sequence[float], got: float, x: float) -> bool:
    """Whether the function stands still because the move is lost in rounding on its way."""
    return got != 0 and len(set(values)) == 1 and abs(got) * step(x) <= 1e-15 * max(1.0, abs(values[0]))


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


def _items(value: Any) -> list[tuple[int, ...]]:
    """The places of an input that are moved: evenly spaced ones of an array."""
    everywhere = list(np.ndindex(np.shape(value)))
    return everywhere[:: max(1, -(-len(everywhere) // MOST_ITEMS))]


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
    for total in _totals(network.execute(inputs)):
        if total is None or not total.requires_grad or not wanted:
            rows.append([None] * len(inputs))
            continue
        found = iter(torch.autograd.grad(total.sum(), wanted, retain_graph=True, allow_unused=True))
        rows.append([_array(next(found)) if leaf.requires_grad else None for leaf in inputs])
    return rows


def _totals(results: Sequence[Tensor]) -> list[Tensor | None]:
    """Each output projected to one number a sample; None for whole numbers."""
    return [_total(result) if result.is_floating_point() or result.is_complex() else None for result in results]


def _total(result: Tensor) -> Tensor:
    flat = result.reshape(len(result), math.prod(result.shape[1:]))
    flat = flat.real if flat.is_complex() else flat
    return flat @ torch.as_tensor(_directions(flat.shape[1]), dtype=flat.dtype, device=flat.device)


def _array(gradient: Tensor | None) -> np.ndarray | None:
    return None if gradient is None else gradient.detach().cpu().numpy()


def dead_weights(network: Network, leaves: Sequence[Tensor]) -> tuple[Dead, ...]:
    """The trainable weights that move no answer on these samples. What is only compared has no gradient."""
    trainable = [weight for weight in network.program.weights if not weight.frozen]
    tensors = [network.weights[weight.key] for weight in trainable]
    totals = [total for total in _totals(network.execute(list(leaves))) if total is not None and total.requires_grad]
    moved = [torch.zeros(weight.shape, dtype=torch.bool) for weight in trainable]
    generator = torch.Generator().manual_seed(0)
    for _ in range(3 if totals and tensors else 0):  # sums with other signs, as two samples may cancel
        signs = [torch.randn(len(total), generator=generator, dtype=torch.float64).to(total) for total in totals]
        whole = torch.stack([total @ sign for total, sign in zip(totals, signs, strict=True)]).sum()
        found = torch.autograd.grad(whole, tensors, retain_graph=True, allow_unused=True)
        moved = [mask if part is None else mask | (part != 0).cpu() for mask, part in zip(moved, found, strict=True)]
    return tuple(_dead(weight, mask) for weight, mask in zip(trainable, moved, strict=True) if not bool(mask.all()))


def _dead(weight: Weight, moved: Tensor) -> Dead:
    place = weight.span.place if weight.span is not None else ""
    return Dead(weight.key, str(weight.role), place, int((~moved).sum()), moved.numel())
