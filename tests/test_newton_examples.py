"""The classes of engineering: trained Newton is closer at equal rounds."""

import pytest

from examples import newton_classes


@pytest.mark.slow
def test_trained_newton_is_closer_at_equal_rounds():
    row = newton_classes.study("Peng-Robinson", steps=40, count=400)
    assert row["trained"] < 0.01 * row["plain"] and row["equal"] >= 1
