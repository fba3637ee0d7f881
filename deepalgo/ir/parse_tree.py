"""Reads the structure of what a program returns; its leaves are values and numbers.

>>> from deepalgo.ir.parse_block import BlockReader
>>> reader = BlockReader("{'root': 2.5, 'method': static 'newton'}, []")
>>> tree, values = read_output(reader)
>>> [type(item).__name__ for item in tree.items], [type(item).__name__ for item in tree.items[0].items]
(['Mapping', 'Sequence'], ['Leaf', 'Static'])
"""

from __future__ import annotations

from deepalgo.ir.parse_block import BlockReader
from deepalgo.ir.parse_data import DEEPEST, NAMES, read_data, read_name
from deepalgo.ir.program import Leaf, Mapping, Sequence, Static, Tree, Value


def read_output(reader: BlockReader) -> tuple[Tree, list[Value]]:
    """What stands behind `return`, and the values of its leaves: several structures are a tuple, none is None."""
    trees = TreeReader(reader)
    if reader.scanner.next.kind == "line":
        return Static(None), []
    items = [trees.tree(0)]
    while reader.scanner.accept(","):
        items.append(trees.tree(0))
    return items[0] if len(items) == 1 else Sequence("tuple", tuple(items)), trees.values


class TreeReader:
    """Collects the values of leaves."""

    def __init__(self, reader: BlockReader) -> None:
        self.reader = reader
        self.scanner = reader.scanner
        self.values: list[Value] = []

    def tree(self, depth: int) -> Tree:
        """One structure; a class stands before its brackets."""
        scanner = self.scanner
        if depth > DEEPEST:
            scanner.fail("brackets lie too deep in one another")
        token = scanner.next
        if scanner.accept("static"):
            return Static(read_data(scanner))
        if token.kind == "string" or token.kind == "name" and token.text not in NAMES and token.text != "complex":
            return self.object(depth)
        if token.text == "{":
            return self.mapping("dict", depth)
        if scanner.accept("["):
            return Sequence("list", self.items("]", depth)[0])
        if scanner.accept("("):
            items, comma = self.items(")", depth)
            return items[0] if len(items) == 1 and not comma else Sequence("tuple", items)
        self.values.append(self.reader.operand())
        return Leaf(len(self.values) - 1)

    def object(self, depth: int) -> Tree:
        """A named tuple, `Point(x=%a, y=%b)`, or the attributes of an object, `Point{'x': %a}`."""
        kind = read_name(self.scanner, "the name of a class")
        if self.scanner.next.text not in ("(", "{"):
            self.scanner.miss("the fields of a class in `(` or `{`")
        return self.fields(kind, depth) if self.scanner.accept("(") else self.mapping(kind, depth)

    def items(self, closing: str, depth: int) -> tuple[tuple[Tree, ...], bool]:
        """Structures up to a bracket, and whether a comma stands before it."""
        items: list[Tree] = []
        comma = True
        while not self.scanner.accept(closing):
            self.go_on(closing, comma)
            items.append(self.tree(depth + 1))
            comma = self.scanner.accept(",")
        return tuple(items), comma

    def fields(self, kind: str, depth: int) -> Sequence:
        """The fields of a named tuple."""
        names: list[str] = []
        items: list[Tree] = []
        comma = True
        while not self.scanner.accept(")"):
            self.go_on(")", comma)
            names.append(read_name(self.scanner, "the name of a field"))
            self.scanner.expect("=")
            items.append(self.tree(depth + 1))
            comma = self.scanner.accept(",")
        return Sequence(kind, tuple(items), tuple(names))

    def mapping(self, kind: str, depth: int) -> Mapping:
        """The items of a dict, or the attributes of an object."""
        self.scanner.expect("{")
        keys: list[object] = []
        items: list[Tree] = []
        comma = True
        while not self.scanner.accept("}"):
            self.go_on("}", comma)
            keys.append(read_data(self.scanner))
            self.scanner.expect(":")
            items.append(self.tree(depth + 1))
            comma = self.scanner.accept(",")
        return Mapping(kind, tuple(keys), tuple(items))

    def go_on(self, closing: str, comma: bool) -> None:
        """Another item needs a comma before it."""
        if not comma:
            self.scanner.miss(f"`,` or `{closing}`")
