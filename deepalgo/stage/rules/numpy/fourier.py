"""Discrete Fourier transforms of arrays of a fixed length: NumPy's, and SciPy's under the same names."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from deepalgo.stage.rules.gate import rule_of
from deepalgo.stage.rules.numpy.axes import axis_of
from deepalgo.stage.rules.numpy.elementwise import emit
from deepalgo.stage.rules.numpy.reductions import reduce
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles
from deepalgo.stage.rules.replacements import written
from deepalgo.stage.state.array_conversion import is_plain, to_signal, wrap
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.static_values import static_int
from deepalgo.stage.state.values import Signal, UserRaise

#: Options of SciPy's functions that change no number.
SILENT = {"overwrite_x": False, "workers": None, "plan": None}
NAMES = ("fft", "ifft", "rfft", "irfft")


def _transform(native: Any, inverse: bool) -> Handler:
    name = "ifft" if inverse else "fft"

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if is_plain(machine, args[0]):
            return machine.call_native(native, args, kwargs, node)
        value = to_signal(machine, args[0])
        if not value.shape:
            raise UserRaise(IndexError, "tuple index out of range", machine.span)
        axis = axis_of(machine, kwargs.get("axis", -1), len(value.shape))
        count = value.shape[axis] if kwargs.get("n") is None else static_int(machine, kwargs["n"], node, "the length of this transform")
        if count < 1:
            raise UserRaise(ValueError, f"Invalid number of FFT data points ({count}) specified.", machine.span)
        value = _of_length(machine, value, axis, count)
        finite = reduce(machine, "all", emit(machine, "isfinite", value), None, False)
        machine.check(finite, "ComplexEdge", "a Fourier transform of numbers that are not finite")
        return wrap(machine, _scaled(machine, emit(machine, name, value, axis=axis), kwargs.get("norm"), count, inverse))

    return handler


def _of_length(machine: Machine, value: Signal, axis: int, count: int) -> Signal:
    """The numbers along an axis cut off, or followed by zeros."""
    missing = count - value.shape[axis]
    if missing <= 0:
        key = (("slice", None, None, None),) * axis + (("slice", None, count, None),)
        return machine.emit("take", value, key=key, flavour="np") if missing else value
    zeros = np.zeros((*value.shape[:axis], missing, *value.shape[axis + 1 :]))
    both = [machine.cast(part, value.value.type) for part in (value, machine.constant_array(zeros))]
    return machine.emit("concat", *both, axis=axis, flavour="np")


def _scaled(machine: Machine, value: Signal, norm: Any, count: int, inverse: bool) -> Signal:
    """What the option `norm` makes of a transform; by default the inverse is divided by the length."""
    match norm:
        case None | "backward":
            return value
        case "ortho":
            return emit(machine, "mul", value, float(count) ** (0.5 if inverse else -0.5))
        case "forward":
            return emit(machine, "mul", value, float(count) if inverse else 1.0 / count)
        case _:
            text = f'Invalid norm value {norm}; should be "backward","ortho" or "forward".'
            raise UserRaise(ValueError, text, machine.span)


handles(np.fft.fft, options="n axis norm")(_transform(np.fft.fft, inverse=False))
handles(np.fft.ifft, options="n axis norm")(_transform(np.fft.ifft, inverse=True))


@written(np.fft.rfft)
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
    """The first half of the transform of real numbers, which is the conjugate of the other."""
    a = np.asarray(a)
    if np.iscomplexobj(a):
        return NotImplemented
    count = a.shape[axis] if n is None else n
    return np.moveaxis(np.moveaxis(np.fft.fft(a, count, axis, norm), axis, -1)[..., : count // 2 + 1], -1, axis)


@written(np.fft.irfft)
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
    """Real numbers from the first half of their transform."""
    a = np.moveaxis(np.asarray(a), axis, -1)
    count = 2 * (a.shape[-1] - 1) if n is None else n
    if count < 1 or a.shape[-1] < count // 2 + 1:
        return NotImplemented
    half = a[..., : count // 2 + 1] + 0j
    middle = np.conj(half[..., 1 : (count + 1) // 2])[..., ::-1]
    first = np.real(half[..., :1]) + 0j
    last = half[..., 1:] if count % 2 else np.concatenate((half[..., 1:-1], np.real(half[..., -1:]) + 0j), axis=-1)
    whole = np.concatenate((first, last, middle), axis=-1)[..., :count]
    return np.moveaxis(np.real(np.fft.ifft(whole, count, -1, norm)), -1, axis)


def of_scipy(name: str) -> Handler:
    """The rule of a function of `scipy.fft`: that of NumPy, without the options that change no number."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        options = {key: item for key, item in kwargs.items() if not (key in SILENT and item is SILENT[key])}
        if "x" in options:
            args, options = [options["x"], *args], {key: item for key, item in options.items() if key != "x"}
        if set(options) - {"n", "axis", "norm"} or len(args) > 4:
            machine.refuse(f"an option of scipy.fft.{name} has no rule here", "Leave the option out.", node)
        return rule_of(getattr(np.fft, name))(machine, args, options, node)

    return handler
