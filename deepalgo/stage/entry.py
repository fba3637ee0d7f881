"""Stage a whole function: from an example call to a `Program` and the `Signature` that feeds it."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deepalgo.errors import CompileError, InputError
from deepalgo.ir import Block, Kind, Leaf, Mapping, Program, Sequence, Slot, Static, Tree, Type, Value, walk
from deepalgo.origins import Origins
from deepalgo.signature import Argument, Signature, is_input, parameters_of
from deepalgo.spans import Span, text_digest
from deepalgo.stage.rules.python import attributes
from deepalgo.stage.state import lookup
from deepalgo.stage.state.array_conversion import to_signal
from deepalgo.stage.state.arrays import Array, shape_of
from deepalgo.stage.state.builder import kind_of
from deepalgo.stage.state.iterator_state import Spendable
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.messages import escape, message_of
from deepalgo.stage.state.standings import code_of
from deepalgo.stage.state.structure import collapse
from deepalgo.stage.state.values import Closure, DataLength, DataText, Generator, Leak, Signal, Union, UserRaise, is_number
from deepalgo.stage.syntax.interpreter import SyntaxInterpreter
from deepalgo.stage.weight_roles import find_roles

NATIVE = (
    types.BuiltinFunctionType, types.MethodDescriptorType, types.ClassMethodDescriptorType, types.WrapperDescriptorType,
    types.MethodWrapperType, np.ufunc,
)
#: Set in classes that a `class` statement made, see the flags of type objects in Python's C API.
HEAP_TYPE = 1 << 9


@dataclass(frozen=True, slots=True)
class Example:
    """One call of the function: which parameters it fills with what."""

    parameters: dict[str, inspect.Parameter]
    values: dict[str, Any]
    static: frozenset[str]
    inputs: frozenset[str]

    @staticmethod
    def of(function: Callable[..., Any], example: Any, static: tuple[str, ...], inputs: tuple[str, ...]) -> Example:
        """Bind an example call, or make one up where the signature says enough."""
        if not callable(function):
            raise InputError(f"compile needs a function, not {function!r}")
        if is_native(function):
            raise CompileError(
                f"`{getattr(function, '__qualname__', function)}` is not written in Python: there is nothing to compile",
                span=None, remedy="Write a function that calls it, and compile that.",
            )
        parameters = parameters_of(function)
        for name in (*static, *inputs):
            if name not in parameters:
                raise InputError(f"the function has no parameter '{name}'; it has {', '.join(parameters) or 'none'}")
        values = _made_up(parameters, inputs) if example is None else _bound(function, example)
        return Example(parameters, values, frozenset(static), frozenset(inputs))


def is_native(function: Callable[..., Any]) -> bool:
    """Whether there is no Python text behind something that can be called.

    >>> [is_native(item) for item in (len, float, np.sin, is_native, Example)]
    [True, True, True, False, False]
    """
    if isinstance(function, functools.partial):
        return is_native(function.func)
    if isinstance(function, type):
        return not function.__flags__ & HEAP_TYPE
    return isinstance(function, NATIVE)


def _made_up(parameters: dict[str, inspect.Parameter], inputs: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty:
            values[name] = 1.0
        elif name in inputs:
            values[name] = parameter.default if isinstance(parameter.default, (int, float)) else 1.0
    return values


def _bound(function: Callable[..., Any], example: Any) -> dict[str, Any]:
    how = "example must be one call as (args, kwargs), such as ((1.0, 2.0), {})"
    match example:
        case (tuple() | list() as args, dict() as kwargs):
            try:
                return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
            except (TypeError, ValueError) as error:
                raise InputError(f"{how}: {error}") from None
        case _:
            raise InputError(f"{how}, not {example!r}")


@dataclass(frozen=True, slots=True)
class Staged:
    """What staging a function gives: the program, how it is called, where its weights come from, and notes on what is left out."""

    program: Program
    signature: Signature
    origins: Origins
    notes: tuple[str, ...]


def stage(
    function: Callable[..., Any], example: Example, *, integers: bool = False, complex_at: frozenset[Span] = frozenset()
) -> Staged:
    """Run the function once on Signals. `complex_at`: places where a power of a real number is complex."""
    machine = SyntaxInterpreter(integers=integers)
    machine.complex_at = complex_at
    try:
        return _staged(machine, function, example)
    finally:
        attributes.give_back(machine)


def _staged(machine: Machine, function: Callable[..., Any], example: Example) -> Staged:
    machine.weights.standings.main = code_of(function)
    maker = InputMaker(machine, example)
    args, kwargs, signature = maker.call(getattr(function, "__name__", type(function).__name__))
    try:
        value = machine.call(function, args, kwargs, ast.Pass())
    except UserRaise as error:
        message, _ = message_of(error)
        raise CompileError(
            f"the function raises {error.kind.__name__} on every input: {message}" if message
            else f"the function raises {error.kind.__name__} on every input",
            span=error.span, remedy="Call it in plain Python with such arguments to see why; check the example and the fixed arguments.",
        ) from None
    except Leak as error:
        raise CompileError(str(error), span=machine.span, remedy=error.remedy) from None
    _refuse_generator(value)
    lookup.refuse_traces(machine)
    attributes.refuse_traces(machine)
    output, leaves = output_of(machine, value)
    changed = maker.changes()
    results = (*(leaf.value for leaf in leaves), *(value for _, value in changed))
    body = Block((), (*machine.prelude, *machine.builder.body), results)
    changes = tuple(path for path, _ in changed)
    program = Program(signature.function, signature.inputs(), (), body, output, changes, peeled=tuple(machine.peeled))
    program = replace(program, weights=machine.weights.finished(find_roles(program)))
    return Staged(replace(program, sources=_sources(program)), signature, machine.weights.origins(), tuple(dict.fromkeys(machine.notes)))


def _refuse_generator(value: Any) -> None:
    """Nobody runs over what the function hands out."""
    if isinstance(value, Generator):
        what = f"`{value.code.name}`" if isinstance(value.code, ast.FunctionDef) else "what the function returns"
        raise CompileError(f"{what} is a generator", span=value.frame.source.span(value.code), remedy="Build a list and return it.")


def _sources(program: Program) -> tuple[tuple[str, str], ...]:
    """The files that the program came from, each with the digest of its text as it is now."""
    spans = [item.span for item in (*walk(program.body), *program.weights)]
    return tuple((file, text_digest(file)) for file in sorted({span.file for span in spans if span is not None}))


class InputMaker:
    """Turns the values of the example into Signals and fixed objects."""

    def __init__(self, machine: Machine, example: Example) -> None:
        self.machine = machine
        self.example = example
        self.numpy: set[str] = set()
        self.arrays: dict[str, tuple[Array, Any]] = {}
        self.lists: dict[str, tuple[Any, Any]] = {}

    def changes(self) -> tuple[tuple[str, Value], ...]:
        """What the function left in arguments that it changed in place."""
        found = [(path, to_signal(self.machine, array).value) for path, (array, held) in self.arrays.items() if array.held is not held]
        for path, (container, before) in self.lists.items():
            if len(container) != len(before):
                raise CompileError(
                    f"the function changes the length of its argument '{path}'", span=self.machine.span, remedy="Copy it first."
                )
            keys = range(len(container)) if isinstance(container, list) else list(container)
            found += [(f"{path}[{key!r}]", self._number(path, container[key])) for key in keys if container[key] is not before[key]]
        return tuple(found)

    def _number(self, path: str, value: Any) -> Value:
        if not isinstance(value, Signal) and not is_number(value):
            raise CompileError(
                f"the function puts a {type(value).__name__} into its argument '{path}'", span=self.machine.span, remedy="Copy it first."
            )
        return self.machine.signal(value).value

    def call(self, name: str) -> tuple[list[Any], dict[str, Any], Signature]:
        """The arguments to run the function on, and the signature for later calls."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        arguments = []
        gap = False  # after a parameter that keeps its default, the others are given by name
        for parameter in self.example.parameters.values():
            if parameter.name not in self.example.values:
                gap = gap or parameter.kind is not parameter.VAR_POSITIONAL
                continue
            value, tree = self._convert(self.example.values[parameter.name], parameter.name, parameter.name in self.example.static)
            arguments.append(Argument(parameter.name, tree))
            self._place(parameter, value, args, kwargs, gap)
        return args, kwargs, self._signature(name, tuple(arguments))

    @staticmethod
    def _place(parameter: inspect.Parameter, value: Any, args: list[Any], kwargs: dict[str, Any], gap: bool) -> None:
        match parameter.kind:
            case parameter.VAR_POSITIONAL:
                args.extend(value)
            case parameter.VAR_KEYWORD:
                kwargs.update(value)
            case parameter.POSITIONAL_ONLY:
                args.append(value)
            case parameter.POSITIONAL_OR_KEYWORD if not gap:
                args.append(value)
            case _:
                kwargs[parameter.name] = value

    def _signature(self, name: str, arguments: tuple[Argument, ...]) -> Signature:
        parameters = self.example.parameters.values()
        order = tuple(item.name for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD))
        star = next((item.name for item in parameters if item.kind is item.VAR_POSITIONAL), None)
        double = next((item.name for item in parameters if item.kind is item.VAR_KEYWORD), None)
        given = {argument.name for argument in arguments}
        defaults = tuple(item.name for item in parameters if item.name not in given and item.name not in (star, double))
        kept = {argument.name for argument in arguments}
        star, double = star if star in kept else None, double if double in kept else None
        return Signature(name, order, arguments, defaults, star, double, frozenset(self.numpy))

    def _convert(self, value: Any, path: str, static: bool) -> tuple[Any, Tree]:
        if static:
            return value, Static(value)
        if path in self.example.inputs and isinstance(value, (bool, int)):
            return self._leaf(path, Type(kind_of(value)), "py")
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc" and value.dtype not in (np.float64, np.complex128):
            raise InputError(f"'{path}' of the example is {value.dtype}; compile for float64 and use net.to(torch.float32) for less")
        if isinstance(value, np.generic) and value.dtype.kind in "fc":
            return self._leaf(path, Type(Kind.REAL if value.dtype.kind == "f" else Kind.COMPLEX), "np")
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return self._sequence(value, path)
        if type(value) is dict:
            return self._mapping(value, path)
        return self._input(value, path) if is_input(value) else (value, Static(value))

    def _sequence(self, value: list[Any] | tuple[Any, ...], path: str) -> tuple[Any, Tree]:
        parts = [self._convert(item, f"{path}[{number}]", False) for number, item in enumerate(value)]
        if all(isinstance(tree, Static) for _, tree in parts):
            return value, Static(value)
        items = type(value)(item for item, _ in parts)
        return self._own(path, items), Sequence(type(value).__name__, tuple(tree for _, tree in parts))

    def _mapping(self, value: dict[Any, Any], path: str) -> tuple[Any, Tree]:
        pairs = {key: self._convert(item, f"{path}[{key!r}]", False) for key, item in value.items()}
        if all(isinstance(tree, Static) for _, tree in pairs.values()):
            return value, Static(value)
        return self._own(path, {key: item for key, (item, _) in pairs.items()}), Mapping(
            "dict", tuple(pairs), tuple(tree for _, tree in pairs.values())
        )

    def _input(self, value: Any, path: str) -> tuple[Any, Tree]:
        """A number or an array that the caller passes."""
        shape = value.shape if isinstance(value, np.ndarray) else ()
        kind = Kind.COMPLEX if isinstance(value, complex) or getattr(value, "dtype", None) == np.complex128 else Kind.REAL
        if not isinstance(value, np.ndarray):
            return self._leaf(path, Type(kind, shape), "py")
        signal, leaf = self._leaf(path, Type(kind, shape), "np")
        array = self.machine.heap.created(Array(signal))
        self.arrays[path] = (array, signal)
        self.machine.arguments.append(array)
        return array, leaf

    def _own(self, path: str, container: Any) -> Any:
        """A list or dict of the caller that the function may change in place."""
        if isinstance(container, (list, dict)):
            self.lists[path] = (self.machine.heap.created(container), container.copy())
        return container

    def _leaf(self, path: str, type: Type, flavour: str) -> tuple[Signal, Slot]:
        if flavour == "np" and not type.shape:
            self.numpy.add(path)
        value = self.machine.builder.fresh(type, path if path.isidentifier() else "")
        self.machine.inputs.add(value.id)
        return Signal(value, flavour, False, None), Slot(value)


def output_of(machine: Machine, value: Any) -> tuple[Tree, list[Signal]]:
    """The structure of what the function returns, and its numbers."""
    leaves: list[Signal] = []
    return _output(machine, value, leaves), leaves


#: What a network cannot give back, and the way out.
NOT_RETURNED: tuple[tuple[type, str, str], ...] = (
    (DataLength, "an array whose length depends on data", "Return the whole array and the mask, or np.where(mask, array, 0.0)."),
    (DataText, "a string made from data", "Return numbers."),
    (Closure, "a function", "Return numbers, or compile the inner function."),
    (deque, "a deque", "Return a list of it."),
    (Spendable, "an iterator", "Return a list of it."),
)


def _output(machine: Machine, value: Any, leaves: list[Signal]) -> Tree:
    match value:
        case Array():
            leaves.append(to_signal(machine, value))
            return Leaf(len(leaves) - 1)
        case Signal():
            leaves.append(value)
            return Leaf(len(leaves) - 1)
        case Union():
            return _output(machine, _numbers_only(machine, value), leaves)
        case DataLength() | DataText() | Closure() | deque() | Spendable():
            reason, remedy = next(why for kind, *why in NOT_RETURNED if isinstance(value, kind))
            raise CompileError(f"the function returns {reason}", span=machine.span, remedy=remedy)
        case tuple() if hasattr(value, "_fields"):
            return Sequence(type(value).__name__, tuple(_output(machine, item, leaves) for item in value), tuple(value._fields))
        case list() | tuple():
            return Sequence("list" if isinstance(value, list) else "tuple", tuple(_output(machine, item, leaves) for item in value))
        case dict():
            return Mapping("dict", tuple(value), tuple(_output(machine, item, leaves) for item in value.values()))
        case _:
            if id(getattr(value, "__dict__", None)) in machine.heap.namespaces:
                held = vars(value)
                return Mapping(type(value).__name__, tuple(held), tuple(_output(machine, item, leaves) for item in held.values()))
            if isinstance(value, float):  # a sample that fails answers NaN here, too
                leaves.append(machine.constant(float(value)))
                return Leaf(len(leaves) - 1)
            return Static(value)


#: What some paths may return where others return numbers.
NO_NUMBERS = (type(None), str, BaseException)


def _numbers_only(machine: Machine, value: Union) -> Any:
    """Where a path returns None, a string or an exception instead of numbers, those samples have no answer: they fail there."""
    numbers = tuple((guard, item) for guard, item in value.cases if not isinstance(item, NO_NUMBERS))
    if not numbers:
        _refuse_union(machine, value)
    for guard, item in value.cases:
        if isinstance(item, NO_NUMBERS):
            machine.check(machine.negated(guard), "NoNumber", escape(f"the function returns {_shown(item)} here"))
    answer = collapse(machine, Union(numbers)) if len(numbers) > 1 else numbers[0][1]
    if isinstance(answer, Union):
        _refuse_union(machine, value)
    return answer


def _shown(item: Any) -> str:
    return f"a {type(item).__name__}" if isinstance(item, BaseException) else repr(item)


def _refuse_union(machine: Machine, value: Union) -> None:
    kinds = [_describe(item) for _, item in value.cases]
    raise CompileError(
        f"what the function returns depends on data: {' or '.join(dict.fromkeys(kinds))}",
        span=machine.span,
        remedy="Return the same kind of thing on every path, for example float('nan') instead of None.",
    )


def _describe(item: Any) -> str:
    if isinstance(item, Signal):
        return "a number" if not item.shape else f"an array of shape {item.shape}"
    if isinstance(item, Array):
        return f"an array of shape {shape_of(item)}"
    if isinstance(item, DataLength):
        return "an array whose length depends on data"
    if isinstance(item, (list, tuple)):
        return f"a {type(item).__name__} of {len(item)}"
    return repr(item) if item is None or isinstance(item, (str, bool, int, float)) else f"a {type(item).__name__}"


