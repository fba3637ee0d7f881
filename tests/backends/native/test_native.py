"""Native code: Python's own bits forward, torch's gradients backward, and the check that each sample fails."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.special
import torch

import deepalgo as da
from deepalgo.backends.native import Unsupported, compile_kernel, engine_of
from deepalgo.backends.native.special import find
from deepalgo.ir import Failed, Interpreter, Kind, Leaf, Sequence, While, interpret, parse
from deepalgo.ops.table import TABLE
from tests.support.cases import CASES, network


def meaning_of(program):
    """What interprets the program, with all its results in a row."""
    places = tuple(map(Leaf, range(len(program.body.results))))
    return Interpreter(replace(program, output=Sequence("tuple", places), changes=()))


def bits(number):
    return math.copysign(1.0, number), "nan" if number != number else number


def weights_of(program):
    return np.concatenate([np.ravel(np.array(weight.value, float)) for weight in program.weights] or [np.zeros(0)])


def batch_of(case, net, count=40):
    """The samples of a case as arrays, a row for each sample."""
    rows = []
    for row in case.rows(count):
        args, kwargs = case.arrange(*row)
        found, _ = net.signature.flatten(args, kwargs, torch.float64, torch.device("cpu"))
        rows.append([leaf[0].numpy() for leaf in found])
    return [np.stack(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_native_answers_and_failures_are_those_of_the_interpreter_bit_by_bit(case):
    net = network(case.id)
    engine, inputs = engine_of(net.program), batch_of(case, net)
    try:
        outcome = engine.forward(inputs, weights_of(net.program))
    except Unsupported as reason:
        pytest.skip(f"not native: {reason}")
    meaning = meaning_of(net.program)
    for sample, row in enumerate(zip(*inputs, strict=True)):
        code = outcome.codes[sample]
        try:
            expected = meaning.run(list(row))
        except Failed as failed:
            told = failed.error, failed.span
        else:
            told = None
        check = engine.checks[code - 1] if code else None
        assert told == (check and ("LoopBound" if isinstance(check, While) else check.error, check.span))
        if told:
            continue
        found = [number for result in outcome.results for number in np.ravel(result[sample])]
        assert [*map(bits, found)] == [bits(number) for item in expected.output for number in np.ravel(item)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_native_gradients_are_those_of_torch(case):
    net = network(case.id)
    engine, inputs = engine_of(net.program), batch_of(case, net)
    weights = weights_of(net.program)
    real = [item.value.type.kind >= Kind.REAL for item in net.program.inputs]
    results = net.program.body.results
    try:
        outcome = engine.forward(inputs, weights)
        rng = np.random.default_rng(7)
        good = outcome.codes == 0
        inputs = [array[good] for array in inputs]
        sent = [rng.uniform(-1.0, 1.0, (good.sum(), *value.type.shape)) for value in results if value.type.kind >= Kind.REAL]
        if not sent or not good.any():
            pytest.skip("nothing real comes out")
        found = engine.gradient(inputs, weights, sent)
    except Unsupported as reason:
        pytest.skip(f"not native: {reason}")
    tensors = [torch.tensor(array, requires_grad=is_real) for array, is_real in zip(inputs, real, strict=True)]
    answers = [answer for answer in net.execute(tensors) if answer.is_floating_point()]
    sources = [tensor for tensor, is_real in zip(tensors, real, strict=True) if is_real] + net.weights.tensors()
    asked = [source for source in sources if source.requires_grad]
    pairs = [(answer, torch.tensor(adjoint)) for answer, adjoint in zip(answers, sent, strict=True) if answer.requires_grad]
    if not pairs:
        assert not any(np.any(array) for array in (*found.inputs, *found.weights))
        return
    expected = iter(torch.autograd.grad([answer for answer, _ in pairs], asked, [adjoint for _, adjoint in pairs], allow_unused=True))
    # Numbers that are much smaller than the largest are what is left where large ones cancel.
    scale = max(np.abs(array).max(initial=0.0) for array in (*found.inputs, *found.weights))
    for source, ours in zip(sources, (*found.inputs, *found.weights), strict=True):
        theirs = next(expected) if source.requires_grad else None
        if theirs is None:
            assert not source.requires_grad or not np.any(ours)
        else:
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-9, atol=1e-12 * scale)


def loops(x, rate=0.7):
    rounds = 0
    while x > 0.1:
        x = x * rate if rounds < 7 else x - 0.05
        if x > 50.0:
            raise ValueError(f"{x} is too large")
        rounds += 1
    return x + rounds


def test_lanes_take_their_own_rounds_and_arms_whoever_their_neighbours_are():
    engine = engine_of(program := da.compile(loops).program)
    xs = np.random.default_rng(0).uniform(0.0, 40.0, 43)
    alone = [engine.forward([xs[place : place + 1]], weights_of(program)).results[0][0] for place in range(len(xs))]
    assert engine.forward([xs], weights_of(program)).results[0].tolist() == alone == [loops(x) for x in xs.tolist()]


def test_a_failing_lane_tells_its_check_and_disturbs_neither_answers_nor_gradients():
    engine = engine_of(program := da.compile(loops).program)
    xs, weights = np.linspace(0.5, 40.0, 21), weights_of(program)
    bad = xs.copy()
    bad[[2, 9, 10]] = 100.0
    outcome = engine.forward([bad], weights)
    assert np.flatnonzero(outcome.codes).tolist() == [2, 9, 10]
    assert {engine.checks[code - 1].error for code in outcome.codes if code} == {"ValueError"}
    ones = np.ones_like(xs)
    kept = outcome.codes == 0
    whole, part = engine.gradient([bad], weights, [ones]), engine.gradient([xs[kept]], weights, [ones[kept]])
    assert whole.inputs[0][kept].tolist() == part.inputs[0].tolist()
    assert whole.inputs[0][~kept].tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(whole.weights[0], part.weights[0], rtol=1e-14)


def forever(x):
    while x > 0.0:
        x = x + 1.0
    return x


def test_a_lane_that_runs_too_long_fails_as_the_loop():
    engine = engine_of(da.compile(forever).program, rounds=50)
    outcome = engine.forward([np.array([-1.0, 1.0, -2.0])], np.array([0.0, 1.0]))
    assert [bool(code) for code in outcome.codes] == [False, True, False]
    assert isinstance(engine.checks[outcome.codes[1] - 1], While)


def long_sum(x, step=1e-4):
    for _ in range(40_000):
        x = x + step * math.sin(x)
    return x


def test_a_stack_grows_as_long_loops_need_it():
    program = da.compile(long_sum).program
    found = engine_of(program).gradient([np.array([0.3, 1.2])], weights_of(program), [np.ones(2)])
    near = [interpret(program, [x + shift]).output for x in (0.3, 1.2) for shift in (3e-5, -3e-5)]
    np.testing.assert_allclose(found.inputs[0], [(near[0] - near[1]) / 6e-5, (near[2] - near[3]) / 6e-5], rtol=1e-7)


def test_sums_over_samples_are_the_same_bits_however_many_samples_come_behind_whole_blocks():
    program = da.compile(loops).program
    xs = np.random.default_rng(1).uniform(0.0, 40.0, 3000)
    engine, weights = engine_of(program), weights_of(program)
    first = engine.gradient([xs], weights, [np.ones_like(xs)])
    assert first.weights[0].tobytes() == engine.gradient([xs], weights, [np.ones_like(xs)]).weights[0].tobytes()
    silent = np.ones_like(xs)
    silent[2048:] = 0.0
    part = engine.gradient([xs[:2048]], weights, [np.ones(2048)])
    assert engine.gradient([xs], weights, [silent]).weights[0].tobytes() == part.weights[0].tobytes()


def test_threads_share_the_samples_and_change_no_bit():
    program = da.compile(loops).program
    xs = np.random.default_rng(2).uniform(0.0, 40.0, 9001)
    engine, weights, before = engine_of(program), weights_of(program), torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            gradient = engine.gradient([xs], weights, [np.ones_like(xs)])
            found.append((engine.forward([xs], weights).results[0].tobytes(), gradient.inputs[0].tobytes(), gradient.weights[0].tobytes()))
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


def saturated(x, scale=2.0):
    y = math.sqrt(abs(x) * 1e300 * 1e10 / (1.0 + abs(x)))
    return min(y, 1.0) * scale


def test_where_an_adjoint_is_zero_nothing_is_asked_of_infinite_slopes():
    net = da.compile(saturated)
    xs = np.array([0.0, 1.0, 2.0])
    found = engine_of(net.program).gradient([xs], weights_of(net.program), [np.ones(3)])
    tensor = torch.tensor(xs, requires_grad=True)
    net(tensor).sum().backward()
    assert found.inputs[0].tolist() == tensor.grad.tolist()


def edges():
    ends = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1e-310, 2.2250738585072014e-308, 1.0, -3.0, 1e308, 1.7e308]
    rng = np.random.default_rng(5)
    drawn = rng.normal(size=4000) * 10.0 ** rng.integers(-320, 299, 4000)
    near = drawn * rng.uniform(-3.0, 3.0, 4000) * 10.0 ** rng.integers(-9, 8, 4000)
    return np.concatenate([drawn, np.repeat(ends, len(ends))]), np.concatenate([near, np.tile(ends, len(ends))])


@pytest.mark.parametrize("name", ["hypot", "mod", "floordiv", "pow", "atan2", "fmod", "min", "max", "copysign"])
def test_operations_of_pythons_own_have_its_bits_at_the_edges(name):
    program = parse(f"f(x: real, y: real)\n  %z = {name} %x %y\n  return %z")
    xs, ys = edges()
    found = compile_kernel(program).run([xs, ys], np.zeros(0)).results[0]
    meaning = Interpreter(program)
    for x, y, ours in zip(xs.tolist(), ys.tolist(), found.tolist(), strict=True):
        theirs = meaning.run([x, y]).output
        if not raises(name, x, y):
            assert bits(ours) == bits(theirs), (x, y)


def raises(name, x, y):
    """Whether Python has no answer, so that a check stands before the operation."""
    function = {"hypot": math.hypot, "mod": lambda a, b: a % b, "floordiv": lambda a, b: a // b, "pow": lambda a, b: float(a**b),
                "atan2": math.atan2, "fmod": math.fmod, "min": min, "max": max, "copysign": math.copysign}[name]
    try:
        function(x, y)
    except (ArithmeticError, ValueError, TypeError):
        return True
    return False


def test_special_functions_are_those_of_scipy():
    special = pytest.importorskip("scipy.special")
    xs = np.linspace(0.05, 0.95, 19)
    names = [name for name in TABLE if find(name) is not None]
    assert len(names) > 30
    for name in names:
        operands = "xyz"[: TABLE[name].python.count("{")]
        inputs, words = ", ".join(f"{letter}: real" for letter in operands), " ".join(f"%{letter}" for letter in operands)
        kernel = compile_kernel(parse(f"f({inputs})\n  %out = {name} {words}\n  return %out"))
        given = [np.roll(xs, place) for place in range(len(operands))]
        function = getattr(special, TABLE[name].python.partition("(")[0].removeprefix("scipy.special."))
        assert kernel.run(given, np.zeros(0)).results[0].tolist() == function(*given).tolist(), name


@pytest.mark.parametrize("name", ["complex numbers", "zeta of real numbers"])
def test_what_native_code_cannot_do_is_named(name):
    text = {"complex numbers": "%c = to_complex %x\n  %y = abs %c", "zeta of real numbers": "%y = zeta %x"}[name]
    with pytest.raises(Unsupported, match=name):
        compile_kernel(parse(f"f(x: real)\n  {text}\n  return %y"))


def doubled_in_place(x):
    held = np.array(x)
    held[...] = held * 2.0
    return held


def test_a_single_number_that_is_replaced_in_place_is_another_number():
    program = da.compile(doubled_in_place, example=((1.5,), {})).program
    assert interpret(program, [1.5]).output == 3.0
    assert engine_of(program).forward([np.array([1.5, -4.0])], weights_of(program)).results[0].tolist() == [3.0, -8.0]


def lost_slope(x):
    return np.linalg.pinv(np.array([[x, 1.0], [0.5, x]]))[0, 0] if x > 0 else x


def odd_slope(x):
    return scipy.special.binom(x, 0.5)


@pytest.mark.parametrize(("function", "backend"), [
    (lost_slope, "torch (pinv of real numbers, line {})"),
    (odd_slope, "native, gradients by torch (binom: ops.binom, where abs(x) < 0.001 or y >= x + 1, line {})"),
])
def test_the_reason_for_torch_names_operation_and_line(function, backend):
    net = da.compile(function, backend="native")
    assert net.backend == backend.format(function.__code__.co_firstlineno + 1)


def test_a_sample_has_the_same_gradient_whatever_stands_beside_it():
    engine = engine_of(program := da.compile(signed).program)
    weights, ones = weights_of(program), np.ones(2)
    both = engine.gradient([np.array([0.0, math.nan])], weights, [ones]).inputs[0]
    alone = engine.gradient([np.array([0.0])], weights, [ones[:1]]).inputs[0]
    assert bits(both[0]) == bits(alone[0])


def signed(x):
    return -(x * (x - 1.0)) * 0.0


def squared(x):
    return (x + 1.0) ** 2


def test_a_square_is_the_power_that_the_c_library_computes():
    program = da.compile(squared).program
    xs = np.random.default_rng(0).uniform(0.0, 3.0, 60_000)
    found = engine_of(program).forward([xs], weights_of(program)).results[0]
    assert found.tolist() == [squared(x) for x in xs.tolist()]


def test_an_engine_goes_with_its_program():
    program = da.compile(loops).program
    assert engine_of(program) is engine_of(program)
    assert engine_of(program) is not engine_of(program, rounds=3)
