"""Two processes under torchrun end where one process ends, up to rounding."""

import subprocess
import sys

import pytest

from tests.fitting.test_fit_resume import ENVIRONMENT, WORKER

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1", "--nproc-per-node", "2"]


def numbers(command):
    result = subprocess.run(command, capture_output=True, text=True, env={**ENVIRONMENT, "GLOO_SOCKET_IFNAME": "lo"}, timeout=300)
    assert result.returncode == 0, result.stderr
    return [float.fromhex(word) for word in result.stdout.split()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["adam", "fresh", "folds"])
def test_two_processes_end_where_one_ends(kind):
    alone = numbers([*WORKER, "-", kind, "0"])
    side_by_side = numbers([*TORCHRUN, *WORKER[1:], "-", kind, "0"])
    assert side_by_side == pytest.approx(alone, rel=1e-6)
