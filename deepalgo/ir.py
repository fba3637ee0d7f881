"""`Program`: what is left of the user's function once its static part has run.

SSA values, operations and nested regions. It is plain frozen data: printed, saved, rewritten by transformations and read by
the emitters. A block sees the values of the blocks around it. All types are per sample; the batch axis is the emitter's business.

>>> x = Value(0, Type(Kind.REAL), "x")
>>> y = Value(1, Type(Kind.REAL))
>>> program = Program("double", (Input("x", x),), (), Block((), (Op(y, "add", (x, x)),), (y,)), Leaf(y))
>>> print(program)
double(x: real)
  %1 = add %x0 %x0
  return %1
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias, assert_never

from deepalgo.spans import Span


class Kind(enum.IntEnum):
    """Number kinds in the order in which Python promotes them."""

    BOOL = 0
    INT = 1
    REAL = 2
    COMPLEX = 3


@dataclass(frozen=True, slots=True)
class Type:
    """The kind and the per-sample shape of a value; a scalar has shape ()."""

    kind: Kind
    shape: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.kind.name.lower() + (f"[{', '.join(map(str, self.shape))}]" if self.shape else "")


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
        return f"%{self.name}{self.id}"


#: What an attribute of an operation may hold: data that can be saved as JSON.
Attr: TypeAlias = "bool | int | float | complex | str | tuple[Attr, ...] | None"


@dataclass(frozen=True, slots=True)
class Op:
    """`result = name(args; attrs)`, a row of the table in `deepalgo.ops`.

    Two names have no arguments: `const` (attr `value`: a number or nested tuples) and `weight` (attr `key`: a weight of the
    program; `site`: the calls and unrolled rounds this use belongs to, which `untie` can tell apart).
    """

    result: Value
    name: str
    args: tuple[Value, ...] = ()
    attrs: tuple[tuple[str, Attr], ...] = ()
    span: Span | None = field(default=None, compare=False)

    def attr(self, name: str) -> Attr:
        """The value of one attribute."""
        return dict(self.attrs)[name]


@dataclass(frozen=True, slots=True)
class Check:
    """A sample for which `ok` is false raises `error` here and takes no part in what follows.

    `error` is the name of the exception class; `message` may contain `{0}`, `{1}`, ... for the operands.
    """

    ok: Value
    error: str
    message: str
    operands: tuple[Value, ...] = ()
    span: Span | None = field(default=None, compare=False)


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

    `bound` is a number of rounds that no sample can exceed, where the source says so (a `for` that may `break`).
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


Statement: TypeAlias = Op | Check | If | Loop | While | Try


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
    """A number that a person wrote. `value` is a float or nested tuples; `frozen` is why it cannot be trained, or ''."""

    key: str
    value: Attr
    shape: tuple[int, ...] = ()
    role: Role = Role.COEFFICIENT
    frozen: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place in a structure that holds one value."""

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


Tree: TypeAlias = Leaf | Static | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Program:
    """A whole function: inputs, weights, one block, and the structure of what it returns.

    `body.results` lists the leaves of `output` in order, then the values of `changes`: what the function leaves in those of its
    arguments that it changes in place, by their path. `sources` are the files that its spans point into, with a digest of their text.
    `peeled` are the places of loops whose first rounds may have run while compiling, so that the program counts less of them.
    """

    name: str
    inputs: tuple[Input, ...]
    weights: tuple[Weight, ...]
    body: Block
    output: Tree
    changes: tuple[tuple[str, Value], ...] = ()
    sources: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    peeled: tuple[Span, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        head = ", ".join(f"{item.path}: {item.value.type}" for item in self.inputs)
        lines = [f"{self.name}({head})"]
        lines += [f"  weight {weight.key} = {_brief(weight.value)}{_note(weight)}" for weight in self.weights]
        lines += _print_block(self.body, "  ", "return")
        return "\n".join(lines)


def leaves(tree: Tree) -> Iterator[Value]:
    """The values of a structure, in reading order."""
    match tree:
        case Leaf(value):
            yield value
        case Static():
            return
        case Sequence(items=items) | Mapping(items=items):
            for item in items:
                yield from leaves(item)
        case _:
            assert_never(tree)


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks that a statement owns, in execution order."""
    match statement:
        case Op() | Check():  # first, as most statements are one
            return ()
        case If(then=then, orelse=orelse):
            return (then, orelse)
        case Loop(body=body):
            return (body,)
        case While(test=test, body=body):
            return (test, body)
        case Try(body=body, handlers=handlers):
            return (body, *(handler.block for handler in handlers))
        case _:
            assert_never(statement)


def defined(statement: Statement) -> tuple[Value, ...]:
    """The values that a statement defines in the block where it stands."""
    match statement:
        case Op(result=result):
            return (result,)
        case Check():
            return ()
        case _:
            return statement.results


def used(statement: Statement) -> tuple[Value, ...]:
    """The values that a statement reads itself, not counting what its blocks read."""
    match statement:
        case Op(args=args):
            return args
        case Check(ok=ok, operands=operands):
            return (ok, *operands)
        case If(condition=condition):
            return (condition,)
        case Loop(init=init) | While(init=init):
            return init
        case Try():
            return ()
        case _:
            assert_never(statement)


def walk(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks inside it, in order."""
    waiting = [iter(block.body)]
    while waiting:
        for statement in waiting[-1]:
            yield statement
            if type(statement) is not Op and (inner := blocks(statement)):
                waiting.append(chain.from_iterable(each.body for each in inner))
                break
        else:
            waiting.pop()


def captured(block: Block, known: dict[int, tuple[Value, ...]] | None = None) -> tuple[Value, ...]:
    """The values that a block reads from the blocks around it, in order of first use.

    `known` remembers the answers by the identity of the block, for callers that ask for many blocks of one program.
    """
    known = {} if known is None else known
    if id(block) not in known:
        known[id(block)] = _find_free(block, known)
    return known[id(block)]


def _find_free(block: Block, known: dict[int, tuple[Value, ...]]) -> tuple[Value, ...]:
    bound, free = set(block.params), dict[Value, None]()
    for statement in block.body:
        _note_free(used(statement), bound, free)
        for inner in blocks(statement):
            _note_free(captured(inner, known), bound, free)
        bound.update(defined(statement))
    _note_free(block.results, bound, free)
    return tuple(free)


def _note_free(values: Iterable[Value], bound: set[Value], free: dict[Value, None]) -> None:
    for value in values:
        if value not in bound:
            free[value] = None


def _print_block(block: Block, indent: str, ending: str) -> list[str]:
    lines = [line for statement in block.body for line in _print_statement(statement, indent)]
    return [*lines, f"{indent}{ending} {_list(block.results)}".rstrip()]


def _print_statement(statement: Statement, indent: str) -> list[str]:
    inner = indent + "  "
    match statement:
        case Op(result, name, args, attrs):
            extra = " ".join(f"{key}={_brief(value)}" for key, value in attrs if key != "site")
            return [indent + " ".join(filter(None, (f"{result} = {name}", _list(args, " "), extra)))]
        case Check(ok, error, message):
            return [f"{indent}check {ok} else {error}({message!r})"]
        case If(results, condition, then, orelse):
            return [f"{indent}{_binding(results)}if {condition}", *_print_block(then, inner, "yield"),
                    f"{indent}else", *_print_block(orelse, inner, "yield")]
        case Loop(results, count, init, body):
            return [f"{indent}{_binding(results)}loop {count} rounds ({_list(body.params)}) from ({_list(init)})",
                    *_print_block(body, inner, "next")]
        case While(results, init, test, body, bound):
            limit = f" at most {bound} rounds" if bound is not None else ""
            return [f"{indent}{_binding(results)}while ({_list(test.params)}) from ({_list(init)}){limit}",
                    *_print_block(test, inner, "test"), f"{indent}do ({_list(body.params)})", *_print_block(body, inner, "next")]
        case Try(results, body, handlers):
            lines = [f"{indent}{_binding(results)}try", *_print_block(body, inner, "yield")]
            for handler in handlers:
                lines += [f"{indent}except {', '.join(handler.catches)}", *_print_block(handler.block, inner, "yield")]
            return lines
        case _:
            assert_never(statement)


def _binding(results: tuple[Value, ...]) -> str:
    return f"{_list(results)} = " if results else ""


def _list(values: Iterable[Value], separator: str = ", ") -> str:
    return separator.join(map(str, values))


def _brief(value: Attr) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _note(weight: Weight) -> str:
    place = f", {weight.span.place}" if weight.span is not None else ""
    return f"  ({weight.role}{place}{', frozen' if weight.frozen else ''})"
