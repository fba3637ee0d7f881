"""`Grower`: rebuilds the program of a network with more weights in it; what was trained so far is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeGuard

import torch
from torch import Tensor

from deepalgo.backends.targets import COMPILED
from deepalgo.errors import TensorizeError
from deepalgo.ir import (
    Attr,
    Block,
    Kind,
    Op,
    Program,
    Role,
    Statement,
    Type,
    Value,
    Weight,
    defined,
    walk,
)
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ir.standing import Standing
from deepalgo.lower.passes import run
from deepalgo.network import Network
from deepalgo.spans import Span


class Grower(Rewriter):
    """A rewriter that makes weights, and at the end a network."""

    def __init__(self, network: Network) -> None:
        super().__init__(Fresh.of(network.program))
        self.network = network
        self.entries: dict[str, Weight] = {weight.key: weight for weight in network.program.weights}
        self.values: dict[str, Tensor] = {key: network.weights[key].detach() for key in network.weights}
        #: New weights that take after one that is left alone.
        self.resting: set[str] = set()
        #: Whether the program holds an infinite number, which signals may take over.
        self.meets_infinity = any(_is_infinite(item.attr("value")) for item in walk(network.program.body) if is_constant(item))
        #: What is to happen once a value is defined: what is handed back stands for it from there on.
        self.after: dict[Value, Callable[[Value], Value]] = {}
        #: The variables that can be seen at this place, block by block from the outside in.
        self.scopes: list[dict[str, Value]] = []

    def grow(self) -> Network:
        """The network whose program this rewriter makes of the old one."""
        return self.finish(self.program(self.network.program))

    def program(self, program: Program) -> Program:
        """The program with its body rebuilt."""
        body = self.block(replace(program.body, params=tuple(item.value for item in program.inputs)))
        return replace_results(program, replace(body, params=()))

    def finish(self, program: Program) -> Network:
        """The network that runs this program, with the weights that it uses."""
        program = run(COMPILED, program)
        used = keys_in(program.body)
        grown = self.network.with_program(replace(program, weights=tuple(self.entries[key] for key in self.entries if key in used)))
        grown.to(dtype=self.network.dtype, device=self.network.device)
        with torch.no_grad():
            for key in grown.weights:
                grown.weights[key].copy_(self.values[key])
        for key in grown.weights:
            if key in self.network.weights and not self.entries[key].frozen:
                grown.weights[key].requires_grad_(self.network.weights[key].requires_grad)
        for key in self.resting & {*grown.weights}:
            grown.weights[key].requires_grad_(False)
        grown.train(self.network.training)
        return grown

    def block(self, block: Block) -> Block:
        """The block rebuilt, with a scope of its own."""
        self.scopes.append({})
        rebuilt = super().block(block)
        self.scopes.pop()
        return rebuilt

    def begin(self, block: Block) -> None:
        """Look at what a block is given."""
        self._attend(block.params)

    def visible(self, name: str, what: str) -> Value:
        """The variable of that name as it stands here; `what` asks for it."""
        for scope in reversed(self.scopes):
            if name in scope:
                return self.see((scope[name],))[0]
        known = sorted({known for scope in self.scopes for known in scope})
        raise TensorizeError(f"{what} asks for `{name}`, which is not known there; known are {', '.join(known)}")

    def statement(self, statement: Statement) -> None:
        """Rebuild a statement, and look at what it defines."""
        super().statement(statement)
        self._attend(defined(statement))

    def _attend(self, values: Iterable[Value]) -> None:
        if self.renews:
            return
        for value in values:
            if value in self.after:
                self.env[value] = self.after[value](value)
            if value.name:
                self.scopes[-1][value.name] = value

    def make_weight(
        self, name: str, value: Any, *, birth: Any = None, role: Role = Role.COEFFICIENT, frozen: str = "", span: Span | None = None,
        like: Weight | None = None
    ) -> str:
        """Add a weight under a name that is still free; `value` is what it is now, `birth` what it was before any training.

        `like` is the weight of which it is a copy: what is said of that one, and whether it is left alone, is said of the copy.
        """
        key, number = name, 2
        while key in self.entries:
            key, number = f"{name}_{number}", number + 1
        now = torch.as_tensor(value, dtype=self.network.dtype, device=self.network.device)
        first = now if birth is None else torch.as_tensor(birth, dtype=torch.float64)
        standing = replace(like.standing if like else Standing(), made=True)
        self.entries[key] = Weight(key, as_data(first), tuple(now.shape), role, frozen, span, standing)
        if like is not None and not self.network.weights[like.key].requires_grad:
            self.resting.add(key)
        self.values[key] = now
        return key

    def use(self, key: str, span: Span | None = None, site: Attr = ()) -> Value:
        """Append the reading of a weight; `site` is that of the reading whose place it takes."""
        result = self.fresh.value(Type(Kind.REAL, self.entries[key].shape), key)
        self.out.append(Op(result, "weight", (), (("key", key), ("site", site)), span))
        return result

    def times(self, factor: Value, x: Value) -> Value:
        """`factor * x`. Where x is infinite it stays as it is, so that the gradient of the factor is not `0 * inf`."""
        if not self.meets_infinity:
            return self.product(factor, x)
        ok = self.is_finite(x)
        return self.where(ok, self.product(factor, self.where(ok, x, self.const(0.0))), x)

    def name_last(self, name: str, span: Span | None = None) -> Value:
        """Give the result of the operation that was appended last the name of a variable."""
        last = self.out.pop()
        assert isinstance(last, Op)
        result = self.fresh.value(last.result.type, name)
        self.out.append(replace(last, result=result, span=span or last.span))
        return result

    def birth(self, key: str) -> Tensor:
        """What a weight was before any training."""
        return torch.tensor(self.entries[key].value, dtype=torch.float64)


def replace_results(program: Program, body: Block) -> Program:
    """The program with another body, whose results stand where the old ones stood."""
    assert len(body.results) == len(program.body.results)
    return replace(program, body=body)


def as_data(tensor: Tensor) -> Attr:
    """A tensor as nested tuples, as programs hold it.

    >>> as_data(torch.eye(2))
    ((1.0, 0.0), (0.0, 1.0))
    """
    return _tuples(tensor.tolist())


def _tuples(item: Any) -> Attr:
    return tuple(map(_tuples, item)) if isinstance(item, list) else item


def is_constant(statement: Statement) -> TypeGuard[Op]:
    """Whether a statement is a constant."""
    return isinstance(statement, Op) and statement.is_const


def _is_infinite(value: Attr) -> bool:
    """Whether a number is infinite, or one of a table."""
    return any(map(_is_infinite, value)) if isinstance(value, tuple) else isinstance(value, float) and math.isinf(value)


def keys_in(block: Block) -> set[str]:
    """The weights that a block reads.

    >>> keys_in(Block((), (Op(Value(0, Type(Kind.REAL)), "weight", (), (("key", "gain"),)),), ()))
    {'gain'}
    """
    return {key_of(op) for op in weight_ops(block)}


def weight_ops(block: Block) -> Iterable[Op]:
    """Every reading of a weight in a block and the blocks inside it."""
    return (item for item in walk(block) if isinstance(item, Op) and item.is_weight)


def key_of(op: Op) -> str:
    """The weight that an operation reads."""
    return str(op.attr("key"))
