"""What a reader should look at before trusting a fit: weights that could not train, targets that are inputs, constants that moved far.

>>> from deepalgo.compiler import compile
>>> def fall(t):
...     return 4.905 * t ** 2.0
>>> for line in frozen(compile(fall)):
...     print(line.replace(line[line.index("(") : line.index(")") + 1], "(...)"))
not trained: c2_2 = 2.0 (...): a whole exponent of a base that may be negative. Where it never is, abs(base) ** c2_2 lets it train
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from deepalgo.fitting.data.samples import Samples, tensors
from deepalgo.fitting.report.table import count
from deepalgo.fitting.report.weight_changes import WeightChange
from deepalgo.ir import Role, Weight
from deepalgo.network import Network

#: A constant of the user's that moves by a larger part may have met numbers in another unit.
FAR = 0.3
#: So many are named.
NAMED = 20


def frozen(net: Network) -> Iterator[str]:
    """The constants of the source that could not be trained, each with its reason and what can be done."""
    found = [weight for weight in net.weights.entries if weight.frozen and weight.span is not None and not weight.shape]
    for weight in found[:NAMED]:
        place = f" ({weight.role}, {weight.span.place})" if weight.span is not None else ""
        yield f"not trained: {weight.key} = {weight.value}{place}: {weight.frozen}. {_way_out(weight)}"
    if len(found) > NAMED:
        yield f"and {count(len(found) - NAMED, 'constant')} more that could not be trained"


def _way_out(weight: Weight) -> str:
    if weight.role is Role.EXPONENT:
        return f"Where it never is, abs(base) ** {weight.key} lets it train"
    return "It decides what is computed: change it in the source and fit again to compare"


def moved_far(moved: Iterable[WeightChange]) -> Iterator[str]:
    """The user's constants that moved so far that their unit may be another one."""
    far = [item.weight.key for item in moved if item.weight.span is not None and item.born.dim() == 0 and FAR < item.distance < torch.inf]
    if far:
        names = ", ".join(far[:NAMED]) + (" and others" if len(far) > NAMED else "")
        yield f"{names} moved by more than {100 * FAR:.0f} %: are the data in the units of the source?"


def copied(samples: Samples, names: list[str]) -> Iterator[str]:
    """The inputs that the targets repeat, number by number."""
    for target in tensors(samples.targets):
        for name, leaf in zip(names, samples.leaves, strict=True):
            if leaf.shape == target.shape and torch.equal(leaf.to(torch.complex128), target.to(torch.complex128)):
                yield f"the targets are the input '{name}', number by number: is that the column to be learnt?"
