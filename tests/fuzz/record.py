"""Outcomes on disk, one a line, so that a campaign that was stopped goes on where it was.

>>> import tempfile
>>> from tests.fuzz.verdict import Verdict
>>> record = Record(Path(tempfile.mkdtemp()) / "record.jsonl", "8d1f3a2", "scalar")
>>> record.add(Outcome(7, Verdict("ok"), frozenset({"if"}), 0.1))
>>> [outcome.seed for outcome in record.read()], Record(record.path, "other", "scalar").read()
([7], [])
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.campaign import Outcome
from tests.fuzz.verdict import Verdict


@dataclass(frozen=True)
class Record:
    """A file of outcomes, each of a revision of the code and a kind of programs; only those of this one count."""

    path: Path
    revision: str
    kind: str

    def add(self, outcome: Outcome) -> None:
        verdict = outcome.verdict
        line = {"revision": self.revision, "kind": self.kind, "seed": outcome.seed, "seconds": outcome.seconds,
                "constructs": sorted(outcome.constructs), "word": verdict.word, "reason": verdict.reason, "detail": verdict.detail,
                "sample": verdict.sample, "facts": dict(verdict.facts)}
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def read(self) -> list[Outcome]:
        lines = [json.loads(text) for text in self.path.read_text().splitlines()] if self.path.exists() else []
        return [_outcome(line) for line in lines if (line["revision"], line["kind"]) == (self.revision, self.kind)]


def _outcome(line: dict) -> Outcome:
    verdict = Verdict(line["word"], line["reason"], line["detail"], line["sample"], Counter(line["facts"]))
    return Outcome(line["seed"], verdict, frozenset(line["constructs"]), line["seconds"])


def revision() -> str:
    """The commit of the code that runs, with a `+` if it was changed since; the page that a run writes is no code."""
    try:
        changed = _git("status", "--porcelain", "--", ":/*.py")
        return _git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*command: str) -> str:
    return subprocess.run(["git", *command], cwd=Path(__file__).parent, capture_output=True, text=True, check=True).stdout.strip()
