"""The figure of a network shows all of it, in its place, and looks the same everywhere."""

import builtins
import itertools
import linecache
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.drawing.boxes import fraction, power, root, text
from deepalgo.drawing.draw import figure, svg_of
from deepalgo.drawing.flow import flow
from deepalgo.drawing.layout import lay_out
from deepalgo.drawing.svg import ROLES
from deepalgo.ir import If, Loop, Try, While, walk
from docs import figures
from examples import geodesic
from tests.fuzz.generator import generate
from tests.fuzz.program import load as load_program
from tests.support.cases import CASES

GAIN = 0.75


def heuristic(x, y):
    total = 2.5
    for step in range(3):
        total = total + GAIN * x * step
        if total > 9.0:
            total = total - abs(y) ** 0.5
    while total > 1.5:
        total = total / 2
    return total


def graph_of(network, unroll=False):
    return flow(network.program, {weight.key: network.weights[weight.key].detach() for weight in network.program.weights}, unroll)


def regions(graph):
    for node in graph.nodes.values():
        if node.region is not None:
            yield node.region
            yield from regions(node.region.graph)


def graphs(graph):
    return [graph, *(region.graph for region in regions(graph))]


def laid_graphs(laid):
    return [laid, *(inner for frame in laid.frames.values() for inner in laid_graphs(frame.laid))]


def chips(graph):
    """The roles of the weights in all formulas and titles."""
    boxes = [node.box for inner in graphs(graph) for node in inner.nodes.values() if node.region is None]
    boxes += [region.title for region in regions(graph)]
    return sorted(mark.colour for box in boxes for mark in box.marks if mark.kind == "chip")


def test_loops_and_branches_are_nested_boxes():
    graph = graph_of(da.compile(heuristic))
    assert [region.kind for region in regions(graph)] == ["loop", "if", "while"]
    (loop, while_) = (node.region for node in graph.nodes.values() if node.region)
    assert (loop.repeats, while_.repeats) == (True, True)
    assert [node.region.kind for node in loop.graph.nodes.values() if node.region] == ["if"]
    branch = next(node.region for node in loop.graph.nodes.values() if node.region)
    assert branch.graph.groups == ["yes", "no"]


def test_unrolled_every_round_has_its_box():
    graph = graph_of(da.compile(heuristic), unroll=True)
    assert [region.kind for region in regions(graph)] == ["round", "if", "round", "if", "round", "if", "while"]


def test_every_weight_is_shown_in_the_colour_of_its_role():
    network = da.compile(heuristic)
    assert chips(graph_of(network)) == sorted(str(weight.role) for weight in network.program.weights)
    assert set(chips(graph_of(network))) == {"coefficient", "exponent", "initial value", "threshold"} <= set(ROLES)
    text_of = svg_of(network)
    for role in set(chips(graph_of(network))):
        assert text_of.count(f'fill="{ROLES[role][1]}"') == 1 + chips(graph_of(network)).count(role)  # and one in the legend


def test_a_number_of_a_table_is_shown_however_it_is_taken():
    def taken(x):
        table = da.weight(np.array([0.5, 1.25]), "table")
        return table[..., 1] * x + table[-1] * table[1]

    assert chips(graph_of(da.compile(taken))) == ["coefficient"] * 3


def test_the_figure_shows_the_weights_as_they_are_now():
    network = da.compile(heuristic)
    before = svg_of(network)
    with torch.no_grad():
        network.weights["GAIN"].fill_(0.123)
    assert svg_of(network) != before


def test_names_are_told_apart_by_primes():
    def twice(x):
        y = x * 0.5 + 1.0
        z = y * x
        y = z * z + y
        return y * z + x * y

    labels = [edge.source.label for edge in graph_of(da.compile(twice)).edges if edge.source.label]
    assert {"".join(mark.character for mark in label.marks) for label in labels} == {"y", "z", "y′"}


def overlapping(one, other):
    return abs(one.x - other.x) < (one.width + other.width) / 2 - 1 and abs(one.y - other.y) < (one.height + other.height) / 2 - 1


def check_layout(graph):
    """Nothing lies on anything else, everything is inside, and edges begin and end at their nodes."""
    for laid in laid_graphs(lay_out(graph)):
        for (first, one), (second, other) in itertools.combinations(laid.places.items(), 2):
            assert not overlapping(one, other), (first, second)
        for place in laid.places.values():
            assert -1 <= place.x - place.width / 2 and place.x + place.width / 2 <= laid.width + 1
        for frame in laid.frames.values():
            for pill in (*frame.entrances, *frame.exits):
                assert 0 <= frame.left + pill.x - pill.width / 2 and frame.left + pill.x + pill.width / 2 <= frame.width + 1
            assert all(abs(pill.y + frame.shift - frame.top) < 1 for pill in frame.entrances)
            assert all(abs(pill.y + frame.shift - frame.bottom) < 1 for pill in frame.exits)
        for path in laid.paths:
            assert _touches(path.points[0], laid.places[path.edge.source.node])
            assert _touches(path.tip, laid.places[path.edge.target])


def _touches(point, place):
    return abs(point[0] - place.x) < place.width / 2 + 5 and abs(point[1] - place.y) < place.height / 2 + 5


def check_complete(graph):
    """Every formula is used, every result comes from somewhere, and no edge hangs in the air."""
    for inner in graphs(graph):
        sources = {edge.source.node for edge in inner.edges}
        for name, node in inner.nodes.items():
            if node.kind == "formula":
                assert name in sources, "a formula that nothing uses"
            elif node.kind == "output":
                assert any(edge.target == name for edge in inner.edges), "a result from nowhere"
        for edge in inner.edges:
            assert edge.source.node in inner.nodes and edge.target in inner.nodes


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case.id)
def test_heuristics_are_drawn_without_overlap(case):
    network = da.compile(case.function, **case.compile_options())
    check_layout(graph_of(network))
    check_complete(graph_of(network))


@pytest.mark.parametrize("kind", ["scalar", "arrays"])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 30))])
def test_random_programs_are_drawn(seed, kind):
    program = generate(seed, kind)
    file = f"<drawn {kind} {seed}>"
    linecache.cache[file] = (len(program.source), None, program.source.splitlines(True), file)
    function = load_program(program.source, file)[program.entry]
    try:
        network = da.compile(function, example=program.call(0))
    except da.CompileError as error:
        pytest.skip(str(error))
    for unroll in (False, True):
        graph = graph_of(network, unroll)
        check_complete(graph)
        kinds = {If: "if", Loop: "loop", While: "while", Try: "try"}
        there = {kinds[type(item)] for item in walk(network.program.body) if type(item) in kinds}
        assert {region.kind for region in regions(graph)} <= there | ({"round"} if unroll else set())


def test_a_hundred_nodes_are_drawn_without_overlap():
    graph = graph_of(da.correct(da.correct(da.compile(geodesic.distance), "sigma", hidden=2), "u", hidden=2))
    assert sum(len(inner.nodes) for inner in graphs(graph)) > 100
    check_layout(graph)


def test_the_layout_check_finds_a_node_on_another():
    graph = graph_of(da.compile(heuristic))
    laid = lay_out(graph)
    place = next(iter(laid.places.values()))
    assert overlapping(place, place)
    assert not overlapping(*list(laid.places.values())[:2])


def test_grown_networks_are_drawn(tmp_path):
    network = da.remember(da.untie(da.compile(figures.newton)))
    for unroll in (False, True):
        check_layout(graph_of(network, unroll))
    assert len(chips(graph_of(network, unroll=True))) > len(chips(graph_of(network)))


def test_an_svg_needs_no_fonts_and_is_the_same_each_time(tmp_path):
    network = da.compile(heuristic)
    da.draw(network, tmp_path / "flow.svg")
    content = (tmp_path / "flow.svg").read_text()
    tree = ElementTree.fromstring(content)
    names = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert names == {"svg", "title", "defs", "path", "rect", "use", "polyline"}
    links = {element.get("href") for element in tree.iter() if element.tag.endswith("use")}
    assert {link[1:] for link in links} == {element.get("id") for element in tree.iter() if element.get("id")}
    assert content == svg_of(da.compile(heuristic)) == network._repr_svg_()


def test_a_png_has_the_size_of_the_figure_twice_and_light_paper(tmp_path):
    import matplotlib.image

    network = da.compile(heuristic)
    da.draw(network, str(tmp_path / "flow.png"))
    pixels = matplotlib.image.imread(tmp_path / "flow.png")
    tree = ElementTree.fromstring(svg_of(network))
    assert pixels.shape[:2] == (2 * int(tree.get("height")), 2 * int(tree.get("width")))
    assert pixels[pixels.shape[0] // 2, 20].tolist() == [1, 1, 1, 1]  # opaque, so that it can be read on any ground
    assert (pixels[..., :3].min(axis=2) < 0.3).mean() > 0.002  # there is ink


def test_other_kinds_of_files_and_missing_engines_are_refused(tmp_path, monkeypatch):
    network = da.compile(heuristic)
    with pytest.raises(da.InputError, match="draw writes .svg and .png files, not 'flow.pdf'"):
        da.draw(network, tmp_path / "flow.pdf")
    true_import = builtins.__import__

    def without(name, *args):
        if name in ("pygraphviz", "resvg_py"):
            raise ImportError(name)
        return true_import(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(__import__("sys").modules, "pygraphviz", raising=False)
    with pytest.raises(da.InputError) as refusal:
        da.draw(network, tmp_path / "flow.svg")
    assert str(refusal.value) == "drawing needs a layout engine: pip install 'deepalgo[draw]'"
    assert not list(tmp_path.iterdir())


def test_a_notebook_shows_no_figure_where_there_is_no_engine(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert figure(da.compile(heuristic)) is None


def test_mathematics_has_its_proportions():
    x, five = text("x", "italic"), text("5")
    assert power(x, five).ascent > x.ascent and power(x, five).width < x.width + five.width
    half = fraction(five, five)
    assert half.ascent > x.ascent and half.descent > x.descent
    assert root(half).width > half.width and root(half).ascent > half.ascent
    assert np.isclose(half.scaled(2).width, 2 * half.width)


def test_the_figures_of_the_documentation_can_be_drawn(tmp_path):
    made = figures.main(tmp_path)
    assert all(path.exists() for path in made)
    assert {path.name for path in made} | figures.BY_HAND == {path.name for path in figures.FOLDER.glob("*.svg")}
