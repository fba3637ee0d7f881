"""`Contender`: a network that competes with the heuristic, and the choice among them.

The heuristic is the first contender. A later one is taken only if it is better, beyond noise, than the one that is held.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.judge.floor import PairedComparison, compare
from deepalgo.fitting.report.summary import EQUAL
from deepalgo.ir import Block, Op, Program, Statement, Value, blocks, defined, used, walk
from deepalgo.network import Network

HEURISTIC, GIVEN, CONSTANTS, TENSORIZED = "heuristic", "as given", "tuned constants", "tensorized"


@dataclass(slots=True, eq=False)
class Contender:
    """A network, the losses of the validation and test samples, and how it was compared with the one held before it."""

    name: str
    network: Network
    validation: Tensor
    test: Tensor = field(default_factory=lambda: torch.zeros(0))
    comparison: PairedComparison | None = None
    training: dict[str, Any] = field(default_factory=dict)
    refused: str = ""  # why it takes no part in the choice


def select(contenders: list[Contender], is_seen: bool = False, groups: Tensor | None = None) -> Contender:
    """The contender that is held in the end; `is_seen` says that training has seen the samples by which it is selected.

    `groups` are those of the samples, of which each counts as one.

    One that is no clear gain over tuned constants is taken all the same if it is not worse on the whole and, unlike them, worse than the
    heuristic on no sample: that is what a guard is for.
    """
    heuristic = held = contenders[0]
    for contender in contenders[1:]:
        contender.comparison = compare(held.validation, contender.validation, is_seen, groups=groups)
        if contender.refused:
            continue
        if contender.comparison.better or (held is not heuristic and _is_safer(contender, held, heuristic, is_seen, groups)):
            held = contender
    return held


def _is_safer(contender: Contender, held: Contender, heuristic: Contender, is_seen: bool, groups: Tensor | None) -> bool:
    comparison = compare(held.validation, contender.validation, is_seen, groups=groups)
    safe, risky = _is_harmless(contender, heuristic), not _is_harmless(held, heuristic)
    gains = compare(heuristic.validation, contender.validation, is_seen, groups=groups).better
    return safe and risky and comparison.after <= comparison.before and gains


def _is_harmless(contender: Contender, heuristic: Contender) -> bool:
    """Whether no validation sample has a higher loss than with the heuristic."""
    return not bool((contender.validation > heuristic.validation * (1 + EQUAL)).any())


def heuristic_of(net: Network) -> Network:
    """The heuristic as it was compiled, with the constants that a person wrote; samples on which it raises are NaN."""
    return _network(net, net.heuristic)


def constants_of(net: Network) -> Network:
    """The same to be trained: constants that the caller leaves alone in the network that was given stay as they are."""
    made = heuristic_of(net)
    for weight in made.weights.entries:
        if not weight.frozen and weight.key in net.weights and not net.weights[weight.key].requires_grad:
            made.weights[weight.key].requires_grad_(False)
    return made


def trainable_copy(net: Network) -> Network:
    """A copy to be trained, which gives NaN where the heuristic raises."""
    twin = copy.deepcopy(net)
    twin.errors = "nan"
    return twin


def inherit(net: Network, tuned: Network) -> None:
    """Let a network that has grown begin with tuned constants; a constant that was untied gives its value to every round."""
    with torch.no_grad():
        for weight in net.weights.entries:
            if weight.key in tuned.weights:
                tensor, constant = net.weights[weight.key], tuned.weights[weight.key]
                if tensor.shape[tensor.dim() - constant.dim() :] == constant.shape:
                    tensor.copy_(constant.expand(tensor.shape))


def is_tensorized(net: Network) -> bool:
    """Whether anything was added to the heuristic."""
    return net.program is not net.heuristic and net.program != net.heuristic


def is_guarded(net: Network) -> bool:
    """Whether each answer is one of two, the second of which no weight can change: what `guard` makes of a network."""
    body = net.program.body
    makers = {value: statement for statement in body.body for value in defined(statement)}
    choices = [makers.get(result) for result in body.results]
    return all(isinstance(op, Op) and op.is_choice and not _is_trainable(op.args[2], makers) for op in choices)


def _is_trainable(value: Value, makers: dict[Value, Statement]) -> bool:
    """Whether a weight has a part in a value."""
    asked, seen = [value], set[Value]()
    while asked:
        value = asked.pop()
        if value in seen or value not in makers:
            continue
        seen.add(value)
        for inner in walk(Block((), (makers[value],), ())):
            if isinstance(inner, Op) and inner.is_weight:
                return True
            asked += [*used(inner), *(result for block in blocks(inner) for result in block.results)]
    return False


def is_untouched(net: Network) -> bool:
    """Whether all weights have the values that they were born with."""
    return all(_is_born(net, weight.key, weight.value) for weight in net.weights.entries)


def _is_born(net: Network, key: str, value: Any) -> bool:
    return torch.equal(net.weights[key].detach().cpu(), torch.tensor(value, dtype=net.dtype))


def _network(net: Network, program: Program) -> Network:
    made = net.with_program(program)
    made.errors = "nan"
    return made.to(dtype=net.dtype, device=net.device)
