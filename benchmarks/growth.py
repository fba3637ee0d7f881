"""Every transformation on programs that nobody made for it: is what comes out exact at birth, and can it learn?

A `Subject` is a compiled function with a batch of inputs. `moves` lists what could be done to it: the calls that `da.suggest` names, and
more that are enumerated over its signals, loops and weights. `examine` makes a move and says what came of it.

>>> def halve(x):
...     while x > 1.0:
...         x = 0.5 * x
...     return x
>>> subject = Subject("halve", da.compile(halve, errors="nan"), [torch.linspace(0.1, 9.0, 20)])
>>> [move.call for move in moves(subject)][:2]
['untie(net, 2)', "remember(net, 2, signal='x')"]
>>> examine(subject, moves(subject)[0]).word
'ok'
"""

import copy
import math
import random
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import deepalgo as da
from benchmarks.corpus import load_corpus
from deepalgo.certificate.idle import dead_weights
from deepalgo.ir import Kind, Loop
from deepalgo.tensorize.choose import NewHeuristic
from deepalgo.tensorize.find import all_loops, carried, is_users, signals

RTOL = 1e-12
#: Rounds of a loop that settles; a sample that needs more fails in both networks.
SETTLED = 32
NAMES = "untie widen Kronecker remember choose soften correct guard".split()


@dataclass(frozen=True)
class Subject:
    """A network that answers NaN where its function raises, and a batch of inputs as tensors."""

    name: str
    network: da.Network
    leaves: list[torch.Tensor]


@dataclass(frozen=True)
class Move:
    """A call of a transformation as text; one that `suggest` named must apply."""

    name: str
    call: str
    suggested: bool = False

    def make(self, network, leaves):
        """The network that the call makes."""
        known = {name: getattr(da, name) for name in da.__all__}
        known |= {"net": network, "leaves": leaves, "answer_size": answer_size, "size": size, "soften": soften_leaves}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewHeuristic)
            return eval(self.call, known)


def soften_leaves(network, *leaves, **options):
    """`soften` for inputs that are already tensors in the order of the program."""
    plain = copy.deepcopy(network)
    plain.signature = da.Network(network.program).signature
    grown = da.soften(plain, *leaves, **options)
    grown.signature = network.signature
    return grown


def size(x):
    """A criterion for a signal."""
    return np.sum(np.abs(x)) if isinstance(x, np.ndarray) else abs(x)


def answer_size(answer):
    """A criterion for whatever a function returns."""
    if isinstance(answer, dict):
        return answer_size(list(answer.values()))
    if isinstance(answer, (list, tuple)):
        total = 0.0
        for item in answer:
            total = total + answer_size(item)
        return total
    if isinstance(answer, np.ndarray):
        return np.sum(np.abs(answer))
    return abs(answer) if isinstance(answer, (float, complex)) else 0.0


@dataclass(frozen=True)
class Verdict:
    """What came of a move: ok, dead (no new weight has a gradient, and no answer moves with any), refused, or how it is wrong."""

    word: str
    reason: str = ""
    grown: da.Network | None = None


def corpus_subject(entry):
    """The network of an entry of the corpus, with its samples."""
    corpus = load_corpus()
    samples = np.array(entry["samples"])
    args, kwargs = corpus.plain_arguments(entry, samples[0])
    network = da.compile(corpus.resolve(entry), example=(tuple(args), kwargs), errors="nan")
    inputs = torch.tensor(samples, dtype=torch.float64)
    args, kwargs = corpus.arguments(
        entry, lambda index: inputs[:, index], lambda index, shape: inputs[:, index : index + math.prod(shape)].reshape(-1, *shape)
    )
    return Subject(entry["id"], network, network.signature.flatten(args, kwargs, network.dtype, network.device)[0])


def fuzz_subject(seed, kind):
    """The network of a random program, with its samples."""
    from tests.fuzz.generator import generate
    from tests.fuzz.program import load

    program = generate(seed, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"program_{seed}.py"
        file.write_text(program.source)
        network = da.compile(load(program.source, str(file))[program.entry], example=program.call(0), errors="nan")
    rows = []
    for sample in program.samples:
        args, kwargs = program.arrange(copy.deepcopy(sample))
        rows.append(network.signature.flatten(args, kwargs, network.dtype, network.device)[0])
    return Subject(f"{kind} {seed}", network, [torch.cat(column) for column in zip(*rows, strict=True)])


def moves(subject):
    """What could be done to a network: first all that `suggest` names."""
    return [*suggested(subject), *enumerated(subject.network.program)]


def suggested(subject):
    """The calls of `suggest`, with criteria and inputs filled in."""
    for item in da.suggest(subject.network):
        call = item.call.replace("*inputs", "*leaves")
        name = call.partition("(")[0]
        call = call.replace("by=...", "by=answer_size" if name == "guard" else "by=size")
        call = call.replace("steps=(0.5, 1.0, 1.5)", "steps=(1.0, 1.0)")  # those of `suggest` make a new heuristic
        yield Move("Kronecker" if "Kronecker" in call else name, call, suggested=True)


STRUCTURES = {
    0: ["Scalar()", "Product(Scalar(), 2)"],
    1: ["Scalar()", "Diagonal()", "Dense()", "Toeplitz(3)", "LowRank(1)", "Product(Toeplitz(3), 2)", "Product(Dense(), Diagonal())"],
    2: ["Scalar()", "Diagonal()", "Dense()", "Toeplitz(5)", "BlockToeplitz()", "LowRank(1)", "Product(BlockToeplitz(), Dense())"],
}


def enumerated(program):
    """More calls, some of which will be refused."""
    keys = [weight.key for weight in program.weights if not weight.frozen]
    yield Move("untie", "untie(net)")
    yield Move("untie", "untie(net, 'calls')")
    yield from (Move("untie", f"untie(net, weights=[{key!r}], rounds=3)") for key in keys)
    found = {value.name: len(value.type.shape) for value in signals(program) if value.type.kind == Kind.REAL}
    found |= {item.path: len(item.value.type.shape) for item in program.inputs if item.value.type.kind == Kind.REAL}
    for name, rank in found.items():
        yield from (Move("widen", f"widen(net, {name!r}, {structure})") for structure in STRUCTURES[min(rank, 2)])
        yield from (Move("Kronecker", f"widen(net, {name!r}, Kronecker({k}))") for k in (2, 3))
        added = next((f", Adds({item.path!r}, (0.0,))" for item in program.inputs if not item.value.type.shape), "")
        yield Move("choose", f"choose(net, {name!r}, Scales({name!r}, (1.0, 1.0)){added}, by=size)")
        yield Move("correct", f"correct(net, {name!r}, hidden=3, relative=True)")
    yield from (Move("widen", f"widen(net, {key!r}, {structure})") for key in keys for structure in ("Scalar()", "Dense()", "Toeplitz(3)"))
    for loop in all_loops(program):
        names = [value.name for value in carried(loop) if is_users(value) and value.type.kind == Kind.REAL]
        if isinstance(loop, Loop) and loop.span is not None:
            yield from (Move("remember", f"remember(net, {loop.span.line}, 3, signal={name!r})") for name in names)
    yield Move("soften", "soften(net, *leaves)")


def some(found, most, seed):
    """At most so many moves of each transformation."""
    rng = random.Random(f"{seed}")
    chosen = []
    for name in NAMES:
        group = [move for move in found if move.name == name]
        chosen += rng.sample(group, min(most, len(group)))
    return chosen


def examine(subject, move, loops="run"):
    """Make a move and compare: answers and errors on every sample, gradients of the new weights."""
    base = subject.network
    try:
        grown = move.make(base, subject.leaves)
    except da.TensorizeError as error:
        return Verdict("contradicted" if move.suggested else "refused", str(error))
    if loops == "settle":
        base, grown = copy.deepcopy(base), copy.deepcopy(grown)
        base.loops = grown.loops = loops
        base.max_rounds = grown.max_rounds = SETTLED
    reason = difference(base.outcomes(subject.leaves), grown.outcomes(subject.leaves))
    if reason:
        return Verdict("wrong", reason, grown)
    return Verdict(*learning(base, grown, subject.leaves), grown)


def difference(expected, got):
    """How two outcomes differ, or nothing."""
    (wanted, errors), (found, other_errors) = expected, got
    for sample, pair in enumerate(zip(errors, other_errors, strict=True)):
        if pair[0] != pair[1]:
            return f"sample {sample}: {pair[1]} instead of {pair[0]}"
    good = [sample for sample, error in enumerate(errors) if error is None]
    for place, (a, b) in enumerate(zip([part[good] for part in wanted], [part[good] for part in found], strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {place}: {b.dtype} {tuple(b.shape)} instead of {a.dtype} {tuple(a.shape)}"
        same = (a == b) | ((a != a) & (b != b)) | ((a - b).abs() <= RTOL * a.abs()) if a.dtype != torch.bool else a == b
        if not bool(same.all()):
            at = tuple((~same).nonzero()[0].tolist())
            return f"output {place}, sample {good[at[0]]}: {b[at].item()!r} instead of {a[at].item()!r}"
    return ""


def learning(base, grown, leaves):
    """Whether new weights have a gradient, which must be finite where that of the heuristic is."""
    new = [key for key in grown.weights if key not in base.weights or grown.weights[key].shape != base.weights[key].shape]
    new = [key for key in new if grown.weights[key].requires_grad]
    good = [sample for sample, error in enumerate(base.outcomes(leaves)[1]) if error is None]
    leaves = [leaf[good] for leaf in leaves]
    if not good or not finite_gradients(base, leaves):
        return "ok", "no finite gradient to begin with"
    if not finite_gradients(grown, leaves):
        return "nan-gradient", ", ".join(new)
    dead = {item.key for item in dead_weights(grown, leaves) if item.items == item.size}
    if not new:
        return "ok", ""
    if not dead.issuperset(new):
        return "ok", ""
    return "stuck" if answers_move(grown, new, leaves) else "dead", ", ".join(new)


def answers_move(network, keys, leaves):
    """Whether answers change in proportion with some weights: then a gradient of zero is wrong. Steps, as of `round`, are no matter."""
    far, near = (changes(network, keys, leaves, by) for by in (1e-6, 1e-7))
    return any(bool(((a > 3 * b) & (a < 30 * b) & (b > 1e-12)).any()) for a, b in zip(far, near, strict=True))


def changes(network, keys, leaves, by):
    """How much each answer changes, relative to its size, if weights are moved by a share of their own."""
    moved = copy.deepcopy(network)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for key in keys:
            weight = moved.weights[key]
            weight += by * (weight.abs() + 1) * torch.randn(weight.shape, generator=generator, dtype=weight.dtype)
        pairs = zip(network.execute(list(leaves)), moved.execute(list(leaves)), strict=True)
        return [((b - a).abs() / (a.abs() + 1)).nan_to_num() for a, b in pairs if a.is_floating_point()]


def finite_gradients(network, leaves):
    """Whether the answers have a finite gradient by every weight."""
    parts = [result.real if result.is_complex() else result for result in network.execute(list(leaves))]
    total = sum((part.sum() for part in parts if part.is_floating_point() and part.requires_grad), torch.zeros(()))
    trainable = [weight for weight in network.weights.parameters() if weight.requires_grad]
    if not total.requires_grad or not trainable:
        return True
    found = torch.autograd.grad(total, trainable, allow_unused=True)
    return all(part is None or bool(torch.isfinite(part).all()) for part in found)


def train_a_little(network, seed=0):
    """A copy whose weights were moved, each by a small share of its own."""
    moved = copy.deepcopy(network)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for key in moved.weights:
            weight = moved.weights[key]
            if weight.requires_grad:
                weight += 1e-3 * (weight.abs() + 0.1) * torch.randn(weight.shape, generator=generator, dtype=weight.dtype)
    return moved
