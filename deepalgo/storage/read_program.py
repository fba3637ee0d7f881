"""The inverse of `write_program`: it builds frozen data and runs nothing. Whether the data makes sense is asked by `check_program`.

>>> from deepalgo.ir import parse
>>> from deepalgo.storage.write_program import write_program
>>> program = parse('''
... double(x: real)
...   %y = add %x %x
...   return %y
... ''')
>>> read_program(write_program(program, Tensors()), Tensors()) == program
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deepalgo.ir import (
    Block,
    By,
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
    Slot,
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
from deepalgo.ir.standing import Declared, Standing
from deepalgo.spans import Span
from deepalgo.storage.plain import Json, Tensors, decode

#: The last line and column that a place in the source may have.
FARTHEST = 10_000_000


def read_program(data: Json, tensors: Tensors) -> Program:
    """The program; ValueError, KeyError or TypeError where the data is not one."""
    reader = ProgramReader(data, tensors)
    weights = tuple(reader.weight(item) for item in listed(data["weights"]))
    inputs = tuple(Input(text(path), reader.value(number)) for path, number in listed(data["inputs"]))
    body = reader.block(data["body"])
    results = Results(body.results)
    output = read_tree(data["output"], tensors, lambda number: Leaf(results.next(reader.value(number))))
    changes = tuple(text(path) for path, number in listed(data["changes"]) if results.next(reader.value(number)) >= 0)
    sources = tuple((text(file), text(digest)) for file, digest in listed(data["sources"]))
    peeled = {item.span: None for item in walk(body) if isinstance(item, While) and item.span is not None}  # what the file does not tell
    return Program(text(data["name"]), inputs, weights, body, output, changes, sources, tuple(peeled))


class Results:
    """The results of a program, which its output and its changes name in order."""

    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values
        self.count = 0

    def next(self, value: Value) -> int:
        """The place of the next result, which is this value."""
        if self.values[self.count : self.count + 1] != (value,):
            raise ValueError("the results are not those of the output")
        self.count += 1
        return self.count - 1


class ProgramReader:
    """Knows the tables of values and spans."""

    def __init__(self, data: Json, tensors: Tensors) -> None:
        self.tensors = tensors
        self.values = {whole(number): Value(number, Type(Kind[text(kind)], _sizes(shape)), text(name))
                       for number, kind, shape, name in listed(data["values"])}
        if len(self.values) != len(data["values"]):
            raise ValueError("two values have the same number")
        files = [text(file) for file in listed(data["files"])]
        self.spans = [
            Span(files[whole(file)], _spot(line), _spot(column), _spot(end_line), _spot(end_column), tuple(map(text, listed(lines))))
            for file, line, column, end_line, end_column, lines in listed(data["spans"])
        ]

    def value(self, number: Json) -> Value:
        """The value with a number."""
        return self.values[whole(number)]

    def list(self, numbers: Json) -> tuple[Value, ...]:
        """The values with these numbers."""
        return tuple(self.value(number) for number in listed(numbers))

    def span(self, number: Json) -> Span | None:
        """The span with a number."""
        return None if number is None else self.spans[whole(number)]

    def weight(self, data: Json) -> Weight:
        """A number that a person wrote."""
        return Weight(text(data["key"]), decode(data["value"], self.tensors), _sizes(data["shape"]), Role[text(data["role"])],
                      text(data["frozen"]), self.span(data["span"]), self.standing(data["standing"]) if "standing" in data else Standing())

    def standing(self, data: Json) -> Standing:
        """What the source says of a weight."""
        low, high = (decode(bound, self.tensors) for bound in listed(data["bounds"]))
        if type(low) is not float or type(high) is not float or type(data["made"]) is not bool:
            raise TypeError("bounds that are no numbers")
        declared = Declared(text(data["declared"]))
        return Standing(declared, tuple(map(text, listed(data["reads"]))), text(data["still"]), data["made"], low, high)

    def block(self, data: Json) -> Block:
        """The statements of a block."""
        return Block(self.list(data["params"]), tuple(map(self.statement, listed(data["body"]))), self.list(data["results"]))

    def statement(self, data: Json) -> Statement:
        """One statement."""
        span = self.span(data["span"])
        match data:
            case {"op": name}:
                attrs = tuple((key, decode(value, self.tensors)) for key, value in data["attrs"].items())
                return Op(self.value(data["result"]), text(name), self.list(data["args"]), attrs, span, By(text(data["by"])),
                          whole(data["guard"]))
            case {"check": ok}:
                return Check(self.value(ok), text(data["error"]), text(data["message"]), self.list(data["operands"]), span,
                             tuple(map(text, listed(data["bases"]))), whole(data["guard"]))
            case {"if": condition}:
                return If(self.list(data["results"]), self.value(condition), self.block(data["then"]), self.block(data["else"]), span)
            case {"loop": count}:
                return Loop(self.list(data["results"]), whole(count), self.list(data["init"]), self.block(data["body"]), span)
            case {"while": test}:
                bound = None if data["bound"] is None else whole(data["bound"])
                body = self.block(data["body"])
                return While(self.list(data["results"]), self.list(data["init"]), self.block(test), body, bound, span)
            case {"try": body}:
                handlers = tuple(map(self.handler, listed(data["handlers"])))
                return Try(self.list(data["results"]), self.block(body), handlers, span)
            case _:
                raise ValueError(f"a statement with the keys {', '.join(data)}")

    def handler(self, data: Json) -> Handler:
        """An `except`."""
        return Handler(tuple(map(text, listed(data["catches"]))), self.block(data["block"]))


def read_tree(data: Json, tensors: Tensors, see: Callable[[Json], Leaf | Slot]) -> Tree:
    """A structure; `see` makes the leaf of a number."""

    def again(items: Json) -> tuple[Tree, ...]:
        return tuple(read_tree(item, tensors, see) for item in listed(items))

    match data:
        case {"leaf": number}:
            return see(number)
        case {"static": item}:
            return Static(decode(item, tensors))
        case {"sequence": kind}:
            return Sequence(text(kind), again(data["items"]), tuple(map(text, listed(data["names"]))))
        case {"mapping": kind}:
            return Mapping(text(kind), tuple(decode(key, tensors) for key in listed(data["keys"])), again(data["items"]))
        case _:
            raise ValueError("a structure of an unknown kind")


def text(data: Json) -> str:
    """A text and nothing else."""
    if type(data) is not str:
        raise TypeError(f"{data!r:.40} where a text is expected")
    return data


def whole(data: Json) -> int:
    """A count, a size or a number of something: 64 bits are enough."""
    if type(data) is not int or not 0 <= data < 2**63:
        raise TypeError(f"{data!r:.40} where a whole number is expected")
    return data


def _spot(data: Json) -> int:
    """A line or a column; carets are drawn up to there."""
    if whole(data) > FARTHEST:
        raise ValueError(f"{data} is no line and no column")
    return int(data)


def listed(data: Json) -> list[Any]:
    """A list and nothing else."""
    if type(data) is not list:
        raise TypeError(f"{data!r:.40} where a list is expected")
    return data


def _sizes(data: Json) -> tuple[int, ...]:
    return tuple(map(whole, listed(data)))
