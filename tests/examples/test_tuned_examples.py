"""Every tuned example reaches the figure it names, on samples that it has not seen."""

import importlib
from pathlib import Path

import pytest

import examples.tuned

NAMES = sorted(path.stem for path in Path(examples.tuned.__file__).parent.glob("*.py") if path.stem not in ("__init__", "compare"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_tuned_example_keeps_its_word(name, capsys):
    rows = importlib.import_module(f"examples.tuned.{name}").main()
    assert f"{rows[1]:.3g}" in capsys.readouterr().out
