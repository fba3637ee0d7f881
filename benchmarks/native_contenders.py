"""The contenders of `native_bench.py`: each makes the calls that are measured, for the samples of a job.

A contender has a call for answers and one for answers with gradients (by the inputs and by the constants, of the sum of all answers), the
number of samples that they are for, and the seconds that compiling took.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import torch

import deepalgo as da
from benchmarks.native_jobs import Job
from benchmarks.native_loops import Array
from deepalgo.backends.native.engine import Engine

Run = Callable[[], Any]
#: JAX runs long loops on parts of the samples, too, as what it keeps for the way back would not fit into memory; the quickest counts.
PARTS = (1000, 200)


@dataclass(frozen=True, slots=True)
class Contender:
    """Calls for so many samples; None where there is none, with the reason."""

    samples: int
    forward: Run | None = None
    gradient: Run | None = None
    compiling: tuple[float, ...] = ()
    reason: str = ""


def has(package: str) -> bool:
    """Whether an optional package is installed."""
    return importlib.util.find_spec(package) is not None


def seconds(work: Run, least: float = 0.15, most: int = 200) -> float:
    """Processor time of one call, the best of several."""
    best, total, calls = math.inf, 0.0, 0
    while total < least and calls < most:
        start = time.process_time()
        work()
        taken = time.process_time() - start
        best, total, calls = min(best, taken), total + taken, calls + 1
    return best


def once(work: Run) -> float:
    """Processor time of the first call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def python(job: Job, columns: list[Array]) -> Contender:
    """The function itself, sample by sample, with plain numbers and lists."""
    rows = job.rows(columns, job.alone)
    return Contender(len(rows), lambda: [job.function(*row) for row in rows])


def network(job: Job, columns: list[Array], backend: str) -> tuple[Contender, da.Network]:
    """A network through `net(...)`, and torch's backward pass; gradients are handed out, not added to those of the call before."""
    net = job.network(backend)
    size = min(len(columns[0]), job.torch or len(columns[0])) if backend == "torch" or net.backend != "native" else len(columns[0])
    tensors = [torch.tensor(column[:size]) for column in columns]
    learning = [tensor.clone().requires_grad_() for tensor in tensors]
    wanted = [*learning, *(weight for weight in net.weights.tensors() if weight.requires_grad)]

    def forward() -> Any:
        with torch.no_grad():
            return net(*tensors)

    def gradient() -> None:
        torch.autograd.grad(total_of(net(*learning)), wanted, allow_unused=True)

    compiling = compile_seconds(job, columns, backend)
    return Contender(size, forward, gradient, compiling, "" if net.backend == backend else net.backend), net


def compile_seconds(job: Job, columns: list[Array], backend: str) -> tuple[float, ...]:
    """Seconds to compile for answers and for gradients: of an engine of its own, as `da.compile` may have used that of a network."""
    net = job.network(backend)
    if backend == "native":
        engine = Engine(net.program, net.max_rounds)
        return tuple(once(lambda part=part: engine.reason_against(gradient=part)) for part in (False, True))  # type: ignore[misc]
    few = [torch.tensor(column[:8], requires_grad=True) for column in columns]

    def forward() -> None:
        with torch.no_grad():
            net(*few)

    return tuple(max(once(work) - once(work), 0.0) for work in (forward, lambda: total_of(net(*few)).backward()))


def on_torch(net: da.Network) -> str:
    """What of a network that was asked to run natively runs on torch."""
    engine = Engine(net.program, net.max_rounds)
    if engine.reason_against(gradient=False):
        return "on torch"
    return "gradient on torch" if engine.reason_against(gradient=True) else ""


def total_of(answer: Any) -> torch.Tensor:
    """The sum of all answers."""
    answers = answer if isinstance(answer, tuple) else (answer,)
    return functools.reduce(torch.add, [item.sum() for item in answers])


def in_numba(job: Job, columns: list[Array], net: da.Network) -> Contender:
    """The emitted source under `numba.njit`, in a loop over the samples; arrays stay arrays."""
    style = "python" if any(column.ndim > 1 for column in columns) else "numbers"
    space: dict[str, Any] = {}
    try:
        exec(da.source(net, style=style), space)
    except da.DeepalgoError as error:
        return Contender(1, reason=str(error))
    function = [item for item in space.values() if getattr(item, "__code__", None)][-1]
    width = len(np.atleast_1d(function(*(column[0] for column in columns))))
    arguments = ", ".join(f"x{place}[k]" for place in range(len(columns)))
    several = "".join(f"        out[k, {place}] = found[{place}]\n" for place in range(width))
    stores = several if width > 1 else "        out[k, 0] = found\n"
    text = (
        f"def run({', '.join(f'x{place}' for place in range(len(columns)))}, out):\n    for k in range(len(out)):\n"
        f"        found = function({arguments})\n{stores}"
    )
    loop: dict[str, Any] = {"function": numba.njit(function)}
    exec(text, loop)
    run, out = numba.njit(loop["run"]), np.empty((len(columns[0]), width))
    try:
        compiling = once(lambda: run(*(column[:1] for column in columns), out[:1]))
    except numba.core.errors.NumbaError as error:
        said = [line for line in str(error).splitlines() if line.strip()]
        return Contender(1, reason=f"njit refuses the source: {' '.join(said[1:2])}")

    def forward() -> Array:
        run(*columns, out)
        return out

    return Contender(len(out), forward, compiling=(compiling,))


def in_jax(job: Job, columns: list[Array], weights: Sequence[torch.Tensor], size: int) -> Contender:
    """The peer written by hand, on the samples in parts of one size."""
    import jax

    from benchmarks.native_peers import PEERS

    peer, count = PEERS[job.name], len(columns[0])
    parts = [[jax.numpy.asarray(column[first : first + size]) for column in columns] for first in range(0, count, size)]
    w = tuple(jax.numpy.asarray(weight.detach().numpy()) for weight in weights)

    def batched(function: Callable[..., Any]) -> Callable[..., Any]:
        return jax.vmap(function, in_axes=(None, *(0 for _ in columns)))

    def total(w: Any, *inputs: Any) -> Any:
        values = batched(peer.differentiable)(w, *inputs)
        return sum(item.sum() for item in jax.tree.leaves(values)), values

    compiling, made = [], []
    for function in (batched(peer.forward), jax.value_and_grad(total, tuple(range(len(columns) + 1)), has_aux=True)):
        start = time.process_time()
        made.append(jax.jit(function).lower(w, *parts[0]).compile())
        compiling.append(time.process_time() - start)

    def over_parts(function: Callable[..., Any]) -> Run:
        return lambda: [jax.block_until_ready(function(w, *part)) for part in parts]

    return Contender(len(parts) * size, over_parts(made[0]), over_parts(made[1]), tuple(compiling))


def in_casadi(job: Job, columns: list[Array], weights: Sequence[torch.Tensor], size: int = 200) -> Contender:
    """The graph written by hand, on some of the samples."""
    from benchmarks import native_casadi

    w = [weight.item() for weight in weights]
    start = time.process_time()
    function = native_casadi.PEERS[job.name]()
    first = time.process_time() - start
    gradient = native_casadi.with_gradient(function)
    x = columns[0][:size]
    return Contender(
        len(x),
        lambda: native_casadi.over_samples(function, x, w),
        lambda: native_casadi.over_samples(gradient, x, w),
        (first, time.process_time() - start - first),
    )


def function_of(net: da.Network) -> Callable[..., Any] | None:
    """The heuristic back as a callable that runs natively, where the package has it."""
    make = getattr(da, "function", None)
    return make(net) if make is not None else None
