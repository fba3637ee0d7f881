"""`Program`: what is left of the user's function once its static part has run.

SSA values, operations and nested regions. It is plain frozen data: printed, saved, rewritten by passes and transformations, and written as
code by the backends. A block sees the values of the blocks around it. All types are per sample; backends add the batch axis.

>>> from deepalgo.kinds import Kind
>>> x = Value(0, Type(Kind.REAL), "x")
>>> y = Value(1, Type(Kind.REAL))
>>> program = Program("double", (Input("x", x),), (), Block((), (Op(y, "add", (x, x)),), (y,)), Leaf(0))
>>> print(program)
double(x: real)
  %1 = add %x %x
  return %1
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TypeAlias

from deepalgo.ir.standing import Standing
from deepalgo.kinds import Attr, Type
from deepalgo.spans import Span


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the program, defined once. `name` is the user's variable, for readers only."""

    id: int
    type: Type = field(compare=False)
    name: str = field(default="", compare=False)

    # Written out, as sets and dicts of values are asked millions of times.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.id == other.id

    def __hash__(self) -> int:
        return self.id

    def __str__(self) -> str:
        return f"%{self.name}.{self.id}" if self.name else f"%{self.id}"


class By(enum.StrEnum):
    """Whose operation it is: they round, overflow and fail in different ways, and NumPy's gives a number of NumPy's."""

    PYTHON = "python"
    NUMPY = "numpy"


@dataclass(frozen=True, slots=True)
class Op:
    """`result = name(args; attrs)`, a row of the table in `deepalgo.ops`.

    Two names have no arguments: `const` (attr `value`: a number or nested tuples) and `weight` (attr `key`: a weight of the
    program; `site`: the calls and unrolled rounds this use belongs to, which `untie` can tell apart).
    `by` is whose operation it was in the source; operations that a pass makes are Python's. `guard` is the number of the checks that
    stand for what the operation raises by itself, as far as they can fail; 0 if the operation must not raise.
    """

    result: Value
    name: str
    args: tuple[Value, ...] = ()
    attrs: tuple[tuple[str, Attr], ...] = ()
    span: Span | None = field(default=None, compare=False)
    by: By = By.PYTHON
    guard: int = 0

    def attr(self, name: str) -> Attr:
        """The value of one attribute."""
        return dict(self.attrs)[name]

    @property
    def is_const(self) -> bool:
        """Whether this is a constant."""
        return self.name == "const"

    @property
    def is_weight(self) -> bool:
        """Whether this is the use of a weight."""
        return self.name == "weight"

    @property
    def is_choice(self) -> bool:
        """Whether this is one of two values, by a condition: what an `If` with arms that only yield would be."""
        return self.name == "select"


@dataclass(frozen=True, slots=True)
class Check:
    """A sample for which `ok` is false raises `error` here and takes no part in what follows.

    `error` is the name of the exception class and `bases` those of the classes above it, nearest first; `message` may contain `{0}`,
    `{1}`, ... for the operands. A check with a `guard` stands for what the operations with the same number raise by themselves; one
    without is the user's own, or says what the library cannot do.
    """

    ok: Value
    error: str
    message: str
    operands: tuple[Value, ...] = ()
    span: Span | None = field(default=None, compare=False)
    bases: tuple[str, ...] = ()
    guard: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """What a check raises, once a number stands for the check: the operands of its message are not known any more."""

    error: str
    message: str
    operands: int = 0
    span: Span | None = field(default=None, compare=False)

    @classmethod
    def of(cls, check: Check) -> Failure:
        """What this check raises."""
        return cls(check.error, check.message, len(check.operands), check.span)


@dataclass(frozen=True, slots=True)
class Block:
    """Statements in order. `params` are defined by the region that owns the block, `results` are what it hands out."""

    params: tuple[Value, ...]
    body: tuple[Statement, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Each sample takes one arm; `results[i]` is `then.results[i]` or `orelse.results[i]`. Arms have no params."""

    results: tuple[Value, ...]
    condition: Value
    then: Block
    orelse: Block
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Loop:
    """`count` rounds for every sample. `body.params` is the round's index (0, 1, ...) and then the carried values."""

    results: tuple[Value, ...]
    count: int
    init: tuple[Value, ...]
    body: Block
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class While:
    """Rounds as long as `test` holds, sample by sample. Both blocks take the carried values as params.

    `bound` is a number of rounds that no sample can exceed, where the source says so (a `for` that may `break`): after so many
    the test is not asked any more. Without one, it is Python's own loop, up to a largest number of rounds that each run of the program
    sets: a sample whose test still holds after so many fails there with the error `LoopBound`. No `except` of the user's takes that,
    as Python would go on; a handler that names `LoopBound` does, which only transformations write.
    """

    results: tuple[Value, ...]
    init: tuple[Value, ...]
    test: Block
    body: Block
    bound: int | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Handler:
    """An `except`: the names of the exception classes it catches, and its block."""

    catches: tuple[str, ...]
    block: Block


@dataclass(frozen=True, slots=True)
class Try:
    """Samples whose first failing check in `body` is caught by a handler get the handler's results instead."""

    results: tuple[Value, ...]
    body: Block
    handlers: tuple[Handler, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Save:
    """Put values on the sample's stack, for the `Restore` of the same number to take back.

    Only derivatives save and restore: what a round or an arm computed on the way forward is wanted again on the way back, last first.
    """

    number: int
    values: tuple[Value, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Restore:
    """Take back from the sample's stack what was put there last, which must be the work of the `Save` of the same number."""

    results: tuple[Value, ...]
    number: int
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Rewind:
    """`count` rounds from the last to the first: `body.params` is the round's index (count - 1, ..., 0) and then the carried values.

    The way back through a loop, however many rounds each sample took.
    """

    results: tuple[Value, ...]
    count: Value
    init: tuple[Value, ...]
    body: Block
    span: Span | None = field(default=None, compare=False)


Statement: TypeAlias = Op | Check | If | Loop | While | Try | Save | Restore | Rewind


@dataclass(frozen=True, slots=True)
class Input:
    """One float (or array) of the call; `path` says where it sits in the arguments, e.g. `x` or `points[0]`."""

    path: str
    value: Value


class Role(enum.StrEnum):
    """What a weight does in the heuristic."""

    COEFFICIENT = "coefficient"
    EXPONENT = "exponent"
    THRESHOLD = "threshold"
    INITIAL = "initial value"


@dataclass(frozen=True, slots=True)
class Weight:
    """A number that a person wrote. `value` is a float or nested tuples; `frozen` is why it cannot be trained, or ''.

    `standing` is what the source says of it that only training asks.
    """

    key: str
    value: Attr
    shape: tuple[int, ...] = ()
    role: Role = Role.COEFFICIENT
    frozen: str = ""
    span: Span | None = field(default=None, compare=False)
    standing: Standing = field(default=Standing(), compare=False)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place in the structure of the output that holds one number or array: the result of the program's block at `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the structure of an argument that one input of the program fills."""

    value: Value


@dataclass(frozen=True, slots=True)
class Static:
    """A place in a structure that holds a fixed object (a string, None, an int)."""

    item: object


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list or a tuple; `kind` is 'list', 'tuple', or the name of a namedtuple with `names`."""

    kind: str
    items: tuple[Tree, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mapping:
    """A dict with fixed keys; `kind` is 'dict' or the class name of an object whose attributes these are."""

    kind: str
    keys: tuple[object, ...]
    items: tuple[Tree, ...]


Tree: TypeAlias = Leaf | Slot | Static | Sequence | Mapping


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Program:
    """A whole function: inputs, weights, one block, and the structure of what it returns.

    `body.results` are the leaves of `output` in reading order, then one value for each path in `changes`: what the function leaves
    in those of its arguments that it changes in place. `sources` are the files that its spans point into, with a digest of their text.
    With `failures` there is one result more, the last: the number, from 1 on, of the failure that a sample meets first, or 0; in a
    graph that only has to know whether a sample fails, a truth value.
    `peeled` are the places of loops whose first rounds may have run while compiling, so that the program counts less of them.
    """

    name: str
    inputs: tuple[Input, ...]
    weights: tuple[Weight, ...]
    body: Block
    output: Tree
    changes: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    peeled: tuple[Span, ...] = field(default=(), compare=False)
    failures: tuple[Failure, ...] = ()

    def __eq__(self, other: object) -> bool:
        from deepalgo.ir.same import same  # which reads programs

        return same(self, other) if isinstance(other, Program) else NotImplemented

    def __hash__(self) -> int:
        from deepalgo.ir.same import digest  # which reads programs

        return digest(self)

    def __str__(self) -> str:
        from deepalgo.ir.text import write  # which reads programs

        return write(self)
