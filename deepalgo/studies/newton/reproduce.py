"""`deepalgo reproduce newton`: the paper's table beside ours, the figure of x^5 - S, and the unrolled graph.

Every training is a job of its own, done by as many processes as there are cores. All seeds are fixed. What a job found is kept in the
folder of the figures, so that an interrupted run goes on; another state of this package starts afresh.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
import torch

from deepalgo.drawing.draw import draw
from deepalgo.network import Network
from deepalgo.studies.newton.deep import answers, compiled, deep_newton, line_search, plain, richer_newton, train, train_richer
from deepalgo.studies.newton.tasks import TASKS, Array, Task

HELD_OUT = 10_000
#: What is trained: the paper's parametrisation, the same with history, and the richer tensorization.
KINDS = ("A, B, C", "with history", "richer")
#: Where roots are measured some attempts end in a poor valley: of so many the best by validation is kept.
ATTEMPTS = 3
#: The targets of the ratio trained / Newton-LS: paper, paper's parametrisation, richer tensorization.
TARGETS = {
    "square-root": (0.36, 1e-4, 1e-5),
    "fifth-root": (0.44, 1e-5, 1e-9),
    "1D-poly P1": (0.41, 0.15, 0.01),
    "2D-poly T1": (0.68, 0.68, 0.33),
    "2D-poly T3": (0.68, 0.55, 1e-3),
}


@dataclass(frozen=True)
class Job:
    """One training."""

    task: str
    kind: str
    seed: int
    steps: int
    checked: int  #: on how many systems, in and out of range, every single answer is compared with Newton-LS


@dataclass(frozen=True)
class JobFigures:
    """What a job found: figures on held-out systems, before and after training, and single answers that got worse."""

    job: Job
    before: dict[str, float]
    after: dict[str, float]
    inside: tuple[int, int]  #: systems compared, and of these with a larger |F| than Newton-LS
    beyond: tuple[int, int]
    gain_beyond: float  #: median of |F|^2 over that of Newton-LS, out of range
    seconds: float  #: processor time
    curve: list[float] = field(default_factory=list)


def do(job: Job) -> JobFigures:
    """Train once, and look at held-out systems."""
    torch.set_num_threads(1)
    begin = time.process_time()
    task = TASKS[job.task]
    if job.kind == "richer":
        net = richer_newton(task)
        trained = train_richer(task, net, seed=job.seed, steps=job.steps)
    else:
        net = deep_newton(task, history=job.kind == "with history")
        attempts = ATTEMPTS if task.metric == "root MSE" else 1
        trained = train(task, net, seed=job.seed, steps=job.steps, attempts=attempts).network
    S = task.draw(np.random.default_rng(1), HELD_OUT)
    reference = compiled(task, line_search(task))
    compare = [_compare(task, reference, trained, draw(np.random.default_rng(2), job.checked)) for draw in (task.draw, task.beyond)]
    return JobFigures(
        job,
        task.figures(answers(net, S), S),
        task.figures(answers(trained, S), S),
        compare[0][0],
        compare[1][0],
        compare[1][1],
        time.process_time() - begin,
        answers(trained, powers(np.linspace(0.0, 50.0, 201))).tolist() if job.task == "fifth-root" else [],
    )


def _compare(task: Task, reference: Network, trained: Network, S: Array) -> tuple[tuple[int, int], float]:
    """How many answers have a larger |F| than those of Newton-LS, and the median quotient of the squares."""
    if len(S) == 0:
        return (0, 0), 1.0
    old, new = task.residual(answers(reference, S), S), task.residual(answers(trained, S), S)
    worse = ~(new <= old) & np.isfinite(old)
    return (len(S), int(worse.sum())), float(np.median(new[old > 0] / old[old > 0]))


def powers(s: Array) -> Array:
    """The polynomials x^5 - s."""
    S = np.zeros((len(s), 6))
    S[:, 0], S[:, -1] = 1.0, -s
    return S


def jobs(seeds: int, steps: int, checked: int, tasks: Iterable[str] = TASKS) -> list[Job]:
    """All trainings; history is a study of its own with one seed. Answers are compared one by one for the first seed."""
    kinds = [(kind, seed) for kind in KINDS for seed in range(seeds if kind != "with history" else 1)]
    share = {"A, B, C": checked, "with history": checked // 50, "richer": checked // 50}
    length = {"A, B, C": steps, "with history": steps, "richer": max(1, steps // 20)}  # structure does most of it, and rounds are expensive
    return [Job(task, kind, seed, length[kind], share[kind] if seed == 0 else 0) for task in tasks for kind, seed in kinds]


def run(work: list[Job], processes: int | None = None, record: Path | None = None) -> Iterator[JobFigures]:
    """Do all jobs that the record does not have, the longest first, and hand the outcomes back as they come."""
    kept = {outcome.job: outcome for outcome in (_read(record) if record is not None else [])}
    yield from (kept[job] for job in work if job in kept)
    left = sorted(
        (job for job in work if job not in kept), key=lambda job: (job.kind != "with history", TASKS[job.task].variables), reverse=True
    )
    for outcome in _done(left, processes if processes is not None else os.cpu_count() or 1):
        if record is not None:
            with record.open("a") as file:
                file.write(json.dumps([_state(), asdict(outcome)]) + "\n")
        yield outcome


def _done(work: list[Job], count: int) -> Iterator[JobFigures]:
    if count == 1:
        yield from map(do, work)
        return
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        for future in as_completed([pool.submit(do, job) for job in work]):
            yield future.result()


def _read(record: Path) -> list[JobFigures]:
    """What the record says about this state of the package."""
    lines = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    return [
        JobFigures(**{**found, "job": Job(**found["job"]), "inside": tuple(found["inside"]), "beyond": tuple(found["beyond"])})
        for state, found in lines
        if state == _state()
    ]


@cache
def _state() -> str:
    """A digest of the modules of this package."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:16]


def untrained(task: Task, rounds: int = 3) -> dict[str, dict[str, float]]:
    """The figures of Newton and of Newton with line search."""
    S = task.draw(np.random.default_rng(1), HELD_OUT)
    return {
        "Newton": task.figures(answers(compiled(task, plain(task, rounds)), S), S),
        "Newton-LS": task.figures(answers(compiled(task, line_search(task, rounds)), S), S),
    }


def table(outcomes: list[JobFigures]) -> Iterator[str]:
    """The paper's table beside ours, line by line."""
    for name in dict.fromkeys(outcome.job.task for outcome in outcomes):
        task, mine = TASKS[name], [outcome for outcome in outcomes if outcome.job.task == name]
        base = untrained(task)
        paper = " / ".join("-" if figure is None else f"{figure:.4f}" for figure in task.paper)
        yield f"{name}   (paper, Newton / Newton-LS / trained: {paper}; trained / Newton-LS: {TARGETS[name][0]})"
        for method, figures in base.items():
            yield _row(method, figures)
        yield _row("Newton-LS, 48 rounds", untrained(task, 48)["Newton-LS"])
        for kind in KINDS:
            those = [outcome for outcome in mine if outcome.job.kind == kind]
            if those:
                yield from _kind_rows(task, kind, those, base["Newton-LS"])
        yield ""


def _kind_rows(task: Task, kind: str, those: list[JobFigures], base: dict[str, float]) -> Iterator[str]:
    ratios = sorted(outcome.after[task.metric] / base[task.metric] for outcome in those)
    if kind == "richer":
        yield _row("richer, untrained", those[0].before, f"ratio {those[0].before[task.metric] / base[task.metric]:.2g}")
    middle = {key: median(outcome.after[key] for outcome in those) for key in base}
    aim = "" if kind == "with history" else f", target {TARGETS[task.name][1 if kind == 'A, B, C' else 2]:g}"
    yield _row(f"DeepNewton {kind}", middle, f"{task.metric} ratio {median(ratios):.2g}, worst of {len(ratios)}: {ratios[-1]:.2g}{aim}")


def _row(name: str, figures: dict[str, float], note: str = "") -> str:
    return f"  {name:<24}" + "".join(f"{key} {figure:<11.3g}" for key, figure in figures.items()) + note


def floor(outcomes: list[JobFigures]) -> Iterator[str]:
    """Whether any single answer is worse than that of Newton-LS, in and out of the range of training."""
    counted = [outcome for outcome in outcomes if outcome.inside[0]]
    total = sum(outcome.inside[0] + outcome.beyond[0] for outcome in counted)
    worse = sum(outcome.inside[1] + outcome.beyond[1] for outcome in counted)
    yield f"{total:,} systems one by one: {worse} answers with a larger |F| than that of Newton-LS"
    for outcome in counted:
        job = outcome.job
        yield (
            f"  {job.task:<12}{job.kind:<14}in range {outcome.inside[1]} of {outcome.inside[0]:,} worse;  out of range "
            f"{outcome.beyond[1]} of {outcome.beyond[0]:,} worse, |F|^2 in the median {outcome.gain_beyond:.2g} of Newton-LS's"
        )


def reproduce(folder: Path, seeds: int = 5, steps: int = 200, checked: int = 100_000, processes: int | None = None) -> Iterator[str]:
    """Train, print and draw everything; the lines come as they are known."""
    folder.mkdir(parents=True, exist_ok=True)
    work, outcomes = jobs(seeds, steps, checked), []
    for outcome in run(work, processes, folder / "newton.jsonl"):
        outcomes.append(outcome)
        base, after = outcome.before[TASKS[outcome.job.task].metric], outcome.after[TASKS[outcome.job.task].metric]
        job = f"{outcome.job.task}, {outcome.job.kind}, seed {outcome.job.seed}"
        yield f"[{len(outcomes)}/{len(work)}] {job}: {base:.3g} -> {after:.3g}  ({outcome.seconds:.0f} s)"
    yield from ("", *HEADING, "")
    outcomes.sort(key=lambda outcome: (list(TASKS).index(outcome.job.task), KINDS.index(outcome.job.kind), outcome.job.seed))
    yield from table(outcomes)
    yield from floor(outcomes)
    draw_figure(outcomes, folder / "fifth-root.png")
    draw(graph_of_line_search(), folder / "newton-graph.svg", unroll=True)
    total = sum(outcome.seconds for outcome in outcomes)
    yield f"The figure of x^5 - S and the unrolled graph are in {folder}. Processor time of all trainings: {total:.0f} seconds."


def graph_of_line_search() -> Network:
    """Newton's method with line search for the square root: small enough to be drawn round by round."""
    task = TASKS["square-root"]
    return compiled(task, line_search(task))


#: What a reader of the table has to know.
HEADING = (
    "The paper's supplement is not available: these set-ups are reconstructions, in which untrained Newton and Newton-LS come closest",
    "to its table. What the paper calls MSE behaves like a mean absolute error for the roots: both are shown. Three rounds, held-out",
    "systems, medians over seeds, trained without ground truth. The ratio is that of the metric to Newton-LS's. `richer` runs several",
    "chains, so it costs more: the row of 48 rounds shows what plain Newton-LS makes of more time.",
)


def draw_figure(outcomes: list[JobFigures], path: Path) -> None:
    """The answers for x^5 - S before and after training, and the true root."""
    from matplotlib.figure import Figure

    s, task = np.linspace(0.0, 50.0, 201), TASKS["fifth-root"]
    after = next(outcome.curve for outcome in outcomes if outcome.curve and outcome.job.kind == "A, B, C")
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(s, answers(compiled(task, plain(task)), powers(s)), ":", color="0.6", label="Newton, 3 rounds")
    axes.plot(s, answers(compiled(task, line_search(task)), powers(s)), color="tab:orange", label="with line search (before training)")
    axes.plot(s, after, color="tab:blue", linewidth=3, alpha=0.6, label="DeepNewton (after training)")
    axes.plot(s, s**0.2, "--", color="tab:green", label="true root")
    axes.set(xlabel="S", ylabel="x", ylim=(0, 4), title="x$^5$ - S = 0 after three rounds from x = 1")
    axes.legend()
    figure.savefig(path, dpi=150)
