"""How much of the corpus runs natively, how long LLVM takes, and whether answers are Python's own bits.

`DEEPALGO_CORPUS=folder python -m benchmarks.native_corpus`. A function counts as native if its program runs so forward and backward;
what does not is listed with the reason. Programs that take part in no comparison to the last bit (NumPy's vectorised functions) are
counted apart.
"""

import argparse
import contextlib
import io
import math
import statistics
import time
from collections import Counter

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import deepalgo as da
from benchmarks.corpus import load_corpus
from deepalgo.backends.native.engine import Engine
from deepalgo.backends.native.text import Unsupported


def compiled(corpus, entry):
    """The network of an entry, or None if it is refused."""
    samples = np.array(entry["samples"])
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            args, kwargs = corpus.plain_arguments(entry, samples[0])
            return da.compile(corpus.resolve(entry), example=(tuple(args), kwargs), backend="native", errors="nan")
    except da.CompileError:
        return None


def times(network):
    """Seconds for the code forward and for that of the gradient; a reason in place of what is not native."""
    found = []
    engine = Engine(network.program, network.max_rounds)
    for part in ("forward", "back"):
        start = time.perf_counter()
        try:
            engine._kernel(part)
            found.append(time.perf_counter() - start)
        except Unsupported as reason:
            found.append(str(reason))
    return found


def largest_difference(corpus, entry, network):
    """The largest difference to the original in units in the last place, over all samples; NaN where it does not apply."""
    samples = np.array(entry["samples"])
    inputs = torch.tensor(samples)

    def array(index, shape):
        return inputs[:, index : index + math.prod(shape)].reshape(-1, *shape)

    with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
        args, kwargs = corpus.arguments(entry, lambda index: inputs[:, index], array)
        found = corpus.flatten(network(*args, **kwargs), len(samples)).numpy()
    wanted = np.array(entry["outputs"], float).reshape(found.shape)
    same = (found == wanted) | np.isnan(found) & np.isnan(wanted)
    gap = np.where(same, 0.0, np.abs(found - wanted) / np.spacing(np.maximum(np.abs(wanted), 1e-300)))
    return float(gap.max(initial=0.0))


def quantile(values, share):
    """A quantile, by rank."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def main(arguments=None):
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="a part of the name of a function")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    corpus, rows, reasons, gaps = load_corpus(), [], Counter(), []
    console = Console(width=140)
    for entry in corpus.entries():
        if options.only not in entry["id"]:
            continue
        network = compiled(corpus, entry)
        if network is None:
            continue
        row = times(network)
        rows.append(row)
        lost = next((item for item in row if isinstance(item, str)), None)
        if lost is not None:
            reasons[lost.partition(", line")[0]] += 1
            console.print(f"torch: {entry['id']}: {lost}", highlight=False)
            continue
        gaps.append(largest_difference(corpus, entry, network))
        if gaps[-1] > 4 or options.only:
            console.print(f"{gaps[-1]:.0f} ulp, {row[0]:.3f} s, {row[1]:.3f} s: {entry['id']}", highlight=False)
    native = [row for row in rows if not any(isinstance(item, str) for item in row)]
    console.print(f"{len(native)} of {len(rows)} programs run natively with their gradients ({100 * len(native) / len(rows):.1f} %)")
    equal, near = sum(gap == 0 for gap in gaps), sum(0 < gap <= 4 for gap in gaps)
    console.print(f"bit for bit {equal}, within 4 ulp {near}, more {len(gaps) - equal - near}")
    table = Table("code", "median", "95 %", "largest", "all")
    for place, name in enumerate(("forward", "gradient")):
        taken = [row[place] for row in native]
        table.add_row(name, *(f"{value:.3f} s" for value in (statistics.median(taken), quantile(taken, 0.95), max(taken), sum(taken))))
    console.print(table)
    for reason, count in reasons.most_common():
        console.print(f"{count:4} {reason}", highlight=False)


if __name__ == "__main__":
    main()
