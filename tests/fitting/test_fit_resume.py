"""A fit that is interrupted loses nothing: killed and resumed it ends with the same bits, and Ctrl-C keeps the best so far."""

import errno
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import deepalgo as da
from deepalgo.fitting.checkpoint import Checkpoint, unpacked
from tests import altered_checkpoints

WORKER = [sys.executable, str(Path(__file__).parent / "fit_worker.py")]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1"}


def line(x):
    return 2.0 * x + 1.0


X = torch.linspace(-2, 3, 200, dtype=torch.float64)


def whole(path, kind):
    return subprocess.run([*WORKER, path, kind, "0"], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "times"), [("adam", 3), ("lbfgs", 1), ("fresh", 1), ("folds", 3)])
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
    assert str(error.value) == (
        f"{path} belongs to a fit with other data, weights or settings, or by another version of deepalgo: remove it, or name another file"
    )
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
    with pytest.warns(UserWarning, match="disk full"):
        Checkpoint(path, "f").keep("stage", {"step": 2}, now=True)
    assert Checkpoint(path, "f").state("stage") == {"step": 1}
    assert [item.name for item in tmp_path.iterdir()] == ["fit.pt"]


def fitted(path, **options):
    return da.fit(da.compile(line), X, targets=3.0 * X, steps=20, checkpoint=path, **options)


def test_a_checkpoint_that_cannot_be_written_on_the_way_costs_the_checkpoint_and_not_the_run(tmp_path, monkeypatch):
    wanted = fitted(None).network.state_dict()

    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("deepalgo.fitting.checkpoint.replace_file", full)
    path = tmp_path / "fit.pt"
    words = f"the checkpoint {path} was not written: No space left on device. Training goes on without it."
    with pytest.warns(UserWarning, match=f"^{re.escape(words)}$"):
        found = fitted(path).network.state_dict()
    assert found == wanted and not path.exists()


def refused(path):
    """The words with which a fit refuses a checkpoint, before it computes a loss for a step."""
    with pytest.raises(da.InputError) as error:
        fitted(path)
    return str(error.value)


def test_a_place_that_cannot_be_written_to_is_noticed_before_training_starts(tmp_path, monkeypatch):
    monkeypatch.setattr("deepalgo.fitting.competition.Problem", None)
    lost = tmp_path / "absent" / "fit.pt"
    assert refused(lost) == f"the checkpoint {lost} has no folder to be in: make {lost.parent} first, or name another file"
    assert refused(tmp_path) == f"the checkpoint {tmp_path} is a folder: name a file"

    def forbidden(**options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", forbidden)
    path = tmp_path / "fit.pt"
    assert refused(path) == f"the checkpoint {path} cannot be written (Permission denied): name another file"


def test_a_checkpoint_without_a_checksum_is_still_read(tmp_path):
    path = tmp_path / "fit.pt"
    wanted = fitted(path).network.state_dict()
    torch.save(unpacked(path.read_bytes()), path)
    assert path.read_bytes().startswith(b"PK")
    assert fitted(path).network.state_dict() == wanted


@pytest.mark.parametrize("seed", range(3))
def test_an_altered_checkpoint_is_refused_in_one_sentence_or_goes_on(seed, tmp_path):
    counts = altered_checkpoints.outcomes(40, seed, tmp_path / "fit.pt")
    assert set(counts) <= {"refused as altered", "refused as no checkpoint", "goes on"}
    assert counts["refused as altered"] > 5 and counts["refused as no checkpoint"] > 5


def test_control_c_keeps_the_best_so_far():
    seen = []

    def loss(output, target):
        seen.append(1)
        if len(seen) == 80:
            raise KeyboardInterrupt
        return (output - target) ** 2

    fit = da.fit(da.compile(line), X, targets=3.0 * X - 0.5, loss=loss, steps=100, search=da.SearchOptions(rate=0.05))
    assert fit.contenders[-1].training["interrupted"]
    assert 10 < fit.contenders[-1].training["progress"].step < 100
    assert fit.improved
    assert fit.contenders[-1].test.mean() < fit.contenders[0].test.mean()
