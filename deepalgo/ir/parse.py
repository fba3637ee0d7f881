"""Reads the text of a program: `parse(str(program)) == program`, and texts that people write.

A number in the place of an operand is a constant. A block ends with its last line (`yield`, `next`, `test`, `return`), and its lines
begin in the same column. Several results are a tuple unless the text says otherwise. Whether the program makes sense is asked by
`deepalgo.ir.check`.

>>> program = parse('''
... f(x: real)
...   weight c = 2.0
...   %positive = gt %x 0.0
...   %y = if %positive
...     %c = weight c
...     yield %c
...   else
...     yield 0.0
...   return %y, %x
... ''')
>>> print(program)
f(x: real)
  weight c = 2.0  coefficient
  %positive = gt %x 0.0
  %y = if %positive
    %c = weight c
    yield %c
  else
    yield 0.0
  return %y, %x
>>> parse(str(program)) == program
True
>>> parse("f(x: real)\\n  %y = add %x %z\\n  return %y")
Traceback (most recent call last):
deepalgo.ir.scan.ParseError: line 2, column 15: %z is not defined here
      %y = add %x %z
                  ^
"""

from __future__ import annotations

from typing import Any

from deepalgo.ir.parse_block import BlockReader, run
from deepalgo.ir.parse_data import read_data, read_name, read_path, read_text, read_type
from deepalgo.ir.parse_tree import read_output
from deepalgo.ir.program import Failure, Input, Program, Role, Static, Tree, Value, Weight
from deepalgo.ir.scan import Token
from deepalgo.ir.text import shape_of_data

ROLES = {role.value: role for role in Role}


def parse(text: str) -> Program:
    """The program of a text; ParseError where it is none."""
    return Reader(text).program()


class Reader(BlockReader):
    """Reads what stands around the block: the head, the weights, and what becomes of the results."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.weights: list[Weight] = []
        self.output: Tree = Static(None)
        self.changes: list[str] = []
        self.failures: list[Failure] = []

    def program(self) -> Program:
        """The whole text."""
        scanner = self.scanner
        margin = scanner.column(scanner.next)
        name = read_name(scanner, "the name of the program")
        inputs = self.inputs()
        while scanner.accept("weight"):
            self.weight()
        body = run(self.block((), "return", margin, self.ending))
        if scanner.next.kind != "end":
            scanner.miss("the end of the text")
        return Program(name, inputs, tuple(self.weights), body, self.output, tuple(self.changes), failures=tuple(self.failures))

    def inputs(self) -> tuple[Input, ...]:
        """`(x: real, points[0] as %p: real[2])`."""
        scanner = self.scanner
        scanner.expect("(")
        found: list[Input] = []
        while not scanner.accept(")"):
            if found:
                scanner.expect(",")
            found.append(self.input())
        scanner.end_line()
        return tuple(found)

    def input(self) -> Input:
        """The path of an input, its value if that has another name, and its type."""
        scanner = self.scanner
        token = scanner.next
        path = read_path(scanner)
        if scanner.accept("as"):
            token = scanner.expect_kind("value", "a value, as %x")
        elif path.isidentifier():
            token = Token("value", f"%{path}", token.start)
        else:
            scanner.miss("`as` and a value, as %x")
        scanner.expect(":")
        return Input(path, self.define(token, read_type(scanner)))

    def weight(self) -> None:
        """`weight c = 2.0 threshold frozen='it counts'`."""
        scanner = self.scanner
        token = scanner.next
        key = read_name(scanner, "the key of a weight")
        if key in self.shapes:
            scanner.fail(f"there are two weights {key}", token)
        scanner.expect("=")
        value = self.data()
        options: dict[str, Any] = {"shape": shape_of_data(value), "frozen": ""}
        role = self.role()
        while scanner.next.kind == "name" and scanner.next.text in options:
            option = scanner.take().text
            scanner.expect("=")
            options[option] = read_data(scanner) if option == "shape" else read_text(scanner)
        scanner.end_line()
        self.shapes[key] = options["shape"]
        self.weights.append(Weight(key, value, options["shape"], role, options["frozen"]))

    def role(self) -> Role:
        """What a weight does; a coefficient if nothing is said."""
        scanner = self.scanner
        for text, role in ROLES.items():
            first, *others = text.split()
            if scanner.accept(first):
                for word in others:
                    scanner.expect(word)
                return role
        return Role.COEFFICIENT

    def ending(self) -> tuple[Value, ...]:
        """`return` and what it returns, `set` for each argument that is changed, `also` for what else is handed out, `failure`s."""
        scanner = self.scanner
        self.output, values = read_output(self)
        scanner.end_line()
        while scanner.accept("set"):
            self.changes.append(read_path(scanner))
            scanner.expect("=")
            values.append(self.operand())
            scanner.end_line()
        others = self.operands_of_line() if scanner.accept("also") else ()
        while scanner.accept("failure"):
            self.failures.append(self.failure())
        return (*values, *others)

    def failure(self) -> Failure:
        """`failure ValueError('{0} is negative', 1)`, with the number of operands that the message has."""
        scanner = self.scanner
        error = read_name(scanner, "the name of an exception")
        scanner.expect("(")
        message = read_text(scanner)
        operands = read_data(scanner) if scanner.accept(",") else 0
        if type(operands) is not int:
            scanner.miss("the number of operands")
        scanner.expect(")")
        scanner.end_line()
        return Failure(error, message, operands)
