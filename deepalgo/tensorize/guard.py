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
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from deepalgo.compiler import compile, takes_network
from deepalgo.errors import CompileError, TensorizeError
from deepalgo.ir import Block, Kind, Leaf, Mapping, Program, Slot, Static, Tree, Type, Value, answers, leaves
from deepalgo.ir import Sequence as Items
from deepalgo.ir.rewriter import Fresh
from deepalgo.network import Network
from deepalgo.signature import Signature
from deepalgo.tensorize.attempt import attempt
from deepalgo.tensorize.grow import Grower, replace_results
from deepalgo.tensorize.inline import check_criterion, hidden, inline, parameters, with_source
from deepalgo.tensorize.suggestion import Suggestion


@takes_network
def guard(network: Network, by: Callable[..., Any]) -> Network:
    """Let every sample have the better of two answers: the network's, or the one of the heuristic as it was compiled.

    `by` is a function of the answer, as the heuristic returns it, and of inputs by their names, that returns a number: the smaller
    the better. So by this criterion no sample is ever worse off than with the heuristic, seen in training or not. Where the network
    fails, or its loops do not end, the heuristic's answer is taken.
    """
    if all(weight.frozen for weight in network.program.weights):
        raise TensorizeError(f"{network.program.name} has no trainable weight, so it gives the heuristic's answers: nothing to guard")
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
        criterion, others = self._criterion()
        old = inline(self, self.network.heuristic, inputs)
        self.out = list(map(hidden, self.out))
        score = partial(self._score, criterion, others)
        (old_score,), _ = attempt(self, lambda: (score(old),), lambda: (self.const(math.inf),))
        # One attempt for the answer and its score: where either fails the heuristic's is taken.
        (*new, new_score), _ = attempt(self, lambda: self._scored(score, inputs), lambda: (*old, self.const(math.inf)))
        # Of equally good ones the network's is taken: at birth they all are, and its weights are to learn.
        better = self.all_of(self.at_most(new_score, old_score), self.less(new_score, self.const(math.inf)))
        results = tuple(self._either(better, mine, theirs) for mine, theirs in zip(new, old, strict=True))
        return self.finish(replace_results(program, Block((), tuple(self.out), results)))

    def _either(self, better: Value, mine: Value, theirs: Value) -> Value:
        return self.where(self.filled(better, mine.type.shape), mine, theirs)

    def _criterion(self) -> tuple[Program, list[Value]]:
        _, *names = parameters(self.by, "the criterion")
        known = _arguments(self.network)
        for name in names:
            if name not in known:
                raise TensorizeError(f"the criterion asks for `{name}`; the inputs are {', '.join(known)}")
        program = self.network.program
        args = [_example(program.output, program.body.results), *(_example(known[name]) for name in names)]
        try:
            criterion = compile(with_source(self.by), example=(tuple(args), {})).program
        except CompileError as error:
            raise TensorizeError(f"the criterion cannot be compiled:\n{error}") from None
        slots = [leaf for name in names for leaf in leaves(known[name]) if isinstance(leaf, Slot)]
        return check_criterion(criterion, "the criterion"), [slot.value for slot in slots]

    def _scored(self, score: Callable[[Sequence[Value]], Value], inputs: Sequence[Value]) -> tuple[Value, ...]:
        answer = inline(self, self.network.program, inputs, fixed={})
        return (*answer, score(answer))

    def _score(self, criterion: Program, others: Sequence[Value], answer: Sequence[Value]) -> Value:
        """How bad an answer is; what is no number is infinitely bad."""
        count = len(answers(self.network.program))
        numbers = [value for value in answer[:count] if value.type.kind >= Kind.REAL]
        (score,) = inline(self, criterion, (*numbers, *others))
        return self.add("or_inf", score)


def _arguments(network: Network) -> dict[str, Tree]:
    """The inputs by their names, and arguments that hold several inputs by theirs."""
    at = {item.path: item.value for item in network.program.inputs}
    known: dict[str, Tree] = {path: Slot(value) for path, value in at.items()}
    if isinstance(network.signature, Signature):
        known |= {argument.name: argument.tree for argument in network.signature.arguments}
    return known


class Unknown:
    """A count or a flag among the answers, which a criterion cannot use."""


def _example(tree: Tree, results: Sequence[Value] = ()) -> Any:
    """A value of the structure that the heuristic returns, or of an argument."""
    match tree:
        case Leaf(place):
            return _ones(results[place].type)
        case Slot(value):
            return _ones(value.type)
        case Static(item):
            return item
        case Items(kind, items):
            return (list if kind == "list" else tuple)(_example(item, results) for item in items)
        case Mapping(_, keys, items):
            return {key: _example(item, results) for key, item in zip(keys, items, strict=True)}


def _ones(type: Type) -> Any:
    if type.kind < Kind.REAL:
        return Unknown()
    one = np.ones(type.shape, dtype=complex if type.kind == Kind.COMPLEX else float)
    return one if type.shape else one.item()


def suggestions(network: Network) -> Iterator[Suggestion]:
    """Any network that can be trained."""
    if any(not weight.frozen for weight in network.program.weights):
        yield Suggestion("guard(net, by=...)", "a residual can keep the heuristic's answer where it is better", None)
