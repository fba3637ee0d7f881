"""What torch has to make graphs of modules and cannot be right for a network, each with the way that is.

>>> refuse_scripting()
Traceback (most recent call last):
deepalgo.errors.InputError: torch.jit.script reads the text of a module, and a network has none that it could read. Use torch.export.export.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from deepalgo.errors import InputError


def refuse_tracing(args: Sequence[Any]) -> None:
    """Tracers keep the arms and rounds of one batch, or see no numbers at all."""
    if torch.compiler.is_compiling():
        return
    if torch._C._get_tracing_state() is not None:
        raise InputError(
            "torch.jit.trace, also inside of torch.onnx.export(dynamo=False), keeps the branches that one batch takes and answers wrongly "
            "for others. Use torch.export.export, or torch.onnx.export(..., dynamo=True)."
        )
    if isinstance(args, torch.fx.Proxy) or any(isinstance(item, torch.fx.Proxy) for item in args):
        raise InputError("torch.fx.symbolic_trace sees no numbers, and branches need them. Use torch.export.export.")


def refuse_scripting() -> None:
    """`torch.jit.script` compiles the text of `forward`."""
    raise InputError("torch.jit.script reads the text of a module, and a network has none that it could read. Use torch.export.export.")


def refuse_computed_weights(weights: torch.nn.Module) -> None:
    """A file holds numbers, not the modules that compute them."""
    if hasattr(weights, "parametrizations"):
        raise InputError(
            "weights with parametrizations cannot be saved: remove them by torch.nn.utils.parametrize.remove_parametrizations, "
            "or save the state_dict()"
        )
