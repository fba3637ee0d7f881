"""Work shared by threads: all of it is done, in order, and errors come out."""

import threading

import numpy as np
import pytest
import torch

from deepalgo.studies.cluster.kernels import team


@pytest.fixture(params=["torch's threads", "threads of our own"])
def crew(request, monkeypatch):
    if request.param == "threads of our own":
        monkeypatch.setattr(team, "_runtime", lambda: None)
    elif team._runtime() is None:
        pytest.skip("this torch runs without OpenMP")
    return request.param


@pytest.mark.parametrize("count", [0, 1, 2, 7, 64])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_parts_are_done_once_and_come_back_in_order(crew, count, threads):
    done = team.share(count, threads, lambda start, stop: list(range(start, stop)))
    assert sum(done, []) == list(range(count))


def test_several_threads_take_part(crew):
    both = threading.Barrier(2, timeout=20)
    who = team.share(2, 2, lambda start, stop: (both.wait(), threading.get_ident())[1])
    assert len(set(who)) == 2


def test_an_error_of_one_part_is_raised_after_the_others_are_done(crew):
    def work(start, stop):
        if start == 0:
            raise ValueError("the first part")
        return stop

    with pytest.raises(ValueError, match="the first part"):
        team.share(8, 2, work)
    assert sum(team.share(8, 2, lambda start, stop: stop - start)) == 8  # and the threads work on


def test_threads_of_torch_go_on_after_ours(crew):
    torch.set_num_threads(2)
    try:
        x = torch.arange(200_000, dtype=torch.float64)
        sums = team.share(4, 2, lambda start, stop: float(np.arange(1000.0).sum()))
        assert sums == [499_500.0] * 4
        assert (x * 2).sum().item() == 199_999 * 200_000
    finally:
        torch.set_num_threads(1)


@pytest.mark.parametrize("error", [OSError, AttributeError])
def test_a_torch_without_such_threads_is_noticed(monkeypatch, error):
    def load(path):
        raise error(path)

    monkeypatch.setattr(team.ctypes, "CDLL", load)
    assert team._runtime.__wrapped__() is None
