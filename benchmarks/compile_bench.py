"""How fast compiled networks are, and how fast they are compiled: `DEEPALGO_CORPUS=folder make bench`.

Ten functions of real packages with branches or loops, 100 000 samples each, forward and forward with backward (the gradient by the
inputs). Against them: the function itself in a Python loop (1000 samples, scaled), hand-written batched PyTorch, and hand-written JAX
under `jit(vmap)` where it is installed (`pip install deepalgo[bench]`). Then: how cost grows with samples and rounds, and how long every
function of the corpus takes to compile.

Everything runs in one process, the contenders in turn; a figure is the median of the rounds, in processor time of all threads, so that
neither a busy machine nor the number of cores decides. Freed memory is kept for all of them alike. Only ratios within a run mean something.
"""

import argparse
import contextlib
import ctypes
import importlib.util
import io
import logging
import statistics
import time
from dataclasses import dataclass

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

import deepalgo as da
from benchmarks.corpus import load_corpus
from deepalgo.errors import CompileError
from deepalgo.ir import While, walk

#: Entries of the corpus, and what stands for them in the hand-written files.
FUNCTIONS = {
    "stdlib:colorsys.rgb_to_hsv": "rgb_to_hsv",
    "stdlib:colorsys.hsv_to_rgb": "hsv_to_rgb",
    "fluids:fluids.drag.Clift": "clift",
    "fluids:fluids.friction.friction_plate_Kumar": "friction_plate_kumar",
    "astral:astral.refraction_at_zenith": "refraction_at_zenith",
    "psychrolib:psychrolib.GetTDewPointFromVapPres": "dew_point",
    "psychrolib:psychrolib.GetTWetBulbFromHumRatio": "",
    "fluids:fluids.drag.v_terminal": "",
    "iapws:iapws.iapws97._Backward2_T_Ph": "",
    "pymap3d:pymap3d.vincenty.vdist": "",
}
#: Rounds that are enough for the loop of `dew_point`, for JAX and for torch.compile, which need a fixed number.
ROUNDS = 8
PYTHON_SAMPLES = 1000


@dataclass
class Case:
    """A function of the corpus, its network and a batch on which it does not raise."""

    name: str
    function: object
    example: tuple
    network: da.Network
    inputs: list


def prepare(entry, corpus, count):
    """Compile an entry and draw samples: those of the corpus, each number moved by up to a tenth."""
    function = corpus.resolve(entry)
    args, kwargs = corpus.plain_arguments(entry, entry["samples"][0])
    example = (tuple(args), kwargs)
    network = da.compile(function, example=example, backend="torch").requires_grad_(False)
    random = np.random.default_rng(1)
    rows = np.array(entry["samples"])
    rows = rows[random.integers(len(rows), size=2 * count)]
    batch = torch.tensor(rows * (1 + 0.1 * random.uniform(-1, 1, rows.shape)))
    _, failures = network.outcomes(list(batch.T.contiguous()))
    good = [number for number, failure in enumerate(failures) if failure is None][:count]
    return Case(entry["qualname"], function, example, network, [column.contiguous() for column in batch[good].T])


def leaves(output):
    """The tensors of an output that learn or could."""
    items = output if isinstance(output, (tuple, list)) else [output]
    return [item for item in items if isinstance(item, torch.Tensor) and item.is_floating_point()]


def forward(function, inputs):
    """A call without gradient."""

    def run():
        with torch.no_grad():
            function(*inputs)

    return run


def backward(function, inputs):
    """A call and the gradient of the sum of its outputs by the inputs."""
    inputs = [item.clone().requires_grad_() for item in inputs]

    def run():
        total = sum(item.sum() for item in leaves(function(*inputs)))
        torch.autograd.grad(total, inputs, allow_unused=True)

    return run


def python_loop(case):
    """The function itself, sample by sample."""
    rows = list(zip(*(column[:PYTHON_SAMPLES].tolist() for column in case.inputs), strict=True))

    def run():
        for row in rows:
            case.function(*row)

    return run


def compiled(case):
    """The network under `torch.compile`, with a fixed number of rounds where the original loops by data."""
    if not any(isinstance(item, While) for item in walk(case.network.program.body)):
        return torch.compile(case.network)
    return torch.compile(da.compile(case.function, example=case.example, loops="settle", max_rounds=ROUNDS).requires_grad_(False))


def jax_runs(name, inputs):
    """JAX: a call; a call with its gradient, which hands out the values as well, as torch does; and the gradient alone."""
    import jax

    from benchmarks import hand_written_jax

    single = getattr(hand_written_jax, name)
    batched = jax.vmap((lambda *row: single(*row, ROUNDS)) if name == "dew_point" else single)
    arrays = [jax.numpy.asarray(item.numpy()) for item in inputs]

    def total(*columns):
        values = batched(*columns)
        return sum(item.sum() for item in jax.tree.leaves(values)), values

    both = jax.value_and_grad(total, tuple(range(len(inputs))), has_aux=True)
    ways = {"jax": batched, "jax+": both, "jax grad": lambda *columns: both(*columns)[1]}
    made = {way: jax.jit(function) for way, function in ways.items()}
    return {way: lambda function=function: jax.block_until_ready(function(*arrays)) for way, function in made.items()}


def contenders(case, hand, with_compile):
    """What is measured, by name; forward and backward of each."""
    found = {"python": python_loop(case), "net": forward(case.network, case.inputs), "net+": backward(case.network, case.inputs)}
    if hand:
        from benchmarks import hand_written  # it reads tables of the packages that the corpus installs

        by_hand = getattr(hand_written, hand)
        found |= {"hand": forward(by_hand, case.inputs), "hand+": backward(by_hand, case.inputs)}
        if with_compile:
            network = compiled(case)
            found |= {"compile": forward(network, case.inputs), "compile+": backward(network, case.inputs)}
            if importlib.util.find_spec("jax"):
                found |= jax_runs(hand, case.inputs)
    return found


def measure(runs, rounds):
    """The median processor time of each, called in turn."""
    times = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(items) for name, items in times.items()}


def compare(corpus, options):
    """Seconds of all contenders, by function."""
    entries = {entry["id"]: entry for entry in corpus.entries()}
    found = {}
    for identity, hand in track(FUNCTIONS.items(), "functions"):
        torch.compiler.reset()
        case = prepare(entries[identity], corpus, options.samples)
        with contextlib.redirect_stdout(io.StringIO()):
            seconds = measure(contenders(case, hand, options.compile), options.rounds)
        seconds["python"] *= len(case.inputs[0]) / min(PYTHON_SAMPLES, len(case.inputs[0]))
        found[case.name] = seconds
    return found


#: Columns of ratios: the time of the first over the time of the second.
RATIOS = (
    ("python", "net"),
    ("python", "net+"),
    ("python", "compile"),
    ("python", "jax"),
    ("net", "hand"),
    ("net+", "hand+"),
    ("compile", "jax"),
    ("compile+", "jax+"),
    ("compile+", "jax grad"),
)


def print_comparison(console, found, samples):
    """Nanoseconds a sample, then ratios with their medians; `+` is with the gradient."""
    names = ("python", "net", "net+", "hand", "hand+", "compile", "compile+", "jax", "jax+", "jax grad")
    times = Table("function", *names, title="nanoseconds a sample; + with the gradient by the inputs")
    ratios = Table("function", *(f"{above} / {below}" for above, below in RATIOS), title="ratios")
    for function, seconds in found.items():
        times.add_row(function, *(f"{1e9 * seconds[name] / samples:.0f}" if name in seconds else "" for name in names))
        ratios.add_row(function, *(f"{seconds[a] / seconds[b]:.2f}" if {a, b} <= set(seconds) else "" for a, b in RATIOS))
    columns = [[seconds[a] / seconds[b] for seconds in found.values() if {a, b} <= set(seconds)] for a, b in RATIOS]
    ratios.add_row("median", *(f"{statistics.median(column):.2f}" if column else "" for column in columns), style="bold")
    console.print(times, ratios)


def wander(x, rounds):
    """A loop of so many rounds."""
    for _ in range(rounds):
        x = x + 0.01 * (1.0 - x * x)
    return x


def print_growth(console, options):
    """Cost per sample and round, with the gradient of the weights: the same in every row if it grows linearly."""
    table = Table("samples", "rounds", "ns a sample and round", title="cost with the gradient, of a loop")
    for samples, rounds in ((10_000, 100), (40_000, 100), (160_000, 100), (10_000, 400), (10_000, 1600)):
        x = torch.linspace(0.1, 2.0, samples, dtype=torch.float64)
        network = da.compile(wander, example=((1.0, rounds), {}), backend="torch")
        run = backward(lambda x, network=network, rounds=rounds: network(x, rounds), [x])
        seconds = measure({"net": run}, max(1, options.rounds // 3))["net"]
        table.add_row(str(samples), str(rounds), f"{1e9 * seconds / samples / rounds:.2f}")
    console.print(table)


def print_compile_times(console, corpus):
    """How long the functions of the corpus take to compile, torch code included."""
    times = []
    for entry in track(corpus.entries(), "compile times"):
        with contextlib.redirect_stdout(io.StringIO()):
            function = corpus.resolve(entry)
            args, kwargs = corpus.plain_arguments(entry, entry["samples"][0])
            start = time.process_time()
            with contextlib.suppress(CompileError):
                _ = da.compile(function, example=(tuple(args), kwargs)).code
            times.append((time.process_time() - start, entry["qualname"]))
    times.sort(reverse=True)
    median = statistics.median(seconds for seconds, _ in times)
    table = Table("function", "seconds", title=f"{len(times)} functions compiled in {median:.3f} s (median); the slowest")
    for seconds, name in times[:5]:
        table.add_row(name, f"{seconds:.2f}")
    console.print(table)


def keep_memory():
    """Let the allocator keep what is freed; otherwise now one contender pays for fresh pages, now another."""
    with contextlib.suppress(OSError, AttributeError):
        allocator = ctypes.CDLL(None)
        for setting in (-1, -3):  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
            allocator.mallopt(setting, 2**30)


def main(arguments=None):
    """Print all tables."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples, few rounds, no torch.compile")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="without torch.compile and JAX")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments)
    options.samples = 10_000 if options.quick else 100_000
    options.rounds = 3 if options.quick else options.rounds
    options.compile = options.compile and not options.quick
    torch.set_num_threads(1)
    keep_memory()
    logging.disable()
    console, corpus = Console(width=150), load_corpus()
    print_comparison(console, compare(corpus, options), options.samples)
    print_growth(console, options)
    print_compile_times(console, corpus)


if __name__ == "__main__":
    main()
