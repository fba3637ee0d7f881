"""The columns of a CSV or Parquet file, matched to the arguments of a function.

>>> choose({"Re": [1.0], "f": [2.0]}, ["reynolds"], {"reynolds": "Re"}, "data.csv")
{'reynolds': [1.0]}
>>> choose({"Reynolds": [1.0], "f": [2.0]}, ["reynolds"], {}, "data.csv")
Traceback (most recent call last):
deepalgo.commands.target.UsageError: data.csv has no column for the argument 'reynolds'; its columns are Reynolds, f. Did you mean --column reynolds=Reynolds?
"""  # noqa: E501  # the message is one line

from __future__ import annotations

import csv
import difflib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deepalgo.commands.target import UsageError


def read_columns(path: Path) -> dict[str, Any]:
    """All columns by name: of a CSV file lists of numbers, with NaN for empty fields, or of words."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    if path.suffix == ".parquet":
        return _read_parquet(path)
    if path.suffix == ".csv":
        return _read_csv(path)
    raise UsageError(f"--data takes .csv and .parquet files, not {path.name}")


def choose(columns: Mapping[str, Any], names: Sequence[str], renamed: Mapping[str, str], file: str) -> dict[str, Any]:
    """The columns of these arguments; `renamed` says which column belongs to an argument of another name."""
    found = {}
    for name in names:
        column = renamed.get(name, name)
        if column not in columns:
            known = ", ".join(columns)
            if name in renamed:
                raise UsageError(f"{file} has no column '{column}'; its columns are {known}")
            raise UsageError(f"{file} has no column for the argument '{name}'; its columns are {known}. {_hint(name, columns)}")
        found[name] = columns[column]
    return found


def target_column(columns: Mapping[str, Any], name: str, file: str) -> Any:
    """The column to learn."""
    if name not in columns:
        raise UsageError(f"{file} has no column '{name}'; its columns are {', '.join(columns)}")
    return columns[name]


def parse_renames(texts: Sequence[str], parameters: Sequence[str]) -> dict[str, str]:
    """`argument=column` pairs.

    >>> parse_renames(["reynolds=Re"], ["reynolds", "roughness"])
    {'reynolds': 'Re'}
    """
    pairs = {}
    for text in texts:
        argument, equals, column = text.partition("=")
        if not equals or not argument or not column:
            raise UsageError(f"--column takes ARGUMENT=COLUMN, not `{text}`")
        if argument not in parameters:
            raise UsageError(f"--column names the argument '{argument}', but the function has {', '.join(parameters) or 'none'}")
        pairs[argument] = column
    return pairs


def _hint(name: str, columns: Mapping[str, Any]) -> str:
    near = {column.lower(): column for column in columns}
    close = difflib.get_close_matches(name.lower(), near, n=1)
    return f"Did you mean --column {name}={near[close[0]]}?" if close else f"Say which one it is: --column {name}=COLUMN."


def _read_csv(path: Path) -> dict[str, Any]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    if not rows:
        raise UsageError(f"{path} is empty: its first line should name the columns")
    head, *body = rows
    body = [row for row in body if row]
    for number, row in enumerate(body, start=2):
        if len(row) != len(head):
            raise UsageError(f"line {number} of {path} has {len(row)} fields, but the first line names {len(head)} columns")
    return {name.strip(): _numbers([row[place] for row in body]) for place, name in enumerate(head)}


def _numbers(fields: list[str]) -> list[Any]:
    """The fields as numbers, or as they are if one of them is none."""
    try:
        return [float(field) if field.strip() else math.nan for field in fields]
    except ValueError:
        return fields


def _read_parquet(path: Path) -> dict[str, Any]:
    try:
        import polars as pl
    except ImportError:
        raise UsageError("Parquet files need polars: pip install 'deepalgo[data]'") from None
    frame = pl.read_parquet(path)
    return {name: frame[name].to_numpy() for name in frame.columns}
