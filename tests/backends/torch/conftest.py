"""Tests of the torch backend compile for it."""

import pytest


@pytest.fixture(autouse=True)
def _torch(monkeypatch):
    monkeypatch.setenv("DEEPALGO_BACKEND", "torch")
