"""A fit is a list of searches: each can be left after any step and goes on with the same bits, and a new one is a class and a line."""

import inspect
import math

import pytest
import torch

import deepalgo as da
from deepalgo.fitting.checkpoint import packed, unpacked
from deepalgo.fitting.data.batches import Epochs
from deepalgo.fitting.data.samples import mix, read
from deepalgo.fitting.judge.contenders import trainable_copy
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.course import Course
from deepalgo.fitting.search.gradient_steps import StepSettings
from deepalgo.fitting.search.plan import PLAN, PlannedSearch, Start, gradient_steps
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search
from deepalgo.fitting.search.space import Space

X = torch.linspace(0, 3, 200, dtype=torch.float64)
TARGETS = torch.where(X > 1.2, 3.0 * X - 2.0, X) + 0.01 * torch.sin(40 * X)


def tariff(x):
    if x > 1.6:
        return 3.0 * x - 1.8
    return 0.9 * x + 1e-9 * x * x


def line(x):
    return 2.0 * x + 1.0


def decay(x, height=100.0, rate=0.75):
    return height * (1 - math.exp(-(rate + 40.0) * x))


#: Oxygen that bacteria use (Box, Hunter and Hunter 1978): from a rate that is far too high nothing leads back.
BOX = torch.tensor([1.0, 2.0, 3.0, 5.0, 7.0, 10.0]).double(), torch.tensor([109.0, 149.0, 149.0, 191.0, 213.0, 224.0]).double()


def cubes(output, target):
    return (output - target).abs() ** 3


def problem(function=tariff, loss=None, inputs=X, targets=TARGETS):
    net = trainable_copy(da.compile(function))
    objective = Objective(net, loss)
    samples = read(net, inputs, targets=targets)
    objective.probe(net, samples)
    size = len(samples)
    training, held = samples.pick(torch.arange(0, size, 2)), samples.pick(torch.arange(1, size, 2))
    known = objective.measure(net, held).isfinite()
    return Problem(Space(net), objective, Epochs(training, 40, 0), held, known, Processes())


def course(loss=None, polished=True, steps=12, runs=1, plan=PLAN, **options):
    return Course(problem(loss=loss, **options), StepSettings(steps, runs=runs), polished, plan)


def names(made):
    return [search.name for search in made.searches]


def test_the_plan_says_which_searches_run():
    made = course()
    made.run()
    assert names(made)[:5] == ["least squares", "gradient steps", "least squares", "idle weights", "least squares"]
    assert names(made)[-1] == "put back"
    assert all(search.ended for search in made.searches)
    made = course(cubes)
    made.run()
    assert names(made)[:4] == ["gradient steps", "gradient steps", "idle weights", "gradient steps"]
    made = course(polished=False)
    made.run()
    assert names(made) == ["gradient steps", "undo"]
    made = course(runs=2)
    made.run()
    assert names(made)[:3] == ["gradient steps", "least squares", "least squares"]


def test_least_squares_alone_are_enough_where_every_weight_leads_somewhere():
    made = course(function=line)
    made.run()
    assert names(made) == ["least squares", "put back"]
    assert made.status.converged and made.status.reason in ("the loss stands still", "the weights stand still")


def test_other_starts_follow_steps_that_are_stuck():
    made = course(function=decay, inputs=BOX[0], targets=BOX[1])
    made.run()
    assert names(made)[:2] == ["least squares", "other starts"]
    assert made.searches[0].is_stuck and made.is_settled
    assert made.problem.worth(made.best) < 0.2 * made.problem.worth(made.searches[0].found)


@pytest.mark.parametrize(
    ("loss", "times", "options"),
    [
        (None, 6, {}), (None, 3, {"runs": 2}), (cubes, 2, {}), ("absolute", 3, {"function": line}),
        (None, 6, {"function": decay, "inputs": BOX[0], "targets": BOX[1]}),
    ],
    ids=["squares", "two runs", "other loss", "kink", "stuck"],
)  # fmt: skip
def test_a_course_that_is_left_after_any_step_ends_with_the_same_bits(loss, times, options):
    states = []
    whole = course(loss, **options)
    whole.run(lambda made: states.append(packed(made.state())))
    kinds = {len(unpacked(state)["searches"]) for state in states}
    assert len(kinds) == len(whole.searches)  # every search was left at least once
    for state in states[len(states) // 3 :: len(states) // times] + states[-2:-1]:
        again = course(loss, **options)
        again.restore(unpacked(state))
        again.run()
        assert torch.equal(again.best, whole.best)
        assert names(again) == names(whole)
        assert [search.ended for search in again.searches] == [search.ended for search in whole.searches]
        assert again.progress.history == whole.progress.history


def test_a_state_with_more_searches_than_the_plan_has_is_none():
    made = course(polished=False)
    made.run()
    state = made.state()
    state["searches"].append(state["searches"][-1])
    with pytest.raises(ValueError, match="more searches than the plan has"):
        course(polished=False).restore(state)


def test_control_c_in_a_later_search_keeps_the_best_so_far():
    made = course()

    def stop(made):
        if len(made.searches) == 3:
            raise KeyboardInterrupt

    made.run(stop)
    assert made.interrupted
    assert made.problem.worth(made.best) <= made.problem.worth(made.searches[0].found)
    assert len(made.searches) == 3


class RandomSteps(Search):
    """A kind of search that the package does not know: random steps, the good ones kept."""

    name = "random steps"

    def __init__(self, problem):
        super().__init__(problem)
        self.x, self.loss, self.tried = problem.origin, torch.inf, 0

    def start(self, x):
        self.x, self.loss = x, self.problem.training_loss(x)

    def step(self):
        random = torch.Generator().manual_seed(mix(5, self.tried))
        moved = self.x + 0.1 * torch.randn(len(self.x), generator=random, dtype=self.x.dtype)
        loss = self.problem.training_loss(moved)
        if loss < self.loss:
            self.x, self.loss = moved, loss
        self.tried += 1

    @property
    def ended(self):
        return "all tries were made" if self.tried == 60 else ""

    @property
    def found(self):
        return self.x

    def state(self):
        return {"x": self.x, "loss": self.loss, "tried": self.tried}

    def restore(self, state):
        check_point(state["x"], self.x)
        check_count(state["tried"])
        self.x, self.loss, self.tried = state["x"], state["loss"], state["tried"]


def test_a_new_search_is_a_class_and_a_line_of_the_plan():
    plan = (PlannedSearch(gradient_steps, Start.INITIAL), PlannedSearch(lambda made: RandomSteps(made.problem), Start.BEST))
    states = []
    made = course(steps=1, plan=plan)
    made.run(lambda made: states.append(packed(made.state())))
    assert names(made) == ["gradient steps", "random steps"]
    assert made.problem.worth(made.best) < 0.9 * made.problem.worth(made.searches[0].found)
    again = course(steps=1, plan=plan)
    again.restore(unpacked(states[20]))
    again.run()
    assert torch.equal(again.best, made.best)


def test_fit_has_few_arguments_and_options_have_one_place():
    parameters = inspect.signature(da.fit).parameters
    assert len(parameters) <= 26
    assert [name for name, item in parameters.items() if item.kind is not item.KEYWORD_ONLY] == ["net", "inputs", "targets"]
    assert not set(parameters) & set(inspect.signature(da.SearchOptions).parameters)
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), X, targets=X, seeds=4)
    assert str(error.value) == "seeds= is an option of the search: search=da.SearchOptions(seeds=4)"
    with pytest.raises(TypeError, match="unexpected keyword argument 'sedes'"):
        da.fit(da.compile(line), X, targets=X, sedes=4)
