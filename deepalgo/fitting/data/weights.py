"""How much each sample counts: `sample_weight=` of a call of `fit`.

>>> inputs, weights = taken({"x": [1.0, 2.0, 3.0], "trust": [2.0, 1.0, 0.0]}, "trust")
>>> sorted(inputs), weights
(['x'], [2.0, 1.0, 0.0])
>>> with_weights(Samples([torch.tensor([1.0, 2.0, 3.0])], None), weights).weights
tensor([2., 1., 0.], dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from deepalgo.errors import InputError
from deepalgo.fitting.data.samples import Samples


def taken(inputs: Any, weight: Any) -> tuple[Any, Any]:
    """The inputs without the column that a name stands for, and the weights; None where every sample counts alike."""
    if not isinstance(weight, str):
        return inputs, weight
    if hasattr(inputs, "columns") and hasattr(inputs, "__getitem__"):
        inputs = {str(name): np.asarray(inputs[name]) for name in inputs.columns}
    if not isinstance(inputs, Mapping):
        raise InputError(f"sample_weight='{weight}' names a column, but the inputs have none: give a dict or a data frame")
    if weight not in inputs:
        raise InputError(f"there is no column '{weight}'; there are {', '.join(map(str, inputs))}")
    return {name: column for name, column in inputs.items() if name != weight}, inputs[weight]


def with_weights(samples: Samples, weight: Any) -> Samples:
    """Samples with a weight for each, whose mean is 1."""
    if weight is None:
        return samples
    found = torch.as_tensor(np.array(weight, np.float64, copy=True))
    if found.shape != (samples.size,):
        raise InputError(f"there are {samples.size} samples, but sample_weight has the shape {tuple(found.shape)}")
    if not bool(found.isfinite().all()) or bool((found < 0).any()) or not bool(found.any()):
        raise InputError("sample_weight must be finite numbers of at least 0, not all of them 0")
    first = samples.leaves[0]
    return replace(samples, weights=(found / found.mean()).to(first.device))
