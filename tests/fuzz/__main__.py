"""`python -m tests.fuzz --count 10000 --seed 0 --jobs 2 --log docs/fuzz.md --record outcomes.jsonl`.

`--program SEED` prints one program and says what is thought of it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tests.fuzz.campaign import SECONDS, Outcome, judge, run
from tests.fuzz.generator import generate
from tests.fuzz.log import Summary, page, section, sections_of, unbroken
from tests.fuzz.program import Program
from tests.fuzz.record import Record, revision
from tests.fuzz.shrink import shrink

LOG_EVERY = 250
KINDS = ("scalar", "arrays", "options", "edges")


def main() -> int:
    """Run a campaign; the exit code says whether network and Python ever disagreed."""
    options = _options()
    console = Console()
    if options.program is not None:
        return _one(console, options.program, options)
    summary = Summary(_campaign(console, options), _title(options))
    _print(console, summary)
    _write(options, summary.outcomes)
    if summary.failures and options.shrink:
        _minimal(console, summary.failures[0].seed, options)
    return 1 if summary.failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Compare networks with Python on random programs.")
    parser.add_argument("--count", "--n", type=int, default=300, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first program; the others follow")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--kind", choices=KINDS, default="scalar", help="what the programs are made of")
    parser.add_argument("--native", action="store_true", help="native code against what programs mean, and its gradients against torch")
    parser.add_argument("--gradients", type=int, default=1, metavar="N", help="of native code compare the gradients of every N-th program")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit for one program")
    parser.add_argument("--shrink", action=argparse.BooleanOptionalAction, default=True, help="print a minimal failing program")
    parser.add_argument("--log", type=Path, help="write an account of the run into a section of this page, as Markdown")
    parser.add_argument("--record", type=Path, help="keep outcomes in this file, and go on from what is there of this revision")
    parser.add_argument("--program", type=int, metavar="SEED", help="look at one program only")
    return parser.parse_args()


def _write(options: argparse.Namespace, outcomes: list[Outcome]) -> None:
    """Write the account of the programs that have been looked at, without a gap, from the first seed on."""
    if options.log is not None:
        done = unbroken(outcomes, options.seed)
        command = f"make fuzz N={len(done)} SEED={options.seed}" + ("" if options.kind == "scalar" else f" KIND={options.kind}")
        command += " NATIVE=1" * options.native + (f" GRADIENTS={options.gradients}" if options.native and options.gradients > 1 else "")
        sections = sections_of(options.log.read_text()) if options.log.exists() else {}
        sections[_title(options)] = section(Summary(done, _title(options)), command, options.seed, _version())
        options.log.write_text(page(sections))


def _title(options: argparse.Namespace) -> str:
    """The section that a campaign belongs to."""
    return f"native {options.kind}" if options.native else str(options.kind)


def _native(options: argparse.Namespace) -> int:
    return options.gradients if options.native else 0


def _version() -> str:
    import deepalgo

    return f"{deepalgo.__version__} at {revision()}"


def _campaign(console: Console, options: argparse.Namespace) -> list[Outcome]:
    """Outcomes of all seeds: those on record, and those that are missing there."""
    seeds = range(options.seed, options.seed + options.count)
    record = Record(options.record, revision(), _title(options)) if options.record else None
    outcomes = [outcome for outcome in record.read() if outcome.seed in seeds] if record else []
    known = {outcome.seed for outcome in outcomes}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    counts = {"failed": 0, "refused": 0}
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("fuzz", total=len(seeds), completed=len(outcomes))

        def report(outcome: Outcome) -> None:
            counts["failed"] += outcome.verdict.failed
            counts["refused"] += outcome.verdict.word == "refused"
            progress.update(task, advance=1, description=f"fuzz, {counts['failed']} failed, {counts['refused']} refused")
            if outcome.verdict.failed:
                _say(console, f"seed {outcome.seed}: {outcome.verdict.word}: {outcome.verdict.reason}")
            outcomes.append(outcome)
            if record:
                record.add(outcome)
            if len(outcomes) % LOG_EVERY == 0:
                _write(options, outcomes)

        run([seed for seed in seeds if seed not in known], options.jobs, options.seconds, report, options.kind, _native(options))
    return sorted(outcomes, key=lambda outcome: outcome.seed)


def _print(console: Console, summary: Summary) -> None:
    coverage = Table("construct", "share", title="constructs", box=None)
    for name, share in summary.coverage():
        coverage.add_row(escape(name), f"{100 * share:.1f} %")
    console.print(coverage)
    for word in ("refused", "slow", "crashed", "nan-gradient", "wrong-gradient", "wrong"):
        if summary.words[word]:
            table = Table("programs", "seed", "reason", title=f"{word}: {summary.words[word]} of {len(summary.outcomes)}", box=None)
            for reason, count, seed in summary.reasons(word):
                table.add_row(str(count), str(seed), escape(reason))
            console.print(table)
    console.print(f"{dict(summary.facts)}", highlight=False)
    console.print(f"{len(summary.outcomes)} programs: {dict(summary.words)}", highlight=False)


def _say(console: Console, text: str) -> None:
    """Print as it is: no markup, no colours, no line breaks."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _minimal(console: Console, seed: int, options: argparse.Namespace) -> None:
    """Shrink the program of a seed and print what is left of it."""
    program, seconds = generate(seed, options.kind), options.seconds
    verdict = judge(program, seconds, _native(options))
    _say(console, f"seed {seed}: {verdict.word}, {verdict.reason}: shrinking")

    def fails(candidate: Program) -> bool:
        other = judge(candidate, seconds, _native(options))
        return (other.word, other.reason) == (verdict.word, verdict.reason)

    small = shrink(program, fails)
    again = judge(small, seconds, _native(options))
    _say(console, small.source)
    _say(console, f"{small.entry} on {list(small.samples)} with {small.config}")
    _say(console, f"{again.word}: {again.reason}: {again.detail} (sample {again.sample})")


def _one(console: Console, seed: int, options: argparse.Namespace) -> int:
    program = generate(seed, options.kind)
    verdict = judge(program, options.seconds, _native(options))
    _say(console, program.source)
    _say(console, f"{verdict.word}: {verdict.reason}: {verdict.detail} (sample {verdict.sample})")
    if verdict.sample is not None and verdict.sample < len(program.samples):
        _say(console, f"{program.samples[verdict.sample]}, {program.config}")
    if verdict.word not in ("ok", "slow") and options.shrink:
        _minimal(console, seed, options)
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
