"""`deepalgo tune`: train the constants of a function on a table, and show what changes in its source."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import deepalgo
from deepalgo.commands.columns import choose, parse_renames, read_columns, target_column
from deepalgo.commands.grow import grow
from deepalgo.commands.needs import need_file, need_package
from deepalgo.commands.target import Example, Target, UsageError, load_function, parse_example, told
from deepalgo.ir import Slot, Static
from deepalgo.signature import Signature

if TYPE_CHECKING:
    from deepalgo.fitting.report.page import Fit
    from deepalgo.network import Network

GROWN = "the function has grown, so --write cannot put it into its source; --output FILE writes it as a function"


def tune(
    target: Target,
    data: Annotated[Path, typer.Option(help="A .csv or .parquet file whose columns are the arguments and the answers.")],
    learn: Annotated[str, typer.Option("--target", help="The column to learn; for a function of several answers: a,b,c.")] = "",
    residual: Annotated[str, typer.Option(help="Instead of a target: a function of the file, of the answer and the arguments.")] = "",
    loss: Annotated[str, typer.Option(help="squared, absolute, relative, huber(1), quantile(0.5), logistic, or max.")] = "squared",
    sample_weight: Annotated[str, typer.Option(help="The column that says how much each row counts.")] = "",
    train: Annotated[list[str] | None, typer.Option(help="What to train: a name, k*, controller.*, line 12, a role; repeatable.")] = None,
    fixed: Annotated[list[str] | None, typer.Option(help="What to leave alone, in the same words.")] = None,
    column: Annotated[list[str] | None, typer.Option(help="ARGUMENT=COLUMN, where the names differ; can be repeated.")] = None,
    tensorize: Annotated[list[str] | None, typer.Option(help="A transformation as `deepalgo check` suggests it; can be repeated.")] = None,
    steps: Annotated[int, typer.Option(help="Training steps.")] = 500,
    seeds: Annotated[int, typer.Option(help="Runs that start at different weights.")] = 1,
    missing: Annotated[str, typer.Option(help="Rows with empty fields: raise, or drop.")] = "raise",
    group: Annotated[str, typer.Option(help="A column of sites, patients ...: whole ones are held out, and each counts as one.")] = "",
    split: Annotated[
        str, typer.Option(help="random; time: later rows are held out, by the column `time` or as they stand; or a column.")
    ] = "random",
    refit: Annotated[bool, typer.Option("--refit", help="Train what is kept again on all rows.")] = False,
    example: Example = "",
    checkpoint: Annotated[Path | None, typer.Option(help="A file to keep the state in; the same command goes on from there.")] = None,
    plot: Annotated[Path | None, typer.Option(help="A file to draw the report into.")] = None,
    output: Annotated[Path | None, typer.Option(help="A file to write the tuned function into, as standalone Python.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the new constants into the source.")] = False,
) -> None:
    """Train the constants of a function on data; print the report and the diff.

    Example: deepalgo tune pipes.py:friction --data pipes.csv --target f --loss relative --write
    """
    with told("tune"):
        function = load_function(target)
        names = vars(inspect.getmodule(function)) if inspect.getmodule(function) else {}
        _look_ahead(function, data, checkpoint, plot, output, write, bool(tensorize))
        columns = read_columns(data)
        renamed = parse_renames(column or [], _parameters(function))
        network = _compile(function, columns, renamed, example)
        inputs = choose(columns, _inputs(network), renamed, data.name)
        goal = _goal(learn, residual, columns, names, data.name)
        for call in tensorize or []:
            network = grow(network, call, names, inputs)
        search = deepalgo.SearchOptions(seeds=seeds)
        goal |= _division(group, split, columns, data.name) | {"train": _words(train), "fixed": _words(fixed), "refit": refit}
        if sample_weight:
            goal["sample_weight"] = target_column(columns, sample_weight, data.name)
        fit = deepalgo.fit(network, inputs, loss=loss, steps=steps, search=search, missing=missing, checkpoint=checkpoint, **goal)
        print(fit)
        _hand_back(fit, write, output, plot)


def _words(given: list[str] | None) -> list[str] | None:
    """What an option says, several times or with commas."""
    return [word.strip() for item in given for word in item.split(",")] if given else None


def _look_ahead(
    function: Callable[..., Any], data: Path, checkpoint: Path | None, plot: Path | None, output: Path | None, write: bool, grows: bool
) -> None:
    """Refuse what would fail after training."""
    if data.suffix == ".parquet":
        need_package("polars", "a Parquet file")
    for path, option in ((checkpoint, "--checkpoint"), (plot, "--plot"), (output, "--output")):
        if path is not None:
            need_file(path, option)
    if write and grows:
        raise UsageError(GROWN)
    if write:
        need_file(Path(inspect.getsourcefile(inspect.unwrap(function)) or ""), "--write")


def _compile(function: Callable[..., Any], columns: dict[str, Any], renamed: dict[str, str], example: str) -> Network:
    """Parameters with a default are inputs where there is a column for them."""
    if example:
        return deepalgo.compile(function, example=parse_example(example))
    optional = [name for name, item in inspect.signature(function).parameters.items() if item.default is not inspect.Parameter.empty]
    return deepalgo.compile(function, inputs=[name for name in optional if renamed.get(name, name) in columns])


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _inputs(network: Network) -> list[str]:
    """The arguments that columns stand for: numbers."""
    assert isinstance(network.signature, Signature)
    for argument in network.signature.arguments:
        if not isinstance(argument.tree, (Slot, Static)) or (isinstance(argument.tree, Slot) and argument.tree.value.type.shape):
            raise UsageError(f"the argument '{argument.name}' is more than one number, which a column cannot hold: use da.fit from Python")
    return [argument.name for argument in network.signature.arguments if isinstance(argument.tree, Slot)]


def _goal(learn: str, residual: str, columns: dict[str, Any], names: dict[str, Any], file: str) -> dict[str, Any]:
    if bool(learn) == bool(residual):
        raise UsageError("say what is right: --target COLUMN, or --residual FUNCTION (not both)")
    if residual:
        if not callable(names.get(residual)):
            raise UsageError(f"--residual names `{residual}`, which is no function of the file")
        return {"residual": names[residual]}
    wanted = [target_column(columns, name.strip(), file) for name in learn.split(",")]
    return {"targets": wanted[0] if len(wanted) == 1 else tuple(wanted)}


def _division(group: str, split: str, columns: dict[str, Any], file: str) -> dict[str, Any]:
    """The group of each row, and its time: a word of `fit`, or the column by which rows are in order."""
    if group and split != "random":
        raise UsageError("--group holds out whole groups and --split later rows: give one of them")
    named = split != "random" and (split != "time" or split in columns)
    return {
        "groups": target_column(columns, group, file) if group else None,
        "split": target_column(columns, split, file) if named else split,
    }


def _hand_back(fit: Fit, write: bool, output: Path | None, plot: Path | None) -> None:
    """The new numbers as a diff, or the whole function where it has grown, and the picture."""
    _show(fit, write, output)
    if plot is not None:
        fit.plot().savefig(plot)
        print(f"wrote {plot}")


def _show(fit: Fit, write: bool, output: Path | None) -> None:
    if not fit.improved:
        print("\nThe source stays as it is.")
        return
    if output is not None:
        output.write_text(deepalgo.source(fit.network))
        print(f"\nwrote {output}")
    if fit.grown:
        if write:
            raise UsageError(GROWN)
        if output is None:
            print(f"\n{deepalgo.source(fit.network)}")
        return
    print(f"\n{deepalgo.patch(fit.network) if write else deepalgo.diff(fit.network)}")
