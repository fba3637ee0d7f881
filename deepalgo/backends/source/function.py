"""A program and the values of its weights as the text of a function that needs neither torch nor deepalgo.

>>> from deepalgo.ir import parse
>>> program = parse('''
... scale(x: real)
...   weight w = 3.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... ''')
>>> print(write_function(program, {"w": 3.5}, FunctionParameters(("x",))))
def scale(x):
    w = 3.5
    return x * w
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deepalgo.backends.expression import Fragment
from deepalgo.backends.names import Names
from deepalgo.backends.source.carried_forms import carried_forms
from deepalgo.backends.source.constants import number
from deepalgo.backends.source.early_returns import with_early_returns
from deepalgo.backends.source.exits import body_with_exits
from deepalgo.backends.source.facts import BodyFacts
from deepalgo.backends.source.layout import Layout
from deepalgo.backends.source.tree import Assign, Return, lines
from deepalgo.backends.source.wrap import WIDTH, split
from deepalgo.backends.source.write_statements import StatementWriter, quoted
from deepalgo.backends.targets import SOURCE, SOURCE_COLUMNS
from deepalgo.errors import InputError
from deepalgo.ir import Kind, Leaf, Program, Static, Tree, Value, changed
from deepalgo.ir import Mapping as MappingTree
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.lower.depth import compiling
from deepalgo.lower.passes import Passes, PassSettings, run
from deepalgo.ops.table import TABLE

MODULES = ("math", "cmath", "np", "scipy", "types", "namedtuple")
#: Levels of indentation that Python reads.
MOST_LEVELS = 99
DTYPES = {Kind.BOOL: "bool", Kind.INT: "int", Kind.REAL: "float", Kind.COMPLEX: "complex"}
#: What a text says if it needs a module.
IMPORTS = (
    ("cmath.", "import cmath"),
    ("math.", "import math"),
    ("types.", "import types"),
    ("namedtuple(", "from collections import namedtuple"),
    ("np.", "import numpy as np"),
    ("scipy.special.", "import scipy.special"),
)


@dataclass(frozen=True, slots=True)
class FunctionParameters:
    """How the function is called: parameters by position, by name only, then the weights that are defaults of parameters.

    >>> print(FunctionParameters(("x",), defaults=("gain",)).text({"gain": 0.5}))
    x, gain=0.5
    >>> print(FunctionParameters(("x",), ("area",), "rest", None, ("gain",)).text({"gain": 0.5}))
    x, *rest, area, gain=0.5
    """

    order: tuple[str, ...]
    named: tuple[str, ...] = ()
    star: str | None = None
    double_star: str | None = None
    defaults: tuple[str, ...] = ()
    numpy: frozenset[str] = frozenset()

    @property
    def names(self) -> set[str]:
        """All of them."""
        return {name for name in (*self.order, *self.named, *self.defaults, self.star, self.double_star) if name}

    def renamed(self, names: Mapping[str, str]) -> FunctionParameters:
        """The same with other names; a default that would have to change its name becomes a constant."""
        order, named = (tuple(names.get(name, name) for name in group) for group in (self.order, self.named))
        star, double_star = (None if name is None else names.get(name, name) for name in (self.star, self.double_star))
        defaults = tuple(name for name in self.defaults if name not in names)
        return FunctionParameters(order, named, star, double_star, defaults, frozenset(_renamed(path, names) for path in self.numpy))

    def passed(self, names: Mapping[str, str]) -> str:
        """Arguments of a call that hands them on, where `names` says what was renamed to what."""
        before = {new: old for old, new in names.items()}
        place = [before.get(name, name) for name in self.order]
        star, double_star = (before.get(name, name) if name else None for name in (self.star, self.double_star))
        named = [f"{name}={before.get(name, name)}" for name in (*self.named, *self.defaults)]
        return ", ".join([*place, *([f"*{star}"] if star else []), *named, *([f"**{double_star}"] if double_star else [])])

    def text(self, weights: Mapping[str, Any]) -> str:
        """What stands between the brackets."""
        star = [f"*{self.star}"] if self.star else ["*"] if self.named else []
        defaults = [f"{name}={number(weights[name])}" for name in self.defaults]
        return ", ".join([*self.order, *star, *self.named, *defaults, *([f"**{self.double_star}"] if self.double_star else [])])


def write_function(program: Program, weights: Mapping[str, Any], parameters: FunctionParameters, docstring: str = "",
                   passes: Passes = SOURCE) -> str:
    """The text of a module with one function, by the passes of one of the targets of source."""
    with compiling():
        lowered, batched = run(passes, program, PassSettings(weights=weights)), passes is SOURCE_COLUMNS
        function = Function(lowered, weights, parameters, docstring, batched)
        shadowed = parameters.names & {*MODULES, *dir(builtins), *function.carried}
        text = _behind(function, shadowed) if shadowed else None
        return _readable(function.text() if text is None else text, program.name)


def _readable(text: str, name: str) -> str:
    """A text whose blocks lie no deeper inside of one another than Python reads."""
    deepest = max(len(line) - len(line.lstrip(" ")) for line in text.splitlines()) // 4
    if deepest >= MOST_LEVELS:
        try:
            ast.parse(text)
        except IndentationError:
            raise InputError(f"the source of {name} would have {deepest} levels of indentation, and Python reads {MOST_LEVELS}: "
                             "look such cases up in a table, in a loop") from None
    return text


def _behind(outer: Function, shadowed: set[str]) -> str | None:
    """The function behind one with the right names, where a parameter is called like something that the text needs; else None."""
    program, parameters, weights = outer.program, outer.parameters, outer.facts.weights
    fresh = Names(parameters.names)
    renamed = {name: fresh.make(f"{name}_given") for name in sorted(shadowed)}
    inner = replace(
        program, name=f"{program.name}_of",
        inputs=tuple(replace(item, path=_renamed(item.path, renamed)) for item in program.inputs),
        changes=tuple(_renamed(path, renamed) for path in program.changes),
    )
    function = Function(inner, weights, parameters.renamed(renamed), "", outer.batched)
    text = function.text()
    if not any(isinstance(node, ast.Name) and node.id in shadowed for node in ast.walk(ast.parse(text))):
        return None
    head = f"def {outer.name}({replace(parameters, defaults=function.parameters.defaults).text(weights)}):"
    return "\n\n\n".join([text, "\n".join([head, *outer.docs(), f"    return {function.name}({function.parameters.passed(renamed)})"])])


def _renamed(path: str, names: Mapping[str, str]) -> str:
    """A path whose parameter has another name."""
    return re.sub(r"^\w+", lambda found: names.get(found[0], found[0]), path)


class Function:
    """Joins the parts: names, the body of a lowered program, and what has to stand above it."""

    def __init__(self, program: Program, weights: Mapping[str, Any], parameters: FunctionParameters, docstring: str, batched: bool) -> None:
        self.program = program
        self.batched = batched
        self.parameters = parameters
        self.docstring = docstring
        body = body_with_exits(program, batched)
        self.inputs = tuple(item.value for item in program.inputs)
        pairs = zip(self.inputs, program.inputs, strict=True)
        numpy = {value: item.path in parameters.numpy or bool(value.type.shape) for value, item in pairs}
        self.facts = BodyFacts(body, weights, numpy, {weight.key: weight.role for weight in program.weights})
        self.layout = Layout(self.facts, self.inputs, batched)
        self.carried = {name: text for form in self.forms() for name, text in carried_forms(form).items()}
        self.names = Names()
        self.names.taken = {*self.names.taken, *MODULES, *self.carried} - {"torch", "ops", "quick", "run"}
        self.name = self.names.make(program.name if program.name.isidentifier() else "function")
        held = (*parameters.order, *parameters.named, *parameters.defaults, parameters.star, parameters.double_star)
        self.names.taken.update(name for name in held if name)
        self.kinds = {kind: self.names.make(kind) for kind in _named_tuples(program.output)}
        self.writer = StatementWriter(self.facts, self.layout, self.names, parameters.defaults, self.end)

    def text(self) -> str:
        """Imports, constants, helpers, and the function."""
        self.bind_inputs()
        self.writer.statements(self.facts.body)
        self.writer.finish(self.facts.body.results)
        body = list(lines(with_early_returns(self.writer.out), "    "))
        head = f"def {self.name}({self.parameters.text(self.facts.weights)}):"
        silence = ['@np.errstate(all="ignore")'] if self.batched else []
        function = "\n".join([*silence, head, *self.docs(), *body])
        above = [*self.tuples(), *self.constants()]
        functions = [*self.carried.values(), function]
        imports = self.imports("\n".join([*above, *functions]))
        top = "\n\n".join(part for part in ("\n".join(imports), "\n".join(above)) if part)
        return "\n\n\n".join(part for part in (top, *self.exceptions(), *functions) if part)

    def forms(self) -> list[str]:
        """The forms of operations that the text has to bring along."""
        return sorted({form for op in self.facts.ops.values() if (form := TABLE[op.name].numpy_form)})

    def bind_inputs(self) -> None:
        """Plain parameters are themselves; what sits inside of an argument is read where it is used, or at the start."""
        used, changed = self.facts.uses, self.program.changes
        for value, item in zip(self.inputs, self.program.inputs, strict=True):
            if self.batched:
                name = item.path if item.path.isidentifier() else self.names.make(item.path)
                self.writer.variables[self.layout.root(value)] = name
                self.writer.out.append(Assign((name,), (Fragment(f"np.asarray({item.path}, dtype={DTYPES[value.type.kind]})"),)))
            elif item.path.isidentifier() and item.path in changed and not self.layout.is_alone(value):
                self.writer.out.append(Assign((self.writer.variable(value, item.path),), (Fragment(item.path),)))
            elif item.path.isidentifier():
                self.writer.variables[self.layout.root(value)] = item.path
                if not value.type.shape and item.path in self.parameters.numpy:
                    self.writer.out.append(Assign((item.path,), (Fragment(f"np.float64({item.path})"),)))
            elif used[value]:
                path = f"np.float64({item.path})" if item.path in self.parameters.numpy and not value.type.shape else item.path
                if used[value] == 1 and not self.program.changes and self.layout.is_alone(value):
                    self.writer.done[value] = Fragment(path)
                else:
                    name = self.writer.variable(value, item.path)
                    self.writer.out.append(Assign((name,), (Fragment(path),)))

    def end(self, writer: StatementWriter, results: Sequence[Value]) -> None:
        """Leave in the arguments what belongs there, and return."""
        exprs = [writer.expr(value) for value in results]
        texts = writer.settle(exprs)
        writer.flush()
        changes = changed(self.program)
        kept = len(texts) - len(changes)
        if changes:
            names = []
            for text in texts[:kept]:
                name = self.names.make("result")
                writer.out.append(Assign((name,), (text,)))
                names.append(Fragment(name))
            for (path, value), text in zip(changes, texts[kept:], strict=True):
                writer.out.append(Assign((f"{path}[...]" if value.type.shape else path,), (text,)))
            texts = names
        writer.out.append(Return(Fragment(self.structure(self.program.output, iter(texts)))))

    def structure(self, tree: Tree, texts: Any) -> str:
        """What the function returns."""
        match tree:
            case Leaf():
                return str(next(texts).text)
            case Static(item):
                return static(item)
            case SequenceTree(kind, items):
                inner = ", ".join(self.structure(item, texts) for item in items)
                if kind == "list":
                    return f"[{inner}]"
                return f"({inner}{',' if len(items) == 1 else ''})" if kind == "tuple" else f"{self.kinds[kind]}({inner})"
            case MappingTree(kind, keys, items):
                held = [(key, self.structure(item, texts)) for key, item in zip(keys, items, strict=True)]
                if kind == "dict":
                    return f"{{{', '.join(f'{static(key)}: {text}' for key, text in held)}}}"
                return f"types.SimpleNamespace({', '.join(f'{key}={text}' for key, text in held)})"
        raise AssertionError(tree)

    def tuples(self) -> list[str]:
        """Definitions of the named tuples that are returned."""
        found = _named_tuples(self.program.output)
        return [f"{self.kinds[kind]} = namedtuple({quoted(kind)}, {quoted(' '.join(names))})" for kind, names in found.items()]

    def exceptions(self) -> list[str]:
        """Definitions of the user's exceptions."""
        return [f"class {name}(Exception):\n    pass" for name in self.writer.classes.values()]

    def constants(self) -> list[str]:
        """Named numbers and tables."""
        return [line for name, text in self.writer.constants.values() for line in _constant(name, text)]

    def imports(self, text: str) -> list[str]:
        """The modules that the text names."""
        return [line for start, line in IMPORTS if re.search(rf"(?<![\w.]){re.escape(start)}", text)]

    def docs(self) -> list[str]:
        """The docstring."""
        if not self.docstring:
            return []
        quotes = 'r"""' if "\\" in self.docstring else '"""'
        first, *rest = self.docstring.replace('"""', "").splitlines()
        if not rest:
            return [f'    {quotes}{first}"""']
        return [f"    {quotes}{first}", *(f"    {line}".rstrip() for line in rest), '    """']


def _constant(name: str, text: str) -> list[str]:
    """A table with one row a line, where it is long."""
    if len(name) + len(text) + 3 <= WIDTH:
        return [f"{name} = {text}"]
    head, tail = ("np.array([", "])") if text.startswith("np.array([") else ("(", ")")
    if not text.startswith(head) or not text.endswith(tail):
        return [f"{name} = {text}"]
    found = [f"{name} = {head}"]
    line = ""
    for item in (part.removeprefix(",").strip() for part in split(text[len(head) : -len(tail)], (",",))):
        if line and len(line) + len(item) + 2 > WIDTH:
            found.append(f"    {line}")
            line = ""
        line = f"{line} {item},".strip() if item else line
    return [*found, f"    {line}", tail]


def _named_tuples(tree: Tree) -> dict[str, tuple[str, ...]]:
    """The named tuples of a structure, with their fields."""
    if not isinstance(tree, (SequenceTree, MappingTree)):
        return {}
    own = {tree.kind: tree.names} if isinstance(tree, SequenceTree) and tree.kind not in ("list", "tuple") else {}
    return own | {kind: names for item in tree.items for kind, names in _named_tuples(item).items()}


def static(item: Any) -> str:
    """A fixed object as source; one that cannot be written is refused."""
    if isinstance(item, np.ndarray):
        return f"np.array({static(item.tolist())})"
    if isinstance(item, np.generic):
        return static(item.item())
    if item is None or isinstance(item, (bool, int, float, complex, bytes)):
        return number(item)
    if isinstance(item, str):
        return quoted(item)
    if isinstance(item, tuple):
        return f"({', '.join(map(static, item))}{',' if len(item) == 1 else ''})"
    if isinstance(item, list):
        return f"[{', '.join(map(static, item))}]"
    if isinstance(item, dict):
        return f"{{{', '.join(f'{static(key)}: {static(value)}' for key, value in item.items())}}}"
    raise InputError(f"the function returns a {type(item).__name__}, which cannot be written as source: return numbers")
