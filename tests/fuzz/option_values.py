"""Values for the parameters of functions, by the function and the name of the parameter, as text of a program."""

from __future__ import annotations

import inspect
import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.stage.rules.catalogue import HANDLERS
from tests.fuzz.small_program import Draft

Make = Callable[[Draft], str | None]


def _name(*kinds: str) -> Make:
    """A name that holds one of these kinds."""

    def make(draft: Draft) -> str | None:
        found = draft.of(*kinds)
        return draft.rng.choice(found) if found else None

    return make


def _one_of(*texts: str) -> Make:
    return lambda draft: draft.rng.choice(texts)


ARRAY = _name("vector", "matrix")
VECTOR, MATRIX, FLOATS = _name("vector"), _name("matrix"), _name("floats")


def _number(draft: Draft) -> str:
    return draft.rng.choice([*draft.of("float"), "0.5", "2.0", "-1.25"])


def _like(draft: Draft) -> str:
    """An array, or a number beside one."""
    return draft.rng.choice([*draft.of("vector", "matrix", "float"), "1.5", "2"])


def _given(draft: Draft) -> str | None:
    """An array that is an input: its numbers are exact, so it may meet a jump."""
    found = [name for name in draft.of("vector", "matrix") if name in draft.inputs]
    return draft.rng.choice(found) if found else None


def _test(draft: Draft) -> str | None:
    return f"{_given(draft)} > {draft.rng.choice(('0.25', '-0.6'))}"


AXIS = _one_of("0", "1", "-1", "None")
#: Parameters that mean the same wherever they stand.
BY_NAME: dict[str, Make] = {
    "a": ARRAY, "x": ARRAY, "v": VECTOR, "m": ARRAY, "arr": ARRAY, "array": ARRAY, "ar": VECTOR, "ary": ARRAY, "p": VECTOR, "y": ARRAY,
    "x1": ARRAY, "x2": _like, "b": ARRAY, "u": VECTOR, "condition": _test, "val": ARRAY, "A": ARRAY,
    "axis": AXIS, "axis1": _one_of("0", "1"), "axis2": _one_of("1", "0"), "keepdims": _one_of("True", "False"), "ddof": _one_of("0", "1"),
    "n": _one_of("1", "2"), "k": _one_of("0", "1", "-1"), "order": _one_of("'C'", "'F'", "'A'", "'K'"),
    "decimals": _one_of("0", "1", "2", "-1"),
    "offset": _one_of("0", "1", "-1"), "where": _test, "initial": _number, "rtol": _one_of("1e-05", "0.25"),
    "atol": _one_of("1e-08", "0.5"),
    "equal_nan": _one_of("True", "False"), "copy": _one_of("True", "False"), "side": _one_of("'left'", "'right'"),
    "right": _one_of("True", "False"),
    "dx": _one_of("1.0", "0.5"), "prepend": _number, "append": _number, "mode": _one_of("'full'", "'same'", "'valid'"),
    "ndmin": _one_of("0", "1", "2"), "deg": _one_of("False", "True"), "bias": _one_of("True", "False"), "rowvar": _one_of("True", "False"),
    "num": _one_of("2", "3", "5"), "endpoint": _one_of("True", "False"), "N": _one_of("2", "3"), "M": _one_of("2", "3"),
    "increasing": _one_of("True", "False"), "sparse": _one_of("False",), "period": _one_of("4.0",), "repeats": _one_of("1", "2", "3"),
    "shift": _one_of("1", "-1", "2"), "source": _one_of("0", "1", "-1"), "destination": _one_of("1", "0"), "start": _one_of("0", "1", "2"),
    "reps": _one_of("2", "(2, 1)", "3"), "shape": _one_of("(2, 3)", "(6,)", "4"), "method": _one_of("'linear'", "'lower'", "'midpoint'"),
    "q": _one_of("0.5", "0.25", "[0.25, 0.75]"), "weights": lambda draft: f"np.abs({ARRAY(draft)}) + 0.5", "fill_value": _number,
    "ord": _one_of("None", "1", "2", "np.inf"),
    "default": _number, "reverse": _one_of("True", "False"), "key": _one_of("abs", "lambda t: -t", "None"),
    "ndigits": _one_of("1", "2", "0"),
    "iterable": FLOATS, "strict": _one_of("True", "False"), "rel_tol": _one_of("1e-09", "0.1"), "abs_tol": _one_of("0.0", "0.25"),
    "object": FLOATS,
    "dtype": _one_of("float", "np.float64", "None"), "nan": _one_of("0.0", "7.0"), "posinf": _one_of("None", "9.0"),
    "neginf": _one_of("None", "-9.0"),
    "a_min": _number, "a_max": _number, "indices": _one_of("0", "[1, 0]", "np.array([0, 1])"), "values": ARRAY,
    "obj": _one_of("0", "1", "[0, 1]"),
}
#: Parameters that mean something else here.
BY_FUNCTION: dict[tuple[str, str], Make] = {
    ("np.linspace", "start"): _number, ("np.linspace", "stop"): _number, ("np.interp", "x"): _like,
    ("np.interp", "xp"): _one_of("[-1.0, 0.0, 2.0]"),
    ("np.interp", "fp"): _one_of("[0.5, 2.0, -1.0]"), ("np.interp", "left"): _one_of("-9.0"), ("np.interp", "right"): _one_of("9.0"),
    ("np.digitize", "bins"): _one_of("[-1.0, 0.0, 1.0]", "[1.0, 0.0, -1.0]"), ("np.searchsorted", "a"): _one_of("[-1.0, 0.0, 1.0]"),
    ("np.searchsorted", "v"): _given, ("np.digitize", "x"): _given, ("np.split", "indices_or_sections"): _one_of("2", "3", "[1]"),
    ("np.array_split", "indices_or_sections"): _one_of("2", "3"),
    ("np.pad", "pad_width"): _one_of("1", "(1, 2)", "((0, 1), (2, 0))"),
    ("np.pad", "mode"): _one_of("'constant'", "'edge'", "'reflect'", "'wrap'", "'symmetric'"),
    ("np.percentile", "q"): _one_of("50.0", "[10.0, 90.0]"), ("np.insert", "values"): _number, ("np.delete", "axis"): AXIS,
    ("np.diag", "v"): ARRAY,
    ("np.diagflat", "v"): VECTOR, ("np.roll", "a"): ARRAY, ("np.expand_dims", "axis"): _one_of("0", "1", "-1", "(0, 1)"),
    ("np.squeeze", "a"): ARRAY,
    ("np.squeeze", "axis"): _one_of("None"), ("np.tri", "N"): _one_of("2", "3"), ("np.vander", "x"): VECTOR, ("np.convolve", "a"): VECTOR,
    ("np.convolve", "v"): VECTOR, ("np.correlate", "a"): VECTOR, ("np.correlate", "v"): VECTOR, ("np.polyval", "x"): _like,
    ("np.trapezoid", "x"): _one_of("None"),
    ("np.where", "y"): _like, ("np.angle", "z"): lambda draft: f"{ARRAY(draft)} + 1j", ("np.unwrap", "p"): VECTOR,
    ("np.transpose", "axes"): _one_of("None", "(1, 0)"),
    ("np.einsum", "subscripts"): _one_of("'ij->ji'"), ("np.cov", "m"): MATRIX, ("np.corrcoef", "x"): MATRIX, ("np.linalg.norm", "x"): ARRAY,
    ("np.append", "values"): _like, ("np.full_like", "a"): ARRAY, ("np.tile", "A"): ARRAY, ("np.rot90", "m"): MATRIX,
    ("np.rot90", "axes"): _one_of("(0, 1)", "(1, 0)"),
    ("np.swapaxes", "a"): MATRIX, ("np.moveaxis", "a"): MATRIX, ("np.trace", "a"): MATRIX, ("np.diagonal", "a"): MATRIX,
    ("np.resize", "new_shape"): _one_of("(2, 2)", "5"),
    ("np.broadcast_to", "shape"): _one_of("(2, 3)", "(3, 3)", "(4,)"), ("np.ediff1d", "to_end"): _one_of("None", "9.0"),
    ("np.ediff1d", "to_begin"): _one_of("None", "-9.0"),
    ("np.logspace", "start"): _one_of("0.0", "0.5"), ("np.logspace", "stop"): _one_of("1.0", "2.0"),
    ("np.logspace", "base"): _one_of("10.0", "2.0"),
    ("np.geomspace", "start"): _one_of("1.0"), ("np.array", "object"): FLOATS, ("np.round", "a"): _like,
    ("np.take", "mode"): _one_of("'raise'", "'wrap'", "'clip'"),
    ("np.stack", "arrays"): lambda draft: f"[{ARRAY(draft)}] * 2", ("np.concatenate", "arrays"): lambda draft: f"[{ARRAY(draft)}] * 2",
    ("np.cross", "a"): VECTOR, ("np.cross", "b"): VECTOR, ("np.reshape", "shape"): _one_of("-1", "(-1, 1)", "(3, 2)", "(1, -1)", "(2, 2)"),
    ("np.apply_along_axis", "func1d"): _one_of("np.sum", "lambda r: r[0] * 2.0"), ("np.copyto", "dst"): ARRAY,
    ("np.clip", "min"): _one_of("None"), ("np.clip", "max"): _one_of("None"),
    ("sorted", "iterable"): FLOATS, ("sum", "iterable"): FLOATS, ("sum", "start"): _number, ("round", "number"): _number,
    ("pow", "base"): _number, ("pow", "exp"): _one_of("2", "3"),
    ("math.isclose", "a"): _number, ("math.isclose", "b"): _number, ("math.prod", "start"): _number, ("np.nan_to_num", "x"): ARRAY,
    ("np.select", "condlist"): lambda draft: f"[{_test(draft)}]", ("np.select", "choicelist"): lambda draft: f"[{ARRAY(draft)}]",
    ("np.meshgrid", "indexing"): _one_of("'xy'", "'ij'"), ("np.array_equal", "a1"): ARRAY, ("np.array_equal", "a2"): ARRAY,
    ("np.kron", "a"): VECTOR, ("np.kron", "b"): VECTOR,
    ("np.average", "returned"): _one_of("False"), ("np.polyfit", "x"): VECTOR, ("np.polyfit", "y"): VECTOR,
    ("np.polyfit", "deg"): _one_of("1"),
}
#: Positional parameters of functions whose signature is not to be had.
WRITTEN: dict[str, tuple[str, ...]] = {"np.concatenate": ("arrays", "axis"), "np.where": ("condition", "x", "y"), "np.dot": ("a", "b"),
                                       "np.inner": ("a", "b"),
                                       "np.vdot": ("a", "b"), "np.arange": ("num",), "np.array": ("object",)}
#: Options that no one passes by position or that ask for another kind of number.
LEFT_OUT = frozenset(
    "out subok like casting signature kind stable overwrite_input interpolation correction mean device inplace".split()
)
#: Functions without jumps: after a rounding in the last place, a jump would be no difference of anyone's.
UFUNCS = ("np.add np.subtract np.multiply np.maximum np.minimum np.hypot np.arctan2 np.copysign np.fmax np.fmin np.exp np.tanh "
          "np.abs np.square np.logaddexp np.divide").split()
#: Functions whose answer is not specified, or that do not answer.
NO_ANSWER = frozenset({"np.empty", "np.empty_like", "np.seterr"})


def parameters(label: str, function: Any) -> list[tuple[str, bool, bool]]:
    """Name, whether it must be given, and whether only by keyword, of each parameter that a value can be made for."""
    if label in WRITTEN:
        return [(name, True, False) for name in WRITTEN[label] if name != "axis"] + [("axis", False, False)] * ("axis" in WRITTEN[label])
    if isinstance(function, np.ufunc):
        return [("x1", True, False), ("x2", True, False)][: function.nin]
    found = []
    for item in inspect.signature(function).parameters.values():
        if item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD) or (item.name in LEFT_OUT and item.default is not item.empty):
            continue
        found.append((item.name, item.default is item.empty, item.kind is item.KEYWORD_ONLY))
    return found


def value(draft: Draft, label: str, name: str) -> str | None:
    """Text of a value for a parameter, or None where there is none."""
    make = BY_FUNCTION.get((label, name)) or BY_NAME.get(name)
    return make(draft) if make else None


def call(draft: Draft, label: str, function: Any) -> str | None:
    """A call with a random subset of its options, by position as far as chance wants it and then by keyword."""
    rng = draft.rng
    found = parameters(label, function)
    positions = [item for item in itertools.takewhile(lambda item: not item[2], found)]
    needed = sum(item[1] for item in positions)
    count = needed if rng.random() < 0.5 else rng.randint(needed, len(positions))
    args: list[str] = []
    for name, _, _ in positions[:count]:
        text = value(draft, label, name)
        if text is None:
            break
        args.append(text)
    if len(args) < needed:
        return None
    texts = list(args)
    for name, _, _ in [*positions[len(args) :], *(item for item in found if item[2])]:
        if rng.random() < 0.35 and (text := value(draft, label, name)) is not None and label not in POSITIONAL:
            texts.append(f"{name}={text}")
    return f"{label}({', '.join(texts)})"


#: Functions that take nothing by keyword.
POSITIONAL = frozenset({"np.where", "np.dot", "np.inner", "np.vdot", "np.arange", "abs", "divmod", "len", *UFUNCS})


def functions() -> dict[str, Any]:
    """Every function of NumPy that has a rule and can be called with what there is, and the builtins that have options."""
    labels = [f"np.{name}" for name in sorted(dir(np)) if not name.startswith("_")] + ["np.linalg.norm"]
    found: dict[str, Any] = {}
    for label in labels:
        item = eval(label, {"np": np})
        if callable(item) and not isinstance(item, (type, np.ufunc)) and item in HANDLERS and label not in NO_ANSWER:
            found[label] = item
    found |= {label: eval(label, {"np": np}) for label in UFUNCS}
    return found | {"sorted": sorted, "sum": sum, "round": round, "pow": pow, "math.isclose": math.isclose, "math.prod": math.prod}


def random_options(seed: int) -> random.Random:
    """The source of chance of one program."""
    return random.Random(f"options/{seed}")
