"""A network that asks Python itself: it answers as a right compiler would, and shows what the checker says of wrong ones.

`spoil` is called with what is being computed and the right numbers, and returns what to answer instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch

from deepalgo.errors import HeuristicError
from tests.fuzz.instrument import Literal, flat
from tests.fuzz.oracle import Oracle, weight
from tests.fuzz.program import Program

Spoil = Callable[[str, list[float]], list[float]]
Known = dict[tuple[Any, ...], float]


def standin(program: Program, spoil: Spoil | None = None) -> Callable[..., Any]:
    """A compiler for one program."""
    known: Known = {}
    spoil = spoil or (lambda what, numbers: numbers)
    return lambda function, example, **options: Standin(program, options.get("errors", "raise"), spoil, known)


@dataclass(frozen=True)
class _Place:
    line: int
    column: int
    end_column: int


class _Weights(torch.nn.Module):
    def __init__(self, literals: list[Literal]) -> None:
        super().__init__()
        self.entries = [SimpleNamespace(key=f"w{item.index}", value=item.value, shape=(), frozen="",
                                        span=_Place(item.line, item.column, item.end_column)) for item in literals]
        for item in literals:
            self.register_parameter(f"w{item.index}", torch.nn.Parameter(torch.tensor(item.value, dtype=torch.float64)))

    def __getitem__(self, key: str) -> torch.nn.Parameter:
        return self.get_parameter(key)


class Standin(torch.nn.Module):
    """Looks like a network; inside, the oracle runs."""

    def __init__(self, program: Program, errors: str, spoil: Spoil, known: Known) -> None:
        super().__init__()
        self.program = program
        self.errors = errors
        self.spoil = spoil
        self.known = known
        self.weights = _Weights(Oracle(program).runs.literals)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        names = list(self.program.parameters)
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        columns = {name: torch.as_tensor(given[name], dtype=torch.float64) for name in self.program.inputs()}
        single = all(column.dim() == 0 for column in columns.values())
        rows = [column.detach().reshape(-1).tolist() for column in columns.values()]
        samples = tuple(dict(zip(columns, row, strict=True)) for row in zip(*rows, strict=True))
        oracle = Oracle(Program(self.program.seed, self.program.source, self.program.entry, samples, self.program.config))
        if oracle.raising and self.errors == "raise":
            first = oracle.results[oracle.raising[0]]
            same = [number for number in oracle.raising if oracle.results[number].error == first.error]
            raise HeuristicError(first.error, "", span=None, samples=same, size=len(samples))
        shape: Any = next((result.value for result in oracle.results if not result.error), None)
        leaves = _Ask.apply(self, oracle, list(columns), *columns.values(), *self.weights.parameters())
        return _rebuild(shape, iter(leaf[0] if single else leaf for leaf in leaves))

    def slope(self, oracle: Oracle, sample: int, by: str | Literal) -> float:
        """A derivative, remembered, because each takes four runs."""
        key = (*oracle.program.samples[sample].values(), by)
        if key not in self.known:
            found = oracle.input_slope(sample, by) if isinstance(by, str) else oracle.literal_slope(sample, by)
            self.known[key] = found.value if found else 0.0
        return self.known[key]


class _Ask(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, net: Standin, oracle: Oracle, names: list[str], *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.net, ctx.oracle, ctx.names, ctx.shapes = net, oracle, names, [tensor.shape for tensor in tensors]
        count = max((len(flat(result.value)) for result in oracle.results if not result.error), default=1)
        columns = []
        for place in range(count):
            values = [float("nan") if result.error else float(flat(result.value)[place]) for result in oracle.results]
            columns.append(torch.tensor(net.spoil(f"value {place}", values), dtype=torch.float64))
        return tuple(columns)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        oracle, scale = ctx.oracle, [item / weight(0) for item in cotangents[0].tolist()]
        found = []
        for name in ctx.names:
            numbers = [part * ctx.net.slope(oracle, sample, name) for sample, part in enumerate(scale)]
            found.append(torch.tensor(ctx.net.spoil(f"by {name}", numbers), dtype=torch.float64))
        for literal in oracle.runs.literals:
            total = sum(part * ctx.net.slope(oracle, sample, literal) for sample, part in enumerate(scale) if part)
            found.append(torch.tensor(ctx.net.spoil(f"by literal {literal.index}", [total])[0], dtype=torch.float64))
        return (None, None, None, *(item.reshape(shape) for item, shape in zip(found, ctx.shapes, strict=True)))


def _rebuild(shape: Any, leaves: Any) -> Any:
    match shape:
        case tuple() | list():
            return type(shape)(_rebuild(item, leaves) for item in shape)
        case dict():
            return {key: _rebuild(item, leaves) for key, item in shape.items()}
        case _:
            return next(leaves)
