"""Rows of the matching operation: the least distances, and the flow that gives them, which has no gradient.

>>> print(_match((Type(Kind.REAL, (28, 28)), Type(Kind.REAL, (100, 28, 28)), Type(Kind.REAL, (100, 28, 28))), {}))
real[100, 26, 26]
>>> _match((Type(Kind.REAL, (28, 28)), Type(Kind.REAL, (9, 28, 28)), Type(Kind.REAL, (9, 8, 8))), {})
Traceback (most recent call last):
ValueError: match takes images of one shape (at least 3 x 3), and as many masks as centres, not (28, 28), (9, 28, 28) and (9, 8, 8)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.ranges import Range
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import FLAT, Numerical

IN_NUMPY = "deepalgo.studies.cluster.kernels.numpy_match"


def _match(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    image, masks, centres = (arg.shape for arg in args[:3])
    if len(image) not in (2, 3) or min(image[:2]) < 3 or masks[1:] != image or centres != masks:
        raise ValueError(
            f"match takes images of one shape (at least 3 x 3), and as many masks as centres, not {image}, {masks} and {centres}"
        )
    return Type(Kind.REAL, (masks[0], image[0] - 2, image[1] - 2))


def _flow(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    return Type(Kind.REAL, (2, *args[0].shape))


ROWS = (
    Row(
        "match", types=_match, common=Kind.REAL, broadcasts=False, softened="soft_match",
        hazard=Hazard.SPREADS, exact=False, cost=770, range=Range(0.0),
        slope=Numerical("ops.match", "the distances to the transforms that won"),
        python="match_boxes({0}, {1}, {2}, {transforms}, {p})[0]", numpy="match_boxes({0}, {1}, {2}, {transforms}, {p})[0]",
        torch="ops.match({0}, {1}, {2}, {transforms}, {p}, {batch0}, {batch1}, {batch2})",
        numpy_form=IN_NUMPY, torch_form="deepalgo.studies.cluster.kernels.torch_match",
    ),
    # With a smooth minimum for the least distance; the softness has no gradient.
    Row(
        "soft_match", types=_match, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.SPREADS, exact=False, cost=64,
        slope=Numerical("ops.soft_match", "the distances to the transforms, weighted by the smooth minimum"),
        python="match_boxes({0}, {1}, {2}, {transforms}, {p}, {3})[0]", numpy="match_boxes({0}, {1}, {2}, {transforms}, {p}, {3})[0]",
        torch="ops.soft_match({0}, {1}, {2}, {3}, {transforms}, {p}, {batch0}, {batch1}, {batch2}, '{key}')",
        numpy_form=IN_NUMPY, torch_form="deepalgo.studies.cluster.kernels.torch_soft_match",
    ),
    # The distances are an operand because they remember which transforms won.
    Row(
        "match_flow", types=_flow, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=59,
        slope=FLAT,
        python="match_boxes({1}, {2}, {3}, {transforms}, {p})[1]", numpy="match_boxes({1}, {2}, {3}, {transforms}, {p})[1]",
        torch="ops.match_flow({0}, {1}, {2}, {3}, {transforms}, {p}, {batch1}, {batch2}, {batch3})",
        numpy_form=IN_NUMPY, torch_form="deepalgo.studies.cluster.kernels.torch_match",
    ),
)
