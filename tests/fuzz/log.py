"""The account of a campaign: for the terminal, and as a section of the page `docs/fuzz.md`.

>>> from tests.fuzz.verdict import Verdict
>>> outcomes = [Outcome(0, Verdict("ok"), frozenset({"if"}), 0.1), Outcome(1, Verdict("refused", "`...` is a generator"), frozenset(), 0.1)]
>>> summary = Summary(outcomes)
>>> summary.words["ok"], summary.share_refused, summary.coverage()
(1, 0.5, [('if', 0.5)])
"""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from tests.fuzz.campaign import Outcome
from tests.fuzz.registry import all_names
from tests.fuzz.verdict import FAILURES, WORDS


@dataclass(frozen=True)
class Summary:
    """Counts over the outcomes of a campaign."""

    outcomes: list[Outcome]
    kind: str = "scalar"

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(outcome.verdict.word for outcome in self.outcomes)

    @cached_property
    def facts(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for outcome in self.outcomes:
            total.update(outcome.verdict.facts)
        return total

    @property
    def failures(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.verdict.word in FAILURES]

    @property
    def share_refused(self) -> float:
        return self.words["refused"] / len(self.outcomes)

    def reasons(self, word: str) -> list[tuple[str, int, int]]:
        """Reasons given with a word: text, count, one seed."""
        count: Counter[str] = Counter()
        seed: dict[str, int] = {}
        for outcome in self.outcomes:
            if outcome.verdict.word == word:
                count[outcome.verdict.reason] += 1
                seed.setdefault(outcome.verdict.reason, outcome.seed)
        return [(reason, number, seed[reason]) for reason, number in count.most_common()]

    def coverage(self) -> list[tuple[str, float]]:
        """The share of programs with each construct, rows of the registry that never came up included if any did."""
        count: Counter[str] = Counter(name for outcome in self.outcomes for name in outcome.constructs)
        names = set(count) | (all_names(self.kind.removeprefix("native ")) if len(self.outcomes) >= 100 else set())
        return sorted(((name, count[name] / len(self.outcomes)) for name in names), key=lambda item: (-item[1], item[0]))


def unbroken(outcomes: list[Outcome], first: int) -> list[Outcome]:
    """The outcomes from the first seed up to the first one that is missing, in their order."""
    by_seed = {outcome.seed: outcome for outcome in outcomes}
    last = first
    while last in by_seed:
        last += 1
    return [by_seed[seed] for seed in range(first, last)]


TITLES = {
    "scalar": "Programs of numbers",
    "arrays": "Programs with arrays, containers, objects and `try`",
    "options": "Calls with random options",
    "edges": "Infinities, NaN, negative zeros, ties, huge and denormal numbers",
}
TITLES |= {f"native {kind}": f"Native code: {title[0].lower()}{title[1:]}" for kind, title in TITLES.items()}
INTRODUCTION = """# Fuzz

Random programs, compiled and held against Python: values (rtol 1e-10), errors with class and line, gradients of inputs and of
literals against finite differences of the program's own text, fixed graphs (`loops="settle"`, or what `torch.compile` gets; every fifth
program both) against `loops="run"`, single against batch.
A difference that an ulp explains is counted, not hidden: a guard that it turns (`near ties`), digits that it costs (`cancellations`),
a difference quotient that it moves (`slopes lost in noise`), an iteration in which it grows until at least four answers are possible
(`chaotic samples`); where no quotient is to be trusted the slope is left out.

Calls with options and programs on edges are compared more closely: the kind of every number, the sign of every zero, NaN as NaN, class and
text of every exception, values within 1e-12.

Native code is held against what the compiled program means, as the interpreter computes it one sample at a time, bit for bit; only NumPy's
functions may round otherwise (`samples within 4 ulp`, and `farther, as rounding spreads` from there). The ordinary samples have others with
infinities, NaN and zeros beside them. Gradients are held against torch's, within 1e-12 of the sum of their contributions.
"""


def page(sections: dict[str, str]) -> str:
    """The page for the documentation, of a section for each kind of programs."""
    return "\n".join([INTRODUCTION, *(sections[kind] for kind in TITLES if kind in sections)])


def sections_of(text: str) -> dict[str, str]:
    """The sections of a page.

    >>> sections_of(page({"scalar": f"## {TITLES['scalar']}\\n\\nAll is well.\\n"}))
    {'scalar': '## Programs of numbers\\n\\nAll is well.\\n'}
    """
    parts = [f"## {part}" for part in f"\n{text}".split("\n## ")[1:]]
    return {kind: part.rstrip("\n") + "\n" for kind, title in TITLES.items() for part in parts if part.startswith(f"## {title}\n")}


def section(summary: Summary, command: str, seed: int, version: str) -> str:
    """What came of one campaign."""
    total = len(summary.outcomes)
    facts = summary.facts
    lines = [
        f"## {TITLES[summary.kind]}",
        "",
        f"    {command}",
        "",
        f"deepalgo {version}, Python {platform.python_version()}, first seed {seed}, {total} programs, {facts['samples']} samples.",
        "",
        f"**Mismatches: {len(summary.failures)}. Refusals: {summary.words['refused']} ({100 * summary.share_refused:.2f} %).**",
        "",
        "| outcome | programs |",
        "| --- | ---: |",
        *(f"| {word} | {summary.words[word]} |" for word in WORDS if summary.words[word] or word in ("ok", "refused", "wrong")),
        "",
        "| compared | number |",
        "| --- | ---: |",
        *(f"| {name} | {facts[name]} |" for name in sorted(facts) if facts[name]),
        "",
    ]
    for word, title in (("refused", "Refusals by reason"), *((word, f"Programs that are {word}") for word in WORDS[2:])):
        if summary.words[word]:
            lines += [f"### {title}", "", "| reason | programs | share | a seed |", "| --- | ---: | ---: | ---: |"]
            lines += [f"| {reason.replace('|', chr(92) + '|')} | {count} | {100 * count / total:.2f} % | {example} |"
                      for reason, count, example in summary.reasons(word)]
            lines.append("")
    lines += ["### Constructs covered", "", "Share of the programs that contain each.", "", "| construct | share |", "| --- | ---: |"]
    lines += [f"| {name.replace('|', chr(92) + '|')} | {100 * share:.1f} % |" for name, share in summary.coverage()]
    return "\n".join(lines) + "\n"
