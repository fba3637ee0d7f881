"""Reading and writing attributes of objects, modules and Signals."""

from __future__ import annotations

import ast
import dataclasses
import types
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepalgo.errors import CompileError
from deepalgo.spans import Span, attribute_span
from deepalgo.stage.rules.numpy import methods
from deepalgo.stage.rules.python import exceptions, number_methods
from deepalgo.stage.rules.registry import HANDLERS
from deepalgo.stage.state import lookup, own_containers
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.heap import restore_content
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.shared_objects import SHARED, SHARED_REMEDY, refuse_shared
from deepalgo.stage.state.slots import class_of, has_slots
from deepalgo.stage.state.static_values import refuse_text
from deepalgo.stage.state.structure import is_plain_object, is_same
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import UNDEFINED, BoundMethod, Closure, Frame, Signal, StandIn, Union, UserRaise, refuse_again, user_method


def attribute_name(machine: Machine, node: ast.Attribute) -> str:
    """The name that Python looks up: `self.__p` in a method of the class `C` is `_C__p`."""
    if not node.attr.startswith("__") or node.attr.endswith("__"):
        return node.attr
    frame: Frame | None = machine.frame
    while frame is not None and frame.function is None:
        frame = frame.enclosing
    owner = getattr(frame.function, "__qualname__", "").split(".")[-2:-1] if frame is not None else []
    return f"_{owner[0].lstrip('_')}{node.attr}" if owner and owner[0] != "<locals>" else node.attr


def get_attribute(machine: Machine, value: Any, name: str, node: ast.AST) -> Any:
    """`value.name`."""
    refuse_again(value)
    if name == "__class__" and has_slots(type(value)):
        return class_of(value)
    if name == "__class__" and isinstance(value, (Signal, Array)):
        return HANDLERS[type](machine, [value], {}, node)

    if isinstance(value, (Array, Masked, Positions)) or (isinstance(value, Signal) and _is_numpys(value, name)):
        return methods.attribute(machine, value, name, node)
    if isinstance(value, Signal):
        return number_methods.attribute(machine, value, name, node)
    if isinstance(value, Closure):
        return _closure_attribute(machine, value, name)
    if isinstance(value, Super):
        return value.find(machine, name, node)
    refuse_text(machine, "is used", value, node)
    if isinstance(value, BaseException):
        kept = exceptions.attribute(machine, value, name, node)
        if kept is not NotImplemented:
            return kept
    if isinstance(value, types.ModuleType):
        return _module_attribute(machine, value, name)
    return _object_attribute(machine, value, name, node)


def _is_numpys(value: Signal, name: str) -> bool:
    """Whether an attribute is one of NumPy's numbers; where data decides whose number it is, those that Python's numbers lack are."""
    return value.flavour == "np" or (value.flavour == "either" and not hasattr(float, name))


def _closure_attribute(machine: Machine, value: Closure, name: str) -> Any:
    if name in value.attributes:
        return value.attributes[name]
    if name == "__name__":
        return value.name
    raise UserRaise(AttributeError, f"'function' object has no attribute '{name}'", machine.span)


def _module_attribute(machine: Machine, module: types.ModuleType, name: str) -> Any:
    written = machine.modules.get(id(vars(module)))
    if written is not None and name in written.names:
        return lookup.read(machine, written, name)
    try:
        value = getattr(module, name)
    except AttributeError as error:
        raise UserRaise(error, None, machine.span) from None
    if isinstance(value, (float, list, tuple, dict, np.ndarray)):
        return lookup.lift_module_constant(machine, module.__name__, vars(module), name, value)
    return value


def refuse_computed_attributes(machine: Machine, cls: type, node: ast.AST) -> None:
    """Refuse a class whose objects answer for every attribute themselves."""
    if hasattr(cls.__getattribute__, "__code__"):
        remedy = "Use `__getattr__` or a property for the attributes that are computed."
        machine.refuse(f"`{cls.__name__}` has a `__getattribute__` of its own", remedy, node)


def _object_attribute(machine: Machine, value: Any, name: str, node: ast.AST) -> Any:
    refuse_computed_attributes(machine, type(value), node)

    held = getattr(value, "__dict__", None)
    found = _class_attribute(type(value), name)
    kept_here = isinstance(held, dict) and name in held and id(held) in machine.heap.namespaces and held[name] is not UNDEFINED
    if isinstance(held, dict) and kept_here and not _is_ahead(found):
        if type(found).__name__ == "cached_property":
            _refuse_unsure(machine, held[name], node)
        return _present(machine, value, name, held[name], node)
    if isinstance(found, property) and found.fget is not None:
        return machine.call(found.fget, [value], {}, node)
    if _descriptor_method(found, "__get__") is not None:
        return machine.call(type(found).__get__, [found, value, type(value)], {}, node)
    if type(found).__name__ == "cached_property":
        machine.weights.remembering[name] = None
        return _kept_property(machine, value, name, machine.call(found.func, [value], {}, node))
    getter = user_method(value, "__getattr__")
    try:
        result = getattr(value, name) if getter is None else object.__getattribute__(value, name)
    except AttributeError as error:
        if getter is not None:
            return machine.call(getter, [value, name], {}, node)
        raise UserRaise(error, None, machine.span) from None
    return _found_attribute(machine, value, name, result)


def _refuse_unsure(machine: Machine, kept: Any, node: ast.AST) -> None:
    """Refuse a cached property that was computed on some paths only."""
    if isinstance(kept, Union) and any(item is UNDEFINED for _, item in kept.cases):
        machine.refuse("whether this property was computed before depends on data", "Read it once before the `if`.", node)


def _found_attribute(machine: Machine, value: Any, name: str, result: Any) -> Any:
    """What Python found as an attribute."""
    if result is UNDEFINED:
        raise UserRaise(AttributeError, f"'{type(value).__name__}' object has no attribute '{name}'", machine.span)
    if isinstance(result, types.MethodType) and hasattr(result.__func__, "__code__"):
        return BoundMethod(result.__func__, result.__self__)
    return _lift_attribute(machine, value, name, result)


def _descriptor_method(found: Any, name: str) -> Any:
    """A method of a descriptor of the user's; those of `functools` have ways of their own."""
    return None if type(found).__module__ == "functools" else user_method(found, name)


def _is_ahead(found: Any) -> bool:
    """Whether what a class has under a name comes before what an object has: a property, or a descriptor that is written to."""
    return isinstance(found, property) or any(_descriptor_method(found, name) is not None for name in ("__set__", "__delete__"))


def is_computed(value: Any, name: str) -> bool:
    """Whether an object's class has code of the user's that answers for an attribute."""
    if not is_plain_object(value) or name in vars(value):
        return False
    found = _class_attribute(type(value), name)
    return isinstance(found, property) or _descriptor_method(found, "__get__") is not None or user_method(value, "__getattr__") is not None


def _present(machine: Machine, value: Any, name: str, kept: Any, node: ast.AST) -> Any:
    """An attribute that only some paths have; the others raise."""
    absent = absent_where(kept)
    if not absent:
        return kept
    if hasattr(type(value), name):
        machine.refuse("whether an object or its class has this attribute depends on data", "Set it on every path.", node)
    machine.check(machine.none_of(absent), AttributeError, f"'{type(value).__name__}' object has no attribute '{name}'")
    cases = tuple((guard, item) for guard, item in kept.cases if item is not UNDEFINED)
    return cases[0][1] if len(cases) == 1 else Union(cases)


def absent_where(kept: Any) -> list[Signal]:
    """The guards under which an attribute is not there."""
    return [guard for guard, item in kept.cases if item is UNDEFINED] if isinstance(kept, Union) else []


def _kept_property(machine: Machine, value: Any, name: str, result: Any) -> Any:
    """What a `cached_property` computed stays in its object."""
    held = vars(value)
    if id(held) in machine.heap.namespaces:
        machine.heap.touch(held)
        held[name] = result
    return result


def _lift_attribute(machine: Machine, value: Any, name: str, result: Any) -> Any:
    """A float that an object or a class holds is a weight of the person who wrote it there."""
    own = not isinstance(value, type) and name in getattr(value, "__dict__", {})
    made_here = own and id(vars(value)) in machine.heap.namespaces
    if made_here or isinstance(value, (str, bytes, int, float, complex, list, tuple, dict, set)):
        return result
    owner = value if isinstance(value, type) else type(value)
    if str(getattr(owner, "__module__", "")).partition(".")[0] in lookup.GIVEN or isinstance(owner, types.ModuleType):
        return result
    if not isinstance(result, (float, list, tuple, np.ndarray)):
        return result
    holder = next((base for base in owner.__mro__ if name in vars(base)), owner)
    if own or vars(holder).get(name) is not result:  # a slot, or what a descriptor says of this object
        machine.weights.hold(("attribute", id(value), name), "attribute", value, name, lookup.running(machine))
        return lookup.lift(machine, result, ("attribute", id(value), name), name, None)
    place = ("class", id(holder), name)
    machine.weights.hold(place, "class", holder, name, lookup.running(machine))
    return lookup.lift(machine, result, place, f"{holder.__name__}_{name}", attribute_span(holder, name))


def _class_attribute(owner: type, name: str) -> Any:
    for base in owner.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


class Super(StandIn):
    """`super()` inside an interpreted method."""

    python = "super"

    def __init__(self, owner: type, instance: Any) -> None:
        self.owner = owner
        self.instance = instance

    def find(self, machine: Machine, name: str, node: ast.AST) -> Any:
        """The next definition of a method after the class that is running."""
        order = type(self.instance).__mro__
        for base in order[order.index(self.owner) + 1 :]:
            if name in vars(base):
                return self._bound(machine, vars(base)[name], name, node)
        raise UserRaise(AttributeError, f"'super' object has no attribute '{name}'", machine.span)


    def _bound(self, machine: Machine, found: Any, name: str, node: ast.AST) -> Any:
        """What the class has, for the instance."""
        if hasattr(found, "__code__"):
            return BoundMethod(found, self.instance)
        if isinstance(found, property) and found.fget is not None:
            return machine.call(found.fget, [self.instance], {}, node)
        if _descriptor_method(found, "__get__") is not None:
            return machine.call(type(found).__get__, [found, self.instance, type(self.instance)], {}, node)
        return getattr(super(self.owner, self.instance), name)


def _refuse_frozen(machine: Machine, value: Any, message: str) -> None:
    """Fields of a frozen dataclass of the user's cannot be changed."""
    parameters = None if isinstance(value, StandIn) else getattr(type(value), "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        raise UserRaise(dataclasses.FrozenInstanceError, message, machine.span)


def set_attribute(machine: Machine, value: Any, name: str, item: Any, node: ast.AST) -> None:
    """`value.name = item`."""
    if isinstance(value, Union):
        distribute(machine, value, lambda case: set_attribute(machine, case, name, item, node), node)
        return
    if isinstance(value, Closure):
        value.attributes[name] = item
        return
    if own_containers.has_entries_as_attributes(value):
        machine.set_item(value, name, item, node)
        return
    method = user_method(value, "__setattr__")
    if method is not None:
        machine.call(method, [value, name, item], {}, node)
        return
    _refuse_frozen(machine, value, f"cannot assign to field {name!r}")
    write_attribute(machine, value, name, item, node)


def write_attribute(machine: Machine, value: Any, name: str, item: Any, node: ast.AST) -> None:
    """`object.__setattr__(value, name, item)`."""
    found = None if isinstance(value, (StandIn, type)) else _class_attribute(type(value), name)
    if isinstance(found, property) and found.fset is not None:
        machine.call(found.fset, [value, item], {}, node)
        return
    if _descriptor_method(found, "__set__") is not None:
        machine.call(_descriptor_method(found, "__set__"), [found, value, item], {}, node)
        return
    if isinstance(value, StandIn) or own_containers.base_of(type(value)) is None:
        _refuse_without_attributes(machine, value, name, node)
    borrow(machine, value, node)
    if isinstance(value, type):
        machine.refuse("this writes to an attribute of a class", "Keep the value in an object, or in a variable of the function.", node)
    refuse_shared(machine, value, node)
    attributes = getattr(value, "__dict__", None)
    if not isinstance(attributes, dict) or isinstance(value, (types.ModuleType, types.FunctionType)):
        machine.refuse("this attribute cannot be written while compiling", "Use an ordinary object or a local variable.", node)
    _refuse_as_python(machine, value, name)
    machine.heap.touch(attributes)
    attributes[name] = item


def _refuse_as_python(machine: Machine, value: Any, name: str) -> None:
    """What slots, and properties without a setter, do not let be written: Python is asked, with an object that is empty."""
    kind = class_of(value)
    if not is_plain_object(value) or not (has_slots(type(value)) or isinstance(_class_attribute(kind, name), property)):
        return
    empty: object = object.__new__(kind)
    try:
        object.__setattr__(empty, name, None)
    except AttributeError as error:
        raise UserRaise(AttributeError, str(error), machine.span) from None


def delete_attribute(machine: Machine, value: Any, name: str, node: ast.AST) -> None:
    """`del value.name`."""
    if isinstance(value, Union):
        distribute(machine, value, lambda case: delete_attribute(machine, case, name, node), node)
        return
    _refuse_frozen(machine, value, f"cannot delete field {name!r}")
    found = _class_attribute(type(value), name)
    if isinstance(found, property) and found.fdel is not None and user_method(value, "__delattr__") is None:
        machine.call(found.fdel, [value], {}, node)
        return
    computed = user_method(value, "__delattr__") is not None or hasattr(found, "__get__")
    if not is_plain_object(value) or computed:
        machine.refuse("this attribute cannot be deleted while compiling", "Set it to None.", node)
    borrow(machine, value, node)
    refuse_shared(machine, value, node)
    attributes = vars(value)
    held = attributes.get(name, UNDEFINED)
    if held is UNDEFINED:
        try:
            delattr(object.__new__(type(value)), name)
        except AttributeError as error:
            raise UserRaise(AttributeError, str(error), machine.span) from None
    if isinstance(held, Union) and any(item is UNDEFINED for _, item in held.cases):
        machine.refuse("whether this object has the attribute depends on data", "Set it to None instead.", node)
    machine.heap.touch(attributes)
    del attributes[name]


def _refuse_without_attributes(machine: Machine, value: Any, name: str, node: ast.AST) -> None:
    """Numbers, arrays and containers take no attributes: Python raises, and so do we, with its text."""
    if not isinstance(value, (Signal, Array, list, tuple, dict, set, str, bytes, bool, int, float, complex, type(None))):
        return
    try:
        setattr(representative(value) if isinstance(value, (Signal, Array)) else type(value)() if value is not None else None, name, None)
    except AttributeError as error:
        raise UserRaise(error, None, machine.span) from None
    except Exception:  # an attribute that can be set, but not to this
        pass
    machine.refuse("this attribute cannot be written while compiling", "Use an ordinary object or a local variable.", node)


def borrow(machine: Machine, value: Any, node: ast.AST) -> None:
    """Let the function write to an object that was there before, if it takes back what it wrote (`refuse_traces`)."""
    if id(value) in machine.heap.inside or not is_plain_object(value):
        return
    attributes = vars(value)
    before = dict(attributes)
    site, machine.site = machine.site, ()
    with machine.builder.into(machine.prelude):  # the values will be read in other blocks, too
        attributes.update({name: _lift_attribute(machine, value, name, item) for name, item in before.items()})
    machine.site = site
    machine.heap.keep_names(attributes)
    machine.heap.inside[id(value)] = value
    machine.borrowed.append(Borrowed(value, before, dict(attributes), machine.at(node)))


@dataclass(frozen=True, slots=True)
class Borrowed:
    """An object of the user's that the function writes to: its attributes as they were, also as the program sees them."""

    value: Any
    before: dict[str, Any]
    seen: dict[str, Any]
    span: Span | None


def refuse_traces(machine: Machine) -> None:
    """Refuse a function that leaves an object changed which was there before."""
    for item in machine.borrowed:
        after = vars(item.value)
        if after.keys() != item.seen.keys() or any(not _is_as_before(machine, item.seen[name], after[name]) for name in after):
            raise CompileError(SHARED, span=item.span, remedy=SHARED_REMEDY)


def _is_as_before(machine: Machine, before: Any, after: Any) -> bool:
    """Whether two values are one, or two uses of the same weight."""
    if is_same(before, after):
        return True
    definitions = [machine.definition(value) for value in (before, after) if isinstance(value, Signal)]
    keys = [item.attr("key") for item in definitions if item is not None and item.name == "weight"]
    return len(keys) == 2 and keys[0] == keys[1]


def give_back(machine: Machine) -> None:
    """Leave borrowed objects as they were, whatever became of the function."""
    for item in machine.borrowed:
        restore_content(vars(item.value), item.before)
