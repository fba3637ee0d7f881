"""The signatures of functions that have rules: their own, or written here where Python or an older NumPy has none."""

from __future__ import annotations

import cmath
import collections
import functools
import inspect
import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "<no value>"


#: The default of a parameter that may be left out and has no value then.
MISSING = _Missing()

_ARRAY = "a, dtype=None, order=None, *, device=None, copy=None, like=None"
_FILLED = "shape, dtype=None, order='C', *, device=None, like=None"
#: Written signatures of functions; a function's own comes first where it has one.
WRITTEN: dict[Any, str] = {
    next: "iterator, default=MISSING, /",
    range: "start, stop=MISSING, step=MISSING, /",
    dict: "*mappings, **items",
    zip: "*iterables, strict=False",
    map: "function, first, /, *iterables",
    filter: "function, iterable, /",
    iter: "object, sentinel=MISSING, /",
    str: "object=MISSING, encoding=MISSING, errors=MISSING",
    super: "type=MISSING, instance=MISSING, /",
    functools.reduce: "function, iterable, initial=MISSING, /",
    functools.cmp_to_key: "mycmp",
    functools.partial: "func, /, *args, **keywords",
    min: "first, /, *others, key=None, default=MISSING",
    max: "first, /, *others, key=None, default=MISSING",
    int: "x=MISSING, /, base=MISSING",
    bool: "x=False, /",
    float: "x=MISSING, /",
    type: "object, bases=MISSING, namespace=MISSING, /",
    getattr: "object, name, default=MISSING, /",
    itertools.repeat: "object, times=MISSING",
    itertools.chain: "*iterables",
    itertools.product: "*iterables, repeat=1",
    itertools.zip_longest: "*iterables, fillvalue=None",
    itertools.islice: "iterable, start, stop=MISSING, step=MISSING, /",
    collections.deque: "iterable=MISSING, maxlen=None",
    collections.defaultdict: "default_factory=MISSING, /, *mappings, **items",
    collections.OrderedDict: "*mappings, **items",
    operator.methodcaller: "name, /, *args, **kwargs",
    cmath.log: "z, base=MISSING, /",
    math.log: "x, base=MISSING, /",
    math.hypot: "*coordinates",
    np.array: "object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, like=None",
    np.asarray: _ARRAY,
    np.asanyarray: _ARRAY,
    np.ascontiguousarray: "a, dtype=None, *, like=None",
    np.asfortranarray: "a, dtype=None, *, like=None",
    np.zeros: _FILLED,
    np.empty: _FILLED,
    np.empty_like: "prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None",
    np.arange: "start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None",
    np.concatenate: "arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'",
    np.where: "condition, x=MISSING, y=MISSING, /",
    np.dot: "a, b, out=None",
    np.inner: "a, b, /",
    np.vdot: "a, b, /",
    np.result_type: "*arrays_and_dtypes",
    np.broadcast: "*args",
    np.copyto: "dst, src, casting='same_kind', where=True",
    np.bincount: "x, /, weights=None, minlength=0",
    np.lexsort: "keys, axis=-1",
    np.pad: "array, pad_width, mode='constant', *, constant_values=0, end_values=0, stat_length=None, reflect_type='even'",
    np.clip: "a, a_min=MISSING, a_max=MISSING, out=None, *, min=MISSING, max=MISSING, where=True, casting='same_kind', "
    "order='K', dtype=None, subok=True",
    np.reshape: "a, shape, order='C', *, copy=None",
    np.einsum: "subscripts, /, *operands, out=None, optimize=False, dtype=None, order='K', casting='safe'",
    np.float64: "value=MISSING, /",
    np.int64: "value=MISSING, /, base=MISSING",
}
#: What the written signature adds to the function's own, which hides its options behind `**kwargs` or a default that is no number.
FIRST = frozenset({np.clip, np.pad, np.einsum, np.where, np.reshape, float, np.float64, np.int64})

_UFUNC = "out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None"
_REDUCED = "axis=None, dtype=None, out=None, keepdims=False, initial=MISSING, where=True"
_EXTREME = "axis=None, out=None, keepdims=False, initial=MISSING, where=True"
_SPREAD = "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=MISSING"
#: The methods of arrays, without the array itself.
METHODS: dict[str, str] = {
    "sum": _REDUCED, "prod": _REDUCED, "min": _EXTREME, "max": _EXTREME, "std": _SPREAD, "var": _SPREAD,
    "mean": "axis=None, dtype=None, out=None, keepdims=False, *, where=True", "any": "axis=None, *, out=None, keepdims=False, where=True",
    "all": "axis=None, *, out=None, keepdims=False, where=True", "argmin": "axis=None, out=None, *, keepdims=False",
    "argmax": "axis=None, out=None, *, keepdims=False", "cumsum": "axis=None, dtype=None, out=None",
    "cumprod": "axis=None, dtype=None, out=None",
    "argsort": "axis=-1, kind=None, order=None, *, stable=None", "sort": "axis=-1, kind=None, order=None, *, stable=None",
    "round": "decimals=0, out=None", "trace": "offset=0, axis1=0, axis2=1, dtype=None, out=None", "repeat": "repeats, axis=None",
    "squeeze": "axis=None", "swapaxes": "axis1, axis2, /", "diagonal": "offset=0, axis1=0, axis2=1",
    "take": "indices, axis=None, out=None, mode='raise'",
    "searchsorted": "v, side='left', sorter=None", "copy": "order='C'", "__copy__": "", "__deepcopy__": "memo, /",
    "reshape": "*shape, order='C', copy=None", "flatten": "order='C'", "ravel": "order='C'", "transpose": "*axes",
    "astype": "dtype, order='K', casting='unsafe', subok=True, copy=True", "tolist": "", "item": "*args",
    "clip": "min=None, max=None, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True",
    "fill": "value", "conj": "", "conjugate": "", "dot": "other, /, out=None", "nonzero": "",
}


@dataclass(frozen=True, slots=True)
class RuleSignature:
    """The parameters of a callable with their defaults.

    >>> written_signature("a, n=1, /, *, axis=-1")
    RuleSignature(before=('a', 'n'), either=(), star=None, named=('axis',), rest=None, defaults={'n': 1, 'axis': -1})
    """

    before: tuple[str, ...]
    either: tuple[str, ...]
    star: str | None
    named: tuple[str, ...]
    rest: str | None
    defaults: dict[str, Any] = field(hash=False)

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters that take one argument."""
        return (*self.before, *self.either, *self.named)


@dataclass(frozen=True, slots=True)
class Bound:
    """The arguments of one call by the names of their parameters; those at their defaults are left out."""

    values: dict[str, Any]
    star: list[Any]
    rest: dict[str, Any]

    def arguments(self, signature: RuleSignature) -> tuple[list[Any], dict[str, Any]]:
        """By position what must be given and what has no keyword, the remainder by keyword."""
        first = [self.values.get(name, signature.defaults.get(name)) for name in self._leading(signature)]
        keywords = {name: value for name, value in self.values.items() if name not in self._leading(signature)}
        return [*first, *self.star], {**keywords, **self.rest}

    def _leading(self, signature: RuleSignature) -> tuple[str, ...]:
        names = (*signature.before, *signature.either)
        if self.star:
            return names
        last = max((place for place, name in enumerate(signature.before) if name in self.values), default=-1)
        required = sum(name not in signature.defaults for name in names)
        return names[: max(last + 1, required)]


class WrongCall(Exception):
    """The arguments of a call fit no parameters."""


def bind(signature: RuleSignature, args: list[Any], kwargs: dict[str, Any]) -> Bound:
    """Find the parameter of every argument, as Python does.

    >>> bind(written_signature("a, n=1, axis=-1"), [7], {"axis": 0, "n": 1})
    Bound(values={'a': 7, 'axis': 0}, star=[], rest={})
    """
    slots = (*signature.before, *signature.either)
    values = dict(zip(slots, args, strict=False))
    star, rest = list(args[len(slots) :]), {}
    for name, value in kwargs.items():
        if name in values and name not in signature.before:
            raise WrongCall(name)
        if name in signature.either or name in signature.named:
            values[name] = value
        elif signature.rest is not None:
            rest[name] = value
        else:
            raise WrongCall(name)
    missing = [name for name in signature.names if name not in values and name not in signature.defaults]
    if missing or (star and signature.star is None):
        raise WrongCall(*missing)
    defaults = signature.defaults
    told = {name: value for name, value in values.items() if name not in defaults or not is_same(value, defaults[name])}
    return Bound(told, star, rest)


def is_same(value: Any, default: Any) -> bool:
    """Whether an argument is what its parameter has anyway."""
    if value is default or value is np._NoValue or value is MISSING:
        return True
    return type(value) is type(default) and isinstance(value, (bool, int, float, str, tuple)) and repr(value) == repr(default)


def written_signature(text: str) -> RuleSignature:
    """A signature from its text."""
    return _converted(inspect.signature(eval(f"lambda {text}: None", {"MISSING": MISSING})))


def _converted(found: inspect.Signature) -> RuleSignature:
    def named(*kinds: Any) -> tuple[str, ...]:
        return tuple(item.name for item in found.parameters.values() if item.kind in kinds)

    parameter = inspect.Parameter
    defaults = {item.name: _plain(item) for item in found.parameters.values() if item.default is not item.empty}
    return RuleSignature(
        named(parameter.POSITIONAL_ONLY),
        named(parameter.POSITIONAL_OR_KEYWORD),
        next(iter(named(parameter.VAR_POSITIONAL)), None),
        named(parameter.KEYWORD_ONLY),
        next(iter(named(parameter.VAR_KEYWORD)), None),
        defaults,
    )


def _plain(parameter: inspect.Parameter) -> Any:
    """A default that is a value: NumPy marks some as not given, though they stand for one."""
    if parameter.default is not np._NoValue:
        return parameter.default
    return {"keepdims": False, "where": True}.get(parameter.name, MISSING)


@functools.lru_cache(maxsize=4096)
def signature_of(function: Callable[..., Any]) -> RuleSignature | None:
    """The signature of a function, or None where nobody has written it down."""
    text = _of_ufunc(function) or (WRITTEN.get(function) if function in FIRST else None)
    if text is not None:
        return written_signature(text)
    try:
        return _converted(inspect.signature(function))
    except (TypeError, ValueError):
        return written_signature(WRITTEN[function]) if function in WRITTEN else None


def _of_ufunc(function: Any) -> str | None:
    """What NumPy tells of its ufuncs and of their methods only in its latest versions."""
    if isinstance(function, np.ufunc):
        names = ["x"] if function.nin == 1 else [f"x{place + 1}" for place in range(function.nin)]
        more = ", axes=MISSING, axis=MISSING, keepdims=False" if function.signature else ""
        return f"{', '.join(names)}, /, {_UFUNC}{more}"
    owner = getattr(function, "__self__", None)
    if not isinstance(owner, np.ufunc):
        return None
    match function.__name__:
        case "reduce":
            return "array, /, axis=0, dtype=None, out=None, keepdims=False, initial=MISSING, where=True"
        case "accumulate":
            return "array, /, axis=0, dtype=None, out=None"
        case "outer":
            return f"A, B, /, *, {_UFUNC.replace('*, ', '')}"
        case _:
            return None


@functools.lru_cache(maxsize=256)
def signature_of_method(name: str) -> RuleSignature:
    """The signature of a method of arrays, with the array as its first parameter."""
    text = METHODS[name]
    return written_signature(f"self, {text}" if text.startswith("*") or "/" in text else f"self, /, {text}" if text else "self, /")


