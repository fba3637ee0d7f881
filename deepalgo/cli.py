"""The command line: `deepalgo check heat.py:loss` says whether a function compiles, and what of it can be trained.

Exit code 0: it compiles. 1: it is refused, with the place and a way out on standard error. 2: the command itself is wrong.

>>> parse_call("0.5, 2, mode='fast'")
((0.5, 2), {'mode': 'fast'})
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

import deepalgo
from deepalgo.errors import DeepalgoError
from deepalgo.ir import Program, walk

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)


class UsageError(Exception):
    """The command names something that is not there."""


def main() -> None:
    """Run the command line."""
    app()


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"deepalgo {deepalgo.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Compile a Python heuristic, unchanged, into a trainable torch network with exactly its answers."""


@app.command()
def check(
    target: Annotated[str, typer.Argument(metavar="FILE.py:FUNCTION", help="The function to compile.")],
    example: Annotated[str, typer.Option(help="The arguments of one call, e.g. \"0.5, mode='fast'\".")] = "",
) -> None:
    """Compile a function and print its weights and a summary of its program, or the reason why it is refused."""
    try:
        function = load_function(target)
        call = parse_call(example) if example else None
    except UsageError as error:
        print(f"deepalgo check: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    try:
        network = deepalgo.compile(function, example=call)
    except DeepalgoError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from None
    print(network.weights)
    print(summarise(network.program))


def load_function(target: str) -> Callable[..., Any]:
    """Import `FILE.py:FUNCTION` and hand back the function."""
    file, colon, name = target.rpartition(":")
    if not colon or not name or not file.endswith(".py"):
        raise UsageError(f"`{target}` is not of the form FILE.py:FUNCTION")
    module = _import_file(Path(file))
    function = getattr(module, name, None)
    if not callable(function):
        functions = [key for key, item in vars(module).items() if callable(item) and getattr(item, "__module__", "") == module.__name__]
        what = f"`{name}` in {file} is not a function" if hasattr(module, name) else f"there is no `{name}` in {file}"
        raise UsageError(f"{what}; it defines {', '.join(functions) if functions else 'no function'}")
    return function  # type: ignore[no-any-return]  # what a file holds has no static type


def _import_file(path: Path) -> ModuleType:
    """Import a file by its path; the files beside it can be imported from it, as when Python runs it."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    name = path.stem if path.stem not in sys.modules else f"checked_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001  # whatever the user's file raises is told in one line
        raise UsageError(f"importing {path} raises {type(error).__name__}: {error}") from None
    return module


def parse_call(text: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Read the arguments of a call, written as in Python, all of them literals."""
    try:
        call = ast.parse(f"call({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        args = tuple(ast.literal_eval(item) for item in call.args)
        kwargs = {item.arg: ast.literal_eval(item.value) for item in call.keywords if item.arg is not None}
    except (SyntaxError, ValueError, AssertionError):
        raise UsageError(f"--example takes the arguments of a call as literals, not `{text}`") from None
    return args, kwargs


def summarise(program: Program) -> str:
    """Count what a program is made of.

    >>> from deepalgo.ir import Block, Input, Kind, Leaf, Op, Type, Value
    >>> x, y = Value(0, Type(Kind.REAL), "x"), Value(1, Type(Kind.REAL))
    >>> print(summarise(Program("double", (Input("x", x),), (), Block((), (Op(y, "add", (x, x)),), (y,)), Leaf(y))))
    double: 1 input, 0 weights (0 trainable), 1 operation, 0 checks, 0 branches, 0 loops
    """
    kinds = Counter(type(statement).__name__ for statement in walk(program.body))
    trainable = sum(not weight.frozen for weight in program.weights)
    counts = {
        "input": len(program.inputs),
        "weight": len(program.weights),
        "operation": kinds["Op"],
        "check": kinds["Check"],
        "branch": kinds["If"] + kinds["Try"],
        "loop": kinds["Loop"] + kinds["While"],
    }
    parts = {noun: f"{count} {_plural(noun, count)}" for noun, count in counts.items()}
    parts["weight"] += f" ({trainable} trainable)"
    return f"{program.name}: {', '.join(parts.values())}"


def _plural(noun: str, count: int) -> str:
    if count == 1:
        return noun
    return noun + ("es" if noun.endswith("ch") else "s")
