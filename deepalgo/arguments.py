"""Numbers as people have them: tensors, arrays of any layout, series and frames by their protocols, lists.

What is missing is refused: nothing in an array or a tensor would tell it from a number.

>>> as_array("x", np.arange(3, dtype=">f4")[::-1], Kind.REAL)
array([2., 1., 0.])
>>> as_array("x", np.ma.masked_equal([1.0, -9.0], -9.0), Kind.REAL)
Traceback (most recent call last):
deepalgo.errors.InputError: 'x' has missing numbers, the first at 1.
Leave these samples out, or give NaN by x.filled(np.nan), and they become NaN.
"""

from __future__ import annotations

import decimal
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from deepalgo.errors import InputError
from deepalgo.kinds import Kind
from deepalgo.ops.by_numpy import DTYPES

if TYPE_CHECKING:
    import torch

Array = np.ndarray[Any, Any]


def as_tensor(path: str, value: Any, kind: Kind, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """A tensor of the kind, in the precision `dtype`; `path` is what messages call the value."""
    import torch

    from deepalgo.ops.forms.operands import COMPLEX  # imports torch

    if isinstance(value, (list, tuple)) and any(map(_holds_tensors, value)):
        parts = [as_tensor(f"{path}[{place}]", item, kind, dtype, device) for place, item in enumerate(value)]
        if any(part.shape != parts[0].shape for part in parts):
            raise InputError(f"'{path}' holds tensors of different shapes")
        return torch.stack(parts)
    if isinstance(value, torch.Tensor):
        tensor = _strided(path, value, device)
        if tensor.dtype is torch.bool and kind is not Kind.BOOL or tensor.is_complex() and kind is not Kind.COMPLEX:
            raise InputError(f"'{path}' must be real numbers, not {str(tensor.dtype).removeprefix('torch.')}")
    elif torch.compiler.is_compiling():
        tensor = torch.as_tensor(np.asarray(value))
    else:
        tensor = torch.from_numpy(writeable(as_array(path, value, kind)))
    wanted = {Kind.BOOL: torch.bool, Kind.INT: torch.int64, Kind.REAL: dtype, Kind.COMPLEX: COMPLEX[dtype]}
    return tensor.to(device=device, dtype=wanted[kind])


def as_array(path: str, value: Any, kind: Kind) -> Array:
    """An array of the kind, in the order of this machine."""
    if isinstance(value, float):
        found = np.asarray(value)
    else:
        _refuse_missing(path, value)
        found = _numbers(path, value)
    if found.dtype.kind not in "biufc":
        raise InputError(f"'{path}' must be numbers, not {describe(value)}")
    if found.dtype.kind == "b" and kind is not Kind.BOOL or found.dtype.kind == "c" and kind is not Kind.COMPLEX:
        raise InputError(f"'{path}' must be real numbers, not {found.dtype}")
    return found.astype(DTYPES[kind], copy=False)


def writeable(array: Array) -> Array:
    """The array, or a copy if it may not be written to or runs backwards: torch holds no such arrays."""
    return array if array.flags.writeable and all(step >= 0 for step in array.strides) else array.copy()


def describe(value: Any) -> str:
    """A value as messages name it."""
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"an array of shape {tuple(shape)}"
    text = repr(value)
    return text if len(text) <= 40 else f"a {type(value).__name__}"


def tensors_in(values: Iterable[Any]) -> list[torch.Tensor]:
    """The tensors among arguments, those in lists, tuples and dictionaries too."""
    import torch

    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += tensors_in(value)
        elif isinstance(value, dict):
            found += tensors_in(value.values())
    return found


def common_precision(args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.dtype | None:
    """The precision that torch gives to a result of all the tensors among the arguments, None if none of them is inexact.

    >>> import torch
    >>> common_precision((torch.ones(2), torch.tensor(1.0, dtype=torch.float64), 3.0), {}), common_precision((torch.arange(3), 2.0), {})
    (torch.float32, None)
    """
    import torch

    inexact = [item for item in tensors_in((*args, *kwargs.values())) if item.is_floating_point() or item.is_complex()]
    leading = [item for item in inexact if item.dim()] or inexact  # tensors without axes decide only where there are no others
    if not leading:
        return None
    found = leading[0].dtype
    for item in leading[1:]:
        found = torch.promote_types(found, item.dtype)
    return {torch.complex128: torch.float64, torch.complex64: torch.float32, torch.complex32: torch.float16}.get(found, found)


def in_precision(result: torch.Tensor, precision: torch.dtype) -> torch.Tensor:
    """A result in another precision; whole numbers and truth values are what they are."""
    import torch

    if result.is_floating_point():
        return result.to(precision)
    if result.is_complex():
        return result.to(torch.complex128 if precision is torch.float64 else torch.complex64)
    return result


def _holds_tensors(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) or isinstance(value, (list, tuple)) and any(map(_holds_tensors, value))


def _strided(path: str, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor with a number at each place, or a refusal."""
    import torch

    if tensor.layout is not torch.strided or tensor.is_quantized:
        how = "dequantize()" if tensor.is_quantized else "to_dense()"
        raise InputError(f"'{path}' is a {str(tensor.layout).removeprefix('torch.')} tensor: give {path}.{how}")
    if torch.compiler.is_compiling():
        return tensor
    if tensor.is_meta and device.type != "meta":
        raise InputError(f"'{path}' is on the meta device, which holds no numbers: move the network there, too, by .to('meta')")
    kind = type(tensor).__name__
    if kind == "MaskedTensor":
        raise InputError(f"'{path}' is a MaskedTensor: leave out the samples that are masked, or give {path}.to_tensor(torch.nan)")
    if kind == "FakeTensor":
        raise InputError(f"'{path}' is a FakeTensor, which holds no numbers: torch.export and torch.compile make graphs of networks")
    return tensor


def _numbers(path: str, value: Any) -> Array:
    try:
        found = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        raise InputError(f"'{path}' must be numbers, not {describe(value)}") from None
    return _of_objects(path, value, found) if found.dtype.kind == "O" else found


def _of_objects(path: str, value: Any, found: Array) -> Array:
    """Numbers of other classes, such as fractions and whole numbers of any size."""
    items = found.ravel().tolist()
    for place, item in enumerate(items):
        if item is None or type(item).__name__ in ("NAType", "NaTType"):
            raise _missing(path, value, place)
        if not isinstance(item, (numbers.Number, decimal.Decimal, np.bool_)):
            raise InputError(f"'{path}' must be numbers, not {describe(value)}")
    kind = complex if any(isinstance(item, complex) for item in items) else float
    try:
        return np.array([kind(item) for item in items]).reshape(found.shape)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"'{path}' must be numbers, not {describe(value)}") from None


def _refuse_missing(path: str, value: Any) -> None:
    """Refuse what its own type calls missing; NaN in an array of floats is a number like others."""
    if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray):
        return
    if isinstance(value, (list, tuple)):
        lost: Any = [item is np.ma.masked for item in value]
    elif isinstance(value, np.ma.MaskedArray):
        lost = np.ma.getmaskarray(value)
    elif hasattr(value, "null_count"):  # Polars and Arrow
        lost = _nulls(value)
    elif hasattr(value, "isna") and not _is_of_numpy(value):  # pandas
        lost = np.asarray(value.isna())
    else:
        return
    if np.any(lost):
        raise _missing(path, value, int(np.argmax(np.asarray(lost).reshape(len(lost), -1).any(1)) if np.ndim(lost) else 0))


def _nulls(value: Any) -> Any:
    """Where a column of Polars or Arrow has none; a frame by its columns."""
    if hasattr(value, "columns") and hasattr(value, "get_columns"):
        return np.stack([_nulls(column) for column in value.get_columns()], 1)
    count = value.null_count() if callable(value.null_count) else value.null_count
    return np.asarray(value.is_null()) if count else np.zeros(len(value), bool)


def _is_of_numpy(value: Any) -> bool:
    """Whether a series or frame holds arrays of NumPy, in which NaN is what is missing."""
    dtypes = value.dtypes if hasattr(value, "columns") else [value.dtype]
    return all(isinstance(dtype, np.dtype) for dtype in dtypes)


def _missing(path: str, value: Any, place: int) -> InputError:
    ways = {
        "numpy": f"{path}.filled(np.nan)", "polars": f"{path}.fill_null(float('nan'))",
        "pandas": f"{path}.to_numpy(float, na_value=np.nan)",
    }
    way = ways.get(type(value).__module__.split(".")[0])
    by = f" by {way}" if way else ""
    return InputError(
        f"'{path}' has missing numbers, the first at {place}.\nLeave these samples out, or give NaN{by}, and they become NaN."
    )
