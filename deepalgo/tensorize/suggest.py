"""`suggest`: where each transformation applies, with the source line, as a table.

>>> import deepalgo as da
>>> def root(s):
...     x = 1.0
...     for _ in range(3):
...         x = x - 0.9 * (x * x - s) / (2 * x)
...     return x
>>> for suggestion in suggest(da.compile(root)):
...     print(suggestion.call)
untie(net, 3)
remember(net, 3, signal='x')
choose(net, 'x', steps=(0.5, 1.0, 1.5), by=...)
correct(net, 'x')
guard(net, by=...)
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from deepalgo.compiler import takes_network
from deepalgo.network import Network
from deepalgo.tensorize import TRANSFORMATIONS, Transformation
from deepalgo.tensorize.suggestion import Suggestion


class Suggestions(tuple[Suggestion, ...]):
    """Prints as a table."""

    def __repr__(self) -> str:
        rows = [("call", "because", "place"), *((item.call, item.why, item.place) for item in self)]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


@takes_network
def suggest(network: Network) -> Suggestions:
    """Where a network could grow."""
    return Suggestions(dict.fromkeys(item for row in TRANSFORMATIONS for item in _suggestions(row, network)))


def _suggestions(row: Transformation, network: Network) -> Iterator[Suggestion]:
    """Where one transformation applies, as its module says."""
    yield from importlib.import_module(row.module).suggestions(network)
