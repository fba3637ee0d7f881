"""`widen`: a number that multiplies, or a signal on its way, becomes a linear operator that is the identity at birth.

>>> import deepalgo as da, numpy as np
>>> from deepalgo.tensorize.structures import Dense
>>> def distance(x, y):
...     gap = x - y
...     return np.sqrt(np.sum(gap * gap))
>>> example = (np.zeros(3), np.zeros(3)), {}
>>> mahalanobis = widen(da.compile(distance, example=example), "gap", Dense())
>>> mahalanobis.weights
name       value         role         place  trainable
gap_dense  [3, 3] array  coefficient         yes
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import torch

from deepalgo.errors import TensorizeError
from deepalgo.ir import Attr, Block, Op, Program, Value, used, walk
from deepalgo.network import Network
from deepalgo.ops.table import TABLE
from deepalgo.tensorize.find import find_signal, named_signals
from deepalgo.tensorize.grow import Grower, key_of, weight_ops
from deepalgo.tensorize.kronecker import Kronecker, find_slice, find_start, lift
from deepalgo.tensorize.structures import Structure
from deepalgo.tensorize.suggestion import Suggestion, applies


def widen(
    network: Network, target: str, structure: Structure | Kronecker, *, line: int | None = None, until: str | None = None
) -> Network:
    """Let a linear operator stand where a number multiplies vectors, or where a signal passes.

    `target` is a weight that is a number, or the name of a variable; of a variable that is assigned at several lines, `line`
    picks one. For `Kronecker`, `until` names the variable at which the copies meet again.
    """
    if isinstance(structure, Kronecker):
        return lift(network, target, structure, line, until)
    if not isinstance(structure, Structure):
        known = "Scalar, Diagonal, Dense, Toeplitz, BlockToeplitz, LowRank, Product and Kronecker"
        raise TensorizeError(f"{structure!r} is no structure; there are {known}")
    if until is not None:
        raise TensorizeError("`until` is for Kronecker, whose copies have to meet somewhere")
    if line is None and target in network.weights and network.weights[target].dim() == 0 or _is_table(network, target):
        return _Factor(network, target, structure).grow()
    return _Edge(network, find_signal(network.program, target, line), target, structure).grow()


def _is_table(network: Network, target: str) -> bool:
    """Whether a weight is a table of which all that is ever used are single numbers: one for every round, call or candidate."""
    if target not in network.weights:
        return False
    rows = {op.result for op in weight_ops(network.program.body) if key_of(op) == target}
    for item in walk(network.program.body):
        if isinstance(item, Op) and (_keeps(item) or _negates(item)) and rows.intersection(item.args[:1]):
            rows.add(item.result)
        elif any(row.type.shape for row in rows.intersection(used(item))):
            return False
    return any(not row.type.shape for row in rows)


def _keeps(op: Op) -> bool:
    """Whether an operation hands on its first operand, or a part of it."""
    return TABLE[op.name].takes or op.name == "to_real"


def _negates(op: Op) -> bool:
    return op.name == "neg"


class _Edge(Grower):
    """Applies an operator to a signal wherever it is defined."""

    def __init__(self, network: Network, values: list[Value], name: str, structure: Structure) -> None:
        super().__init__(network)
        self.structure = structure
        shape = values[0].type.shape
        structure.check(shape)
        one = torch.ones((), dtype=network.dtype)
        self.keys = {part: self.make_weight(_joined(name, structure.name, part), tensor)
                     for part, tensor in structure.weights(one, shape, name).items()}
        self.after = dict.fromkeys(values, self._widened)

    def _widened(self, value: Value) -> Value:
        weights = {part: self.use(key) for part, key in self.keys.items()}
        return self.structure.act(self, weights, self.see((value,))[0])


class _Factor(Grower):
    """Replaces the products of a weight with vectors; on the way there it may only be picked from a table or negated."""

    def __init__(self, network: Network, key: str, structure: Structure) -> None:
        super().__init__(network)
        self.key, self.structure = key, structure
        self.weight = self.entries[key]
        if self.weight.frozen:
            raise TensorizeError(f"the weight `{key}` is frozen: {self.weight.frozen}")
        self.keys: dict[str, str] = {}
        self.shape: tuple[int, ...] | None = None
        #: The weights of the operator, where the program has the number.
        self.stand_in: dict[Value, dict[str, Value]] = {}
        #: Where the program has the number with the other sign; the result of the operator gets it, as not every operator has a sign.
        self.opposite: set[Value] = set()
        self.shape = _operand_shape(network, key)
        structure.check(self.shape)
        self._make()

    def _make(self) -> None:
        now, birth, old = self.values[self.key], self.birth(self.key), self.weight
        order = list(self.entries)
        del self.entries[self.key]
        assert self.shape is not None
        first = self.structure.weights(birth, self.shape, self.key)
        unbounded = replace(old, standing=replace(old.standing, low=-math.inf, high=math.inf))  # other numbers: half of them start at 0
        for part, tensor in self.structure.weights(now, self.shape, self.key).items():
            name = _joined(self.key, part)
            self.keys[part] = self.make_weight(name, tensor, birth=first[part], role=old.role, span=old.span, like=unbounded)
        self.entries = {key: self.entries[key] for key in [*order, *(key for key in self.entries if key not in order)]}

    def op(self, op: Op) -> None:
        if op.is_weight and key_of(op) == self.key:
            self.stand_in[op.result] = {part: self.use(key, op.span, op.attr("site")) for part, key in self.keys.items()}
            return
        known = [arg for arg in op.args if arg in self.stand_in]
        if not known:
            super().op(op)
            return
        (name,) = known
        weights = self.stand_in[name]
        if op.name == "mul":
            (other,) = self.see(tuple(arg for arg in op.args if arg != name))
            acted = self.structure.act(self, weights, other)
            self.env[op.result] = self.add("neg", acted) if name in self.opposite else acted
        elif _negates(op):
            self.stand_in[op.result] = weights
            self.opposite |= set() if name in self.opposite else {op.result}
        elif op.args[0] == name and _keeps(op):
            self.stand_in[op.result] = {part: self.kept(op, value) for part, value in weights.items()}
            self.opposite |= {op.result} if name in self.opposite else set()
        else:
            raise _refusal(self.key, op)

    def kept(self, op: Op, part: Value) -> Value:
        """The same part of a weight of the operator, whose own axes stand behind those of the table."""
        own: tuple[Attr, ...] = (("slice", None, None, None),) * (len(part.type.shape) - len(op.args[0].type.shape))
        attrs = tuple((name, (*key, *own) if name == "key" and isinstance(key, tuple) and "..." in key else key) for name, key in op.attrs)
        return self.add(op.name, part, *self.see(op.args[1:]), attrs=attrs)

    def see(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        if any(value in self.stand_in for value in values):
            raise _refusal(self.key, None)
        return super().see(values)


def _operand_shape(network: Network, key: str) -> tuple[int, ...]:
    """The shape of what a weight multiplies."""
    rows = {op.result for op in weight_ops(network.program.body) if key_of(op) == key}
    shapes: set[tuple[int, ...]] = set()
    _follow(network.program.body, key, rows, shapes)
    if len(shapes) > 1:
        raise TensorizeError(f"`{key}` multiplies arrays of different shapes: {', '.join(map(str, sorted(shapes)))}")
    if not shapes:
        raise TensorizeError(f"`{key}` multiplies nothing")
    return shapes.pop()


def _follow(block: Block, key: str, rows: set[Value], shapes: set[tuple[int, ...]]) -> None:
    for item in walk(block):
        if isinstance(item, Op) and rows.intersection(item.args):
            if _keeps(item) or _negates(item):
                rows.add(item.result)
            elif item.name == "mul":
                shapes.add(next((arg for arg in item.args if arg not in rows), item.args[0]).type.shape)
            else:
                raise _refusal(key, item)


def _refusal(key: str, op: Op | None) -> TensorizeError:
    where = f" at {op.span.place}" if op is not None and op.span is not None else ""
    what = f"`{op.name}`" if op is not None else "something else"
    return TensorizeError(f"`{key}` can only be widened where it multiplies, and here it enters {what}{where}; widen a signal instead")


def _joined(*parts: str) -> str:
    return "_".join(part for part in parts if part)


def suggestions(network: Network) -> Iterator[Suggestion]:
    """Arrays that a matrix could mix, and signals that could become several."""
    program = network.program
    for value, span in named_signals(program):
        name, rank = value.name, len(value.type.shape)
        if rank:
            yield Suggestion(f"widen(net, {name!r}, {'Dense' if rank == 1 else 'BlockToeplitz'}())", f"`{name}` is {value.type}", span)
        if applies(_find_lift, program, name):
            yield Suggestion(f"widen(net, {name!r}, Kronecker(2))", f"what comes of `{name}` meets again", span)


def _find_lift(program: Program, name: str) -> None:
    find_slice(program, find_start(program, name, None), name, None)
