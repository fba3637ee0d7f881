"""The state of one staging run, and the small vocabulary in which the rest of the front end emits operations."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from deepalgo.errors import CompileError
from deepalgo.ir import Attr, By, Check, Kind, Op, Statement, Type, Value
from deepalgo.ir.facts.truths import is_negation
from deepalgo.spans import Span
from deepalgo.stage.state import own_containers
from deepalgo.stage.state.arrays import attr_of_plain, type_of_plain
from deepalgo.stage.state.builder import Builder, exact, kind_of
from deepalgo.stage.state.error_values import remade
from deepalgo.stage.state.heap import Heap
from deepalgo.stage.state.language import Language
from deepalgo.stage.state.messages import message_of
from deepalgo.stage.state.values import NO_RULE, DataLength, DataText, Frame, Known, Leak, Signal, StandIn, UserRaise, is_number
from deepalgo.stage.state.weights import WeightTable

if TYPE_CHECKING:
    from deepalgo.stage.state.iterator_state import Snapshot

#: Loops of at most this many rounds are unrolled where a round's index decides something.
UNROLL = 64
#: Calls may nest this deep, and static loops may run this long while staging.
MAX_DEPTH = 150
MAX_LEVELS = 24  # of recursion that data must end; samples that need more fail, as with a loop's bound
MAX_STATIC_ROUNDS = 20_000


@dataclass(frozen=True, slots=True)
class Mark:
    """What a machine had found when a trial began."""

    weights: WeightTable
    lifted: dict[Any, tuple[Any, Any]]
    prelude: int
    dirty_checks: int
    try_level: int
    kin: dict[int, tuple[Any, ...]]


class Machine(Language):
    """Everything that one staging run shares."""

    def __init__(self, *, integers: bool = False) -> None:
        self.builder = Builder()
        self.heap = Heap()
        self.weights = WeightTable()
        self.integers = integers
        self.facts = self.builder.facts
        self.loose: dict[int, Any] = {}
        self.kin_before: dict[int, tuple[Any, ...]] | None = None  # while a loop gives each place that it carries a copy of its own
        self.doubtful = False
        self.inputs: set[int] = set()  # numbers that the caller passes
        self.arguments: list[Any] = []  # arrays that the caller holds
        self.modules: dict[int, Frame] = {}  # globals that the function writes, by the module
        self.lent: list[tuple[Frame, str, Any, Span]] = []  # what these globals were, and where they are declared
        self.local_classes: list[tuple[str, range, Any]] = []  # where classes stand in functions, and which
        self.borrowed: list[Any] = []  # objects from outside that the function writes to
        self._pinned: Span | None = None
        self.streams: dict[int, tuple[list[Any], Snapshot]] = {}  # lists that stand for iterators, and when they were made, by ids
        self.kin: dict[int, tuple[Any, ...]] = {}  # containers that are one on some path, by their ids
        self.deep_loose = False
        self.frames: list[Frame] = []
        self.site: tuple[Attr, ...] = ()
        self.attempts = 0  # loops that are being staged once for all rounds
        self.open_loops = 0  # loops of any kind that are being staged once for all rounds
        self.rounds_at_hand = 0  # how long the innermost of them is
        self.notes: list[str] = []
        self.peeled: dict[Span, None] = {}  # loops of which a round depended on no data
        self.lifted: dict[Any, tuple[Any, Any]] = {}  # tables from outside, by the place where they are held
        self.prelude: list[Statement] = []  # what those tables are made of: every block sees it
        self.turned = False  # whether arrays may lie in memory in another order than their rows are read
        self.numpy_raises: type[BaseException] | None = None  # what NumPy's warnings were turned into
        self.complex_at: frozenset[Span] = frozenset()  # powers that turned the example complex
        self.recursions: dict[int, dict[str, Any]] = {}  # functions that are being staged as a loop over their own calls
        self.unrolled: dict[int, ast.AST] = {}  # functions whose recursion is no loop
        self.error_classes: dict[str, type[BaseException]] = {}
        self.origins: dict[int, tuple[Check, BaseException]] = {}  # the exceptions that checks stand for, by the ids of the checks
        self.places: dict[int, tuple[Any, Span | None]] = {}  # where exceptions were raised, by their ids
        self.exact: tuple[type[BaseException], ...] | None = None  # what a `try` around that looks at the exceptions takes, if there is one
        self.keeps_names = 0  # how many `finally` and `with` around may still read the names of this function
        self.dirty_checks: list[bool] = []
        self.try_level = 0  # the heap level of the innermost `try`
        self.literal_names: dict[int, dict[int, str]] = {}
        self.given_numbers: dict[int, dict[int, str]] = {}
        self._spans: dict[int, tuple[ast.AST, Span]] = {}

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def at(self, node: ast.AST) -> Span:
        """The span of a node of the function that is running; what is emitted next belongs there."""
        if self._pinned is not None:
            self.builder.begin(self._pinned)
            return self._pinned
        entry = self._spans.get(id(node))
        if entry is None:
            if not self.frames:
                return Span("<call>", 1, 0, 1, 0)
            entry = (node, self.frame.source.span(node))
            self._spans[id(node)] = entry
        self.builder.begin(entry[1])
        return entry[1]

    @contextmanager
    def pinned(self, node: ast.AST) -> Iterator[None]:
        """All that is emitted meanwhile belongs to this node."""
        before = self._pinned
        self._pinned = self.at(node)
        try:
            yield
        finally:
            self._pinned = before

    def unpin(self) -> Span | None:
        """What a function of the user's emits belongs to its own nodes, also where a library's text calls it; the node from before."""
        before, self._pinned = self._pinned, None
        return before

    def pin(self, span: Span) -> None:
        """Go on with the node from before."""
        self._pinned = span

    @property
    def span(self) -> Span | None:
        return self.builder.span

    def refuse(self, reason: str, remedy: str, node: ast.AST | None = None) -> NoReturn:
        """Give up on the function, at the place that is being staged."""
        raise CompileError(reason, span=self.at(node) if node is not None and self.frames else self.span, remedy=remedy)

    def note(self, text: str) -> None:
        """Remember something that the network leaves out, for its user."""
        self.notes.append(f"{self.span.place}: {text}" if self.span is not None else text)

    def refuse_stand_in(self, node: ast.AST | None, *values: Any) -> None:
        """Refuse what only Python's own object could answer: an iterator is no list, and no native code knows a stand-in."""
        for value in values:
            if isinstance(value, DataLength):
                value._leak()
            if isinstance(value, StandIn):
                self.refuse(f"this way of using a {value.python} has no rule", NO_RULE, node)

    def constant(self, value: Any) -> Signal:
        """A plain number as a Signal."""
        if isinstance(value, np.ndarray):
            return self.constant_array(value)
        if isinstance(value, np.generic):
            return Signal(self.builder.const(value.item()), "np", True, Known(value.item(), frozenset()))
        return Signal(self.builder.const(exact(value)), "py", True, Known(value, frozenset()))

    def constant_array(self, value: np.ndarray) -> Signal:
        """A plain array of numbers as a Signal."""
        return Signal(self.builder.const(attr_of_plain(value), type_of_plain(value)), "np", True, None)

    def zero(self, type: Type, flavour: str = "py") -> Signal:
        """A value of the given type that nobody reads."""
        zero: Attr = {Kind.BOOL: False, Kind.INT: 0, Kind.REAL: 0.0, Kind.COMPLEX: 0j}[type.kind]
        for size in reversed(type.shape):
            zero = (zero,) * size
        return Signal(self.builder.const(zero, type), flavour, True, None)

    def signal(self, value: Any) -> Signal:
        """A Signal as it is, a plain number as a constant."""
        return value if isinstance(value, Signal) else self.constant(value)

    def emit(self, name: str, *args: Any, flavour: str = "py", **attrs: Attr) -> Signal:
        """Append one operation on Signals and numbers."""
        signals = [self.signal(item) for item in args]
        by = By.NUMPY if flavour == "np" else By.PYTHON
        result = self.builder.op(name, [item.value for item in signals], by, **attrs)
        return Signal(result, flavour, all(item.uniform for item in signals), None)

    def cast(self, value: Any, type: Type) -> Signal:
        """The same number in a wider kind."""
        if not isinstance(value, Signal):
            return self._cast_constant(value, type)
        if value.kind == type.kind:
            return value
        name = {Kind.BOOL: "to_bool", Kind.INT: "to_int", Kind.REAL: "to_real", Kind.COMPLEX: "to_complex"}[type.kind]
        result = self.emit(name, value, flavour=value.flavour)
        return Signal(result.value, value.flavour, value.uniform, value.known)

    def _cast_constant(self, value: Any, type: Type) -> Signal:
        if isinstance(value, np.ndarray):
            return self.cast(self.constant_array(value), type)
        if not is_number(value):
            raise Leak("something that is no number is used as one", NO_RULE)
        convert = {Kind.BOOL: bool, Kind.INT: int, Kind.REAL: float, Kind.COMPLEX: complex}[type.kind]
        return self.constant(convert(value))

    def select(self, guard: Signal, yes: Signal, no: Signal) -> Signal:
        """Both values are at hand: take one of them."""
        if yes.value == no.value:
            return yes
        kind = Type(max(yes.kind, no.kind), yes.shape)
        return self.emit("select", guard, self.cast(yes, kind), self.cast(no, kind), flavour=yes.flavour)

    def both(self, left: Signal, right: Signal) -> Signal:
        """Whether two conditions hold, with what is known already taken into account."""
        return self._joined("and", left, right, neutral=True)

    def either(self, left: Signal, right: Signal) -> Signal:
        """Whether one of two conditions holds, with what is known already taken into account."""
        return self._joined("or", left, right, neutral=False)

    def _joined(self, name: str, left: Signal, right: Signal, neutral: bool) -> Signal:
        for one, other in ((left, right), (right, left)):
            truth = self.truth_of(one)
            if truth is not None:
                return other if truth is neutral else one
        return left if left.value == right.value else self.emit(name, left, right)

    def negated(self, signal: Signal) -> Signal:
        """Whether a condition does not hold."""
        definition = self.definition(signal)
        if definition is not None and is_negation(definition):
            return Signal(definition.args[0], "py", signal.uniform, None)
        truth = self.constant_truth(signal)
        return self.constant(not truth) if truth is not None else self.emit("not", signal)

    def none_of(self, guards: list[Signal]) -> Signal:
        """The guard of what is left when none of the others hold."""
        some = guards[0]
        for guard in guards[1:]:
            some = self.either(some, guard)
        return self.negated(some)

    def constant_truth(self, signal: Signal) -> bool | None:
        """The value of a truth value that is a constant of the program."""
        number = self.facts.known.get(signal.value)
        return None if number is None else bool(number)

    def truth_of(self, signal: Signal) -> bool | None:
        """What the path to this point already tells about a truth value."""
        return self.facts.truth(signal.value)

    @contextmanager
    def assuming(self, condition: Signal, truth: bool) -> Iterator[None]:
        """Stage code that only runs where a condition has the given truth."""
        self.facts.enter()
        self.learn(condition.value, truth)
        try:
            yield
        finally:
            self.facts.leave()

    def learn(self, value: Value, truth: bool) -> None:
        """Note a truth value and what follows from it for its parts."""
        self.facts.learn(value, truth)

    def check(self, ok: Signal, error: type[BaseException] | str, message: str, operands: tuple[Signal, ...] = ()) -> None:
        """Samples for which `ok` is false raise here."""
        truth = self.truth_of(ok) if ok.known is None else bool(ok.known.value)
        if ok.shape:
            ok = self.emit("all", ok, axis=None)
        if truth is True:
            self.vouch()
            return
        name, bases = (error, ()) if isinstance(error, str) else self.error_names(error)
        if self.doubtful and not isinstance(error, str):
            error, message, operands = "PythonOrNumPy", f"Python raises {name} here and NumPy does not", ()
            name, bases = error, ()
        if truth is False and not isinstance(error, str):
            raise UserRaise(error, message, self.span)
        self.note_dirty_check()
        values = tuple(item.value for item in operands)
        self.builder.append(Check(ok.value, name, message, values, self.span, bases, self.builder.guarding()))
        self.learn(ok.value, True)

    def vouch(self) -> None:
        """Say of the operation that is staged that what it raises by itself is checked, as far as it can happen."""
        self.builder.guarding()

    @contextmanager
    def doubting(self, flavour: str) -> Iterator[None]:
        """Where data decides whether a number is Python's, which raises, or NumPy's, which answers inf, a check answers neither."""
        before, self.doubtful = self.doubtful, flavour == "either"
        try:
            yield
        finally:
            self.doubtful = before

    def fail(self, error: UserRaise) -> None:
        """Every sample that comes here raises."""
        message, operands = message_of(error)
        no = self.constant(False)
        self.note_dirty_check()
        name, bases = self.error_names(error.kind)
        check = Check(no.value, name, message, tuple(item.value for item in operands), error.span, bases)
        self.append_raise(check, error)

    def append_raise(self, check: Check, error: UserRaise) -> None:
        """Append the check by which an exception is raised, and remember the exception."""
        self.origins[id(check)] = (check, error.instance)
        self.builder.append(check)

    def error_names(self, error: type[BaseException]) -> tuple[str, tuple[str, ...]]:
        """The name of an exception class, and those of the classes above it; a handler can find the class again."""
        self.error_classes[error.__name__] = error
        return error.__name__, tuple(base.__name__ for base in error.__mro__[1:] if issubclass(base, BaseException))

    def note_dirty_check(self) -> None:
        """Remember, for the `try` around it, that something was written before this check."""
        if self.dirty_checks and not self.dirty_checks[-1]:
            self.dirty_checks[-1] = any(level.before for level in self.heap.levels[self.try_level :])

    def demand(self, value: Any, why: str) -> Any:
        """The plain value of something that a static decision needs; weights that enter it are frozen."""
        if not isinstance(value, Signal):
            return value
        if value.known is not None:
            for key in value.known.keys:
                self.weights.freeze(key, why)
            return value.known.value
        return None

    def mark(self) -> Mark:
        """Remember what has been found so far, for a trial whose code may be thrown away."""
        return Mark(self.weights.copy(), dict(self.lifted), len(self.prelude), len(self.dirty_checks), self.try_level, dict(self.kin))

    def rewind(self, mark: Mark) -> None:
        """Forget what a trial found: weights, and why they were frozen."""
        self.weights, self.lifted, self.try_level, self.kin = mark.weights.copy(), dict(mark.lifted), mark.try_level, dict(mark.kin)
        del self.prelude[mark.prelude :], self.dirty_checks[mark.dirty_checks :]

    def is_loose(self, container: Any) -> bool:
        """Whether nobody but the value at hand can hold this container, so that it may be replaced by a merged copy."""
        return self.deep_loose or id(container) in self.loose

    def is_made(self, container: Any) -> bool:
        """Whether the arm or the round at hand made this container."""
        return id(container) in self.loose

    def make_sequence(self, kind: type, items: list[Any], bound: int | None = None) -> Any:
        """A new list, deque or tuple of the given class."""
        if kind is deque:
            return self.heap.created(deque(items, bound))
        if kind is list:
            return self.heap.created(items)
        if hasattr(kind, "_make"):
            return kind._make(items)  # a namedtuple
        return kind(items)

    def make_fields(self, kind: type, parts: dict[Any, Any]) -> Any:
        """A new dict, or an object with the given attributes."""
        if kind is dict:
            return self.heap.created(parts)
        if issubclass(kind, BaseException):
            return remade(kind, parts)
        if own_containers.base_of(kind) is not None:
            return own_containers.remade(self, kind, parts)
        if issubclass(kind, StandIn) and kind.fields:
            return kind(**parts)
        if kind is DataText:
            template, *operands = parts.items()
            return DataText(template[0], tuple(operand for _, operand in operands))
        instance: Any = object.__new__(kind)
        vars(instance).update(parts)
        self.heap.namespace(vars(instance))
        return self.heap.created(instance)

    def definition(self, signal: Signal) -> Op | None:
        """The operation that made a Signal."""
        return self.facts.ops.get(signal.value)


def attr_of(value: Any) -> Attr:
    """A number or a nested sequence of numbers as it is stored in a Program."""
    if isinstance(value, (list, tuple)):
        return tuple(attr_of(item) for item in value)
    kind_of(value)
    return exact(value)  # type: ignore[no-any-return]  # kind_of accepts plain numbers only

