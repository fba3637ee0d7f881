"""What a program can ask an exception: its text, its arguments and attributes, its cause."""

from __future__ import annotations

import ast
import builtins
from typing import Any, NoReturn

from deepalgo.ir import Check
from deepalgo.spans import Span
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.error_values import CAUSE, parts_of, remade
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.messages import concatenate
from deepalgo.stage.state.unions import distribute, distribute_first
from deepalgo.stage.state.values import DataText, RecursionBound, Signal, Union, UserRaise, user_method

#: Where an exception was raised; no name that a program could use.
PLACE = "raised at"
#: What Python keeps about the way of an exception.
UNKNOWN = frozenset({"__context__", "__traceback__", "__suppress_context__", "__notes__", "__dict__", "with_traceback", "add_note"})


def class_named(machine: Machine, name: str) -> type[BaseException] | None:
    """The exception class behind the name in a check; None for errors that Python does not know."""
    found = machine.error_classes.get(name) or getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) and found is not RecursionBound else None


def raised_by(machine: Machine, check: Check) -> BaseException:
    """The exception that a check raises."""
    known = machine.origins.get(id(check))
    if known is None:
        known = machine.origins[id(check)] = (check, _made_for(machine, check))
    return known[1]


def _made_for(machine: Machine, check: Check) -> BaseException:
    cls = class_named(machine, check.error) or Exception
    operands = tuple(Signal(value) for value in check.operands)
    if issubclass(cls, KeyError) and check.message == "{0}":
        return cls(*operands)
    if operands:
        return cls(DataText(check.message, operands))
    if issubclass(cls, OverflowError) and check.message.startswith("("):  # a number and a text, as the C library gives them
        return cls(*ast.literal_eval(check.message))
    return cls(*([check.message.replace("{{", "{").replace("}}", "}")] if check.message else []))


def place_of(machine: Machine, error: BaseException) -> Span | None:
    """Where an exception was raised, if that is known."""
    held: Span | None = vars(error).get(PLACE)
    return held or machine.places.get(id(error), (None, None))[1]


def remember_place(machine: Machine, error: BaseException, place: Span | None) -> None:
    """Note where an exception was raised: inside of it if it holds data, as it is then made anew where paths meet."""
    if contains_signal(error) and place is not None:
        vars(error)[PLACE] = place
    machine.places[id(error)] = (error, place)


def raise_again(machine: Machine, error: Any, node: ast.AST) -> NoReturn:
    """Raise an exception, or one of several, as if it had been raised where it was first."""

    def one(case: Any) -> Any:
        raise UserRaise(case, None, place_of(machine, case) or machine.at(node))

    distribute(machine, error, one, node)
    raise AssertionError("every case raises")


def raise_at(machine: Machine, error: Any, span: Span, node: ast.AST) -> NoReturn:
    """Raise an exception, or one of several, here."""

    def one(case: Any) -> Any:
        raise UserRaise(case, None, span)

    distribute(machine, error, one, node)
    raise AssertionError("every case raises")


def attribute(machine: Machine, error: BaseException, name: str, node: ast.AST) -> Any:
    """`error.name` where Python keeps the answer in the exception itself; NotImplemented where not."""
    if name == "args":
        return error.args
    if name == CAUSE:
        return vars(error).get(CAUSE)
    if name == "value" and isinstance(error, StopIteration):
        return error.args[0] if error.args else None
    if name in vars(error):
        return vars(error)[name]
    if name in ("__str__", "__repr__") and user_method(error, name) is None:
        machine.refuse(f"`{name}` of an exception is not compiled", f"Write {name.strip('_')}(error).", node)
    found = next((vars(base)[name] for base in type(error).__mro__ if name in vars(base)), None)
    own = type(found).__name__ in ("member_descriptor", "getset_descriptor", "method_descriptor", "wrapper_descriptor")
    if name in UNKNOWN or (own and name != "__class__"):
        machine.refuse(
            f"`{name}` of an exception is not kept while compiling", "Use its class, its `args`, its text, or attributes of your own.", node
        )
    return NotImplemented


def text_of(machine: Machine, error: BaseException, node: ast.AST) -> Any:
    """`str(error)`."""
    method = user_method(error, "__str__")
    if method is not None:
        return machine.call(method, [error], {}, node)
    known = (BaseException.__str__, KeyError.__str__, AttributeError.__str__, NameError.__str__)
    if type(error).__str__ not in known:
        if contains_signal(error.args):
            machine.refuse("the text of this exception depends on data", "Compare its class or its `args`.", node)
        return str(error)
    if not error.args:
        return ""
    if len(error.args) > 1:
        return machine.call(str, [error.args], {}, node)
    return machine.call(repr if type(error).__str__ is KeyError.__str__ else str, [error.args[0]], {}, node)


def representation_of(machine: Machine, error: BaseException, node: ast.AST) -> Any:
    """`repr(error)`."""
    method = user_method(error, "__repr__")
    if method is not None:
        return machine.call(method, [error], {}, node)
    parts: list[Any] = [f"{type(error).__name__}("]
    for place, item in enumerate(error.args):
        parts += [", "] * bool(place) + [machine.call(repr, [item], {}, node)]
    return joined(machine, [*parts, ")"], node)


def joined(machine: Machine, parts: list[Any], node: ast.AST) -> Any:
    """Texts one after the other, case by case where one of them is one of several."""
    return distribute_first(machine, parts, concatenate, node)


def set_cause(machine: Machine, error: Any, cause: Any, node: ast.AST) -> Any:
    """`raise error from cause`."""
    if isinstance(cause, type) and issubclass(cause, BaseException):
        cause = machine.call(cause, [], {}, node)
    cases = [case for _, case in cause.cases] if isinstance(cause, Union) else [cause]
    if not all(case is None or isinstance(case, BaseException) for case in cases):
        raise UserRaise(TypeError, "exception causes must derive from BaseException", machine.at(node))

    def caused(case: BaseException) -> BaseException:
        return remade(type(case), {**parts_of(case), CAUSE: cause})

    return Union(tuple((guard, caused(case)) for guard, case in error.cases)) if isinstance(error, Union) else caused(error)
