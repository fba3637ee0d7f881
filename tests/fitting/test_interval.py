"""Intervals of means and ratios hold the truth as often as they say, also of few, of skewed and of grouped numbers."""

import pytest
import torch

from deepalgo.fitting.judge.interval import FEW, few_interval, mean_interval, ratio_interval, student_quantile

RANDOM = torch.Generator().manual_seed(0)


def drawn(*shape):
    return torch.randn(*shape, generator=RANDOM, dtype=torch.float64)


def test_of_few_even_numbers_it_is_students():
    rows = torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]], dtype=torch.float64)
    low, high = few_interval(rows)
    reach = student_quantile(0.975, 4) * (2.5 / 5) ** 0.5
    assert (low.item(), high.item()) == pytest.approx((3 - reach, 3 + reach))


@pytest.mark.parametrize("size", [4, 8, 15])
def test_means_of_few_numbers_lie_within(size):
    for rows, truth, least in ((drawn(4000, size), 0.0, 0.94), (drawn(4000, size) ** 2, 1.0, 0.88)):
        low, high = few_interval(rows)
        assert covered(low, high, truth) >= least, (size, truth)
    reach = student_quantile(0.975, size - 1) * rows.std(1) / size**0.5
    alone = covered(rows.mean(1) - reach, rows.mean(1) + reach, truth)
    assert alone < covered(low, high, truth) - 0.03  # of squares, which are skewed, Student's holds the truth less often


def covered(low, high, truth):
    return ((low <= truth) & (truth <= high)).double().mean().item()


def test_groups_count_as_one():
    holds = {"groups": 0, "rows": 0}
    groups = torch.repeat_interleave(torch.arange(8), 10)
    for _ in range(60):
        values = drawn(8)[groups] + 0.2 * drawn(80)
        for name, given in (("groups", groups), ("rows", None)):
            low, high = mean_interval(values, given)
            holds[name] += low <= 0 <= high
    assert holds["groups"] >= 54 and holds["rows"] < 45


def test_groups_of_other_sizes_and_orders_change_nothing():
    groups = torch.tensor([0] * 5 + [1] * 2 + [2] * 9 + [3])
    values = drawn(len(groups))
    shuffled = torch.randperm(len(groups), generator=RANDOM)
    assert mean_interval(values, groups) == pytest.approx(mean_interval(values[shuffled], groups[shuffled]))
    low, high = mean_interval(values, groups)
    assert low < values.mean() < high


@pytest.mark.parametrize("count", [8, FEW + 10])
def test_a_ratio_lies_where_the_difference_may_be_zero(count):
    groups = torch.repeat_interleave(torch.arange(count), 5)
    below = (2 + 0.3 * drawn(count)[groups] + 0.1 * drawn(5 * count)) ** 2
    above = 0.25 * below * (1 + 0.1 * drawn(5 * count))
    low, high = ratio_interval(above, below, groups)
    assert 0.2 < low < (above.mean() / below.mean()).item() < high < 0.3
    if count < FEW:
        for ratio, side in ((low, 1), (high, -1)):
            one, other = mean_interval(above - ratio * (1 - side * 0.01) * below, groups)
            assert not one <= 0 <= other
            one, other = mean_interval(above - ratio * (1 + side * 0.01) * below, groups)
            assert one <= 0 <= other


def test_a_ratio_excludes_one_where_the_gain_excludes_zero():
    groups = torch.repeat_interleave(torch.arange(6), 3)
    for _ in range(100):
        before = (1 + drawn(6)[groups] + 0.1 * drawn(18)) ** 2
        after = (0.6 + 0.7 * drawn(6)[groups] + 0.1 * drawn(18)) ** 2
        low, high = ratio_interval(after, before, groups)
        gain_low, gain_high = mean_interval(before - after, groups)
        assert (gain_low > 0) == (high < 1 - 1e-9) and (gain_high < 0) == (low > 1 + 1e-9)


def test_nothing_to_compare_gives_no_number_that_misleads():
    one = torch.ones(5, dtype=torch.float64)
    assert ratio_interval(one, one) == (1.0, 1.0)
    assert mean_interval(one) == (1.0, 1.0)
    assert mean_interval(one[:1]) == (-torch.inf, torch.inf)
    assert ratio_interval(0 * one, one) == (0.0, 0.0)
