"""`compile`: a Python function becomes a network with the same answers.

>>> def fahrenheit(celsius):
...     return 1.8 * celsius + 32.0
>>> network = compile(fahrenheit)
>>> network(100.0).item()
212.0
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from deepalgo.backends.native import Mathematics
from deepalgo.backends.targets import COMPILED
from deepalgo.errors import CompileError, DeepalgoError, HeuristicError, InternalError
from deepalgo.ir import Block, Check, Loop, While, blocks, walk
from deepalgo.lower.depth import compiling
from deepalgo.lower.passes import run
from deepalgo.network import Network
from deepalgo.spans import Span
from deepalgo.stage.entry import Example, Staged, stage

#: Blocks, and loops, inside of one another that Python can surely compile: it takes twenty loops.
DEEP, DEEP_LOOPS = 200, 15
#: A power that turns the example complex is staged again as a complex one, so often at most.
MOST_RESTARTS = 8


def compile(
    fn: Callable[..., Any],
    *,
    example: tuple[Any, dict[str, Any]] | None = None,
    static: Iterable[str] = (),
    inputs: Iterable[str] = (),
    loops: str = "run",
    max_rounds: int | None = None,
    errors: str = "raise",
    backend: str | None = None,
    mathematics: Mathematics = "vector",
    integers: bool = False,
) -> Network:
    """Compile a function, unchanged, into a batched and differentiable network with exactly its answers.

    `example=(args, kwargs)` is one call of plain values: floats (and containers and arrays of floats) become inputs, everything else
    is fixed configuration. Without it every parameter without a default is a float. `static` and `inputs` name exceptions.

    `loops="run"` lets each sample stop when it is done; `loops="settle"` unrolls `max_rounds` rounds into a fixed graph.
    `errors="raise"` names the samples on which the heuristic raises; `errors="nan"` answers NaN for them.
    Networks run as machine code where that can be done, on a CPU in float64, and on torch elsewhere: `net.backend` tells, with the reason.
    `backend="torch"`, or the variable DEEPALGO_BACKEND, asks for torch; `backend="native"` compiles what takes LLVM long, too.
    `mathematics="exact"` gives Python's own bits where "vector" forms of `exp` and its kin are up to two units of the last digit off.
    `integers=True` makes weights of whole-number coefficients, too.
    """
    _check_options(loops, max_rounds, errors, mathematics)
    call = Example.of(fn, example, tuple(static), tuple(inputs))
    complex_at: frozenset[Span] = frozenset()
    for _ in range(MOST_RESTARTS):
        staged = _stage(fn, call, integers, complex_at)
        network = Network(
            staged.program, staged.signature, loops=loops, max_rounds=max_rounds, errors=errors, backend=backend,
            mathematics=mathematics, function=fn, origins=staged.origins
        )
        network.notes = staged.notes
        turned = _turns_complex(network, example)
        if turned is None or turned in complex_at:
            break
        complex_at |= {turned}
    depth, loops_inside = _depths(network.program.body)
    if depth > DEEP or loops_inside > DEEP_LOOPS:
        _check_depth(network, depth)
    return network


def _depths(block: Block) -> tuple[int, int]:
    """How many blocks lie inside of one another, and how many loops."""
    deepest, most_loops, waiting = 0, 0, [(block, 0, 0)]
    while waiting:
        current, depth, loops = waiting.pop()
        deepest, most_loops = max(deepest, depth), max(most_loops, loops)
        for statement in current.body:
            rounds = loops + isinstance(statement, (Loop, While))
            waiting += [(inner, depth + 1, rounds) for inner in blocks(statement)]
    return deepest, most_loops


def _check_depth(network: Network, depth: int) -> None:
    """Refuse a network whose code Python cannot read."""
    try:
        assert network.code
    except (SyntaxError, RecursionError):
        raise CompileError(
            f"{depth} branches and loops lie inside of one another",
            span=None,
            remedy="Each early return puts the rest of the function into the other branch: look such cases up in a table, in a loop.",
        ) from None


def _turns_complex(network: Network, example: tuple[Any, dict[str, Any]] | None) -> Span | None:
    """The place where a power of a negative number turns the example complex, which decides what is compiled there."""
    if example is None or not any(isinstance(item, Check) and item.error == "ComplexResult" for item in walk(network.program.body)):
        return None
    usual = Network(network.program, network.signature, backend="torch")  # a single call is not worth machine code
    try:
        usual(*copy.deepcopy(tuple(example[0])), **copy.deepcopy(example[1]))
    except HeuristicError as error:
        return error.span if error.error == "ComplexResult" else None
    return None


def _stage(fn: Callable[..., Any], example: Example, integers: bool, complex_at: frozenset[Span]) -> Staged:
    """Stage with room for deep recursion; what goes wrong inside is our bug and says so."""
    try:
        with compiling():
            staged = stage(fn, example, integers=integers, complex_at=complex_at)
            return replace(staged, program=run(COMPILED, staged.program))
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


def _check_options(loops: str, max_rounds: int | None, errors: str, mathematics: str) -> None:
    if loops not in ("run", "settle"):
        raise ValueError(f"loops must be 'run' or 'settle', not {loops!r}")
    if errors not in ("raise", "nan"):
        raise ValueError(f"errors must be 'raise' or 'nan', not {errors!r}")
    if mathematics not in ("exact", "vector"):
        raise ValueError(f"mathematics must be 'exact' or 'vector', not {mathematics!r}")
    if max_rounds is not None and (not isinstance(max_rounds, int) or max_rounds < 1):
        raise ValueError(f"max_rounds must be a positive whole number, not {max_rounds!r}")
