"""The inverse of `write_program`: it builds frozen data and runs nothing. Whether the data makes sense is asked by `check_program`.

>>> from deepalgo.ir import Input, Kind, Type
>>> from deepalgo.storage.write_program import write_program
>>> x, y = Value(0, Type(Kind.REAL), "x"), Value(1, Type(Kind.REAL))
>>> program = Program("double", (Input("x", x),), (), Block((), (Op(y, "add", (x, x)),), (y,)), Leaf(y))
>>> read_program(write_program(program, Tensors()), Tensors()) == program
True
"""

from __future__ import annotations

from collections.abc import Callable

from deepalgo.ir import (
    Block,
    Check,
    Handler,
    If,
    Input,
    Kind,
    Leaf,
    Loop,
    Mapping,
    Op,
    Program,
    Role,
    Sequence,
    Statement,
    Static,
    Tree,
    Try,
    Type,
    Value,
    Weight,
    While,
    walk,
)
from deepalgo.spans import Span
from deepalgo.storage.plain import Json, Tensors, decode


def read_program(data: Json, tensors: Tensors) -> Program:
    """The program; ValueError, KeyError or TypeError where the data is not one."""
    reader = Reader(data, tensors)
    weights = tuple(reader.weight(item) for item in data["weights"])
    inputs = tuple(Input(_text(path), reader.value(number)) for path, number in data["inputs"])
    body = reader.block(data["body"])
    output = reader.tree(data["output"])
    changes = tuple((_text(path), reader.value(number)) for path, number in data["changes"])
    sources = tuple((_text(file), _text(digest)) for file, digest in data["sources"])
    peeled = {item.span: None for item in walk(body) if isinstance(item, While) and item.span is not None}  # what the file does not tell
    return Program(_text(data["name"]), inputs, weights, body, output, changes, sources, tuple(peeled))


class Reader:
    """Knows the tables of values and spans."""

    def __init__(self, data: Json, tensors: Tensors) -> None:
        self.tensors = tensors
        self.values = {_whole(number): Value(number, Type(Kind[kind], _sizes(shape)), _text(name))
                       for number, kind, shape, name in data["values"]}
        files = [_text(file) for file in data["files"]]
        self.spans = [
            Span(files[_whole(file)], _whole(line), _whole(column), _whole(end_line), _whole(end_column), tuple(map(_text, lines)))
            for file, line, column, end_line, end_column, lines in data["spans"]
        ]

    def value(self, number: Json) -> Value:
        """The value with a number."""
        return self.values[_whole(number)]

    def list(self, numbers: Json) -> tuple[Value, ...]:
        """The values with these numbers."""
        return tuple(self.value(number) for number in numbers)

    def span(self, number: Json) -> Span | None:
        """The span with a number."""
        return None if number is None else self.spans[_whole(number)]

    def weight(self, data: Json) -> Weight:
        """A number that a person wrote."""
        return Weight(_text(data["key"]), decode(data["value"], self.tensors), _sizes(data["shape"]), Role[data["role"]],
                      _text(data["frozen"]), self.span(data["span"]))

    def block(self, data: Json) -> Block:
        """The statements of a block."""
        return Block(self.list(data["params"]), tuple(map(self.statement, data["body"])), self.list(data["results"]))

    def statement(self, data: Json) -> Statement:
        """One statement."""
        span = self.span(data["span"])
        match data:
            case {"op": name}:
                attrs = tuple((key, decode(value, self.tensors)) for key, value in data["attrs"].items())
                return Op(self.value(data["result"]), _text(name), self.list(data["args"]), attrs, span)
            case {"check": ok}:
                return Check(self.value(ok), _text(data["error"]), _text(data["message"]), self.list(data["operands"]), span)
            case {"if": condition}:
                return If(self.list(data["results"]), self.value(condition), self.block(data["then"]), self.block(data["else"]), span)
            case {"loop": count}:
                return Loop(self.list(data["results"]), _whole(count), self.list(data["init"]), self.block(data["body"]), span)
            case {"while": test}:
                bound = None if data["bound"] is None else _whole(data["bound"])
                body = self.block(data["body"])
                return While(self.list(data["results"]), self.list(data["init"]), self.block(test), body, bound, span)
            case {"try": body}:
                handlers = tuple(Handler(tuple(map(_text, item["catches"])), self.block(item["block"])) for item in data["handlers"])
                return Try(self.list(data["results"]), self.block(body), handlers, span)
            case _:
                raise ValueError(f"a statement with the keys {', '.join(data)}")

    def tree(self, data: Json) -> Tree:
        """The structure of what is returned."""
        return read_tree(data, self.tensors, self.value)


def read_tree(data: Json, tensors: Tensors, see: Callable[[Json], Value]) -> Tree:
    """A structure of values; `see` finds the value behind a number."""
    match data:
        case {"leaf": number}:
            return Leaf(see(number))
        case {"static": item}:
            return Static(decode(item, tensors))
        case {"sequence": kind}:
            return Sequence(_text(kind), tuple(read_tree(item, tensors, see) for item in data["items"]), tuple(map(_text, data["names"])))
        case {"mapping": kind}:
            keys = tuple(decode(key, tensors) for key in data["keys"])
            return Mapping(_text(kind), keys, tuple(read_tree(item, tensors, see) for item in data["items"]))
        case _:
            raise ValueError("a structure of an unknown kind")


def _text(data: Json) -> str:
    if type(data) is not str:
        raise TypeError(f"{data!r:.40} where a text is expected")
    return data


def _whole(data: Json) -> int:
    if type(data) is not int or data < 0:
        raise TypeError(f"{data!r:.40} where a whole number is expected")
    return data


def _sizes(data: Json) -> tuple[int, ...]:
    return tuple(map(_whole, data))
