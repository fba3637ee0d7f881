"""Tests of native code ask for it, and hold it against networks on torch."""

import pytest


@pytest.fixture(autouse=True)
def _others_on_torch(monkeypatch):
    monkeypatch.setenv("DEEPALGO_BACKEND", "torch")
