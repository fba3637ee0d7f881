"""Pages that take more than a few seconds, most of them for Numba to compile, are marked slow."""

import pytest

SLOW = ("guide/cluster.md",)


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.as_posix().endswith(tuple(f"docs/{page}" for page in SLOW)):
            item.add_marker(pytest.mark.slow)
