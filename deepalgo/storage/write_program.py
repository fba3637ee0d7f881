"""A program as JSON: values and spans in tables, statements that refer to them by number.

>>> from deepalgo.ir import parse
>>> written = write_program(parse('''
... double(x: real)
...   %y = add %x %x
...   return %y
... '''), Tensors())
>>> written["values"]
[[0, 'REAL', [], 'x'], [1, 'REAL', [], 'y']]
>>> written["body"]
{'params': [], 'body': [{'op': 'add', 'result': 1, 'args': [0, 0], 'attrs': {}, 'by': 'python', 'guard': 0, 'span': None}], 'results': [1]}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from deepalgo.ir import (
    Block,
    Check,
    Handler,
    If,
    Leaf,
    Loop,
    Mapping,
    Op,
    Program,
    Restore,
    Rewind,
    Save,
    Sequence,
    Slot,
    Statement,
    Static,
    Tree,
    Try,
    Value,
    Weight,
    While,
    changed,
)
from deepalgo.ir.standing import Standing
from deepalgo.spans import Span
from deepalgo.storage.plain import Json, Tensors, encode


def write_program(program: Program, tensors: Tensors) -> Json:
    """The program; tables of numbers in it go to `tensors`."""
    writer = ProgramWriter(tensors)
    inputs = [[item.path, writer.value(item.value)] for item in program.inputs]
    weights = [writer.weight(item) for item in program.weights]
    body = writer.block(program.body)
    results = iter(program.body.results)
    output = write_tree(program.output, tensors, lambda _: writer.value(next(results)))
    changes = [[path, writer.value(value)] for path, value in changed(program)]
    values = [[number, value.type.kind.name, list(value.type.shape), value.name] for number, value in writer.values.items()]
    return {"name": program.name, "values": values, "files": list(writer.files), "spans": writer.spans, "inputs": inputs,
            "weights": weights, "body": body, "output": output, "changes": changes, "sources": [list(pair) for pair in program.sources]}


class ProgramWriter:
    """Collects values, files and spans on the way."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self.values: dict[int, Value] = {}
        self.files: dict[str, int] = {}
        self.spans: list[Json] = []
        self.places: dict[Span, int] = {}

    def value(self, value: Value) -> int:
        """The number of a value."""
        self.values.setdefault(value.id, value)
        return value.id

    def list(self, values: tuple[Value, ...]) -> list[int]:
        """The numbers of several values."""
        return [self.value(value) for value in values]

    def span(self, span: Span | None) -> int | None:
        """The number of a span."""
        if span is None:
            return None
        if span not in self.places:
            self.places[span] = len(self.spans)
            file = self.files.setdefault(span.file, len(self.files))
            self.spans.append([file, span.line, span.column, span.end_line, span.end_column, list(span.lines)])
        return self.places[span]

    def weight(self, weight: Weight) -> Json:
        """A number that a person wrote."""
        standing = {} if weight.standing == Standing() else {"standing": self.standing(weight.standing)}
        return {"key": weight.key, "value": encode(weight.value, self.tensors), "shape": list(weight.shape), "role": weight.role.name,
                "frozen": weight.frozen, "span": self.span(weight.span), **standing}

    def standing(self, standing: Standing) -> Json:
        """What the source says of a weight."""
        return {"declared": standing.declared.value, "reads": list(standing.reads), "still": standing.still, "made": standing.made,
                "bounds": [encode(standing.low, self.tensors), encode(standing.high, self.tensors)]}

    def block(self, block: Block) -> Json:
        """The statements of a block."""
        params = self.list(block.params)
        return {"params": params, "body": [self.statement(item) for item in block.body], "results": self.list(block.results)}

    def statement(self, statement: Statement) -> Json:
        """One statement; its first key says which."""
        match statement:
            case Op(result, name, args, attrs, span, by, guard):
                return {"op": name, "result": self.value(result), "args": self.list(args),
                        "attrs": {key: encode(value, self.tensors) for key, value in attrs}, "by": by.value, "guard": guard,
                        "span": self.span(span)}
            case Check(ok, error, message, operands, span, bases, guard):
                return {"check": self.value(ok), "error": error, "bases": list(bases), "message": message, "operands": self.list(operands),
                        "guard": guard, "span": self.span(span)}
            case If(results, condition, then, orelse, span):
                return {"if": self.value(condition), "then": self.block(then), "else": self.block(orelse), "results": self.list(results),
                        "span": self.span(span)}
            case Loop(results, count, init, body, span):
                return {"loop": count, "init": self.list(init), "body": self.block(body), "results": self.list(results),
                        "span": self.span(span)}
            case While(results, init, test, body, bound, span):
                return {"while": self.block(test), "init": self.list(init), "body": self.block(body), "bound": bound,
                        "results": self.list(results), "span": self.span(span)}
            case Try(results, body, handlers, span):
                return {"try": self.block(body), "handlers": [self.handler(handler) for handler in handlers],
                        "results": self.list(results), "span": self.span(span)}
            case Save() | Restore() | Rewind():
                raise AssertionError("only derivatives save and restore")
            case _:
                assert_never(statement)

    def handler(self, handler: Handler) -> Json:
        """An `except`."""
        return {"catches": list(handler.catches), "block": self.block(handler.block)}


def write_tree(tree: Tree, tensors: Tensors, see: Callable[[Leaf | Slot], int], *,
               static: Callable[[object, Tensors], Json] = encode) -> Json:
    """A structure; `see` numbers its leaves, `static` writes its fixed objects."""

    def again(item: Tree) -> Json:
        return write_tree(item, tensors, see, static=static)

    match tree:
        case Leaf() | Slot():
            return {"leaf": see(tree)}
        case Static(item):
            return {"static": static(item, tensors)}
        case Sequence(kind, items, names):
            return {"sequence": kind, "items": [again(item) for item in items], "names": list(names)}
        case Mapping(kind, keys, items):
            return {"mapping": kind, "keys": [encode(key, tensors) for key in keys], "items": [again(item) for item in items]}
        case _:
            assert_never(tree)
