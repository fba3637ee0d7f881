"""The row of the matching operation, and of values whose derivative is 0 everywhere.

>>> print(_match((Type(Kind.REAL, (28, 28)), Type(Kind.REAL, (100, 28, 28)), Type(Kind.REAL, (100, 28, 28))), {}))
real[3, 100, 26, 26]
>>> _match((Type(Kind.REAL, (28, 28)), Type(Kind.REAL, (9, 28, 28)), Type(Kind.REAL, (9, 8, 8))), {})
Traceback (most recent call last):
ValueError: match takes images of one shape (at least 3 x 3), and as many masks as centres, not (28, 28), (9, 28, 28) and (9, 8, 8)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.ir import Attr, Kind, Type
from deepalgo.ops.row import Row


def _match(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    image, masks, centres = (arg.shape for arg in args)
    if len(image) not in (2, 3) or min(image[:2]) < 3 or masks[1:] != image or centres != masks:
        raise ValueError(
            f"match takes images of one shape (at least 3 x 3), and as many masks as centres, not {image}, {masks} and {centres}"
        )
    return Type(Kind.REAL, (3, masks[0], image[0] - 2, image[1] - 2))


_SPELLING = "deepalgo.cluster.match({0}, {1}, {2}, {transforms}, {p})"

ROWS = (
    Row("match", _match, "ops.match({0}, {1}, {2}, {transforms}, {p}, {batch0}, {batch1}, {batch2})", _SPELLING, _SPELLING,
        common=Kind.REAL, broadcasts=False),
    Row("steady", lambda args, attrs: args[0], "{0}.detach()", "{0}", "{0}", False),
)
