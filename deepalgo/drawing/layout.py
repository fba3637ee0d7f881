"""Where everything goes: every graph is laid out by Graphviz, and a region is one node of the graph around it.

Graphviz comes with `pygraphviz`, whose wheels hold it whole; no program has to be installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from deepalgo.drawing.boxes import FormulaBox, text
from deepalgo.drawing.graph import Edge, Graph, Node, Region
from deepalgo.errors import InputError

#: Sizes of type for formulas, pills, titles, names on edges and titles of groups.
FORMULA, PILL, TITLE, NAME, GROUP = 17.0, 15.0, 13.0, 13.5, 11.0
PAD = 16.0
#: Room for the arrow that leads back to the beginning of a loop.
BACK = 16.0
#: A title that lacks more room than this beside the pills goes below them.
SLACK = 100.0
#: Boxes that are no further apart have nothing between them.
CHANNEL = 150.0
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle by its middle."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Path:
    """A curve of cubic pieces, the tip of its arrow, and where the signal's name stands."""

    edge: Edge
    points: tuple[Point, ...]
    tip: Point
    label: Point | None


@dataclass(slots=True, eq=False)
class Laid:
    """A graph with places, from its upper left corner. `inner` are the frames of its regions."""

    graph: Graph
    width: float = 0.0
    height: float = 0.0
    places: dict[str, Rectangle] = field(default_factory=dict)
    paths: list[Path] = field(default_factory=list)
    groups: list[Rectangle] = field(default_factory=list)
    frames: dict[str, RegionFrame] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RegionFrame:
    """A region's box: where its graph begins, its border, and the places of its entrances and exits along it."""

    laid: Laid
    width: float
    height: float
    left: float
    shift: float
    top: float
    bottom: float
    title: Point
    entrances: tuple[Rectangle, ...]
    exits: tuple[Rectangle, ...]


def lay_out(graph: Graph) -> Laid:
    """Places for a graph and for all graphs inside of it."""
    laid = Laid(graph)
    for name, node in graph.nodes.items():
        if node.region is not None:
            laid.frames[name] = _frame(node.region)
    sizes = {name: _size(node, laid.frames.get(name)) for name, node in graph.nodes.items()}
    _read(_run(_dot(laid, sizes)), laid, sizes)
    return laid


def _size(node: Node, frame: RegionFrame | None) -> tuple[float, float]:
    if frame is not None:
        return frame.width, frame.height
    if node.kind == "formula":
        return node.box.width * FORMULA + 26, node.box.height * FORMULA + 18
    return max(node.box.width * PILL + 22, 34), 24.0


def _frame(region: Region) -> RegionFrame:
    """Lay out what is inside; pills lie on the border, and the title where there is room beside them, or below."""
    laid = lay_out(region.graph)
    title = region.title.width * TITLE + 16
    left, right = PAD, PAD + (BACK if region.repeats else 0.0)
    entrances = [laid.places[name] for name in region.inputs]
    before = min((place.x - place.width / 2 for place in entrances), default=title) + left - 20
    after = laid.width + PAD - max((place.x + place.width / 2 for place in entrances), default=0.0) - 20
    top = entrances[0].height / 2 if entrances else 12.0
    width = max(left + laid.width + right, title + 24 + right - PAD)
    at = (10.0, top)
    if title > before and title <= after:
        at = (width - right + PAD - title - 10, top)
    elif title > before + SLACK:
        _make_room(laid, entrances[0], 28.0)
        at = (12.0, top + 28)
    elif title > before:
        left += title - before
        width += title - before
    shift = top - entrances[0].y if entrances else top + 18
    exits = [laid.places[name] for name in region.outputs]
    bottom = shift + (exits[0].y if exits else laid.height + 12)
    height = bottom + (exits[0].height / 2 if exits else 0.0)
    return RegionFrame(laid, width, height, left, shift, top, bottom, at, tuple(laid.places[name] for name in region.inputs), tuple(exits))


def _make_room(laid: Laid, pill: Rectangle, by: float) -> None:
    """Make room below the pills at the top: what is near them moves a little, everything else all the way."""
    edge = pill.y + pill.height / 2

    def lower(y: float) -> float:
        return y + by * min(1.0, max(0.0, (y - edge) / 12))

    laid.height += by
    laid.places = {name: replace(place, y=lower(place.y)) for name, place in laid.places.items()}
    laid.groups = [replace(place, y=place.y + by) for place in laid.groups]
    for number, path in enumerate(laid.paths):
        points = tuple((x, lower(y)) for x, y in path.points)
        label = None if path.label is None else (path.label[0], lower(path.label[1]))
        laid.paths[number] = replace(path, points=points, tip=(path.tip[0], lower(path.tip[1])), label=label)


def _dot(laid: Laid, sizes: dict[str, tuple[float, float]]) -> str:
    """The graph in Graphviz's language; shapes have fixed sizes, so that no font matters."""
    graph = laid.graph
    between = sum(edge.source.exit is not None and edge.entrance is not None for edge in graph.edges)
    room = min(1.5, (0.42 if graph.groups else 0.34) + 0.07 * max(0, between - 2))
    lines = ["digraph {", f'graph [nodesep="0.3", ranksep="{room:.2f}", splines="true", newrank="true", pad="0"]',
             'node [shape="box", fixedsize="true", label=""]', 'edge [arrowsize="0.6"]']
    for name, node in graph.nodes.items():
        if node.group is None:
            lines.append(_node(name, sizes[name], laid.frames.get(name)))
    for number, title in enumerate(graph.groups):
        blank = _blank(text(title, "bold").width * GROUP + 8, 1)
        lines.append(f'subgraph cluster_{number} {{ margin="15"; label=<{blank}>')
        lines += [_node(name, sizes[name], laid.frames.get(name)) for name, node in graph.nodes.items() if node.group == number]
        lines.append("}")
    for rank, kinds in (("source", ("input", "carried")), ("sink", ("output",))):
        names = [name for name, node in graph.nodes.items() if node.kind in kinds]
        if names:
            lines.append(f"{{ rank={rank}; {'; '.join(names)} }}")
    lines += [_edge(graph, edge, number) for number, edge in enumerate(graph.edges)]
    first = next((name for name, node in graph.nodes.items() if node.kind in ("input", "carried")), None)
    reached = {edge.target for edge in graph.edges}
    if first is not None:  # what nothing enters stands below the pills all the same
        loose = [name for name, node in graph.nodes.items() if node.kind in ("formula", "region") and name not in reached]
        lines += [f'{first} -> {name} [style="invis", weight="0"]' for name in loose]
    return "\n".join([*lines, "}"])


def _node(name: str, size: tuple[float, float], frame: RegionFrame | None) -> str:
    width, height = size
    if frame is None:
        return f'{name} [width="{width / 72:.4f}", height="{height / 72:.4f}"]'
    middle = f'<TR><TD FIXEDSIZE="TRUE" WIDTH="{round(width)}" HEIGHT="{max(1, round(height) - 4)}"></TD></TR>'
    rows = _ports("i", frame.entrances, frame, width) + middle + _ports("o", frame.exits, frame, width)
    return f'{name} [shape="plain", fixedsize="false", label=<<TABLE {PLAIN}>{rows}</TABLE>>]'


PLAIN = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'


def _ports(letter: str, pills: Sequence[Rectangle], frame: RegionFrame, width: float) -> str:
    """A thin row with a cell at each pill."""
    cells, x = [], 0
    for number, pill in sorted(enumerate(pills), key=lambda pair: pair[1].x):
        start, end = round(frame.left + pill.x - pill.width / 2), round(frame.left + pill.x + pill.width / 2)
        cells += [_cell("", start - x), _cell(f' PORT="{letter}{number}"', end - start)]
        x = end
    cells.append(_cell("", round(width) - x))
    return f"<TR><TD><TABLE {PLAIN}><TR>{''.join(cells)}</TR></TABLE></TD></TR>"


def _cell(port: str, width: int) -> str:
    return f'<TD{port} FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="2"></TD>' if width > 0 else ""


def label_of(graph: Graph, edge: Edge) -> FormulaBox | None:
    """The name beside an edge; a pill says its name itself."""
    return edge.source.label if edge.entrance is None and graph.nodes[edge.target].kind == "formula" else None


def _edge(graph: Graph, edge: Edge, number: int) -> str:
    source = edge.source.node + ("" if edge.source.exit is None else f":o{edge.source.exit}:s")
    target = edge.target + ("" if edge.entrance is None else f":i{edge.entrance}:n")
    label = label_of(graph, edge)
    if edge.source.exit is not None and edge.entrance is not None:  # boxes that follow each other stand below each other
        return f'{source} -> {target} [key="e{number}", weight="8"]'
    if label is None:
        return f'{source} -> {target} [key="e{number}"]'
    return f'{source} -> {target} [key="e{number}", label=<{_blank(label.width * NAME + 8, NAME + 4)}>]'


def _blank(width: float, height: float) -> str:
    """A label of a given size; what stands there is painted later."""
    return f'<TABLE {PLAIN}><TR><TD FIXEDSIZE="TRUE" WIDTH="{round(width)}" HEIGHT="{round(height)}"></TD></TR></TABLE>'


def _run(text: str) -> Any:
    try:
        import pygraphviz  # type: ignore[import-untyped]  # it has no types
    except ImportError:
        raise InputError("drawing needs a layout engine: pip install 'deepalgo[draw]'") from None
    graph = pygraphviz.AGraph(string=text)
    graph.layout("dot")
    return graph


def _read(drawn: Any, laid: Laid, sizes: dict[str, tuple[float, float]]) -> None:
    """Take over Graphviz's coordinates, with y pointing down."""
    _, _, laid.width, laid.height = map(float, drawn.graph_attr["bb"].split(","))
    turn = laid.height
    for name, size in sizes.items():
        x, y = map(float, drawn.get_node(name).attr["pos"].split(","))
        laid.places[name] = Rectangle(x, turn - y, *size)
    for number, _ in enumerate(laid.graph.groups):
        found = drawn.get_subgraph(f"cluster_{number}")
        left, low, right, high = map(float, found.graph_attr["bb"].split(","))
        laid.groups.append(Rectangle((left + right) / 2, turn - (low + high) / 2, right - left, high - low))
    for number, edge in enumerate(laid.graph.edges):
        laid.paths.append(_path(edge, drawn.get_edge(edge.source.node, edge.target, f"e{number}"), turn))


def _path(edge: Edge, drawn: Any, turn: float) -> Path:
    words = drawn.attr["pos"].split()
    tip = next((_point(word[2:], turn) for word in words if word.startswith("e,")), None)
    points = tuple(_point(word, turn) for word in words if not word.startswith(("e,", "s,")))
    if edge.source.exit is not None and edge.entrance is not None and tip is not None and 0 < tip[1] - points[0][1] < CHANNEL:
        middle = (points[0][1] + tip[1]) / 2  # between two boxes, an edge stays between them
        points = (points[0], (points[0][0], middle), (tip[0], middle), (tip[0], tip[1] - 6))
    label = drawn.attr["lp"]
    return Path(edge, points, tip or points[-1], _point(label, turn) if label else None)


def _point(word: str, turn: float) -> Point:
    x, y = word.split(",")
    return float(x), turn - float(y)


def box_place(box: FormulaBox, size: float, x: float, y: float) -> Point:
    """Where the baseline of a box begins if its middle is at a point."""
    return x - box.width * size / 2, y + (box.ascent - box.descent) * size / 2
