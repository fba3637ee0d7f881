"""`compile`: a Python function becomes a network with the same answers.

>>> def fahrenheit(celsius):
...     return 1.8 * celsius + 32.0
>>> network = compile(fahrenheit)
>>> network(100.0).item()
212.0
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from deepalgo.errors import CompileError, DeepalgoError, InternalError
from deepalgo.network import Network
from deepalgo.stage.entry import Example, stage

#: Deep chains of helpers nest the interpreter deeply.
RECURSION_LIMIT = 20_000


def compile(
    fn: Callable[..., Any],
    *,
    example: tuple[Any, dict[str, Any]] | None = None,
    static: Iterable[str] = (),
    inputs: Iterable[str] = (),
    loops: str = "run",
    max_rounds: int | None = None,
    errors: str = "raise",
    integers: bool = False,
) -> Network:
    """Compile a function, unchanged, into a batched and differentiable network with exactly its answers.

    `example=(args, kwargs)` is one call of plain values: floats (and containers and arrays of floats) become inputs, everything else
    is fixed configuration. Without it every parameter without a default is a float. `static` and `inputs` name exceptions.

    `loops="run"` lets each sample stop when it is done; `loops="settle"` unrolls `max_rounds` rounds into a fixed graph.
    `errors="raise"` names the samples on which the heuristic raises; `errors="nan"` answers NaN for them.
    `integers=True` makes weights of whole-number coefficients, too.
    """
    _check_options(loops, max_rounds, errors)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        program, signature = stage(fn, Example.of(fn, example, tuple(static), tuple(inputs)), integers=integers)
    except DeepalgoError:
        raise
    except RecursionError:
        raise CompileError("the function nests too deeply", span=None, remedy="Write the recursion as a loop.") from None
    except Exception as error:
        name = getattr(fn, "__qualname__", repr(fn))
        raise InternalError(
            f"deepalgo failed on `{name}`: {type(error).__name__}: {error}. This is a bug in deepalgo; "
            "please report it with the function's text."
        ) from error
    finally:
        sys.setrecursionlimit(limit)
    return Network(program, signature, loops=loops, max_rounds=max_rounds, errors=errors, function=fn)


def _check_options(loops: str, max_rounds: int | None, errors: str) -> None:
    if loops not in ("run", "settle"):
        raise ValueError(f"loops must be 'run' or 'settle', not {loops!r}")
    if errors not in ("raise", "nan"):
        raise ValueError(f"errors must be 'raise' or 'nan', not {errors!r}")
    if max_rounds is not None and (not isinstance(max_rounds, int) or max_rounds < 1):
        raise ValueError(f"max_rounds must be a positive whole number, not {max_rounds!r}")
