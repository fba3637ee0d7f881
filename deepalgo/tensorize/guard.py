"""`guard`: of the answers of the network and of the heuristic each sample gets the better one, by a criterion.

>>> import deepalgo as da, torch
>>> def root(s):
...     return 0.5 * (1.0 + s)
>>> net = guard(da.compile(root), by=lambda x, s: abs(x * x - s))
>>> with torch.no_grad():
...     _ = net.weights["c2"].fill_(9.0)
>>> net(3.0).item()
2.0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deepalgo.compiler import compile
from deepalgo.emit.code_errors import can_fail
from deepalgo.emit.rewriter import Fresh
from deepalgo.errors import CompileError, TensorizeError
from deepalgo.ir import Block, Handler, Kind, Leaf, Mapping, Program, Static, Tree, Try, Value, leaves
from deepalgo.ir import Sequence as Items
from deepalgo.network import Network
from deepalgo.tensorize.grow import Grower
from deepalgo.tensorize.inline import check_criterion, inline, parameters


def guard(network: Network, by: Callable[..., Any]) -> Network:
    """Let every sample have the better of two answers: the network's, or the one of the heuristic as it was compiled.

    `by` is a function of the answer, as the heuristic returns it, and of inputs by their names, that returns a number: the smaller
    the better. So by this criterion no sample is ever worse off than with the heuristic, seen in training or not.
    """
    if network.program is network.heuristic and not network.program.weights:
        raise TensorizeError(f"{network.program.name} has no weights, so there is nothing to guard")
    return _Guard(network, by).guarded()


class _Guard(Grower):
    """Writes both programs one after the other."""

    def __init__(self, network: Network, by: Callable[..., Any]) -> None:
        super().__init__(network)
        self.fresh = Fresh(max(Fresh.of(network.program).next, Fresh.of(network.heuristic).next))
        self.by = by

    def guarded(self) -> Network:
        """The network that gives the better answers."""
        program = self.network.program
        inputs = tuple(item.value for item in program.inputs)
        criterion, names = self._criterion()
        known = {item.path: item.value for item in program.inputs}
        others = [known[name] for name in names]
        old = inline(self, self.network.heuristic, inputs)
        old_score = self._score(criterion, old, others, program.output, old)[-1]
        *new, new_score = self._score(criterion, None, others, program.output, old)
        # Of equally good ones the network's is taken: at birth they all are, and its weights are to learn.
        better = self.add("and", self.add("le", new_score, old_score), self.add("lt", new_score, self.const(math.inf)))
        results = tuple(self._either(better, mine, theirs) for mine, theirs in zip(new, old, strict=True))
        body = Block((), tuple(self.out), results)
        at = dict(zip(program.body.results, range(len(results)), strict=True))
        changes = tuple((path, results[at[value]]) for path, value in program.changes)
        return self.finish(replace(program, body=body, output=_relabel(program.output, iter(results)), changes=changes))

    def _either(self, better: Value, mine: Value, theirs: Value) -> Value:
        if mine.type.shape:
            shape = mine.type.shape
            better = self.add("broadcast", self.add("reshape", better, attrs=(("shape", (1,) * len(shape)),)), attrs=(("shape", shape),))
        return self.add("select", better, mine, theirs)

    def _criterion(self) -> tuple[Program, list[str]]:
        _, *names = parameters(self.by)
        known = {item.path: item.value.type for item in self.network.program.inputs}
        for name in names:
            if name not in known:
                raise TensorizeError(f"the criterion asks for `{name}`; the inputs are {', '.join(known)}")
        output = _example(self.network.program.output)
        args = [output, *(np.ones(known[name].shape) if known[name].shape else 1.0 for name in names)]
        try:
            program = compile(self.by, example=(tuple(args), {})).program
        except CompileError as error:
            raise TensorizeError(f"the criterion cannot be compiled:\n{error}") from None
        return check_criterion(program, "the criterion"), names

    def _score(
        self, criterion: Program, answer: Sequence[Value] | None, others: Sequence[Value], output: Tree, fallback: Sequence[Value]
    ) -> tuple[Value, ...]:
        """The answer and its score; the network's own where none is given. Where it fails, the fallback and infinity."""
        outer, self.out = self.out, []
        inputs = [item.value for item in self.network.program.inputs]
        if answer is None:
            answer = inline(self, self.network.program, inputs, fixed={})
        count = sum(1 for _ in leaves(output))
        numbers = [value for value in answer[:count] if value.type.kind >= Kind.REAL]
        (score,) = inline(self, criterion, (*numbers, *others))
        score = score if score.type.kind == Kind.REAL else self.add("to_real", score)
        score = self.add("select", self.add("eq", score, score), score, self.const(math.inf))
        results = (*answer, score)
        body, self.out = Block((), tuple(self.out), results), outer
        if not any(map(can_fail, body.body)):
            self.out.extend(body.body)
            return results
        outer, self.out = self.out, []
        worst = self.const(math.inf)
        handler = Handler(("Exception",), Block((), tuple(self.out), (*fallback, worst)))
        self.out = outer
        made = tuple(self.fresh.value(value.type, value.name) for value in results)
        self.out.append(Try(made, body, (handler,)))
        return made


class Unknown:
    """A count or a flag among the answers, which a criterion cannot use."""


def _example(tree: Tree) -> Any:
    """A value of the structure that the heuristic returns."""
    match tree:
        case Leaf(value):
            if value.type.kind < Kind.REAL:
                return Unknown()
            one = np.ones(value.type.shape, dtype=complex if value.type.kind == Kind.COMPLEX else float)
            return one if value.type.shape else one.item()
        case Static(item):
            return item
        case Items(kind, items):
            return (list if kind == "list" else tuple)(_example(item) for item in items)
        case Mapping(_, keys, items):
            return {key: _example(item) for key, item in zip(keys, items, strict=True)}


def _relabel(tree: Tree, values: Any) -> Tree:
    match tree:
        case Leaf():
            return Leaf(next(values))
        case Static():
            return tree
        case Items() | Mapping():
            return replace(tree, items=tuple(_relabel(item, values) for item in tree.items))

