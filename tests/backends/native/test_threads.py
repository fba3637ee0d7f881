"""Threads that share samples last, and a fork, an exception or Ctrl-C leaves them usable."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

from deepalgo.backends.native import compile_kernel, threads
from deepalgo.backends.native.threads import share
from deepalgo.ir import parse

XS = np.linspace(0.0, 1.0, 20_000)


@pytest.fixture(scope="module")
def kernel():
    return compile_kernel(parse("f(x: real)\n  %y = mul %x %x\n  return %y"))


def squares(kernel, count=2):
    return kernel.run([XS], np.zeros(0), threads=count).results[0].tolist() == (XS * XS).tolist()


def test_threads_last_from_call_to_call(kernel):
    squares(kernel, 3)
    before = threading.active_count()
    assert all(squares(kernel, 3) for _ in range(20)) and threading.active_count() <= max(before, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of a benchmark's JAX, which no test needs
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_has_threads_of_its_own(kernel):
    assert squares(kernel)
    child = os.fork()
    if not child:
        os._exit(0 if squares(kernel) and squares(kernel, 3) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert squares(kernel)


def test_an_exception_of_any_part_arrives(kernel):
    def work(part):
        if part == 1:
            raise ValueError("part 1")
        return part

    with pytest.raises(ValueError, match="part 1"):
        share(work, [0, 1, 2])
    assert share(work, [0, 2, 3]) == [0, 2, 3] and squares(kernel)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_leaves_threads_usable(kernel):
    started = threading.Event()

    def work(part):
        started.set()
        time.sleep(0.3 if part else 0.0)
        return part

    def interrupted():
        share(work, [0, 1])
        time.sleep(1.0)

    timer = threading.Thread(target=lambda: (started.wait(), time.sleep(0.1), signal.raise_signal(signal.SIGINT)))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    timer.join()
    assert squares(kernel) and share(work, [0, 1]) == [0, 1]


def test_more_threads_are_started_when_more_are_asked_for():
    share(lambda part: part, [1, 2])
    assert share(lambda part: part, [*range(7)]) == [*range(7)]
    assert threads._pools[-1]._max_workers >= 7
