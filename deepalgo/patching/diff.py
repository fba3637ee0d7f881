"""`diff` and `patch`: the user's own source with the trained numbers in place, comments and formatting kept."""

from __future__ import annotations

import ast
import difflib
import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deepalgo.errors import FileError, InputError
from deepalgo.files import package_of, replace_file
from deepalgo.ir import Weight
from deepalgo.patching.numbers import spell
from deepalgo.patching.other_users import lines_of, other_users
from deepalgo.patching.places import Nowhere, find_cells, place_of
from deepalgo.patching.rounding import Array, digits_for_answers, exact_digits, relative_digits, round_all
from deepalgo.patching.text import SourceText, TableCell, read_text
from deepalgo.spans import display_name

if TYPE_CHECKING:
    from deepalgo.network import Network


@dataclass(frozen=True, slots=True)
class ConstantChange:
    """A weight whose number in the source is replaced: the old texts and the new ones, one for each number of a table."""

    key: str
    place: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after."""

    file: str
    old: str
    new: str
    encoding: str


@dataclass(frozen=True, slots=True)
class Diff:
    """What a trained network changes in the source; prints as a unified diff.

    `left` are trained weights that no place in the source can say, with the reason. `others` are functions of the same files that read
    a constant which changes, though the network was not made from them, by the name of the weight.
    """

    files: tuple[FileChange, ...]
    changes: tuple[ConstantChange, ...]
    left: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __str__(self) -> str:
        said = [f"# {key}: {reason}\n" for key, reason in self.left]
        said += [f"# {key} is also used by {', '.join(functions)}\n" for key, functions in self.others]
        return "".join([*said, *(_unified(item) for item in self.files)])

    def __bool__(self) -> bool:
        return bool(self.files)


def diff(network: Network, *inputs: Any, tolerance: float = 1e-6, exact: bool = False) -> Diff:
    """The user's source with the trained numbers in it, as a unified diff.

    Numbers get the fewest digits that keep each of them within `tolerance`, relative to its size. With `inputs` (a batch as the
    network takes it) they get the fewest digits that keep the *answers* on these inputs within the tolerance. `exact=True`
    keeps every digit. Nothing is written; see `patch`.
    """
    _check_not_grown(network)
    texts = _Texts(dict(network.heuristic.sources))
    values, olds = _changed(network)
    found: dict[str, list[TableCell]] = {}
    left: list[tuple[str, str]] = []
    for weight in network.heuristic.weights:
        if weight.key in values:
            try:
                found[weight.key] = texts.cells(weight)
            except Nowhere as reason:
                left.append((weight.key, f"is {_brief(values[weight.key])} now, but {reason}{place_of(weight.span)}"))
    written = {key: values[key] for key in found}
    digits = _digits(network, inputs, written, olds, tolerance, exact)
    changes, edits, others = [], dict[str, list[tuple[TableCell, str]]](), []
    for weight in network.heuristic.weights:
        if weight.key in found and weight.span is not None:
            text = texts.of(weight.span.file)
            numbers = round_all(values[weight.key], olds[weight.key], digits[weight.key])
            pairs = list(_respell(text, found[weight.key], numbers.ravel(), olds[weight.key].ravel()))
            edits.setdefault(weight.span.file, []).extend(pairs)
            said = tuple(text.text[cell.start : cell.end] for cell, _ in pairs)
            changes.append(ConstantChange(weight.key, weight.span.place, said, tuple(new for _, new in pairs)))
            users = other_users(text, weight.span.line, lines_of(network.heuristic, weight.span.file))
            others += [(weight.key, users)] if users and pairs else []
    files = tuple(_edited(texts.of(file), pairs) for file, pairs in edits.items() if pairs)
    return Diff(files, tuple(change for change in changes if change.new), tuple(left), tuple(others))


def patch(
    network: Network, *inputs: Any, tolerance: float = 1e-6, exact: bool = False, installed: bool = False, partial: bool = False
) -> Diff:
    """Write what `diff` shows, each file in one step and all of them or none.

    A file that changed since the network was compiled is refused. `installed=True` allows files of installed packages, `partial=True`
    a source that says only some of the trained numbers.
    """
    made = diff(network, *inputs, tolerance=tolerance, exact=exact)
    if made.left and not partial:
        raise InputError("\n".join(["not every trained number can be written into the source:",
                                    *(f"  {key} {reason}" for key, reason in made.left),
                                    "Write the others with partial=True, or take the whole function from da.source."]))
    for item in made.files:
        _check_writable(item.file, installed)
    _write_all(made.files)
    return made


def _check_not_grown(network: Network) -> None:
    program, heuristic = network.program, network.heuristic
    keys = [[weight.key for weight in item.weights] for item in (program, heuristic)]
    if program is not heuristic and (keys[0] != keys[1] or program.body != heuristic.body):
        raise InputError(f"{program.name} has more weights than its source has numbers: take the whole function from da.source(net).")


def _changed(network: Network) -> tuple[dict[str, Array], dict[str, Array]]:
    """The trained numbers and the old ones of every weight that is not what it was."""
    values, olds = {}, {}
    for weight in network.heuristic.weights:
        old = torch.tensor(weight.value, dtype=torch.float64)
        now = network.weights[weight.key].detach().cpu()
        if not torch.equal(now, old.to(now.dtype)):
            values[weight.key] = now.double().numpy()
            olds[weight.key] = old.numpy()
    return values, olds


def _digits(
    network: Network, inputs: Sequence[Any], values: dict[str, Array], olds: dict[str, Array], tolerance: float, exact: bool
) -> dict[str, int]:
    if exact:
        return exact_digits(values, network.dtype)
    if not 0 <= tolerance < 1:
        raise ValueError(f"tolerance must be at least 0 and less than 1, not {tolerance!r}")
    return digits_for_answers(network, inputs, values, olds, tolerance) if inputs else relative_digits(values, olds, tolerance)


class _Texts:
    """The files of a network, each checked against what was compiled."""

    def __init__(self, digests: dict[str, str]) -> None:
        self.digests = digests
        self.read: dict[str, SourceText] = {}
        self.taken: dict[tuple[str, int], str] = {}

    def of(self, file: str) -> SourceText:
        """The text of a file that has not changed."""
        if file not in self.read:
            text = read_text(file)
            if text is None:
                raise Nowhere(f"there is no file {display_name(file)}")
            if text.digest != self.digests.get(file):
                raise FileError("the file changed after the function was compiled", path=display_name(file),
                                remedy="Import it again, compile again, and load the trained weights into that network.")
            self.read[file] = text
        return self.read[file]

    def cells(self, weight: Weight) -> list[TableCell]:
        """The places of a weight that no other weight shares."""
        if weight.span is None:
            raise Nowhere("no line of the source says it: an object, a closure or a notebook's variable holds it")
        cells = find_cells(weight, self.of(weight.span.file))
        for cell in cells:
            owner = self.taken.setdefault((weight.span.file, cell.start), weight.key)
            if owner != weight.key:
                raise Nowhere(f"it shares its place with {owner}")
        return cells


def _respell(text: SourceText, cells: Sequence[TableCell], numbers: np.ndarray, olds: np.ndarray) -> Iterator[tuple[TableCell, str]]:
    """New texts for the cells whose number changed, in brackets where a minus sign would bind to something else."""
    for cell, number, old in zip(cells, numbers, olds, strict=True):
        if number != old or np.signbit(number) != np.signbit(old):
            new = spell(float(number), text.text[cell.start : cell.end])
            yield cell, f"({new})" if new.startswith("-") and _binds_tightly(text.parents[cell.node], cell.node) else new


def _binds_tightly(parent: ast.AST, node: ast.expr) -> bool:
    match parent:
        case ast.BinOp(op=ast.Pow(), left=left):
            return left is node
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.Attribute():
            return True
        case _:
            return False


def _edited(text: SourceText, pairs: list[tuple[TableCell, str]]) -> FileChange:
    """The new text, which differs from the old one in these numbers and in nothing else."""
    new = text.replaced(pairs)
    changed = {id(cell.node) for cell, _ in pairs}
    before = _without(text.tree, changed)
    again = SourceText(text.file, new, text.encoding)
    moved = {id(node) for node in _at_same_places(text.tree, again.tree, changed)}
    if len(moved) != len(changed) or _without(again.tree, moved) != before:
        raise AssertionError(f"the numbers of {text.file} cannot be replaced one by one")
    return FileChange(text.file, text.text, new, text.encoding)


def _at_same_places(old: ast.AST, new: ast.AST, wanted: set[int]) -> Iterator[ast.AST]:
    """The nodes of a new tree that stand where the wanted ones stand in the old tree."""
    if id(old) in wanted:
        yield new
        return
    if type(old) is type(new):
        for one, other in zip(ast.iter_child_nodes(old), ast.iter_child_nodes(new), strict=False):
            yield from _at_same_places(one, other, wanted)


def _without(node: Any, numbers: set[int]) -> Any:
    """A syntax tree as nested tuples, with holes for some nodes."""
    if isinstance(node, ast.AST):
        if id(node) in numbers:
            return "number"
        return type(node).__name__, *(_without(value, numbers) for _, value in ast.iter_fields(node))
    return tuple(_without(item, numbers) for item in node) if isinstance(node, list) else repr(node)


def _check_writable(file: str, installed: bool) -> None:
    path = Path(file).resolve()
    if not path.is_file():
        raise FileError("it is no file on the disk", path=display_name(file), remedy="Copy the lines of da.diff(net) into the notebook.")
    if not installed and package_of(path):
        raise FileError("it belongs to an installed package", path=display_name(file),
                        remedy="To change it all the same: da.patch(net, installed=True).")


def _write_all(files: Sequence[FileChange]) -> None:
    """Write every file, or put back those that were written."""
    done: list[FileChange] = []
    try:
        for item in files:
            replace_file(Path(item.file), item.new.encode(item.encoding))
            done.append(item)
    except BaseException:
        for item in done:
            replace_file(Path(item.file), item.old.encode(item.encoding))
        raise
    finally:
        for item in done:
            linecache.checkcache(item.file)


def _unified(item: FileChange) -> str:
    name = display_name(item.file)
    lines = difflib.unified_diff(item.old.splitlines(True), item.new.splitlines(True), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _brief(value: Array) -> str:
    return repr(value.item()) if value.ndim == 0 else f"an array of shape {value.shape}"
