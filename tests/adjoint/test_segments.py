"""Derivatives that go back through loops in segments: the numbers of those without, and what is saved grows with the root."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.adjoint import SegmentRule
from deepalgo.ir import Check, Failed, Interpreter, Rewind, Save, While, parse, walk
from deepalgo.ir.check import check_program
from deepalgo.ir.steps import STACK, ProgramSteps
from tests.adjoint.loops import FORCED, LOOPS, PLAIN, derivative, ends_by_data, saves_nothing

XS = np.linspace(0.02, 3.3, 24).tolist()


def outcome(meaning, inputs, **options):
    """The numbers of a program for one sample, or the error."""
    try:
        return meaning.run(inputs, **options).output
    except Failed as failed:
        return failed.error, failed.span


@pytest.mark.parametrize("rule", FORCED, ids=lambda rule: f"first {rule.first}")
@pytest.mark.parametrize("function", LOOPS)
def test_a_derivative_in_segments_means_the_same_number_for_number(function, rule):
    program = da.compile(function).program
    plain, made = derivative(program, PLAIN), derivative(program, rule)
    check_program(made)
    assert parse(str(made)) == made
    expected, found = Interpreter(plain), Interpreter(made)
    ends = [outcome(found, [x, 0.7]) for x in XS]
    assert ends == [outcome(expected, [x, 0.7]) for x in XS]
    assert any(isinstance(end[0], float) for end in ends)
    if function.__name__ == "fails_in_rounds":
        assert any(end[0] == "ValueError" for end in ends)


@pytest.mark.parametrize("function", LOOPS)
def test_a_derivative_in_segments_is_that_of_torch(function):
    net = da.compile(function, errors="nan", backend="torch")
    meaning = Interpreter(derivative(net.program, FORCED[1]))
    weights = net.weights.tensors()
    compared = 0
    for x in XS:
        tensor = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        answer = net(tensor)
        if answer.isnan() or not answer.requires_grad:
            continue
        sources = [source for source in (tensor, *weights) if source.requires_grad]
        theirs = iter(torch.autograd.grad(answer, sources, allow_unused=True))
        value, *ours = meaning.run([x, 1.0]).output
        assert value == pytest.approx(answer.item(), rel=1e-12)
        for found, source in zip(ours, (tensor, *weights), strict=True):
            expected = next(theirs) if source.requires_grad else None
            if expected is not None:
                np.testing.assert_allclose(found, expected.numpy(), rtol=1e-9, atol=1e-12 * max(map(abs, ours)))
                compared += 1
    assert compared > 20


def test_a_way_back_checks_nothing_and_its_loops_are_known_to_end():
    made = derivative(da.compile(ends_by_data).program, FORCED[0], rounds=77)
    ways_back = [statement for statement in made.body.body if isinstance(statement, Rewind)]
    inside = [statement for way in ways_back for statement in walk(way.body)]
    assert any(isinstance(statement, Save) for statement in inside)
    assert not any(isinstance(statement, Check) for statement in inside)
    assert {statement.bound for statement in inside if isinstance(statement, While)} == {77}


def test_loops_that_save_little_or_nothing_have_no_segments():
    program = da.compile(LOOPS[0]).program
    assert derivative(program, SegmentRule()) == derivative(program, PLAIN)
    program = da.compile(saves_nothing).program
    assert derivative(program, FORCED[0]) == derivative(program, PLAIN)
    program = da.compile(ends_by_data).program
    assert derivative(program, SegmentRule()) == derivative(program, PLAIN)


def test_a_loop_that_runs_too_long_fails_in_segments_as_it_does_without():
    program = da.compile(ends_by_data).program
    for rule in (PLAIN, *FORCED):
        with pytest.raises(Failed, match="still running after 5 rounds"):
            Interpreter(derivative(program, rule, rounds=5)).run([3.0, 1.0], max_rounds=5)


class Watched(list):
    """A stack that knows how many numbers it held at most."""

    most = held = 0

    def append(self, item):
        super().append(item)
        self.held += len(item[1])
        self.most = max(self.most, self.held)

    def pop(self, place=-1):
        item = super().pop(place)
        self.held -= len(item[1])
        return item


def most_saved(program, inputs):
    """How many numbers lie on the stack of a sample at most."""
    code = ProgramSteps(program)
    env = code.start.copy()
    stack = env[STACK] = Watched()
    env[0] = 10**9
    weights = {weight.key: weight.value for weight in program.weights}
    for slot, key in code.weights:
        env[slot] = weights[key]
    for slot, value in zip(code.inputs, inputs, strict=True):
        env[slot] = value
    place = 0
    while place < len(code.steps):
        target = code.steps[place](env)
        place = place + 1 if target is None else target
    assert not stack
    return stack.most


COUNTED = """
f(x: real)
  weight w = 0.999
  %w = weight w
  %y = loop {rounds} rounds (%i, %a) from (%x)
    %s = sin %a
    %b = mul %s %w
    next %b
  return %y
"""
BY_DATA = """
f(x: real)
  weight w = 0.999
  %w = weight w
  %zero = const 0.0
  %y, %n = while (%a, %k) from (%x, %zero)
    %go = lt %k {rounds}.0
    test %go
  do (%b, %l)
    %s = sin %b
    %c = mul %s %w
    %m = add %l 1.0
    next %c, %m
  return %y
"""
NESTED = """
f(x: real)
  weight w = 0.999
  %w = weight w
  %y = loop {rounds} rounds (%i, %a) from (%x)
    %c = loop 16 rounds (%j, %b) from (%a)
      %s = sin %b
      %d = mul %s %w
      next %d
    next %c
  return %y
"""


@pytest.mark.parametrize("text", [COUNTED, BY_DATA, NESTED], ids=["counted", "by data", "nested"])
def test_what_is_saved_grows_with_the_root_of_the_rounds(text):
    rule = SegmentRule(limit=0, by_data=True)
    few, many = (most_saved(derivative(parse(text.format(rounds=rounds)), rule), [0.5, 1.0]) for rounds in (1000, 16_000))
    assert many <= 4.6 * few
    assert many < 16 * math.sqrt(16_000)
    plain = [most_saved(derivative(parse(text.format(rounds=rounds)), PLAIN), [0.5, 1.0]) for rounds in (1000, 16_000)]
    assert plain[1] == 16 * plain[0]  # which a measure that sees nothing would not tell
