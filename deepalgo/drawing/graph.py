"""What is drawn: nodes with formulas, pills for signals that enter and leave, regions that hold a graph of their own."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepalgo.drawing.boxes import FormulaBox


@dataclass(frozen=True, slots=True)
class Wire:
    """Where a signal comes from: a node, or the exit of a region with this number; and what it is called."""

    node: str
    exit: int | None = None
    label: FormulaBox | None = None


@dataclass(slots=True, eq=False)
class Node:
    """`kind`: 'formula', 'input', 'carried', 'output' or 'region'."""

    kind: str
    box: FormulaBox
    region: Region | None = None
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A signal on its way from a wire to a node, or to the entrance of a region with this number."""

    source: Wire
    target: str
    entrance: int | None = None


@dataclass(slots=True, eq=False)
class Graph:
    """Nodes by name, edges, and the titles of groups of nodes (the arms of a branch)."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Region:
    """A box with a graph in it. `inputs` and `outputs` are the pills on its border; `repeats` if what leaves enters again.

    `names` are what the outputs are called inside.
    """

    kind: str
    title: FormulaBox
    graph: Graph
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    repeats: bool = False
    names: list[str] = field(default_factory=list)
