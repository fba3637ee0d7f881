"""One torch thread, fixed seeds, and tests that need a folder skipped with the reason where there is none."""

import os
import random
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch

torch.set_num_threads(1)

#: Seconds that a test may take on an idle machine without the mark `slow`.
MOST_SECONDS = 5.0
#: Rooms whose tests are about what a function means, whatever runs it: one test of four runs on native code, which LLVM takes long to
#: compile, and is marked slow; the others run on torch. `tests/backends/` holds the two against each other.
ON_EITHER = tuple(Path(__file__).parent / room for room in ("fuzz", "ops", "small", "stage", "storage", "tensorize"))
NATIVE_OF = 4
FOLDERS = {"corpus": "DEEPALGO_CORPUS", "data": "DEEPALGO_DATA"}


@pytest.fixture(autouse=True)
def _fixed_seeds():
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  # heuristics under test may use it
    torch.manual_seed(0)


def backend_of(item):
    """What the networks of a test run on, unless it says so itself; "" if that is as everywhere."""
    if not any(item.path.is_relative_to(room) for room in ON_EITHER):
        return ""
    return "torch" if zlib.crc32(item.nodeid.encode()) % NATIVE_OF else "native"


@pytest.fixture(autouse=True)
def _backend_of_the_room(request, monkeypatch):
    if backend := backend_of(request.node):
        monkeypatch.setenv("DEEPALGO_BACKEND", backend)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if backend_of(item) == "native":
            item.add_marker(pytest.mark.slow)
        for mark, variable in FOLDERS.items():
            folder = os.environ.get(variable)
            if item.get_closest_marker(mark) and not (folder and Path(folder).is_dir()):
                item.add_marker(pytest.mark.skip(reason=f"set {variable} to the folder of the {mark}"))


def pytest_terminal_summary(terminalreporter):
    """Name the tests that want the mark `slow`: they do not fail, as the time of a run depends on what else the machine does."""
    calls = [item for item in terminalreporter.getreports("passed") if item.when == "call" and item.duration > MOST_SECONDS]
    if long := [item for item in calls if not item.keywords.get("slow")]:
        terminalreporter.section(f"over {MOST_SECONDS:.0f} s without the mark slow")
        for item in sorted(long, key=lambda item: -item.duration):
            terminalreporter.write_line(f"{item.duration:.1f} s  {item.nodeid}")
