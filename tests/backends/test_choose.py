"""A network turns to its backend through one small interface, so that another backend is a class and a line of `BACKENDS`."""

import copy

import pytest
import torch

import deepalgo as da
from deepalgo.backends.choose import BACKENDS
from deepalgo.backends.torch.backend import TorchBackend
from deepalgo.ir.interpret import Failed, interpret
from examples.demo import friction_factor, pipes


class ByInterpreter:
    """Answers by the interpreter of programs, one sample after the other; gradients, errors and records by torch."""

    def __init__(self, host):
        self.host, self.torch, self.asked = host, TorchBackend(host), []

    def reason_against(self, *, gradient):
        if self.host.program.changes:
            return "it writes into arguments"
        return "it only knows answers" if gradient else ""

    def computed_by(self, *, gradient):
        return "the interpreter"

    def run(self, leaves):
        self.asked.append("run")
        if torch.is_grad_enabled() or self.reason_against(gradient=False):
            return self.torch.run(leaves)
        weights = dict(zip([weight.key for weight in self.host.program.weights], [item.numpy() for item in self.host.weights.tensors()]))
        try:
            rows = zip(*map(torch.Tensor.tolist, leaves))
            return [torch.tensor([interpret(self.host.program, row, weights).output for row in rows], dtype=torch.float64)]
        except Failed:
            return self.torch.run(leaves)

    def run_one(self, args):
        return None

    def outcomes(self, leaves):
        self.asked.append("outcomes")
        return self.torch.outcomes(leaves)

    def jacobian(self, keys):
        self.asked.append("jacobian")
        return self.torch.jacobian(keys)

    def watch(self, leaves, record):
        self.asked.append("watch")
        return self.torch.watch(leaves, record)


def adding_up(numbers):
    numbers[0] = numbers[0] + 1.0
    return numbers[0]


@pytest.fixture
def _one_more(monkeypatch):
    monkeypatch.setitem(BACKENDS, "interpreter", ByInterpreter)


@pytest.mark.usefixtures("_one_more")
def test_a_network_runs_on_a_backend_that_the_package_does_not_know():
    net, batch = da.compile(friction_factor, backend="interpreter"), pipes(20, seed=1)
    assert net.backend == "interpreter, gradients by torch (it only knows answers)"
    assert da.compile(adding_up, example=(([1.0, 2.0],), {}), backend="interpreter").backend == "torch (it writes into arguments)"
    with torch.no_grad():
        answers = net(*batch)
    assert answers.tolist() == pytest.approx([friction_factor(*row) for row in zip(*(column.tolist() for column in batch))], rel=1e-14)
    net(*batch).sum().backward()
    assert net.weights["c22"].grad is not None
    with pytest.raises(da.HeuristicError, match="ZeroDivisionError"):
        net(0.0, 1e-4)


@pytest.mark.usefixtures("_one_more")
def test_every_use_of_a_network_goes_through_its_backend():
    net = da.compile(friction_factor, backend="interpreter")
    net.verify(*pipes(20, seed=1))
    assert set(net._backend.asked) == {"run", "outcomes", "watch"}
    for twin in (copy.deepcopy(net), net.with_errors("nan"), da.soften(net, *pipes(20, seed=1))):
        assert isinstance(twin._backend, ByInterpreter)
        assert twin._backend.host is twin


@pytest.mark.parametrize("name", BACKENDS)
def test_a_name_is_that_of_a_folder(name):
    assert BACKENDS[name].__module__ == f"deepalgo.backends.{name}.backend"
