"""Native code beside its peers: `DEEPALGO_CORPUS=folder python -m benchmarks.native_bench`, `--quick` for a tenth of the samples.

Loops (`native_loops.py`) and formulas of the corpus (left out where DEEPALGO_CORPUS is not set), forward and with the gradient by inputs
and constants. Against them: a Python loop over some of the samples, `numba.njit` of the emitted source, JAX by hand (`native_peers.py`;
optional: `pip install jax`), CasADi by hand for two loops (`native_casadi.py`; optional: `pip install casadi`) and the torch backend.
Slow contenders run on fewer samples and are scaled. JAX runs loops in parts of 1,000 and of 200 samples, too, and its quickest way counts.
Gradients in JAX of loops that end by data are those of a fixed number of rounds.

One run, one process on one core, processor time; a figure is the best of several calls. Compiling is not counted but printed. `--threads`
measures what a second thread gives instead, in wall time, and needs two idle cores. The last table says how each target stands.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# Before JAX is imported, which reads it once.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import native_contenders as contenders
from benchmarks import native_loops
from benchmarks.compile_bench import keep_memory
from benchmarks.corpus import load_corpus
from benchmarks.native_contenders import PARTS, Contender, function_of, has, seconds
from benchmarks.native_jobs import LOOPS, Job, formulas

WAYS = ("native", "native+", "numba", "jax", "jax+", "casadi", "casadi+", "torch", "torch+")
Times = dict[str, float]


@dataclass
class Row:
    """Seconds a sample of each contender for many samples and for few, seconds of compiling, and why a contender is missing."""

    job: Job
    many: Times = field(default_factory=dict)
    few: Times = field(default_factory=dict)
    compiling: Times = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    elsewhere: str = ""

    @property
    def name(self) -> str:
        """The name of the function, with what of it does not run natively."""
        return f"{self.job.name} ({self.elsewhere})" if self.elsewhere else self.job.name

    def ratio(self, above: str, below: str, few: bool = False) -> float:
        """How many times one is slower than another; NaN if one is missing."""
        times = self.few if few else self.many
        return times.get(above, math.nan) / times.get(below, math.nan)

    def take(self, name: str, found: Contender, times: Times) -> None:
        """Measure a contender; of several that have one name the quickest counts."""
        for suffix, run in (("", found.forward), ("+", found.gradient)):
            if run is not None:
                run()
                times[name + suffix] = min(times.get(name + suffix, math.inf), seconds(run) / found.samples)
        if found.reason:
            self.notes.append(f"{self.job.name}, {name}: {found.reason}")
        for suffix, taken in zip(("", "+"), found.compiling, strict=False):
            self.compiling.setdefault(name + suffix, taken)


def measure(job: Job, count: int, few: int) -> Row:
    """All contenders on one job."""
    row, columns = Row(job), job.draw(count)
    row.take("python", contenders.python(job, columns), row.many)
    native, net = contenders.network(job, columns, "native")
    row.elsewhere = contenders.on_torch(net)
    row.take("native", native, row.many)
    row.take("numba", contenders.in_numba(job, columns, net), row.many)
    row.take("torch", contenders.network(job, columns, "torch")[0], row.many)
    weights = net.weights.tensors()
    if has("jax"):
        for size in (few, *(size for size in PARTS if job.loop and size < count), *([] if job.loop else [count])):
            row.take("jax", contenders.in_jax(job, columns, weights, min(size, count)), row.many)
        if job.loop:
            whole = contenders.in_jax(job, columns, weights, count)
            row.take("jax", Contender(whole.samples, whole.forward), row.many)
    if has("casadi") and job.name in ("pid", "lotka_volterra"):
        row.take("casadi", contenders.in_casadi(job, columns, weights), row.many)
    short = [column[:few] for column in columns]
    row.few["python"] = row.many["python"]
    row.take("native", contenders.network(job, short, "native")[0], row.few)
    if (function := function_of(net)) is not None:
        row.take("function", Contender(few, lambda: function(*short)), row.few)
    if has("jax"):
        row.take("jax", contenders.in_jax(job, short, weights, few), row.few)
    return row


def show(value: float, digits: int = 1) -> str:
    """A number for a table, or nothing."""
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def median(values: list[float]) -> float:
    """The median of those that there are."""
    found = [value for value in values if not math.isnan(value)]
    return statistics.median(found) if found else math.nan


def print_many(console: Console, rows: list[Row], count: int) -> None:
    """How many times faster than Python, then the distance to peers."""
    missing = [f"{name} is not installed" for name in ("jax", "casadi") if not has(name)]
    caption = "; ".join(["+ is with the gradient", *missing])
    table = Table("function", "Python µs", *WAYS, title=f"{count} samples: times faster than a Python loop", caption=caption)
    for row in rows:
        table.add_row(row.name, f"{1e6 * row.many['python']:.2f}", *(show(row.ratio("python", way)) for way in WAYS))
    for loop in (True, False):
        chosen = [row for row in rows if row.job.loop is loop]
        if chosen:
            cells = (show(median([row.ratio("python", way) for row in chosen])) for way in WAYS)
            table.add_row(f"median of {'loops' if loop else 'formulas'}", "", *cells, style="bold")
    console.print(table)
    pairs = (
        ("numba", "native"),
        ("jax", "native"),
        ("jax+", "native+"),
        ("casadi", "native"),
        ("casadi+", "native+"),
        ("torch", "native"),
        ("torch+", "native+"),
    )
    title = "times that native code is faster; below 1 it is slower"
    table = Table("function", *(f"{above} / {below}" for above, below in pairs), title=title)
    for row in rows:
        table.add_row(row.name, *(show(row.ratio(*pair), 2) for pair in pairs))
    console.print(table)


def print_few(console: Console, rows: list[Row], few: int) -> None:
    """The same for few samples, and what `net(...)` adds."""
    columns = ("da.function", "net", "net+", "jax", "jax+", "net adds, µs")
    table = Table("function", *columns, title=f"{few} samples: times faster than a Python loop")
    for row in rows:
        cells = [show(row.ratio("python", way, few=True)) for way in ("function", "native", "native+", "jax", "jax+")]
        # What a call costs beyond the work, which is taken from the call with many samples.
        base = row.few.get("function", row.many["native"])
        table.add_row(row.name, *cells, show(1e6 * few * (row.few["native"] - base)))
    console.print(table)


def print_compiling(console: Console, rows: list[Row]) -> None:
    """Seconds until a contender can run."""
    names = ("native", "native+", "torch", "torch+", "jax", "jax+", "numba", "casadi", "casadi+")
    table = Table("function", *names, title="seconds of compiling, which are not counted above")
    for row in rows:
        table.add_row(row.name, *(show(row.compiling.get(name, math.nan), 2) for name in names))
    console.print(table)


@dataclass(frozen=True)
class Latency:
    """Microseconds of one call with one sample; a group of lanes in a large batch stands for the work."""

    name: str
    loop: bool
    python: float
    work: float
    net: float
    function: float


def latency(job: Job, count: int = 4000) -> Latency:
    """Calls with plain numbers, without a gradient."""
    net, columns = job.network("native"), job.draw(count)
    tensors, sample = [torch.tensor(column) for column in columns], job.rows(columns, 1)[0]
    function = function_of(net)
    with torch.no_grad():
        runs: list[Callable[[], object]] = [lambda: job.function(*sample), lambda: net(*tensors), lambda: net(*sample)]
        if function is not None:
            runs.append(lambda: function(*sample))
        taken = []
        for run in runs:
            run()
            taken.append(1e6 * min(repeated(run) for _ in range(5)))
    python, work, alone, *direct = taken
    return Latency(job.name, job.loop, python, 8 * work / count, alone, direct[0] if direct else math.nan)


def repeated(run: Callable[[], object], least: float = 0.02) -> float:
    """Processor time of one of many calls; the clock, which takes as long as a short call, is asked around all of them."""
    calls, taken = 1, 0.0
    while taken < least:
        calls *= 2
        start = time.process_time()
        for _ in range(calls):
            run()
        taken = time.process_time() - start
    return taken / calls


def print_latency(console: Console, found: list[Latency]) -> None:
    """One row for each function."""
    columns = ("Python", "work", "net(x)", "net(x) over the work", "da.function(net)(x)")
    table = Table("function", *columns, title="one sample: microseconds a call")
    for item in found:
        table.add_row(item.name, *(show(value, 2) for value in (item.python, item.work, item.net, item.net - item.work, item.function)))
    console.print(table)


def print_targets(console: Console, rows: list[Row], calls: list[Latency]) -> None:
    """Each target of the issue, the figure, and whether it is met."""
    table = Table("target", "figure", "met", title="targets")
    loops, plain = ([row for row in rows if row.job.loop is loop] for loop in (True, False))
    way = "function" if any("function" in row.few for row in rows) else "native"

    def target(text: str, value: float, least: float = -math.inf, most: float = math.inf) -> None:
        table.add_row(text, show(value, 2) or "not measured", "" if math.isnan(value) else "yes" if least <= value <= most else "no")

    def worst(chosen: list[Row], *pairs: tuple[str, str]) -> float:
        found = [row.ratio(*pair) for row in chosen for pair in pairs if not math.isnan(row.ratio(*pair))]
        return min(found, default=math.nan)

    target("loops forward: 100 times Python in the median", median([row.ratio("python", "native") for row in loops]), 100)
    target("loops with the gradient: 30 times Python in the median", median([row.ratio("python", "native+") for row in loops]), 30)
    target("no loop slower than JAX (worst)", worst(loops, ("jax", "native"), ("jax+", "native+")), 1)
    target("no loop slower than Numba (worst)", worst(loops, ("numba", "native")), 1)
    target("loops with the gradient: twice JAX in the median", median([row.ratio("jax+", "native+") for row in loops]), 2)
    target("formulas forward: 20 times Python in the median", median([row.ratio("python", "native") for row in plain]), 20)
    target("formulas with the gradient: 10 times Python in the median", median([row.ratio("python", "native+") for row in plain]), 10)
    target("no formula slower than torch (worst)", worst(plain, ("torch", "native"), ("torch+", "native+")), 1)
    target("aim: no formula slower than JAX (worst)", worst(plain, ("jax", "native"), ("jax+", "native+")), 1)
    said = "da.function" if way == "function" else "net, as there is no da.function"
    for name, chosen, least in (("loops", loops, 30), ("formulas", plain, 3)):
        found = min((row.ratio("python", way, few=True) for row in chosen), default=math.nan)
        target(f"few samples through {said}: {name} {least} times Python (worst)", found, least)
    over = max((call.net - call.work for call in calls if not call.loop), default=math.nan)
    target("one sample of a formula: net(x) at most 15 µs over the work (worst)", over, most=15)
    direct = max((call.function - call.work for call in calls if not call.loop), default=math.nan)
    target("one sample of a formula: da.function at most 2 µs over the work (worst)", direct, most=2)
    gains = [call.python / call.function for call in calls if call.loop]
    target("a loop of sixty rounds: da.function faster than Python", median(gains), 1)
    console.print(table)


def print_threads(console: Console, jobs: list[Job], count: int) -> None:
    """Wall time on one thread and on two, of calls that take more than 5 ms."""
    table = Table("function", "one thread, ms", "two, ms", "times", title=f"a second thread, {count} samples, wall time (target: 1.7)")
    for job in track(jobs, "threads"):
        found, _ = contenders.network(job, job.draw(count), "native")
        if found.reason:
            continue
        for name, run in ((job.name, found.forward), (f"{job.name}, gradient", found.gradient)):
            taken = [wall(run, threads) for threads in (1, 2)]
            if taken[0] > 5e-3:
                table.add_row(name, *(f"{1e3 * each:.1f}" for each in taken), f"{taken[0] / taken[1]:.2f}")
    console.print(table)


def wall(run: Callable[[], object], threads: int, calls: int = 5) -> float:
    """Seconds of a call on so many threads, the best of several."""
    torch.set_num_threads(threads)
    run()
    best = math.inf
    for _ in range(calls):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    torch.set_num_threads(1)
    return best


def busy() -> tuple[float, float, float]:
    """Wall time, processor time of the whole machine, and of this process."""
    with Path("/proc/stat").open() as file:
        user, nice, system, _, _, irq, soft, *_ = map(int, file.readline().split()[1:])
    return time.perf_counter(), (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK"), time.process_time()


def others(before: tuple[float, float, float]) -> float:
    """How many processors other processes kept busy on the average; they share caches, so that processor time is not free of them."""
    wall, machine, own = (after - first for after, first in zip(busy(), before, strict=True))
    return (machine - own) / wall


def main(arguments: list[str] | None = None) -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    parser.add_argument("--threads", action="store_true", help="what a second thread gives, and nothing else; needs two idle cores")
    parser.add_argument("--only", default="", help="a part of the name of a function")
    options = parser.parse_args(arguments)
    count, few = (2000, 200) if options.quick else (20_000, 200)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # of packages that are compared with
    logging.disable()
    keep_memory()
    console = Console(width=160)
    jobs = [*LOOPS, *(formulas(load_corpus()) if os.environ.get("DEEPALGO_CORPUS") else ())]
    jobs = [job for job in jobs if options.only in job.name]
    before = busy()
    if options.threads:
        return print_threads(console, jobs, count)
    if hasattr(os, "sched_setaffinity"):  # XLA has threads of its own
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = [measure(job, count, few) for job in track(jobs, "functions", console=console)]
    sixty = Job(native_loops.sixty, lambda count: native_loops.uniform(1.0, 9.0, count), 1, None, True)
    calls = [latency(job) for job in track([*(job for job in jobs if not job.loop), sixty], "latency", console=console)]
    print_many(console, rows, count)
    print_few(console, rows, few)
    print_compiling(console, rows)
    print_latency(console, calls)
    for note in dict.fromkeys(note for row in rows for note in row.notes):
        console.print(note, highlight=False)
    print_targets(console, rows, calls)
    console.print(f"processors that others kept busy: {others(before):.2f} (figures of a run with more than 0.1 are not to be quoted)")


if __name__ == "__main__":
    main()
