"""Every small function of the list is right or refused, and few are refused."""

import pytest

from tests.small.catalogue import catalogue
from tests.small.compare import judge

FUNCTIONS = catalogue()
MOST_REFUSED = 0.08
refused: list[str] = []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_small_function_is_right_or_refused(name):
    verdict = judge(FUNCTIONS[name])
    assert verdict.word in ("right", "refused"), f"{verdict.reason}: {verdict.detail}"
    if verdict.word == "refused":
        refused.append(name)
        assert "on every input" not in verdict.reason, verdict.detail


def test_few_small_functions_are_refused():
    assert len(refused) <= MOST_REFUSED * len(FUNCTIONS), refused
