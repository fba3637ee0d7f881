"""The plan of a fit: which searches run, in which order, from where, and when.

`PLAN` is read from top to bottom. A search runs if all its conditions hold; what it finds is taken if it is worth at least as much as the
best point so far. A kind of search is added by a file with its class and a line of `PLAN`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

import torch

from deepalgo.fitting.search.gradient_steps import GradientSteps
from deepalgo.fitting.search.levenberg_marquardt import LevenbergMarquardt
from deepalgo.fitting.search.other_starts import OtherStarts
from deepalgo.fitting.search.problem import FEW_WEIGHTS
from deepalgo.fitting.search.put_back import PutBack
from deepalgo.fitting.search.search import Search
from deepalgo.fitting.search.try_idle_weights import TryIdleWeights
from deepalgo.fitting.search.undo_useless_moves import UndoUselessMoves

if TYPE_CHECKING:
    from deepalgo.fitting.search.course import Course

#: Weights without a gradient and the others are moved in turns.
TURNS = 3
#: Steps of L-BFGS at the end.
LAST_STEPS = 40
#: With more weights than this, nobody reads them one by one.
MOST_READ = 100


class Start(Enum):
    """Where a search begins: with the initial weights, at the best point so far, or where the search before it ended."""

    INITIAL = auto()
    BEST = auto()
    LAST = auto()


@dataclass(frozen=True, slots=True)
class PlannedSearch:
    """One search of the plan; `always` takes what it finds without asking what that is worth."""

    make: Callable[[Course], Search]
    start: Start
    when: tuple[Callable[[Course], bool], ...] = ()
    always: bool = False


def gradient_steps(course: Course) -> Search:
    """Adam, or the optimiser that was asked for."""
    return GradientSteps(course.problem, course.settings)


def least_squares(course: Course) -> Search:
    """For a loss by name."""
    return LevenbergMarquardt(course.problem)


def other_starts(course: Course) -> Search:
    """For steps of least squares that are stuck."""
    return OtherStarts(course.problem)


def lbfgs(course: Course) -> Search:
    """For very many weights and for any other loss."""
    until = course.problem.clock.limit
    return GradientSteps(course.problem, replace(course.settings, optimiser="lbfgs", steps=LAST_STEPS, runs=1, patience=100, until=until))


def try_idle_weights(course: Course) -> Search:
    """For weights without a gradient."""
    return TryIdleWeights(course.problem)


def put_back(course: Course) -> Search:
    """For whoever reads which weights moved, by what their moves are worth beyond noise."""
    return PutBack(course.problem)


def undo_useless_moves(course: Course) -> Search:
    """The same for losses whose noise is not known."""
    return UndoUselessMoves(course.problem)


def polished(course: Course) -> bool:
    """Whether anything follows the gradient steps."""
    return course.polished


def squares(course: Course) -> bool:
    """Whether the loss has a name, and derivatives can be had for every sample."""
    return course.has_squares


def no_squares(course: Course) -> bool:
    """Whether it has none, or there is too much to compute."""
    return not course.has_squares


def few_weights(course: Course) -> bool:
    """Whether there are so few weights that steps from the initial ones are the shortest way to the optimum of a smooth formula."""
    return len(course.problem.space) <= FEW_WEIGHTS


def usual(course: Course) -> bool:
    """Whether nobody asked for an optimiser, or for several runs of it."""
    return course.settings.runs == 1 and course.settings.optimiser == "adam"


def asked(course: Course) -> bool:
    """Whether somebody asked for an optimiser, or for several runs of it."""
    return not usual(course)


def stuck(course: Course) -> bool:
    """Whether steps of least squares came to no end, or to a poor one."""
    return bool(course.searches) and isinstance(course.searches[-1], LevenbergMarquardt) and course.searches[-1].is_stuck


def unsettled(course: Course) -> bool:
    """Whether least squares have not found a place where nothing more is to be done."""
    return not course.is_settled


def idle_moved(course: Course) -> bool:
    """Whether the last trial of idle weights moved one, or there was none yet."""
    return course.moved.get(TryIdleWeights.name, True)


def readable(course: Course) -> bool:
    """Whether there are so few weights that somebody reads them."""
    return len(course.problem.space.weights) <= MOST_READ


def noise_known(course: Course) -> bool:
    """Whether the least squares of more samples than weights were reached, with no priors, so that residuals are noise."""
    space = course.problem.space
    enough = len(space) <= MOST_READ and len(course.problem.answered) > len(space)
    plain = course.problem.objective.is_squares and not space.plan.priors and space.net.dtype is torch.float64
    return course.polished and enough and plain and squares(course)


def noise_unknown(course: Course) -> bool:
    """Whether they were not."""
    return not noise_known(course)


def selected(course: Course) -> bool:
    """Whether other samples select than those of the training: of these alone the least squares are the answer, small moves included."""
    return not course.problem.is_seen


PLAN: tuple[PlannedSearch, ...] = (
    PlannedSearch(least_squares, Start.INITIAL, when=(polished, usual, few_weights, squares)),
    PlannedSearch(other_starts, Start.INITIAL, when=(polished, usual, few_weights, squares, stuck)),
    PlannedSearch(gradient_steps, Start.INITIAL, when=(unsettled,)),
    PlannedSearch(least_squares, Start.BEST, when=(polished, squares, unsettled)),
    PlannedSearch(least_squares, Start.INITIAL, when=(polished, squares, asked, few_weights)),
    PlannedSearch(lbfgs, Start.BEST, when=(polished, no_squares)),
    *TURNS * (
        PlannedSearch(try_idle_weights, Start.BEST, when=(polished, unsettled, idle_moved)),
        PlannedSearch(least_squares, Start.LAST, when=(polished, squares, unsettled, idle_moved)),
        PlannedSearch(lbfgs, Start.LAST, when=(polished, no_squares, idle_moved)),
    ),
    PlannedSearch(put_back, Start.BEST, when=(readable, noise_known, selected), always=True),
    PlannedSearch(undo_useless_moves, Start.BEST, when=(readable, noise_unknown), always=True),
)  # fmt: skip
