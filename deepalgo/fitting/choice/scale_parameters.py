"""Which weights are variances or other scale parameters, so that a logarithmic scale suits them.

They are called so, or their sign has no meaning: with the other sign all answers are the same, or none is left.

>>> import math
>>> from deepalgo.compiler import compile
>>> def likelihood(x, middle=1.0, variance=2.0, width=0.5, k=3.0):
...     return k * math.log(width) + (x - middle) ** 2 / (2 * variance)
>>> scale_parameters(compile(likelihood), [torch.linspace(0, 5, 20, dtype=torch.float64)])
{'variance', 'width'}
"""

from __future__ import annotations

import re
from collections.abc import Collection

import torch
from torch import Tensor

from deepalgo.network import Network

#: Words in the names of such weights.
WORDS = frozenset({"var", "variance", "sigma", "sd", "std", "stdev", "noise"})
#: No more weights and samples than these are tried.
MOST_WEIGHTS, SAMPLES = 30, 64


def scale_parameters(net: Network, leaves: list[Tensor], keys: Collection[str] | None = None) -> set[str]:
    """The single numbers above 0, of these weights or of all, that are scale parameters on these samples."""
    asked = [weight for weight in net.weights.entries if not weight.frozen and (keys is None or weight.key in keys)]
    single = [weight.key for weight in asked if not weight.shape and net.weights[weight.key] > 0]
    named = {key for key in single if WORDS & set(re.split(r"[\W\d_]+", key.lower()))}
    others = [key for key in single if key not in named]
    if len(others) > MOST_WEIGHTS:
        return named
    probe = net.with_errors("nan")
    some = [leaf[torch.linspace(0, len(leaf) - 1, min(SAMPLES, len(leaf))).long()] for leaf in leaves]
    answers = _answers(probe, some)
    return named | {key for key in others if _has_no_sign(probe, key, some, answers)}


def _has_no_sign(probe: Network, key: str, leaves: list[Tensor], answers: Tensor) -> bool:
    """Whether the other sign leaves no sample with an answer, or every one as it was, though the size of the weight matters."""
    known = answers.isfinite()
    turned = _changed(probe, key, -1.0, leaves)
    is_lost = not bool(turned[known].isfinite().any())
    if not bool(known.any()) or not (is_lost or torch.equal(turned[known], answers[known])):
        return False
    larger = _changed(probe, key, 1.25, leaves)
    return bool(larger[known].isfinite().any()) if is_lost else not torch.equal(larger[known], answers[known])


def _changed(probe: Network, key: str, factor: float, leaves: list[Tensor]) -> Tensor:
    tensor = probe.weights[key]
    value = tensor.detach().clone()
    with torch.no_grad():
        tensor.copy_(factor * value)
        answers = _answers(probe, leaves)
        tensor.copy_(value)
    return answers


def _answers(probe: Network, leaves: list[Tensor]) -> Tensor:
    with torch.no_grad():
        return torch.cat([result.reshape(-1).to(probe.dtype) for result in probe.execute(list(leaves)) if not result.is_complex()])
