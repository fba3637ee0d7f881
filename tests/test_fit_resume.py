"""A fit that is interrupted loses nothing: killed and resumed it ends with the same bits, and Ctrl-C keeps the best so far."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import deepalgo as da
from deepalgo.fitting.checkpoint import Checkpoint

WORKER = [sys.executable, str(Path(__file__).parent / "fit_worker.py")]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "OMP_NUM_THREADS": "1"}


def line(x):
    return 2.0 * x + 1.0


X = torch.linspace(-2, 3, 200, dtype=torch.float64)


def whole(path, kind):
    return subprocess.run([*WORKER, path, kind, "0"], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "times"), [("adam", 3), ("lbfgs", 1), ("fresh", 1)])
def test_a_run_that_is_killed_and_resumed_ends_with_the_same_bits(kind, times, tmp_path):
    wanted = whole("-", kind)
    path = tmp_path / "fit.pt"
    chance = random.Random(kind)
    kills = 0
    while kills < times:
        before = path.stat().st_mtime_ns if path.exists() else 0
        process = subprocess.Popen([*WORKER, str(path), kind, "0.02"], stdout=subprocess.PIPE, env=ENVIRONMENT)
        try:
            wait_for(lambda: path.exists() and path.stat().st_mtime_ns > before or process.poll() is not None)
            if process.poll() is not None:
                break
            time.sleep(chance.uniform(0, 0.8))
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        kills += 1
    assert kills == times
    assert whole(str(path), kind) == wanted


def wait_for(condition, seconds=90):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


def test_a_checkpoint_of_another_fit_is_refused(tmp_path):
    path = tmp_path / "fit.pt"
    da.fit(da.compile(line), X, targets=3.0 * X, steps=5, checkpoint=path)
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), X, targets=4.0 * X, steps=5, checkpoint=path)
    assert str(error.value) == f"{path} belongs to a fit with other data, weights or settings: remove it, or name another file"
    path.write_bytes(b"something else")
    with pytest.raises(da.InputError, match="is not a checkpoint of a fit: remove it, or name another file"):
        da.fit(da.compile(line), X, targets=4.0 * X, steps=5, checkpoint=path)


def test_a_checkpoint_is_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "fit.pt"
    Checkpoint(path, "f").keep("stage", {"step": 1}, now=True)

    def breaks(content, file):
        file.write(b"half of it")
        raise OSError("disk full")

    monkeypatch.setattr(torch, "save", breaks)
    with pytest.raises(OSError, match="disk full"):
        Checkpoint(path, "f").keep("stage", {"step": 2}, now=True)
    assert Checkpoint(path, "f").state("stage") == {"step": 1}


def test_control_c_keeps_the_best_so_far():
    seen = []

    def loss(output, target):
        seen.append(1)
        if len(seen) == 80:
            raise KeyboardInterrupt
        return (output - target) ** 2

    fit = da.fit(da.compile(line), X, targets=3.0 * X - 0.5, loss=loss, steps=100, rate=0.05)
    assert fit.rungs[-1].training["interrupted"]
    assert 10 < fit.rungs[-1].training["progress"].step < 100
    assert fit.improved
    assert fit.rungs[-1].test.mean() < fit.rungs[0].test.mean()
