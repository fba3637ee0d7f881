"""The operations of Python that everything else may ask for: rules and state call them on the machine, the interpreter defines them.

They call each other without end: an attribute may be a property, which is called, which evaluates expressions, which read attributes.
So none of the modules that define them imports another; they meet here.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deepalgo.stage.state.exits import Exit
    from deepalgo.stage.state.regions import Pending
    from deepalgo.stage.state.streams import Walk
    from deepalgo.stage.state.values import Frame, Generator


class Language(ABC):
    """What Python does with the parts of a program. Signals take part wherever a value is expected."""

    @abstractmethod
    def evaluate(self, node: ast.expr) -> Any:
        """The value of an expression."""

    @abstractmethod
    def execute(self, node: ast.stmt) -> Exit | Pending:
        """One statement, and the ways in which it is left."""

    @abstractmethod
    def block(self, statements: list[ast.stmt]) -> Exit:
        """Statements one after the other."""

    @abstractmethod
    def run_frame(self, frame: Frame, node: ast.AST | None) -> Any:
        """The body of a function whose arguments are bound, to its return value."""

    @abstractmethod
    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        """`function(*args, **kwargs)`."""

    @abstractmethod
    def interpret(self, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], node: ast.AST, called: Any) -> Any:
        """The text of a function in place of the library function that is `called`."""

    @abstractmethod
    def call_native(self, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        """A function that is not interpreted, run as it is; refused where data reaches it."""

    @staticmethod
    @abstractmethod
    def find_rule(function: Any) -> Callable[..., Any] | None:
        """What a function does when it may meet data, if there is a rule for it."""

    @abstractmethod
    def binary(self, op: type[ast.operator], left: Any, right: Any, node: ast.AST) -> Any:
        """`left op right`."""

    @abstractmethod
    def unary(self, op: type[ast.unaryop], operand: Any, node: ast.AST) -> Any:
        """`-x`, `+x`, `~x`."""

    @abstractmethod
    def compare(self, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
        """`left op right`, also `is` and `in`."""

    @abstractmethod
    def truth(self, value: Any, node: ast.AST) -> Any:
        """`bool(value)` as a plain bool, or as a Signal."""

    @abstractmethod
    def get_attribute(self, value: Any, name: str, node: ast.AST) -> Any:
        """`value.name`."""

    @abstractmethod
    def set_attribute(self, value: Any, name: str, item: Any, node: ast.AST) -> None:
        """`value.name = item`."""

    @abstractmethod
    def get_item(self, container: Any, key: Any, node: ast.AST) -> Any:
        """`container[key]`."""

    @abstractmethod
    def set_item(self, container: Any, key: Any, value: Any, node: ast.AST) -> None:
        """`container[key] = value`."""

    @abstractmethod
    def iterate(self, value: Any, node: ast.AST, size: int | None = None) -> list[Any]:
        """The items of an iterable whose length does not depend on data; `size` if exactly so many are unpacked."""

    @abstractmethod
    def walk(self, value: Any, node: ast.AST) -> Walk:
        """The items of an iterable, each read when it is its turn."""

    @abstractmethod
    def opened(self, value: Any, node: ast.AST) -> Any:
        """What `iter(value)` runs over."""

    @abstractmethod
    def collect(self, generator: Generator, node: ast.AST) -> Any:
        """All items of a generator, with their guards where data decides which there are."""

    @abstractmethod
    def following(self, generator: Generator, node: ast.AST) -> list[Any]:
        """The next item of a generator in a list, or an empty list where it has ended."""
