"""Compile a small function and hold the network against Python: values, errors, gradients by inputs and by literals.

>>> from tests.small.functions.expressions import add
>>> judge(add)
Verdict(word='right', reason='', detail='')
"""

from __future__ import annotations

import contextlib
import copy
import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import deepalgo as da
from deepalgo.errors import LIMITS, CompileError, HeuristicError
from tests.small.inputs import ORDINARY, Row, rows
from tests.small.unspecified import ABSORBING, SIGNLESS, is_specified
from tests.support.changed_literal import with_literal
from tests.support.meaning import Meaning

RTOL, GRADIENT_RTOL = 1e-12, 1e-6
#: The relative steps of the two difference quotients; they must agree, and so must the sides of the finer one.
COARSE, FINE = 1e-4, 5e-5
#: What CPython 3.11 raises for a complex NaN if some earlier function left an error number behind.
STALE = "absolute value too large"
#: Rows of each function that are interpreted.
INTERPRETED = 4
WORDS = ("right", "refused", "wrong", "crashed")
Function = Callable[..., Any]


@dataclass(frozen=True)
class Verdict:
    """One of `WORDS`, why, and what was expected and found."""

    word: str
    reason: str = ""
    detail: str = ""


class Wrong(Exception):
    """Network and Python disagree: in what, and how."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True)
class Ran:
    """What Python did: an answer, or the class and the text of an exception."""

    value: Any = None
    error: str = ""
    text: str = ""


def judge(function: Function, compiled: Function | None = None) -> Verdict:
    """The verdict on a function over all of its inputs; `compiled` is what is compiled in its place, to try the checker itself."""
    try:
        with quiet():
            Comparison(function, compiled or function, rows(function), ORDINARY).run()
    except CompileError as error:
        return Verdict("refused", error.reason, str(error))
    except Wrong as error:
        return Verdict("wrong", error.reason, error.detail)
    except Exception as error:  # whatever else leaves the library is a crash
        return Verdict("crashed", f"{type(error).__name__}: {error}", _trail(error))
    return Verdict("right")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Neither prints nor warnings."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _trail(error: BaseException) -> str:
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return " < ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in reversed(frames))


def python(function: Function, row: Row) -> Ran:
    """What the function itself does."""
    try:
        return Ran(function(*copy.deepcopy(row)))
    except Exception as error:  # the class and the text are the answer
        return Ran(error=type(error).__name__, text=str(error))


class Comparison:
    """One function against its network."""

    def __init__(self, function: Function, compiled: Function, rows: list[Row], ordinary: int) -> None:
        self.function = function
        self.compiled = compiled
        self.rows = rows
        self.ordinary = ordinary
        self.signless = function.__name__ in SIGNLESS
        self.solves = False
        self.facts: Counter[str] = Counter(samples=len(rows))

    def run(self) -> None:
        """Values on every row, texts of errors, then slopes on the ordinary rows."""
        network = da.compile(self.compiled, example=(copy.deepcopy(self.rows[0]), {}), errors="nan")
        wanted = [python(self.function, row) for row in self.rows]
        errors = self._errors(network)
        got = leaves(network(*_batch(self.rows)))
        columns = [leaf.tolist() if isinstance(leaf, torch.Tensor) else [_plain(leaf)] * len(self.rows) for leaf in got]
        loose = _mixed([leaves(ran.value) for ran in wanted if not ran.error])
        for place, (row, ran) in enumerate(zip(self.rows, wanted, strict=True)):
            if errors[place] in LIMITS or not is_specified(self.function.__name__, row):
                self.facts["samples left open"] += 1  # the network says that it does not know, or NumPy does not say
                continue
            self._one(row, ran, errors[place], [column[place] for column in columns], loose)
        self._texts(network, wanted, errors)
        self._slopes(network, wanted[: self.ordinary], errors)
        self._meaning(network, wanted, errors, loose)

    def _errors(self, network: da.Network) -> list[str | None]:
        """The error that the network gives for each row, if any."""
        flat, _ = network.signature.flatten(_batch(self.rows), {}, network.dtype, network.device)
        return network.outcomes(flat)[1]

    def _meaning(self, network: da.Network, wanted: list[Ran], errors: list[str | None], loose: bool) -> None:
        """The interpreter says what Python says, texts and lines of errors included; to the last bit where every operation is Python's."""
        meaning = Meaning(network, self.function)
        for row, ran, error in list(zip(self.rows, wanted, errors, strict=True))[:: max(1, len(self.rows) // INTERPRETED)]:
            if error in LIMITS or not is_specified(self.function.__name__, row):
                continue
            complaint = meaning.complaint(row, {})
            if complaint and (ran.error or meaning.exact and not self.signless):
                raise Wrong("interpreted otherwise", f"{_shown(row)}: {complaint}")
            if complaint:
                self._one(row, ran, None, [_plain(leaf) for leaf in leaves(meaning.run(row, {}).output)], loose)

    def _one(self, row: Row, ran: Ran, error: str | None, got: list[Any], loose: bool) -> None:
        if ran.text == STALE and error is None and any(math.isnan(number) for number in _numbers(got)):
            self.facts["samples left open"] += 1
            return
        if (error or "") != ran.error:
            raise Wrong("another error", f"{_shown(row)}: {_words(ran)} in Python, {error or got} in the network")
        if ran.error:
            return
        wanted = [_plain(leaf) for leaf in leaves(ran.value)]
        if self.signless:
            got, wanted = _without_signs(got), _without_signs(wanted)
        if len(wanted) != len(got):
            raise Wrong("another structure", f"{_shown(row)}: {wanted} in Python, {got} in the network")
        if not same(got, wanted, loose) and not self._is_rounding(row, got, wanted, loose):
            raise Wrong("another value", f"{_shown(row)}: {wanted} in Python, {got} in the network")

    def _is_rounding(self, row: Row, got: list[Any], wanted: list[Any], loose: bool) -> bool:
        """Whether the last places of the inputs move the answer as far, and not by much: large numbers cancel."""
        moved = [python(self.function, _shaken(row, seed)) for seed in range(6)]
        if any(ran.error for ran in moved) or not (loose or _kind(got) == _kind(wanted)):
            return False
        others = [_numbers([_plain(leaf) for leaf in leaves(ran.value)]) for ran in moved]
        here, there = _numbers(wanted), _numbers(got)
        if any(len(other) != len(here) for other in others) or len(there) != len(here):
            return False
        scale = max((abs(item) for item in (*here, *_flat(row)) if math.isfinite(item)), default=0.0)
        slack = [min(16.0 * max(abs(other[place] - here[place]) for other in others), 1e-6 * scale) for place in range(len(here))]
        if self.solves:
            slack = [max(item, least) for item, least in zip(slack, _solver_rounding(wanted), strict=True)]
        return all(_alike(a, b) or 0 < abs(a - b) <= limit for a, b, limit in zip(there, here, slack, strict=True))

    def _texts(self, network: da.Network, wanted: list[Ran], errors: list[str | None]) -> None:
        """Each text of an exception once, from a call that raises it."""
        known = set()
        for row, ran, error in zip(self.rows, wanted, errors, strict=True):
            if not ran.error or error in LIMITS or ran in known or not is_specified(self.function.__name__, row):
                continue
            known.add(ran)
            self.facts["errors"] += 1
            try:
                network.with_errors("raise")(*copy.deepcopy(row))
            except HeuristicError as raised:
                if not _says(raised.message, ran.text):
                    raise Wrong("another text", f"{_shown(row)}: {ran.text!r} in Python, {raised.message!r} in the network") from None
            else:
                raise Wrong("no error in a single call", f"{_shown(row)}: {_words(ran)} in Python")

    def _slopes(self, network: da.Network, wanted: list[Ran], errors: list[str | None]) -> None:
        """Derivatives by inputs and by literals, where difference quotients can be trusted."""
        places = [place for place, ran in enumerate(wanted) if not ran.error and errors[place] not in LIMITS and _is_real(ran.value)]
        if not places or self.function.__name__ in ABSORBING:
            return
        chosen = [self.rows[place] for place in places]
        inputs = _batch(chosen, gradient=True)
        columns = [item for argument in inputs for item in (argument if isinstance(argument, list) else [argument])]
        fresh = [[item.clone() for item in argument] if isinstance(argument, list) else argument.clone() for argument in inputs]
        total = _objective(leaves(network(*fresh)), len(places))
        parameters = {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}
        slopes = _derivatives(total, columns)
        for number, row in enumerate(chosen):
            self._by_inputs(row, [slope[number].reshape(-1).tolist() for slope in slopes])
        by_weights = [_derivatives(total[number : number + 1], list(parameters.values())) for number in range(min(3, len(chosen)))]
        for number, found in enumerate(by_weights):
            self._by_literals(network, chosen[number], dict(zip(parameters, found, strict=True)))

    def _by_inputs(self, row: Row, slopes: list[list[float]]) -> None:
        flat = [number for slope in slopes for number in slope]
        for place, slope in enumerate(flat):
            wanted = quotient(lambda value, place=place: python(self.function, _changed(row, place, value)), _read(row, place))
            self._compare(slope, wanted, f"{_shown(row)}: by input {place}")

    def _by_literals(self, network: da.Network, row: Row, slopes: dict[str, torch.Tensor]) -> None:
        for weight in network.program.weights:
            slope = next((item for name, item in slopes.items() if name.rpartition(".")[2] == weight.key), None)
            if slope is None or slope.numel() != 1 or weight.span is None:
                continue
            at = float(weight.value)  # type: ignore[arg-type]  # one number
            if with_literal(self.function, weight.span, lambda _: at) is None:
                continue

            def run(value: float, weight: Any = weight) -> Ran:
                return python(with_literal(self.function, weight.span, lambda _: value), row)

            self._compare(slope.item(), quotient(run, at), f"{_shown(row)}: by the literal {at}")

    def _compare(self, slope: float, wanted: float | None, place: str) -> None:
        self.facts["slopes left out" if wanted is None else "slopes"] += 1
        if wanted is not None and not _close(slope, wanted):
            raise Wrong("another slope", f"{place}: {wanted} in Python, {slope} in the network")


def _words(ran: Ran) -> str:
    return f"{ran.error}: {ran.text}" if ran.error else f"{[_plain(leaf) for leaf in leaves(ran.value)]}"


def _shown(row: Row) -> str:
    return f"({', '.join(str(_plain(argument)) for argument in row)})"


def leaves(value: Any) -> list[Any]:
    """The leaves of an answer in reading order; arrays are leaves."""
    match value:
        case dict():
            return [leaf for item in value.values() for leaf in leaves(item)]
        case tuple() | list():
            return [leaf for item in value for leaf in leaves(item)]
        case _:
            return [value]


def _plain(leaf: Any) -> Any:
    """NumPy's numbers as Python's, arrays as nested lists."""
    return leaf.tolist() if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def _without_signs(value: Any) -> Any:
    """The same numbers, with zeros that are all positive."""
    return [_without_signs(item) for item in value] if isinstance(value, list) else value + 0.0 if isinstance(value, float) else value


def _numbers(value: Any) -> list[float]:
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in _numbers(item)]
    return [value.real, value.imag] if isinstance(value, complex) else [math.nan if value is None else float(value)]


def _solver_rounding(leaves: list[Any]) -> list[float]:
    """How far LAPACK's own rounding may move each number: a solver is as exact as the largest number of its answer, not as each."""
    found: list[float] = []
    for leaf in leaves:
        items = _numbers(leaf)
        found += [64 * 2.0**-52 * max((abs(item) for item in items if math.isfinite(item)), default=0.0)] * len(items)
    return found


def _mixed(answers: list[list[Any]]) -> bool:
    """Whether the kinds of numbers differ from row to row: then a network has the widest of them."""
    return len({tuple(_kind(_plain(leaf)) for leaf in answer) for answer in answers}) > 1


def _kind(value: Any) -> Any:
    return tuple(_kind(item) for item in value) if isinstance(value, list) else type(value)


def same(got: Any, wanted: Any, loose: bool = False) -> bool:
    """Equal structure, kind and value; NaN equals NaN, and zeros have signs.

    >>> same([0.0], [-0.0]), same([1.0], [1]), same([math.nan, 2], [math.nan, 2]), same(1.0, 1.0 + 1e-11)
    (False, False, True, False)
    """
    if isinstance(wanted, (list, tuple)) or isinstance(got, (list, tuple)):
        shaped = isinstance(got, (list, tuple)) and isinstance(wanted, (list, tuple)) and len(got) == len(wanted)
        return shaped and all(same(a, b, loose) for a, b in zip(got, wanted, strict=True))
    if wanted is None:
        return got is None or (isinstance(got, float) and math.isnan(got))
    if type(got) is not type(wanted) and not (loose and all(isinstance(item, (bool, int, float, complex)) for item in (got, wanted))):
        return False
    if isinstance(wanted, complex) or isinstance(got, complex):
        return _alike(got.real, wanted.real) and _alike(got.imag, wanted.imag)
    return _alike(got, wanted) if isinstance(wanted, float) else bool(got == wanted)


def _alike(got: float, wanted: float) -> bool:
    if math.isnan(wanted) or math.isnan(got):
        return math.isnan(wanted) and math.isnan(got)
    if got == wanted:
        signed = wanted == 0 and isinstance(got, float) and isinstance(wanted, float)
        return not signed or math.copysign(1, got) == math.copysign(1, wanted)
    return math.isfinite(wanted) and abs(got - wanted) <= max(RTOL * abs(wanted), 1e-322)


def _says(message: str, text: str) -> bool:
    """Whether a message is the text, with an ellipsis for what depends on data."""
    return message == text or re.fullmatch(".*".join(map(re.escape, message.split("..."))), text) is not None


def _batch(rows: list[Row], gradient: bool = False) -> list[Any]:
    """The rows as arguments of one call."""

    def column(values: list[Any]) -> torch.Tensor:
        return torch.tensor(np.array(values), dtype=torch.float64, requires_grad=gradient)

    arguments = [list(items) for items in zip(*rows, strict=True)]
    return [[column(list(items)) for items in zip(*values, strict=True)] if isinstance(values[0], list) else column(values)
            for values in arguments]


def _flat(row: Row) -> list[float]:
    return [float(number) for argument in row for number in np.ravel(argument)]


def _read(row: Row, place: int) -> float:
    return _flat(row)[place]


def _refilled(row: Row, numbers: list[float]) -> Row:
    """The row with other numbers in it."""
    left: list[float] = list(numbers)
    made: list[Any] = []
    for argument in row:
        taken, left = left[: np.size(argument)], left[np.size(argument) :]
        match argument:
            case list():
                made.append(taken)
            case float():
                made.append(taken[0])
            case _:
                made.append(np.array(taken).reshape(argument.shape))
    return tuple(made)


def _changed(row: Row, place: int, value: float) -> Row:
    numbers = _flat(row)
    numbers[place] = value
    return _refilled(row, numbers)


def _shaken(row: Row, seed: int) -> Row:
    rng = np.random.default_rng(seed)
    return _refilled(row, [number * (1.0 + float(rng.choice((-1, 1))) * 2.0**-52) for number in _flat(row)])


def _is_real(value: Any) -> bool:
    return all(math.isfinite(number) for leaf in leaves(value) for number in _numbers(_plain(leaf)))


def weight(place: int) -> float:
    """The weight of the number at a place in the objective."""
    return (1.0, -0.75, 0.5, 1.25, -0.375, 0.625)[place % 6]


def _objective(found: list[Any], size: int) -> torch.Tensor:
    """One number a sample, of all floats of the answer that depend on data."""
    total, place = torch.zeros(size, dtype=torch.float64), 0
    for leaf in found:
        if not isinstance(leaf, torch.Tensor):
            place += len(_numbers(_plain(leaf)))
            continue
        for column in (torch.view_as_real(leaf) if leaf.is_complex() else leaf).reshape(size, -1).unbind(1):
            if column.is_floating_point():
                total = total + weight(place) * column
            place += 1
    return total


def _derivatives(total: torch.Tensor, by: list[torch.Tensor]) -> list[torch.Tensor]:
    if not by or not total.requires_grad:
        return [torch.zeros_like(item) for item in by]
    found = torch.autograd.grad(total.sum(), by, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(item) if slope is None else slope for item, slope in zip(by, found, strict=True)]


def _scored(ran: Ran) -> float | None:
    if ran.error:
        return None
    numbers = _numbers([_plain(leaf) for leaf in leaves(ran.value)])
    return math.fsum(weight(place) * number for place, number in enumerate(numbers)) if all(map(math.isfinite, numbers)) else None


def quotient(run: Callable[[float], Ran], at: float) -> float | None:
    """The derivative of the objective, or None where two steps, or the two sides, do not agree about it."""
    scale = max(1.0, abs(at))
    low, before, here, after, high = (_scored(run(at + step * scale)) for step in (-COARSE, -FINE, 0.0, FINE, COARSE))
    if low is None or before is None or here is None or after is None or high is None:
        return None
    left, right = (here - before) / (FINE * scale), (after - here) / (FINE * scale)
    fine, coarse = (left + right) / 2, (high - low) / (2 * COARSE * scale)
    slope = (4 * fine - coarse) / 3
    limit = 1e-3 * (1 + abs(slope))
    if 1e-15 * abs(here) / (FINE * scale) > 1e-7 * (1 + abs(slope)):
        return None  # lost in the rounding of a large number beside it
    return slope if abs(left - right) <= limit and abs(fine - coarse) <= 1e-5 * (1 + abs(slope)) else None


def _close(slope: float, wanted: float) -> bool:
    return math.isfinite(slope) and abs(slope - wanted) <= GRADIENT_RTOL * (1 + abs(wanted)) * 10
