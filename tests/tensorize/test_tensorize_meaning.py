"""What each transformation does, beyond giving the same answers at birth."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.tensorize.choose import NewHeuristic


def root(s):
    x = 1.0
    for _ in range(3):
        x = x - 0.9 * (x * x - s) / (2.0 * x)
    return x


def halve(x):
    count = 0.0
    while x > 1.0:
        x = 0.5 * x
        count = count + 1.0
    return x, count


def newton(a, b):
    """Solves x * y = a, x + y = b with the whole Jacobian, in NumPy."""
    x = np.array([1.0, 3.0])
    for _ in range(3):
        f = np.array([x[0] * x[1] - a, x[0] + x[1] - b])
        jacobian = np.array([[x[1], x[0]], [1.0, 1.0]])
        step = np.linalg.solve(jacobian, f)
        x = x - step
    return x


def distance(x, y):
    gap = x - y
    return np.sqrt(np.sum(gap * gap))


def set_weight(net, key, value):
    with torch.no_grad():
        net.weights[key].copy_(torch.as_tensor(value, dtype=torch.float64))


S = torch.linspace(0.5, 9.0, 40, dtype=torch.float64)
PAIRS = torch.randn(20, 2, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
X, Y = PAIRS[:, 0], PAIRS[:, 1]


def vectors():
    return da.compile(distance, example=((np.zeros(5), np.zeros(5)), {}))


# untie


def test_each_round_reads_its_own_row():
    net = da.untie(da.compile(root))

    def by_hand(s):
        x = 1.0
        for factor in (0.5, 0.7, 1.1):
            x = x - factor * (x * x - s) / (2.0 * x)
        return x

    key = next(weight.key for weight in net.program.weights if weight.value == (0.9, 0.9, 0.9))
    set_weight(net, key, [0.5, 0.7, 1.1])
    assert net(3.0).item() == pytest.approx(by_hand(3.0), rel=1e-14)


def test_rounds_beyond_the_last_row_share_it():
    net = da.untie(da.compile(halve), "x", rounds=2)
    (key,) = [weight.key for weight in net.program.weights if weight.value == (0.5, 0.5)]
    set_weight(net, key, [0.5, 0.25])
    assert net(100.0)[0].item() == 100.0 * 0.5 * 0.25**3
    assert net(100.0)[1].item() == 4.0


def test_a_weight_in_the_test_of_a_loop_has_a_row_for_every_time_it_is_asked():
    net = da.untie(da.compile(halve), rounds=3)
    (key,) = [weight.key for weight in net.program.weights if weight.role == "threshold"]
    assert net.weights[key].shape == (3,)
    set_weight(net, key, [1.0, 1.0, 30.0])
    assert net(100.0)[0].item() == 25.0


def test_a_loop_that_may_break_gets_no_more_rows_than_rounds():
    def search(x):
        for _ in range(3):
            x = 0.5 * x
            if x < 1.0:
                break
        return x

    net = da.untie(da.compile(search))
    assert {tuple(net.weights[key].shape) for key in net.weights} == {(3,)}


def test_calls_of_a_helper_get_their_own_weights_and_rounds_after_that():
    def damp(x):
        for _ in range(2):
            x = 0.5 * x
        return x

    def twice(x):
        return damp(damp(x) + 1.0)

    net = da.compile(twice)
    calls = da.untie(net, "calls")
    (key,) = [weight.key for weight in net.program.weights if weight.value == 0.5]
    assert calls.weights[key].shape == (2,)
    both = da.untie(net)
    assert sum(both.weights[key].numel() for key in both.weights) == 5
    at_line = da.untie(net, next(loop.span.line for loop in net.program.body.body if hasattr(loop, "count")))
    assert sum(at_line.weights[key].numel() for key in at_line.weights) == 5


def test_only_named_weights_are_untied():
    net = da.untie(da.compile(root), weights=[da.compile(root).program.weights[1].key])
    assert sorted(net.weights[key].dim() for key in net.weights)[-1] == 1
    assert sum(net.weights[key].dim() for key in net.weights) == 1


# widen


STRUCTURES = [da.Scalar(), da.Diagonal(), da.Dense(), da.Toeplitz(3), da.LowRank(2), da.Product(da.Toeplitz(3), 2),
              da.Product(da.Dense(), da.Diagonal(), da.LowRank(1))]


def matrix_of(structure, net, prefix="gap"):
    """The matrix by which a widened signal is multiplied, found by probing the network's operator."""
    (parts,) = [{weight.key.removeprefix(f"{prefix}_{structure.name}").removeprefix("_"): net.weights[weight.key].detach()
                 for weight in net.program.weights}]
    match structure:
        case da.Scalar():
            return parts[""] * torch.eye(5, dtype=torch.float64)
        case da.Diagonal():
            return torch.diag(parts[""])
        case da.Dense():
            return parts[""]
        case da.Toeplitz():
            return sum(torch.diag(tap.expand(5 - abs(shift)), shift) for shift, tap in zip((-1, 0, 1), parts[""], strict=True))
        case da.LowRank():
            return parts[""] * torch.eye(5, dtype=torch.float64) + parts["left"] @ parts["right"]


@pytest.mark.parametrize("structure", STRUCTURES[:5], ids=repr)
def test_a_widened_signal_is_multiplied_by_the_structured_matrix(structure):
    net = da.widen(vectors(), "gap", structure)
    generator = torch.Generator().manual_seed(2)
    for key in net.weights:
        set_weight(net, key, torch.randn(net.weights[key].shape, generator=generator))
    matrix = matrix_of(structure, net)
    assert torch.allclose(net(X, Y), ((X - Y) @ matrix.T).norm(dim=1), rtol=1e-12)


def falling(x):
    rate = da.weight(0.5, "rate")
    return np.sum(-rate * x * np.array([0.25, 2.0, 1.0]))


@pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
def test_a_number_that_is_negated_before_it_multiplies_keeps_its_sign(structure):
    net = da.widen(da.compile(falling, example=((np.ones(3),), {})), "rate", structure)
    assert torch.allclose(net(X[:, :3]), torch.tensor([falling(row) for row in X[:, :3].numpy()]), rtol=1e-12)


def by_ellipsis(x):
    rates = da.weight(np.array([0.5, 1.5, 2.5]), "rates")
    return np.sum((rates[..., 0] * x - rates[-1] * x) * np.array([0.25, 2.0, 1.0]))


def by_slices(x):
    rates = da.weight(np.array([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]]), "rates")
    return np.sum((rates[..., 1][0] * x + rates[1][::-1][0] * x - -rates[1, 2] * x) * np.array([0.25, 2.0, 1.0]))


@pytest.mark.parametrize("structure", [da.Diagonal(), da.Dense(), da.LowRank(2)], ids=repr)
@pytest.mark.parametrize("function", [by_ellipsis, by_slices])
def test_a_table_is_widened_however_its_numbers_are_taken(function, structure):
    net = da.widen(da.compile(function, example=((np.ones(3),), {})), "rates", structure)
    assert torch.allclose(net(X[:, :3]), torch.tensor([function(row) for row in X[:, :3].numpy()]), rtol=1e-12)


def test_dense_is_the_mahalanobis_distance():
    net = da.widen(vectors(), "gap", da.Dense())
    root_of_metric = torch.randn(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    set_weight(net, "gap_dense", root_of_metric)
    metric = root_of_metric.T @ root_of_metric
    expected = torch.einsum("bi,ij,bj->b", X - Y, metric, X - Y).sqrt()
    assert torch.allclose(net(X, Y), expected, rtol=1e-12)


def test_toeplitz_is_a_convolutional_layer():
    net = da.widen(vectors(), "gap", da.Toeplitz(3))
    kernel = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    set_weight(net, "gap_toeplitz", kernel)
    layer = torch.nn.functional.conv1d((X - Y)[:, None], kernel[None, None], padding=1)[:, 0]
    assert torch.allclose(net(X, Y), layer.norm(dim=1), rtol=1e-12)


def test_block_toeplitz_is_a_two_dimensional_convolution():
    def energy(image):
        edges = image - 0.5
        return np.sum(edges * edges)

    net = da.widen(da.compile(energy, example=((np.zeros((4, 6)),), {})), "edges", da.BlockToeplitz((3, 5)))
    image = torch.randn(7, 4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(4))
    kernel = torch.randn(3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    set_weight(net, "edges_blocktoeplitz", kernel)
    layer = torch.nn.functional.conv2d(image[:, None] - 0.5, kernel[None, None], padding=(1, 2))[:, 0]
    assert torch.allclose(net(image), (layer**2).sum(dim=(1, 2)), rtol=1e-12)


def test_a_number_that_multiplies_a_vector_becomes_a_matrix_with_the_number_on_its_diagonal():
    def relax(x):
        return x - 0.25 * x

    net = da.compile(relax, example=((np.zeros(3),), {}))
    (key,) = net.weights
    net = da.widen(net, key, da.Dense())
    assert torch.equal(net.weights[key], 0.25 * torch.eye(3, dtype=torch.float64))
    matrix = torch.arange(9.0, dtype=torch.float64).reshape(3, 3)
    set_weight(net, key, matrix)
    x = torch.randn(4, 3, dtype=torch.float64)
    assert torch.allclose(net(x), x - x @ matrix.T)


def test_kronecker_copies_have_weights_of_their_own_and_meet_in_their_mean():
    net = da.widen(da.widen(vectors(), "gap", da.Dense()), "gap", da.Kronecker(3))
    assert net.weights["gap_dense_copies"].shape == (3, 5, 5)
    assert torch.allclose(net(X, Y), vectors()(X, Y), rtol=1e-12, atol=0)
    matrices = torch.randn(3, 5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(6))
    set_weight(net, "gap_dense_copies", matrices)
    expected = torch.stack([((X - Y) @ matrix.T).norm(dim=1) for matrix in matrices]).mean(dim=0)
    assert torch.allclose(net(X, Y), expected, rtol=1e-12)


def test_copies_may_meet_where_the_user_says_and_others_still_see_the_signal():
    def scores(x, y):
        gap = x - 0.5 * y
        near = np.exp(-np.sum(gap * gap))
        return near, gap

    plain = da.compile(scores, example=((np.zeros(5), np.zeros(5)), {}))
    with pytest.raises(da.TensorizeError):
        da.widen(plain, "gap", da.Kronecker(2))
    net = da.widen(plain, "gap", da.Kronecker(2), until="near")
    set_weight(net, "gap_turn", torch.tensor([[1.0] * 5, [0.0] * 5]))
    gap = X - 0.5 * Y
    near = (torch.exp(-4 * (gap**2).sum(dim=1)) + torch.exp(-((gap**2).sum(dim=1)))) / 2
    assert torch.allclose(net(X, Y)[0], near)
    assert torch.equal(net(X, Y)[1], gap)


@pytest.mark.parametrize("optimiser", [torch.optim.SGD, torch.optim.Adam])
@pytest.mark.parametrize("structure", [da.Kronecker(3), da.Product(da.Toeplitz(3), 3)], ids=repr)
def test_equal_copies_part_with_the_first_steps(structure, optimiser):
    net = da.widen(da.widen(vectors(), "gap", da.Toeplitz(3)), "gap", structure)
    steps = optimiser(net.parameters(), lr=1e-2)
    for _ in range(3):
        steps.zero_grad()
        ((net(X, Y) - 1.0) ** 2).sum().backward()
        steps.step()
    if isinstance(structure, da.Kronecker):
        copies = [torch.cat([net.weights["gap_toeplitz_copies"][k], net.weights["gap_turn"][k]]) for k in range(3)]
    else:
        copies = [net.weights[f"gap_product{part}"] for part in ("", "_2", "_3")]
    for first, second in ((0, 1), (1, 2), (0, 2)):
        assert (copies[first] - copies[second]).abs().max() > 1e-6


# remember


def test_the_value_of_earlier_rounds_enters_and_before_the_first_round_it_is_the_start():
    net = da.remember(da.compile(root), "x", depth=2)
    set_weight(net, "x_memory", [0.01, -0.02])

    def by_hand(s):
        x, ago1, ago2 = 1.0, 1.0, 1.0
        for _ in range(3):
            new = x - 0.9 * (x * x - s) / (2.0 * x) + 0.01 * ago1 - 0.02 * ago2
            x, ago1, ago2 = new, x, ago1
        return x

    assert net(3.0).item() == pytest.approx(by_hand(3.0), rel=1e-14)


def test_a_vector_is_remembered_by_a_matrix():
    net = da.remember(da.compile(newton), "x", depth=1)
    assert net.weights["x_memory"].shape == (1, 2, 2)
    matrix = torch.tensor([[0.1, 0.2], [-0.1, 0.05]], dtype=torch.float64)
    set_weight(net, "x_memory", matrix[None])

    def by_hand(a, b):
        x = ago = np.array([1.0, 3.0])
        for _ in range(3):
            f = np.array([x[0] * x[1] - a, x[0] + x[1] - b])
            step = np.linalg.solve(np.array([[x[1], x[0]], [1.0, 1.0]]), f)
            x, ago = x - step + matrix.numpy() @ ago, x
        return x

    assert np.allclose(net(2.0, 4.0).detach(), by_hand(2.0, 4.0), rtol=1e-12)


def test_infinite_history_counts_as_zero():
    def least(a):
        best = math.inf
        for k in range(4):
            best = min(best, (a - k) ** 2)
        return best

    net = da.compile(least)
    grown = da.remember(net, "best", depth=3)
    assert torch.equal(grown(S), net(S))
    grown(S).sum().backward()
    assert bool(torch.isfinite(grown.weights["best_memory"].grad).all())


# choose


def size(x, s):
    return abs(x * x - s)


def test_the_smallest_criterion_wins_and_only_the_winner_has_a_gradient():
    net = da.choose(da.compile(root), "x", steps=(0.25, 1.0, 1.75), by=size, heuristic=root)
    net(S).sum().backward()
    assert net(S).shape == S.shape

    def by_hand(s):
        x, wins = 1.0, []
        for _ in range(3):
            step = -0.9 * (x * x - s) / (2.0 * x)
            candidates = [x + factor * step for factor in (0.25, 1.0, 1.75)]
            wins.append(min(range(3), key=lambda k: size(candidates[k], s)))
            x = candidates[wins[-1]]
        return x, wins

    assert torch.allclose(net(S), torch.tensor([by_hand(s)[0] for s in S.tolist()], dtype=torch.float64), rtol=1e-12)
    won = {win for s in S.tolist() for win in by_hand(s)[1]}
    assert set(net.weights["x_steps"].grad.nonzero().flatten().tolist()) <= won


def test_new_values_are_announced_as_a_new_heuristic():
    with pytest.warns(NewHeuristic) as caught:
        da.choose(da.compile(root), "x", steps=(0.5, 1.0), by=size)
    assert str(caught[0].message) == (
        "the candidates for `x` have values of their own, so this is a new heuristic: "
        "choose(..., heuristic=...) takes it written out by hand, and verify compares with that"
    )


def test_the_certificate_compares_with_the_new_heuristic_written_out_by_hand():
    def searched(s):
        x = 1.0
        for _ in range(3):
            new = x - 0.9 * (x * x - s) / (2.0 * x)
            x = min([x + 0.5 * (new - x), new], key=lambda x: abs(x * x - s))
        return x

    net = da.choose(da.compile(root), "x", steps=(0.5, 1.0), by=size, heuristic=searched)
    assert net.verify(S, gradients=False).compared == 40


def test_the_unchanged_original_stays_a_candidate_after_training():
    net = da.choose(da.compile(root), "x", steps=(1.0,), by=size)
    for key in net.weights:
        set_weight(net, key, torch.full_like(net.weights[key], 7.0))
    set_weight(net, next(iter(net.weights)), 1.0)  # the start is no part of a step
    plain = da.compile(root)
    assert bool((size(net(S), S) <= size(plain(S), S) * (1 + 1e-12)).all())
    alone = da.choose(da.compile(root), "x", steps=(1.0,), by=size, keep=False)
    for key in list(alone.weights)[1:]:
        set_weight(alone, key, torch.full_like(alone.weights[key], 7.0))
    assert bool((size(alone(S), S) > size(plain(S), S)).any())


def test_later_transformations_leave_the_original_candidate_alone():
    def root(s):
        x = 1.0
        for _ in range(3):
            step = -0.9 * (x * x - s) / (2.0 * x)
            x = x + step
        return x

    plain = da.compile(root)
    net = da.correct(da.widen(da.choose(plain, "x", steps=(1.0,), by=size), "step", da.Scalar()), "step", hidden=2)
    net = da.untie(net)
    generator = torch.Generator().manual_seed(0)
    for key in net.weights:
        if "start" not in key and net.program.weights[0].key != key:
            set_weight(net, key, torch.randn(net.weights[key].shape, generator=generator) * 3)
    assert bool((size(net(S), S) <= size(plain(S), S) * (1 + 1e-9)).all())


def test_candidates_that_fail_or_are_no_number_lose():
    def plan(x):
        y = x + 1.0
        return y

    net = da.choose(da.compile(plan), "y", lambda y: math.log(y - 2.0), lambda y: 1.0 / (y - 3.0), by=lambda y: abs(y), heuristic=plan)
    inputs = torch.tensor([0.5, 2.0, 1.5], dtype=torch.float64)
    expected = []
    for x in inputs.tolist():
        found = [x + 1.0]
        if x + 1.0 > 2.0:
            found.append(math.log(x - 1.0))
        if x != 2.0:
            found.append(1.0 / (x - 2.0))
        expected.append(min(found, key=abs))
    assert torch.allclose(net(inputs), torch.tensor(expected, dtype=torch.float64))


def test_what_is_checked_behind_a_choice_is_no_part_of_it():
    def plan(x, y):
        load = 2.0 * x + math.sqrt(x)
        total = load + 1.0 / y
        if total > 3.0:
            raise ValueError("too much")
        return load

    net = da.compile(plan, errors="nan")
    grown = da.choose(net, "load", da.Scales("load", (1.0, 1.0)), by=abs)
    inputs = [torch.tensor([0.5, -1.0, 2.0, 0.1], dtype=torch.float64), torch.tensor([1.0, 1.0, 1.0, 0.0], dtype=torch.float64)]
    assert grown.outcomes(inputs)[1] == net.outcomes(inputs)[1] == [None, "ValueError", "ValueError", "ZeroDivisionError"]
    assert torch.equal(grown(*inputs)[0], net(*inputs)[0])


def test_sets_make_their_cartesian_product():
    def root(s):
        x = 1.0
        for _ in range(3):
            step = -(x * x - s) / (2.0 * x)
            x = x + step
        return x

    sets = da.Scales("step", (0.5, 1.0)), da.Adds("step", (0.0, 0.1, 0.2)), da.Adds("x", (0.0, 0.01))
    net = da.choose(da.compile(root), "x", *sets, by=size, heuristic=root)

    def by_hand(s):
        x = 1.0
        for _ in range(3):
            step = -(x * x - s) / (2.0 * x)
            found = [x + a * step + b * (a * step) + c * x for a in (0.5, 1.0) for b in (0.0, 0.1, 0.2) for c in (0.0, 0.01)]
            x = min([*found, x + step], key=lambda x: size(x, s))
        return x

    assert torch.allclose(net(S), torch.tensor([by_hand(s) for s in S.tolist()], dtype=torch.float64), rtol=1e-12)


# guard


def test_no_sample_is_ever_worse_off_than_with_the_heuristic():
    plain = da.compile(root)
    grown = da.correct(da.remember(da.untie(plain), "x"), "x", hidden=3)
    net = da.guard(grown, by=lambda x, s: abs(x * x - s))
    before = size(plain(S), S).detach()
    better = 0
    birth = {key: net.weights[key].detach().clone() for key in net.weights}
    for seed in range(25):
        generator = torch.Generator().manual_seed(seed)
        for key in net.weights:
            noise = torch.randn(net.weights[key].shape, generator=generator, dtype=torch.float64)
            set_weight(net, key, birth[key] + (0.03, 1.0, 100.0)[seed % 3] * noise)
        after = size(net(S), S).detach()
        assert bool((after <= before).all())
        better += int((after < before).sum())
    assert better > 0


def test_a_network_that_fails_or_never_ends_has_the_heuristic_to_fall_back_on():
    def shrink(x):
        while x > 1.0:
            x = 0.5 * x
        return math.log(x)

    plain = da.compile(shrink)
    net = da.guard(plain, by=lambda y: abs(y))
    inputs = torch.tensor([0.5, 3.0, 40.0], dtype=torch.float64)
    (factor,) = [key for key in net.weights if net.weights[key].item() == 0.5]
    set_weight(net, factor, 1.0)
    assert torch.equal(net(inputs), plain(inputs))
    set_weight(net, factor, -1.0)
    assert torch.equal(net(inputs), plain(inputs))


def test_a_criterion_may_ask_for_arguments_that_hold_several_inputs():
    def fit(points, slope):
        return 0.5 * slope + 0.1 * points[0]

    net = da.compile(fit, example=(([1.0, 2.0, 3.0], 2.0), {}))
    guarded = da.guard(net, by=lambda y, points, slope: abs(points[0] * y - points[2]) + 0.0 * slope)
    set_weight(guarded, next(iter(guarded.weights)), 1.5)
    assert guarded([1.0, 2.0, 3.0], 2.0).item() == pytest.approx(3.1)
    set_weight(guarded, next(iter(guarded.weights)), -5.0)
    assert guarded([1.0, 2.0, 3.0], 2.0).item() == pytest.approx(1.1)


def test_what_grows_behind_a_guard_leaves_the_heuristic_alone():
    plain = da.compile(root)
    net = da.correct(da.remember(da.guard(plain, by=lambda x, s: abs(x * x - s)), "x"), "x", hidden=2)
    assert torch.equal(net(S), plain(S))
    for key in net.weights:
        set_weight(net, key, torch.full_like(net.weights[key], 2.0))
    assert bool((size(net(S), S) <= size(plain(S), S)).all())


# soften


def tariff(use):
    if use > 100.0:
        return 0.25 * use
    return 0.3 * use


def test_a_threshold_moves_towards_the_better_side():
    use = torch.linspace(0, 200, 401, dtype=torch.float64)
    wanted = torch.where(use > 120.0, 0.25 * use, 0.3 * use)
    net = da.soften(da.compile(tariff), use)
    assert torch.equal(net(use), da.compile(tariff)(use))
    (key,) = [weight.key for weight in net.program.weights if weight.role == "threshold"]
    ((net(use) - wanted) ** 2).sum().backward()
    assert net.weights[key].grad.item() < 0


def test_a_soft_network_blends_and_anneals_back_to_hard():
    use = torch.linspace(0, 200, 401, dtype=torch.float64)
    plain = da.compile(tariff)
    net = da.soften(plain, use, softness=1.0)
    gaps = []
    for softness in (1.0, 0.1, 0.01):
        da.anneal(net, softness)
        gaps.append((net(use) - plain(use)).abs().sum().item())
    assert gaps[0] > gaps[1] > gaps[2] > 0
    da.anneal(net, 0.0)
    assert torch.equal(net(use), plain(use))


def test_softening_never_touches_weights_of_the_user():
    def clip(x, band_width=3.0):
        if x > band_width:
            return band_width
        return 0.5 * x

    net = da.soften(da.compile(clip), S)
    assert net.weights["band_width"].item() == 3.0


# correct


def test_a_correction_is_a_small_network_of_its_context():
    def drag(speed, area):
        force = 0.3 * speed * speed
        return force * area

    net = da.correct(da.compile(drag), "force", ["speed"], hidden=3)
    for key in ("force_out", "force_out_bias"):
        set_weight(net, key, torch.full_like(net.weights[key], 0.5))
    weights = {key: net.weights[key].detach() for key in net.weights}
    hidden = torch.tanh(weights["force_in"] @ torch.asinh(torch.tensor([2.0], dtype=torch.float64)) + weights["force_in_bias"])
    change = weights["force_out"] @ hidden + weights["force_out_bias"]
    assert net(2.0, 3.0).item() == pytest.approx(3.0 * (1.2 + change.item()), rel=1e-14)


# together


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_transformations_compose_and_keep_what_was_trained(order):
    steps = [
        lambda net: da.untie(net),
        lambda net: da.remember(net, "x"),
        lambda net: da.correct(net, "step", hidden=2),
        lambda net: da.widen(net, "step", da.Dense()),
    ]
    net = da.compile(newton)
    a, b = torch.tensor([1.0, 2.0, 1.5], dtype=torch.float64), torch.tensor([4.0, 5.0, 4.5], dtype=torch.float64)
    for number in order:
        grown = steps[number](net)
        assert torch.allclose(grown(a, b), net(a, b), rtol=1e-12, atol=0)
        net = grown
        generator = torch.Generator().manual_seed(number)
        for key in net.weights:
            noise = torch.randn(net.weights[key].shape, generator=generator, dtype=torch.float64)
            set_weight(net, key, net.weights[key].detach() + 0.01 * noise)


def test_the_layer_of_the_paper_is_made_of_newtons_method():
    """Sets A (steps), B (history) and C (another signal) as a product, the smallest |F| wins; then rounds and matrices of their own."""

    def layer(a, b):
        x = np.array([1.0, 3.0])
        for _ in range(3):
            f = np.array([x[0] * x[1] - a, x[0] + x[1] - b])
            jacobian = np.array([[x[1], x[0]], [1.0, 1.0]])
            step = np.linalg.solve(jacobian, f)
            candidates = [x - factor * step for factor in (0.5, 1.0, 1.5)]
            sizes = [(y[0] * y[1] - a) ** 2 + (y[0] + y[1] - b) ** 2 for y in candidates]
            x = candidates[int(np.argmin(np.array(sizes)))]
        return x

    def badness(x, a, b):
        return (x[0] * x[1] - a) ** 2 + (x[0] + x[1] - b) ** 2

    net = da.remember(da.compile(newton), "x", depth=1)
    sets = da.Scales("step", (0.5, 1.0, 1.5)), da.Adds("x_ago1", (0.0,)), da.Adds("f", (0.0,))
    net = da.choose(net, "x", *sets, by=badness, heuristic=layer)
    generator = torch.Generator().manual_seed(0)
    a = 1.0 + torch.rand(50, generator=generator, dtype=torch.float64)
    b = 4.0 + torch.rand(50, generator=generator, dtype=torch.float64)
    assert net.verify(a, b, gradients=False).compared == 50
    net = da.untie(net)
    for key in ("step_scales", "x_ago1_shares", "f_shares"):
        net = da.widen(net, key, da.Dense())
        assert net.weights[key].shape == (3, 3 if key == "step_scales" else 1, 2, 2)
    assert net.verify(a, b, gradients=False).compared == 50
    net(a, b).square().sum().backward()
    assert all(bool(torch.isfinite(net.weights[key].grad).all()) for key in ("step_scales", "x_ago1_shares", "f_shares"))
    assert net.weights["x_ago1_shares"].grad.abs().max() > 0
