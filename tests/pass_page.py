"""`python -m tests.pass_page` writes docs/passes.md from the tuples of `deepalgo/backends/targets.py`."""

from __future__ import annotations

import inspect
from pathlib import Path

from deepalgo.backends import targets
from deepalgo.lower.passes import Pass, Passes, Repeated, Where, flat, function_of, name

PAGE = Path(__file__).parent.parent / "docs" / "passes.md"

HEAD = """# The passes

A program goes to a target through a list of passes, each of which takes a program and gives another one. The lists stand in
`deepalgo/backends/targets.py`; `python -m tests.pass_page` writes this page from them, and a test compares. In tests every program is
checked after every pass (`python -m tests.checked_passes`).
"""
TARGETS = (
    ("compile", "What `da.compile` makes of a program that has been staged.", ("COMPILED",)),
    ("Torch code that runs", "Each sample takes its own arms and its own number of rounds.", ("RUN", "RUN_NAN")),
    ("Torch code that reports", "The same, which says what samples do: certificates are made of it.", ("RECORD", "RECORD_NAN")),
    ("Torch code as one fixed graph", "`loops='settle'`: every arm, and the same number of rounds for all.", ("FIXED", "FIXED_NAN")),
    ("Torch code for torch.compile", "A fixed graph that torch makes one loop of.", ("FUSED", "FUSED_NAN")),
    ("Native code", "Of answers, of derivatives, and of derivatives in which zero times infinity is zero, both also for long loops.",
     ("NATIVE", "NATIVE_BACK", "NATIVE_BACK_CAREFUL", "NATIVE_BACK_LONG", "NATIVE_BACK_CAREFUL_LONG")),
    ("Source", "Of `da.source`: for one sample, for columns, and in single numbers.", ("SOURCE", "SOURCE_COLUMNS", "SOURCE_NUMBERS")),
    ("Drawing", "Of `da.draw`: all that the answers are computed from.", ("DRAWING",)),
)


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for title, sentence, lists in TARGETS:
        parts.append(f"## {title}\n\n{sentence}\n")
        parts += [f"`{each}`: {listed(getattr(targets, each))}\n" for each in lists]
    parts.append("## What each does\n\n| pass | the program afterwards |\n| --- | --- |")
    known = {name(each): each for lists in TARGETS for each_list in lists[2] for each in flat(getattr(targets, each_list))}
    parts += [f"| `{word}` | {sentence_of(known[word])} |" for word in sorted(known)]
    return "\n".join(parts) + "\n"


def listed(passes: Passes) -> str:
    """Passes in order; in brackets those that follow only where another found something."""
    return ", ".join(map(_listed, passes))


def _listed(each: Pass) -> str:
    if isinstance(each, Repeated):
        return f"{listed(each.passes)} (both until the program gets no smaller)"
    return f"`{name(each)}`" + (f" ({listed(each.then)})" if isinstance(each, Where) else "")


def sentence_of(each: Pass) -> str:
    """The first sentence of a pass."""
    return (inspect.getdoc(function_of(each)) or "").partition("\n\n")[0].replace("\n", " ")


if __name__ == "__main__":
    PAGE.write_text(page())
