"""Networks, functions and classifiers go where pickle goes, and loading them runs nothing but the reading of a network."""

import copy
import io
import multiprocessing
import pickle
import pickletools
import warnings

import joblib
import numpy as np
import pytest
import torch

import deepalgo as da
from examples.demo import friction_factor, pipes, reference

BATCH = pipes(7, seed=1)


def network(**options):
    net = da.untie(da.compile(root), "x") if options.pop("grown", False) else da.compile(friction_factor, **options)
    with torch.no_grad():
        for weight in net.parameters():
            weight.mul_(1.01)
    return net


def root(s):
    x = 1.0
    for _ in range(3):
        x = x - 0.9 * (x * x - s) / (2 * x)
    return x


def by_torch(item):
    file = io.BytesIO()
    torch.save({"model": item, "step": 3}, file)
    file.seek(0)
    return torch.load(file)["model"]  # with weights_only=True, as it is by default


def by_joblib(item):
    file = io.BytesIO()
    joblib.dump(item, file)
    file.seek(0)
    return joblib.load(file)


WAYS = {
    "pickle": lambda item: pickle.loads(pickle.dumps(item)),
    "protocol 2": lambda item: pickle.loads(pickle.dumps(item, protocol=2)),
    "torch.save": by_torch,
    "joblib": by_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("called", [False, True], ids=["before a call", "after a call"])
@pytest.mark.parametrize("backend", ["torch", "native"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_network_is_the_same_behind_every_way_of_copying(way, backend, called):
    net = network(backend=backend, mathematics="exact", errors="nan").eval()
    net.weights["c20"].requires_grad_(False)
    if called:
        net(*BATCH).sum().backward()
    twin = way(net)
    assert torch.equal(twin(*BATCH), net(*BATCH))
    assert (twin.backend, twin.mathematics, twin.errors, twin.training) == (backend, "exact", "nan", False)
    assert [weight.requires_grad for weight in twin.parameters()] == [weight.requires_grad for weight in net.parameters()]
    assert str(twin.program) == str(net.program)


def test_a_copy_shares_the_weights_and_a_deep_copy_does_not():
    net = network()
    for way, shares in ((copy.copy, True), (copy.deepcopy, False)):
        twin = way(net)
        assert twin.function is friction_factor
        assert (twin.weights["c20"] is net.weights["c20"]) is shares
    twin = copy.copy(net)
    twin.errors = "nan"
    assert net.errors == "raise" and twin(0.0, 0.1).isnan() and twin.failures and not net.failures


def test_a_grown_network_keeps_its_heuristic():
    net = network(grown=True)
    twin = pickle.loads(pickle.dumps(net))
    assert str(twin.heuristic) == str(net.heuristic) != str(net.program)
    assert torch.equal(twin(2.0), net(2.0))


def test_a_network_inside_of_a_model_goes_with_it():
    model = torch.nn.Sequential(network(grown=True), torch.nn.ReLU())
    twin = pickle.loads(pickle.dumps(model))
    assert torch.equal(twin(torch.tensor([2.0])), model(torch.tensor([2.0])))
    assert list(twin.state_dict()) == list(model.state_dict())


def names(content):
    """What a pickle asks for by name."""
    texts, found = [], set()
    for opcode, argument, _ in pickletools.genops(content):
        if opcode.name == "STACK_GLOBAL":
            found.add(tuple(texts[-2:]))
        elif opcode.name in ("GLOBAL", "INST"):
            found.add(tuple(argument.split(" ")))
        if isinstance(argument, str):
            texts.append(argument)
    return found


def test_a_pickled_network_names_nothing_but_the_reader():
    assert names(pickle.dumps(network(), protocol=4)) == {("deepalgo.network", "restored")}


def test_what_loads_is_checked_as_a_file_is():
    content = pickle.dumps(network(), protocol=4)
    with pytest.raises(da.FileError, match="altered after it was saved"):
        pickle.loads(content.replace(b"reynolds", b"reynoldt"))


def test_a_network_that_no_file_can_hold_is_refused_by_name():
    made = da.compile(scaled_by, example=((1.0, Scale()), {}))
    with pytest.raises(da.FileError, match="scaled_by cannot be saved") as refusal:
        pickle.dumps(made)
    assert "Compile it with plain data there." in str(refusal.value)


class Scale:
    factor = 2.0

    def __init__(self):
        self.lock = open  # nothing that a file could hold, or know again by its content
        self.held = iter(())


def scaled_by(x, scale):
    return x * scale.factor


def test_torch_load_needs_no_list_of_names_of_the_user():
    assert isinstance(by_torch(network()), da.Network)


class Rows(torch.utils.data.Dataset):
    """Samples that a worker computes by a network."""

    def __init__(self, net):
        self.net = net

    def __len__(self):
        return 4

    def __getitem__(self, place):
        with torch.no_grad():
            return self.net(1000.0 * (place + 1), 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader_compute_by_a_network(method):
    net = network()
    net(*BATCH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of fork where there are threads
        found = torch.cat(list(torch.utils.data.DataLoader(Rows(net), num_workers=2, multiprocessing_context=method)))
    assert torch.equal(found, torch.stack([Rows(net)[place] for place in range(4)]))


def answer(net):
    return net(2000.0, 1e-4).item()


@pytest.mark.slow
def test_processes_that_are_spawned_take_networks_and_give_them_back():
    net = network(backend="native")
    net(*BATCH)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(answer, [net]) == [answer(net)]
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(answer)(net) for _ in range(2)) == [answer(net)] * 2


def test_the_state_of_a_network_goes_into_another():
    net, other = network(), da.compile(friction_factor)
    other.load_state_dict(net.state_dict())
    assert torch.equal(other(*BATCH), net(*BATCH))


def test_numbers_behind_a_pickled_function_are_the_same():
    plain = da.function(network())
    again = pickle.loads(pickle.dumps(plain))
    assert np.array_equal(again(*BATCH), plain(*BATCH))


def fitted(**options):
    columns = pipes(60, seed=1)
    return da.fit(network(), columns, targets=reference, loss="relative", steps=2, search=da.SearchOptions(polished=False), **options)


@pytest.fixture(scope="module")
def fit():
    return fitted()


@pytest.mark.parametrize("way", ["pickle", "protocol 2", "joblib", "copy", "deepcopy"])
def test_a_fit_is_the_same_behind_every_way_of_copying(fit, way):
    twin = WAYS[way](fit)
    assert str(twin) == str(fit)
    assert torch.equal(twin.network(*BATCH), fit.network(*BATCH))
    assert all(map(torch.equal, twin.inputs, fit.inputs))


def test_a_fit_goes_without_its_data_if_asked(fit):
    bare = fit.without_data()
    assert str(bare) == str(fit)
    assert fit.inputs and not bare.inputs
    sample = fit.inputs[0].numpy()[:1].tobytes()
    assert sample in pickle.dumps(fit, protocol=4) and sample not in pickle.dumps(bare, protocol=4)
    assert len(bare.plot().axes) == len(fit.plot().axes)


def test_a_fit_with_functions_of_one_s_own_can_be_pickled():
    found = da.fit(network(), pipes(40, seed=1), targets=reference, loss=lambda output, target: (output - target) ** 2, steps=1,
                   search=da.SearchOptions(polished=False))
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


@pytest.mark.parametrize("called", [False, True], ids=["before a call", "after a call"])
@pytest.mark.parametrize("way", [pickle.loads, copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])
def test_a_solver_is_the_same_behind_every_way_of_copying(way, called):
    solver, cubic = da.newton.Solver(degree=3), np.array([1.0, -6.0, 11.0, -6.0])
    if called:
        solver.solve(cubic)
    twin = way(pickle.dumps(solver)) if way is pickle.loads else way(solver)
    assert twin.solve(cubic).x == solver.solve(cubic).x


@pytest.mark.slow
@pytest.mark.parametrize("way", [pickle.loads, copy.deepcopy], ids=["pickle", "deepcopy"])
def test_a_classifier_is_the_same_behind_pickle(way):
    from deepalgo.cluster import ClusterNetClassifier

    images = np.random.default_rng(0).random((24, 9))
    labels = np.arange(24) % 2
    images[labels == 1] += 1.0
    model = ClusterNetClassifier(centres_per_class=2, epochs=1).fit(images, labels)
    found = model.predict(images)
    twin = way(pickle.dumps(model)) if way is pickle.loads else way(model)
    assert twin.predict(images).tolist() == found.tolist()
    assert all(np.array_equal(twin.weights_[key], model.weights_[key]) for key in model.weights_)


def test_a_fit_without_its_data_keeps_estimates_and_refuses_other_fits(fit):
    bare = pickle.loads(pickle.dumps(fit.without_data(), protocol=4))
    assert str(bare.estimates) == str(fit.estimates)
    for other in (lambda: bare.profile("c21"), bare.bootstrap):
        with pytest.raises(da.InputError, match="goes without its data"):
            other()
