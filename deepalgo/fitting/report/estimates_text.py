"""`estimates_text`: the part of the report on what data tell of the weights that were trained."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from deepalgo.fitting.report.table import count, table
from deepalgo.fitting.uncertainty.estimates import Estimate, Estimates

if TYPE_CHECKING:
    from deepalgo.fitting.report.page import Fit

#: So many numbers are listed, and so many correlations.
LISTED, PAIRS = 20, 6


def estimates_text(fit: Fit) -> str:
    """A table of standard errors and intervals, and sentences on what cannot be told apart; "" where nothing is known."""
    if fit.evidence is None or not fit.improved:
        return ""
    found, written = fit.evidence.estimates, _written(fit)
    shown = [item for item in found if not math.isnan(item.error)]
    rows = [_row(item, written.get(item.label)) for item in shown[:LISTED]]
    title = f"by {count(fit.evidence.size, 'training sample')}"
    parts = [table([(title, "value", "standard error", "95 % interval", ""), *rows])] if rows else []
    parts += [f"and {count(len(shown) - LISTED, 'number')} more in fit.estimates"] if len(shown) > LISTED else []
    return "\n".join([*parts, *_sentences(fit, found)])


def _written(fit: Fit) -> dict[str, float]:
    """The single numbers that stood in the source."""
    return {weight.key: weight.value for weight in fit.network.weights.entries if isinstance(weight.value, float)}


def _row(item: Estimate, written: float | None) -> tuple[str, ...]:
    if math.isinf(item.error):
        return item.label, f"{item.value:.6g}", "not determined", "", ""
    stays = "as written is within" if written is not None and item.low <= written <= item.high else ""
    return item.label, f"{item.value:.6g}", f"{item.error:.4g}", f"{item.low:.6g} .. {item.high:.6g}", stays


def _sentences(fit: Fit, found: Estimates) -> list[str]:
    assert fit.evidence is not None
    lines = [str(item) for item in fit.evidence.undetermined]
    if fit.evidence.is_grouped:
        lines.append("samples of a group may err together, which these errors do not know: fit.bootstrap() draws whole groups")
    if at_bound := fit.evidence.at_bound:
        lines.append(f"at a bound, so that no error can be told: {', '.join(at_bound)}")
    if pairs := found.strong:
        told = ", ".join(f"{one} and {other} {part:+.4f}" for one, other, part in pairs[:PAIRS])
        more = f" and {count(len(pairs) - PAIRS, 'pair')} more" if len(pairs) > PAIRS else ""
        lines.append(f"strong correlations: {told}{more}")
    if found.freedom <= 0:
        lines.append("there are no more residuals than weights: nothing tells how sure the weights are")
    elif not found.is_settled:
        lines.append("training has not come to the least sum of squares: these intervals lie around where it ended")
    return lines
