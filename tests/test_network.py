"""A network is a torch module: parameters, state, precision, compilation; and it is called as the heuristic was."""

import copy
import math

import numpy as np
import pytest
import torch
from torch.func import functional_call, grad, vmap

import deepalgo as da
from deepalgo.errors import HeuristicError, InputError
from deepalgo.ir import Kind, Leaf, Mapping, Sequence, Static, Type
from deepalgo.network import Network
from tests.backends.torch.test_emit_control import attempts, checked_division, damped_newton, failing_loop, guarded_logarithm, nested
from tests.support.build import Builder


def line():
    b = Builder()
    x, a, c = b.input("x"), b.weight("slope", 2.0, line=3), b.weight("offset", 1.0, line=4, frozen="a static `if` needs it")
    return b.program(b.op("add", b.op("mul", x, a), c), "line")


def two_inputs():
    b = Builder()
    x, v = b.input("x"), b.input("v", Type(Kind.REAL, (2,)))
    return b.program(b.op("mul", x, v), "scale")


def test_weights_are_listed_with_value_role_and_place():
    assert repr(Network(line()).weights) == (
        "name    value  role         place           trainable\n"
        "slope   2.0    coefficient  heuristic.py:3  yes\n"
        "offset  1.0    coefficient  heuristic.py:4  no: a static `if` needs it"
    )


def test_frozen_weights_stay_frozen():
    net = Network(line()).requires_grad_(True)
    assert [name for name, _ in net.named_parameters()] == ["weights.slope"]
    assert not net.weights["offset"].requires_grad
    assert list(net.state_dict()) == ["weights.slope", "weights.offset"]


def test_weights_may_have_names_that_modules_use():
    b = Builder()
    x = b.input("x")
    net = Network(b.program(b.op("mul", b.op("mul", x, b.weight("train", 2.0)), b.weight("physics.type", 3.0))))
    assert net(1.0).item() == 6.0
    assert net.weights["train"].item() == 2.0
    assert net.train() is net


def test_one_sample_or_a_batch_in_any_shape_of_argument():
    net = Network(line())
    assert net(3.0).shape == ()
    assert net(3.0).item() == 7.0
    for batch in ([1.0, 2.0], np.array([1.0, 2.0]), np.array([1, 2]), torch.tensor([1.0, 2.0])):
        assert net(batch).tolist() == [3.0, 5.0]
    assert net(x=torch.zeros(0)).shape == (0,)
    assert math.isnan(net(math.nan).item())


def test_single_arguments_meet_batches():
    net = Network(two_inputs())
    assert net(2.0, [1.0, 3.0]).tolist() == [2.0, 6.0]
    assert net([1.0, 2.0], [1.0, 3.0]).tolist() == [[1.0, 3.0], [2.0, 6.0]]
    assert net(2.0, v=[[1.0, 3.0], [0.0, 1.0], [5.0, 5.0]]).shape == (3, 2)


@pytest.mark.parametrize(("args", "kwargs", "message"), [
    ((1.0, [1.0, 2.0], 3.0), {}, "scale takes 2 arguments (x, v), 3 were given"),
    ((1.0,), {}, "scale also needs `v`"),
    ((1.0,), {"x": 1.0, "v": [1.0, 2.0]}, "scale got two values for `x`"),
    ((1.0,), {"w": 1.0}, "scale got an unknown argument `w`"),
    ((1.0, [1.0, 2.0, 3.0]), {}, "scale: `v` has shape (3,), expected (2,) or (batch, 2)"),
    (([1.0, 2.0, 3.0], [[1.0, 2.0]] * 2), {}, "scale: batches differ in length: `x` has 3, `v` has 2"),
    (("one", [1.0, 2.0]), {}, "`x` is a str, expected a number, an array or a tensor"),
])
def test_arguments_that_do_not_fit_are_named(args, kwargs, message):
    with pytest.raises(InputError) as caught:
        Network(two_inputs())(*args, **kwargs)
    assert str(caught.value) == message


def test_the_answer_has_the_heuristics_structure():
    b = Builder()
    x = b.input("x")
    big, count = b.op("gt", x, 1.0), b.op("to_int", x)
    tree = Mapping("dict", ("pair", "point", "flags", "note"), (
        Sequence("tuple", (Leaf(0), Leaf(1))), Sequence("Point", (Leaf(2), Static(None)), ("x", "y")),
        Sequence("list", (Leaf(3),)), Static("fixed"),
    ))
    answer = Network(b.shaped(tree, x, count, x, big))([0.5, 2.5])
    assert answer["pair"][1].dtype == torch.int64
    assert answer["pair"][1].tolist() == [0, 2]
    assert answer["point"].x.tolist() == [0.5, 2.5]
    assert type(answer["point"]).__name__ == "Point"
    assert answer["flags"][0].tolist() == [False, True]
    assert answer["note"] == "fixed"


def test_a_constant_answer_has_one_entry_a_sample():
    b = Builder()
    x = b.input("x")
    net = Network(b.program([b.const(2.5), b.weight("w", 1.0), b.const((1.0, 2.0)), b.const(3)]))
    number, weight, table, whole = net(torch.zeros(4))
    assert number.tolist() == [2.5] * 4
    assert number.dtype == torch.float64
    assert weight.shape == (4,)
    assert table.shape == (4, 2)
    assert whole.dtype == torch.int64


def test_state_travels_between_networks(tmp_path):
    first, second = Network(line()), Network(line())
    with torch.no_grad():
        first.weights["slope"].fill_(5.0)
    torch.save(first.state_dict(), tmp_path / "weights.pt")
    second.load_state_dict(torch.load(tmp_path / "weights.pt"))
    assert second(1.0).item() == 6.0


def test_a_deep_copy_learns_for_itself():
    net = Network(line())
    twin = copy.deepcopy(net)
    with torch.no_grad():
        twin.weights["slope"].fill_(5.0)
    assert (net(1.0).item(), twin(1.0).item()) == (3.0, 6.0)


def test_single_precision_is_kept_through_branches_and_loops():
    for program in (nested(), damped_newton(), attempts()):
        net = Network(program, errors="nan").to(torch.float32)
        assert net(torch.tensor([1.0, 2.0])).dtype == torch.float32


def test_code_and_program_can_be_read():
    net = Network(guarded_logarithm())
    assert net.code == (
        "def f(run, x, w):\n"
        "    t1 = x > 0.05\n"
        "    x_2 = run.cut(t1, x)\n"
        "    w_2 = run.cut(t1, run.spread(w))\n"
        "    return ops.where(t1, ops.log(x_2) * w_2, x - w),"
    )
    assert str(net.program).startswith("f(x: real)")


def test_training_moves_a_weight_to_the_data():
    net = Network(line())
    x = torch.linspace(-1, 1, 20, dtype=torch.float64)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    for _ in range(100):
        optimizer.zero_grad()
        ((net(x) - (3.0 * x + 1.0)) ** 2).mean().backward()
        optimizer.step()
    assert net.weights["slope"].item() == pytest.approx(3.0, abs=1e-6)


COMPILED = [
    (guarded_logarithm, {}), (nested, {}), (checked_division, {"errors": "nan"}), (attempts, {}),
    (damped_newton, {"loops": "settle", "max_rounds": 6}), (failing_loop, {"loops": "settle", "max_rounds": 6, "errors": "nan"}),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # torch's own tracer does it
@pytest.mark.parametrize(("make", "options"), COMPILED)
def test_torch_compile_takes_the_whole_network(make, options):
    net = Network(make(), **options)
    torch._dynamo.reset()
    compiled = torch.compile(net, fullgraph=True, backend="aot_eager")
    x = torch.tensor([1.0, 2.0, 0.5, 0.0 if make is checked_division else 1.5], dtype=torch.float64)
    gradients = []
    for function in (net, compiled):
        leaf = x.clone().requires_grad_()
        net.zero_grad()
        result = function(leaf)
        result.nansum().backward()
        gradients.append((result.detach(), leaf.grad, net.weights["w"].grad.clone()))
    for ours, theirs in zip(*gradients):
        assert torch.allclose(ours, theirs, rtol=1e-12, equal_nan=True)


def test_a_failure_that_only_a_compiled_graph_finds_is_explained():
    network = da.compile(lambda x: math.log(x), backend="torch")
    with pytest.raises(RuntimeError, match="within rounding of an error"):
        network._backend._complain([torch.tensor([1.0, 2.0], dtype=torch.float64)])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # torch's own tracer does it
def test_a_compiled_network_raises_for_its_samples():
    torch._dynamo.reset()
    compiled = torch.compile(Network(checked_division()), fullgraph=True, backend="aot_eager")
    assert compiled(torch.tensor([1.0, 2.0], dtype=torch.float64)).shape == (2,)
    with pytest.raises(HeuristicError, match="ValueError: -4.0 is below -3") as caught:
        compiled(torch.tensor([1.0, -0.5], dtype=torch.float64))
    assert caught.value.samples == (1,)


def test_many_sets_of_weights_run_at_once():
    net = Network(nested(), loops="settle")
    x = torch.tensor([0.1, 1.0, 2.0], dtype=torch.float64)
    weights = {name: torch.stack([value.detach() * scale for scale in (0.9, 1.1)]) for name, value in net.named_parameters()}
    results = vmap(lambda values: functional_call(net, values, (x,)))(weights)
    slopes = vmap(grad(lambda values: functional_call(net, values, (x,)).sum()))(weights)
    for place in range(2):
        values = {name: value[place].requires_grad_() for name, value in weights.items()}
        single = functional_call(net, values, (x,))
        assert torch.allclose(results[place], single)
        single.sum().backward()
        assert torch.allclose(slopes["weights.w"][place], values["weights.w"].grad)


def test_tables_are_made_once_and_can_be_trained_around():
    b = Builder()
    x = b.input("x", Type(Kind.INT))
    net = Network(b.program(b.op("mul", b.op("gather", b.const((1, 2.5, 4)), x), b.weight("w", 2.0))))
    with torch.inference_mode():
        assert net([0, 1]).tolist() == [2.0, 5.0]
    net([2, 1]).sum().backward()
    assert net.weights["w"].grad.item() == 6.5
    assert net.to(torch.float32)([1]).dtype == torch.float32


def test_answers_do_not_change_when_an_argument_is_written_to():
    def shifted(values, y):
        before = values.copy()
        values[int(max(0.0, min(y, 2.0)))] = values[1]
        return before, before * before

    start = np.array([2.0, 1.25, 3.0])
    given, weighed = start.copy(), start.copy()
    network = da.compile(shifted, example=((start.copy(), 0.5), {}))
    before, squares = network(given, 0.5)
    want, _ = shifted(weighed, 0.5)
    assert before.tolist() == want.tolist() == start.tolist()
    assert given.tolist() == weighed.tolist() == [1.25, 1.25, 3.0]
    assert squares.tolist() == (start * start).tolist()


def test_an_error_raised_again_names_the_line_it_came_from():
    def steep(x):
        try:
            y = math.exp(900.0)
        except OverflowError:
            if x > 1.0:
                raise
            y = 2.0
        return x * y

    network = da.compile(steep)
    assert network(0.5) == 1.0
    with pytest.raises(HeuristicError) as caught:
        network(2.0)
    assert caught.value.span.lines[0].strip() == "y = math.exp(900.0)"
