"""Checkpoints of `fit`, altered: each is refused in one sentence, or the fit goes on from it.

    python -m tests.altered_checkpoints --count 1000 --seed 0

Half of them have changed bytes; the others have changed content under the right checksum. Any other exception ends the run.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import random
import tempfile
from collections import Counter
from pathlib import Path

import torch

import deepalgo as da
from deepalgo.fitting.checkpoint import packed, unpacked
from tests.support.alter import CHANGES

X = torch.linspace(-2, 3, 120, dtype=torch.float64)
WORDS = {
    "was cut off or altered after it was written": "refused as altered",
    "is not a checkpoint of": "refused as no checkpoint",
    "belongs to a fit with other data": "refused as no checkpoint",
}


def line(x):
    return 2.0 * x + 1.0


def fit(path: Path, optimiser: str) -> None:
    """A short fit with a checkpoint."""
    search = da.SearchOptions(seeds=1, optimiser=optimiser)
    da.fit(da.compile(line), X, targets=3.0 * X, steps=6, search=search, checkpoint=path, progress=False)


@functools.cache
def original(optimiser: str) -> bytes:
    """The checkpoint that a fit leaves."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fit.pt")
        fit(path, optimiser)
        return path.read_bytes()


def alter(content: bytes, chance: random.Random) -> bytes:
    """The same checkpoint with other bytes, or with another content."""
    if chance.random() < 0.5:
        return _other_bytes(content, chance)
    data = unpacked(content)
    for _ in range(chance.choice([1, 1, 2])):
        with contextlib.suppress(LookupError, TypeError, AttributeError, ValueError, RuntimeError, OverflowError):
            CHANGES[chance.choice([*CHANGES])](data["stages"], chance)
    return packed(data)


def _other_bytes(content: bytes, chance: random.Random) -> bytes:
    spot = chance.choice([chance.randrange(len(content)), chance.randrange(100)])
    match chance.randrange(4):
        case 0:
            return content[:spot]
        case 1:
            return content[:spot] + bytes([content[spot] ^ (1 << chance.randrange(8))]) + content[spot + 1 :]
        case 2:
            return content[:spot] + bytes(chance.randrange(256) for _ in range(9)) + content[spot:]
        case _:
            return content[:spot] + content[spot + chance.randrange(1, 50) :]


def outcomes(count: int, seed: int, path: Path) -> Counter[str]:
    """What became of so many altered checkpoints."""
    counts: Counter[str] = Counter()
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        optimiser = chance.choice(["adam", "adam", "lbfgs"])
        path.write_bytes(alter(original(optimiser), chance))
        try:
            fit(path, optimiser)
            counts["goes on"] += 1
        except da.InputError as error:
            counts[next((kind for words, kind in WORDS.items() if words in str(error)), str(error))] += 1
        except Exception as error:
            error.add_note(f"altered checkpoint {number} of seed {seed}")
            raise
    return counts


def main() -> None:
    """Alter checkpoints and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for kind, count in outcomes(options.count, options.seed, Path(folder, "fit.pt")).most_common():
            print(f"{count:6}  {kind}")


if __name__ == "__main__":
    main()
