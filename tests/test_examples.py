"""The examples run, and the numbers that the README quotes are the numbers that they print."""

import re
from pathlib import Path

import pytest

from examples import demo

README = Path(__file__).parent.parent / "README.md"


def test_the_demo_improves_the_formula_on_pipes_it_has_not_seen(capsys):
    before, after = demo.main(count=200, steps=60)
    assert after < 0.8 * before
    assert capsys.readouterr().out.endswith(f"{before:.2f} % as published, {after:.2f} % trained.\n")


@pytest.mark.slow
def test_the_readme_quotes_what_the_demo_prints(capsys):
    before, after = demo.main()
    quoted = re.search(r"`make demo` brings its relative rms error from ([\d.]+) % to\s+([\d.]+) %", README.read_text())
    assert quoted.groups() == (f"{before:.2f}", f"{after:.2f}")
