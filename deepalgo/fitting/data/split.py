"""Check the data, and split them into training, validation and test samples.

>>> [len(part) for part in parts(100, 0.2, 0.2, seed=0)]
[60, 20, 20]
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from deepalgo.errors import InputError, name_samples
from deepalgo.fitting.data.samples import Samples, tensors
from deepalgo.ir import Input

#: With fewer samples no two-sided test at 95 % can tell a change from chance: 2 ** -6 < 0.025 < 2 ** -5.
FEWEST = 6


def parts(size: int, validation: float, test: float, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """The numbers of the samples of each part, in random order.

    A part with a share above zero has as many samples as a comparison needs, or a third of the data where they are few.
    """
    fewest = max(1, min(FEWEST, size // 3))
    counts = [max(fewest, round(size * share)) if share > 0 else 0 for share in (validation, test)]
    if size - sum(counts) < 1:
        needed = f"a training part and {sum(share > 0 for share in (validation, test))} more"
        raise InputError(f"{size} sample{'' if size == 1 else 's'} cannot be split into {needed}")
    order = torch.randperm(size, generator=torch.Generator().manual_seed(seed))
    return order[sum(counts) :], order[: counts[0]], order[counts[0] : sum(counts)]


def check_share(name: str, share: Any) -> None:
    """A share of the data is between 0 and 1."""
    if isinstance(share, str) or not 0 < share < 1:
        raise InputError(f'{name}={share!r} must be a share of the data, between 0 and 1, samples of its own, "auto", or None')


def clean(samples: Samples, inputs: tuple[Input, ...], missing: str) -> tuple[Samples, int]:
    """Refuse samples that say nothing: none at all, NaN, or all the same. `missing="drop"` leaves out those with NaN.

    Hands back the samples and how many were left out.
    """
    if len(samples) == 0:
        raise InputError("there are no samples: the inputs are empty")
    names = [f"the input '{item.path}'" for item in inputs]
    columns = [*zip(names, samples.leaves, strict=True), *(("the targets", target) for target in tensors(samples.targets))]
    holes = {name: _rows_with_holes(column) for name, column in columns}
    bad = torch.stack(list(holes.values())).any(0)
    if missing == "drop":
        samples = samples.pick(torch.nonzero(~bad).squeeze(1))
        if len(samples) == 0:
            raise InputError("every sample holds NaN or infinity")
    elif bool(bad.any()):
        name, rows = next((name, rows) for name, rows in holes.items() if bool(rows.any()))
        listed = name_samples(torch.nonzero(rows).squeeze(1).tolist(), len(rows))
        raise InputError(f"there is NaN or infinity in {name}. {listed}. Correct them, or leave them out with missing='drop'.")
    _refuse_constants(samples)
    return samples, int(bad.sum()) if missing == "drop" else 0


def _rows_with_holes(column: Tensor) -> Tensor:
    return ~column.isfinite().reshape(len(column), -1).all(1)


def _refuse_constants(samples: Samples) -> None:
    if len(samples) < 2:
        return
    if all(_is_constant(leaf) for leaf in samples.leaves):
        raise InputError(f"all {len(samples)} samples have the same inputs: there is nothing to learn from them")
    targets = list(tensors(samples.targets))
    if targets and all(_is_constant(target) for target in targets):
        value = targets[0].reshape(-1)[0].item()
        raise InputError(
            f"all targets are the same ({value:g}): a constant would fit them. If this is meant, say it as a residual, e.g. "
            f"residual=lambda output, *inputs: output - {value:g}."
        )


def _is_constant(column: Tensor) -> bool:
    return bool((column == column[:1]).all())
