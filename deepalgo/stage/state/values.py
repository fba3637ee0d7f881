"""What the interpreter computes with besides ordinary Python objects."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from deepalgo.ir import Kind, Type, Value
from deepalgo.spans import FunctionSource


class Leak(Exception):
    """A Signal met native code that would need its value. Always turned into a refusal with a span."""

    def __init__(self, reason: str, remedy: str = "Write this part in plain Python with `math`.") -> None:
        super().__init__(reason)
        self.remedy = remedy


class StandIn:
    """The base of what stands for an object of Python's while compiling. `python` is the type that it stands for.

    Nothing native may be asked of it: an error of such a question would be ours, not the user's.
    """

    __slots__ = ()
    python = "object"
    fields: tuple[str, ...] = ()  # what holds its numbers, if it can be made anew of them where paths meet


@functools.lru_cache(maxsize=1)
def stand_ins() -> dict[str, str]:
    """The types that stand-ins stand for, by the names of their classes."""

    def below(cls: type[StandIn]) -> Iterator[type[StandIn]]:
        yield cls
        for inner in cls.__subclasses__():
            yield from below(inner)

    return {cls.__name__: cls.python for cls in below(StandIn)}


def refuse_ours(error: object, message: object) -> None:
    """An exception that tells of a stand-in is none of the user's: Python would have met something else."""
    if isinstance(error, AttributeError) and isinstance(getattr(error, "obj", None), StandIn):
        raise Leak(f"`{error.name}` of this {error.obj.python} has no rule", NO_RULE)  # type: ignore[attr-defined]  # asked just before
    said = error.args if isinstance(error, BaseException) else ()
    text = str(message) if isinstance(message, str) else " ".join(item for item in said if isinstance(item, str))
    named = next((name for found in WORDS.findall(text) for name in found if name in stand_ins()), None)
    if named is not None:
        raise Leak(f"this way of using a {stand_ins()[named]} has no rule", NO_RULE)


NO_RULE = "Write it in another way, with plain numbers, lists and loops."
WORDS = re.compile(r"'(\w+)'|(?<=type )(\w+)|\b(\w+)(?= object)")


@dataclass(frozen=True, slots=True)
class Known:
    """The value that a Signal has for the weights as they were written, and the weights it was computed from."""

    value: Any
    keys: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Signal(StandIn):
    """A number (or array) that depends on an input or on a weight.

    `flavour` tells Python's numbers ("py") from NumPy's ("np"): they differ in division by zero, overflow and domain errors, and
    in sums of truth values. A number that is the one on some paths and the other on others is "either".
    `known` is there while only weights and constants entered; `uniform` means that all samples share it. A number is `mixed` that is
    whole on some paths and not on others.
    """

    python = "float"

    value: Value
    flavour: str = "py"
    uniform: bool = False
    known: Known | None = None
    mixed: bool = False

    @property
    def type(self) -> Type:
        return self.value.type

    @property
    def kind(self) -> Kind:
        return self.value.type.kind

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.type.shape

    def _leak(self, *_: object, **__: object) -> NoReturn:
        raise Leak(f"a value that depends on data ({self.value}) is needed here as a plain number")

    __bool__ = __float__ = __int__ = __index__ = __iter__ = __len__ = __array__ = __complex__ = _leak
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _leak
    __lt__ = __le__ = __gt__ = __ge__ = __pow__ = __rpow__ = __neg__ = __abs__ = __getitem__ = __round__ = _leak
    __contains__ = __str__ = __format__ = __eq__ = _leak
    __hash__ = object.__hash__


class DataLength(StandIn):
    """The base of arrays whose length depends on data, which few operations know."""

    python = "numpy.ndarray"

    __slots__ = ()

    def _leak(self, *_: object, **__: object) -> NoReturn:
        raise Leak("how many items this array has depends on data", "Use np.where, or sums over the mask.")

    __bool__ = __float__ = __int__ = __index__ = __iter__ = __len__ = __array__ = __add__ = __radd__ = __sub__ = __rsub__ = _leak
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __le__ = __gt__ = __ge__ = __pow__ = __rpow__ = __getitem__ = _leak


class _Undefined(StandIn):
    __slots__ = ()  # it is no object of the user's, which could be taken apart and made again

    def __repr__(self) -> str:
        return "<undefined>"


class _Lost(StandIn):
    __slots__ = ()

    def _leak(self, *_: object, **__: object) -> NoReturn:
        raise Leak("a value that a failing `try` may have changed is read after it")

    __bool__ = __float__ = __int__ = __index__ = __iter__ = __len__ = __array__ = __add__ = __radd__ = __sub__ = __rsub__ = _leak
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __le__ = __gt__ = __ge__ = __pow__ = __rpow__ = __getitem__ = _leak


#: What a handler would see of a variable that the body changed at a moment that depends on data.
LOST = _Lost()


#: Classes of NumPy whose objects are made and used by the text of the class.
POLYNOMIALS = frozenset({
    np.poly1d,
    *(getattr(np.polynomial, name) for name in ("Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE")),
})


class NeedsStack(Exception):
    """The answer of a noted call is used before it is returned: the recursion is no loop."""


class _Again(StandIn):
    __slots__ = ()


#: What a call answers that is noted instead of entered, while recursion is staged as a loop.
AGAIN = _Again()


def refuse_again(*values: object) -> None:
    """Operations cannot have the answer of a call that was only noted."""
    if any(value is AGAIN for value in values):
        raise NeedsStack


#: The content of a name or an attribute that has not been assigned on some path.
UNDEFINED = _Undefined()


@dataclass(frozen=True, slots=True, eq=False)
class Union(StandIn):
    """One of several values that cannot be one Signal (None or a number, two strings): each with the guard under which it holds.

    The guards are disjoint and one of them always holds.
    """

    cases: tuple[tuple[Signal, Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class DataText(StandIn):
    """A string made from data: good for messages only. `{0}` stands for the first of `operands`."""

    python = "str"

    template: str
    operands: tuple[Signal, ...]


@dataclass(eq=False, slots=True)
class Frame:
    """One activation of a function: its names, where its free names live, and its text."""

    source: FunctionSource
    names: dict[str, Any]
    globals: dict[str, Any]
    enclosing: Frame | None = None
    cells: dict[str, Any] = field(default_factory=dict)
    nonlocals: dict[str, Frame] = field(default_factory=dict)
    function: Any = None
    owner: type | None = None
    local_names: frozenset[str] = frozenset()
    exception: Any = None  # what is being handled: an exception, or a Union of them
    depth: int = 0  # how many conditions on data led here
    given: dict[str, Any] = field(default_factory=dict)  # the arguments that it was called with
    comprehension: bool = False
    consumer: Callable[[Any], Any] | None = None  # who takes what a generator yields
    managing: Any = None  # the `with` whose body runs at the `yield` of this function


def qualified_name(frame: Frame) -> str:
    """What Python calls the function of a frame, with those around it."""
    named = getattr(frame.function, "__qualname__", None)
    if named is not None or frame.enclosing is None:
        return named or frame.source.name
    outer = qualified_name(frame.enclosing)
    return outer if frame.comprehension else f"{outer}.<locals>.{frame.source.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Closure(StandIn):
    """A function defined by interpreted code: its tree and the frame around it."""

    python = "function"

    node: ast.FunctionDef | ast.Lambda
    frame: Frame
    defaults: tuple[Any, ...]
    kw_defaults: dict[str, Any]
    name: str
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Generator(DataLength):
    """A generator that somebody made: the frame that it starts with, its code, and how far it has run (`state`)."""

    python = "generator"

    frame: Frame
    code: ast.FunctionDef | ast.GeneratorExp
    call: ast.AST | None
    source: Any  # what a generator expression runs over: Python evaluates it at once
    state: dict[str, Any]

    def _leak(self, *_: object, **__: object) -> NoReturn:
        raise Leak("a generator is handed to code that is not written in Python", "Make a list of it first.")

    __bool__ = __float__ = __int__ = __index__ = __iter__ = __len__ = __array__ = __add__ = __radd__ = __sub__ = __rsub__ = _leak
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __le__ = __gt__ = __ge__ = __pow__ = __rpow__ = __getitem__ = _leak
    __next__ = __contains__ = _leak


@dataclass(frozen=True, slots=True, eq=False)
class BoundMethod(StandIn):
    """An interpreted method together with its object."""

    python = "method"

    function: Any
    instance: Any


@dataclass(frozen=True, slots=True, eq=False)
class Partial(StandIn):
    """`functools.partial` of an interpreted function, or with arguments that depend on data."""

    python = "functools.partial"

    function: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]


class UserRaise(Exception):
    """An exception of the user's program, travelling through the interpreter to its handler or to the guard around it.

    A `Leak` is none of the user's, and no handler of theirs may catch it.
    """

    def __init__(self, error: BaseException | type[BaseException], message: Any, span: Any) -> None:
        if isinstance(error, Leak):
            raise error
        refuse_ours(error, message)
        super().__init__(error)
        self.error = error
        self.message = message
        self.span = span

    @property
    def kind(self) -> type[BaseException]:
        return self.error if isinstance(self.error, type) else type(self.error)

    @property
    def instance(self) -> BaseException:
        """The exception itself, made when it is first asked for."""
        if isinstance(self.error, type):
            self.error = self.error(*(() if self.message is None or self.message == "" else (self.message,)))
            self.message = None
        return self.error


class RecursionBound(BaseException):
    """A recursion that data must end is staged to some level only: a limit of ours, which no handler of the user's takes."""


class NeedsUnroll(Exception):
    """A loop that is being staged once for all rounds needs its index as a plain number."""


def is_number(value: object) -> bool:
    """Whether a static value can take part in arithmetic with Signals."""
    return isinstance(value, (bool, int, float, complex)) or (isinstance(value, np.generic) and value.dtype.kind in "biufc")


def user_method(value: object, name: str) -> Any:
    """The special method that a class written in Python gives its objects, or None."""
    if isinstance(value, (Signal, Union, DataText, Closure, BoundMethod, DataLength, _Lost)):
        return None
    method = getattr(type(value), name, None)
    code = getattr(method, "__code__", None)
    return method if code is not None and not str(code.co_filename).startswith("<") else None
