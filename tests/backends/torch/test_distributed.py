"""`DistributedDataParallel` trains networks without a flag, although samples of one process may leave weights unused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import deepalgo as da
from deepalgo.backends.torch.runtime.reach_all import reach_all
from tests.backends.torch.ddp_worker import heuristic

ROOT = Path(__file__).parents[3]
WORKER = [sys.executable, "-m", "tests.backends.torch.ddp_worker"]
ENVIRONMENT = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}


def numbers(path, kind, size):
    """Weights and gradients of each of so many processes."""
    runs = [subprocess.Popen([*WORKER, str(path), str(rank), str(size), kind], cwd=ROOT, env=ENVIRONMENT, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(size)]
    try:
        found = [run.communicate(timeout=120) for run in runs]
    finally:
        for run in runs:
            run.kill()
    assert all(run.returncode == 0 for run in runs), "\n".join(text for _, text in found)
    return [[float.fromhex(word) for word in text.split()] for text, _ in found]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["torch", "native", "scaled"])
def test_two_processes_go_where_one_goes_without_a_flag(tmp_path, kind):
    first, second = numbers(tmp_path / "two", kind, 2)
    assert first == second
    (alone,) = numbers(tmp_path / "one", kind, 1)
    assert first == pytest.approx(alone, rel=1e-9)


def test_results_keep_every_bit_and_every_weight_has_a_gradient():
    edges = torch.tensor([-0.0, torch.nan, torch.inf, 5e-324], dtype=torch.float64)
    weights = [torch.tensor(number, dtype=torch.float64, requires_grad=True) for number in (2.0, torch.inf, torch.nan)]
    kinds = [edges, edges.to(torch.complex128), torch.tensor([True, False, True, False])]
    found = reach_all(kinds, weights)
    assert all(before.numpy().tobytes() == after.detach().numpy().tobytes() for before, after in zip(kinds, found, strict=True))
    (found[0].sum() + found[1].abs().sum()).backward()
    assert [weight.grad.item() for weight in weights] == [0.0, 0.0, 0.0]


def test_weights_that_stay_and_calls_without_gradient_are_left_alone():
    result = torch.ones(2)
    still = torch.tensor(1.0)
    assert reach_all([result], [still])[0] is result
    with torch.no_grad():
        assert reach_all([result], [still.clone().requires_grad_()])[0] is result


@pytest.fixture
def group(tmp_path, monkeypatch):
    """This process as a group of its own."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group("gloo", init_method=f"file://{tmp_path / 'group'}", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def train(module):
    shared = DistributedDataParallel(module)
    x = torch.tensor([-1.0, -0.5], dtype=torch.float64)  # which take one arm
    for _ in range(2):
        shared(x).sum().backward()


@pytest.mark.parametrize("backend", ["torch", "native"])
@pytest.mark.parametrize("make", [lambda net: net, da.scaled], ids=["network", "scaled"])
def test_weights_of_arms_that_nobody_takes_are_waited_for(group, backend, make):
    module = make(da.compile(heuristic, backend=backend))
    train(torch.nn.Sequential(module))
    gradients = {key: module.weights[key].grad for key in module.weights if module.weights[key].requires_grad}
    assert {key for key, gradient in gradients.items() if gradient != 0} == {"start", "flat"}


def test_gradients_of_unused_weights_share_no_memory():
    weights = [torch.tensor(number, requires_grad=True) for number in (2.0, 3.0, 4.0)]
    reach_all([torch.zeros(2)], weights)[0].sum().backward()
    assert len({weight.grad.data_ptr() for weight in weights}) == 3
