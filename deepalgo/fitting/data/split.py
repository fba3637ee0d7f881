"""Check the data, and say how many of them are held out.

>>> sizes(100, 0.2, 0.2)
(20, 20)
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


def sizes(count: int, validation: float, test: float, noun: str = "sample") -> tuple[int, int]:
    """How many units are held out for validation and for test.

    A part with a share above zero has as many as a comparison needs, or a third of the data where they are few.
    """
    fewest = max(1, min(FEWEST, count // 3))
    held = [max(fewest, round(count * share)) if share > 0 else 0 for share in (validation, test)]
    if count - sum(held) < 1:
        needed = f"a training part and {sum(share > 0 for share in (validation, test))} more"
        raise InputError(f"{count} {noun}{'' if count == 1 else 's'} cannot be split into {needed}: validation=None fits all of them")
    return held[0], held[1]


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
    if samples.times is not None:
        return _clean_series(samples, names, missing)
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


def _clean_series(samples: Samples, names: list[str], missing: str) -> tuple[Samples, int]:
    """The same for one series, of which times are left out."""
    for name, leaf in zip(names, samples.leaves, strict=True):
        if not bool(leaf.isfinite().all()):
            raise InputError(f"there is NaN or infinity in {name}, which all of the series depends on")
    bad = torch.stack([_rows_with_holes(target[0]) for target in tensors(samples.targets)]).any(0)
    if bool(bad.all()):
        raise InputError("every time of the series holds NaN or infinity")
    if missing != "drop" and bool(bad.any()):
        listed = name_samples(torch.nonzero(bad).squeeze(1).tolist(), len(bad)).replace("Sample", "Time")
        raise InputError(f"there is NaN or infinity in the targets. {listed}. Correct them, or leave them out with missing='drop'.")
    return samples.part(torch.nonzero(~bad).squeeze(1)), int(bad.sum())


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
