"""What a command is about: `FILE.py:FUNCTION`, and the arguments of a call, written as in Python.

>>> parse_call("0.5, 2, mode='fast'")
((0.5, 2), {'mode': 'fast'})
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, TypeAlias

import typer

from deepalgo.errors import DeepalgoError

#: The first argument of every command that is about a function.
Target: TypeAlias = Annotated[str, typer.Argument(metavar="FILE.py:FUNCTION", help="The function to compile.")]
#: One call, where the parameters alone do not say what the inputs are.
Example: TypeAlias = Annotated[str, typer.Option(help="The arguments of one call, e.g. \"0.5, mode='fast'\".")]


class UsageError(Exception):
    """The command names something that is not there."""


@contextmanager
def told(command: str) -> Iterator[None]:
    """Say on standard error what went wrong: exit code 2 if the command itself is wrong, 1 if the function or the data are refused."""
    try:
        yield
    except UsageError as error:
        print(f"deepalgo {command}: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    except DeepalgoError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from None


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


def parse_example(text: str) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The example of a command, if it has one."""
    return parse_call(text) if text else None


def parse_call(text: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Read the arguments of a call, all of them literals."""
    try:
        call = ast.parse(f"call({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        args = tuple(ast.literal_eval(item) for item in call.args)
        kwargs = {item.arg: ast.literal_eval(item.value) for item in call.keywords if item.arg is not None}
    except (SyntaxError, ValueError, AssertionError):
        raise UsageError(f"--example takes the arguments of a call as literals, not `{text}`") from None
    return args, kwargs
