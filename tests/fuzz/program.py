"""A generated program: its text, the calls to make, and the constructs it is made of.

>>> program = Program(0, "def scale(x, *, k=2.0):\\n    return k * x\\n", "scale", ({"x": 1.5},), {}, frozenset())
>>> positional, keyword = program.call(0)
>>> load(program.source, "scale.py")["scale"](*positional, **keyword)
3.0
"""

from __future__ import annotations

import ast
import copy
import types
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """One number among the inputs: an argument, or an item of one."""

    name: str
    index: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.index))}]" if self.index else self.name

    def read(self, values: Values) -> float:
        return float(values[self.name][self._key(values)] if self.index else values[self.name])

    def changed(self, values: Values, number: float) -> Values:
        """The argument that holds this number, with another number in it."""
        if not self.index:
            return {self.name: type(values[self.name])(number)}
        holder = copy.deepcopy(values[self.name])
        holder[self._key(values)] = number
        return {self.name: holder}

    def _key(self, values: Values) -> Any:
        return self.index if isinstance(values[self.name], np.ndarray) else self.index[0]


@dataclass(frozen=True)
class Program:
    """One module. `samples` name the inputs of each call, `config` the static arguments of all of them.

    An input is a float, a NumPy number, an array, or a list of floats.
    """

    seed: int
    source: str
    entry: str
    samples: tuple[dict[str, Any], ...]
    config: Values
    constructs: frozenset[str] = field(default_factory=frozenset)
    kind: str = "scalar"
    ordinary: int = 0  # so many of the first samples are no edges

    def inputs(self) -> list[str]:
        """The names of the inputs, in the order of the signature."""
        return [name for name in self.parameters if name in self.samples[0]]

    def places(self) -> list[Place]:
        """Every number among the inputs."""
        found = [(name, self.samples[0][name]) for name in self.inputs()]
        return [Place(name, index) for name, value in found for index in np.ndindex(np.shape(value))]

    @cached_property
    def parameters(self) -> dict[str, bool]:
        """Every parameter of the entry function; true where it can only be passed by keyword."""
        arguments = self.definition.args
        named = {item.arg: False for item in (*arguments.posonlyargs, *arguments.args)}
        return named | {item.arg: True for item in arguments.kwonlyargs}

    @cached_property
    def definition(self) -> ast.FunctionDef:
        """The syntax tree of the entry function."""
        found = [node for node in ast.parse(self.source).body if isinstance(node, ast.FunctionDef) and node.name == self.entry]
        return found[-1]

    def says_enough(self) -> bool:
        """Whether the signature alone tells the inputs: exactly the parameters without a default, and no configuration."""
        arguments = self.definition.args
        plain = [item.arg for item in arguments.args]
        needed = plain[: len(plain) - len(arguments.defaults)]
        needed += [item.arg for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is None]
        floats = all(type(value) is float for value in self.samples[0].values())
        return not self.config and needed == self.inputs() and floats

    def call(self, sample: int) -> tuple[list[Any], Values]:
        """Positional and keyword arguments of one sample's call, which may be written to."""
        return self.arrange(copy.deepcopy(self.samples[sample]))

    def arrange(self, inputs: Values) -> tuple[list[Any], Values]:
        """Arguments as the signature wants them, given values (or batches of values) of the inputs.

        A parameter after one that is left at its default goes by keyword.
        """
        given = {**self.config, **inputs}
        positional: list[Any] = []
        keyword: Values = {}
        by_name = False
        for name, keyword_only in self.parameters.items():
            if name not in given:
                by_name = True
            elif keyword_only or by_name:
                keyword[name] = given[name]
            else:
                positional.append(given[name])
        return positional, keyword


def load(source: str, file: str) -> Values:
    """Execute a module's text as if it stood in `file`; its namespace."""
    module = types.ModuleType("program")
    module.__file__ = file
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    return module.__dict__
