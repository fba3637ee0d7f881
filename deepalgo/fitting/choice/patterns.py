"""What the words of `train=` and `fixed=` mean: names and patterns of them, functions, lines and roles of weights.

>>> from deepalgo.ir import Weight
>>> from deepalgo.ir.standing import Standing
>>> weights = [Weight("gain", 2.0, standing=Standing(reads=("controller",))), Weight("mass", 1.0, standing=Standing(reads=("plant",))),
...            Weight("dt", 0.1, standing=Standing(reads=("controller", "plant")))]
>>> [weight.key for weight in weights if rank("controller.*", weight)]
['gain']
>>> [weight.key for weight in weights if rank("plant", weight, shared=True)]
['mass', 'dt']
>>> rank("gain", weights[0]) > rank("g*", weights[0]) > rank("coefficient", weights[0])
True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from deepalgo.errors import InputError
from deepalgo.ir import Role, Weight

Words: TypeAlias = str | Callable[..., Any] | Iterable[str | Callable[..., Any]] | None
LINES = re.compile(r"(?:lines?\s+|(?P<file>.+\.py):)?(?P<first>\d+)(?:\s*-\s*(?P<last>\d+))?")
ROLES = tuple(str(role) for role in Role)


class Rank(IntEnum):
    """How closely a word means a weight: the closer one decides."""

    NONE = 0
    ROLE = 1
    PLACE = 2
    NAME = 3


def words_of(words: Words, option: str) -> tuple[str, ...] | None:
    """The words one by one; a function stands for all that only it reads."""
    if words is None:
        return None
    listed = list(words) if isinstance(words, Iterable) and not isinstance(words, str) and not callable(words) else [words]
    for word in listed:
        if not isinstance(word, str) and not callable(word):
            raise InputError(f"{option} takes names, patterns, functions, lines and roles of weights, not {word!r}")
    return tuple(word if isinstance(word, str) else f"{_qualname(word)}.*" for word in listed)


def _qualname(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__)).rpartition("<locals>.")[2]


def rank(word: str, weight: Weight, *, shared: bool = False) -> Rank:
    """How closely a word means a weight. What several functions read belongs to one of them only if `shared` says so."""
    if word == weight.key:
        return Rank.NAME
    if found := LINES.fullmatch(word.strip()):
        return Rank.PLACE if _is_at(weight, found) else Rank.NONE
    among = any if shared else all
    readers = weight.standing.reads
    if fnmatchcase(weight.key, word) or (readers and among(_is_of(word, f"{reader}.{weight.key}") for reader in readers)):
        return Rank.PLACE
    return Rank.ROLE if word == weight.role else Rank.NONE


def closest(words: Sequence[str], weight: Weight, *, shared: bool = False) -> tuple[Rank, str]:
    """The word that means a weight most closely, and how closely."""
    return max(((rank(word, weight, shared=shared), word) for word in words), key=lambda pair: pair[0], default=(Rank.NONE, ""))


def check_words(words: Sequence[str], weights: Iterable[Weight], option: str, name: str) -> None:
    """Refuse a word that means no weight."""
    weights = list(weights)
    for word in words:
        if not any(rank(word, weight, shared=True) for weight in weights):
            raise InputError(f"{option} names {word!r}, which is no weight, role, line or function of {name}()\n{by_function(weights)}")


def by_function(weights: Iterable[Weight]) -> str:
    """The weights that could train, in one line for each function that reads them.

    >>> from deepalgo.ir.standing import Standing
    >>> print(by_function([Weight("a", 1.0, standing=Standing(reads=("f",))), Weight("b", 1.0, standing=Standing(reads=("f", "g")))]))
      f: a
      f and g: b
    """
    found: dict[str, list[str]] = {}
    for weight in weights:
        if not weight.frozen:
            found.setdefault(" and ".join(weight.standing.reads) or "made by a transformation", []).append(weight.key)
    return "\n".join(f"  {function}: {', '.join(keys)}" for function, keys in found.items())


def _is_of(word: str, place: str) -> bool:
    """Whether `controller`, `controller.*` or `Class.*` means `controller.gain` or `Class.step.gain`."""
    return fnmatchcase(place, word) or place.startswith(f"{word}.")


def _is_at(weight: Weight, found: re.Match[str]) -> bool:
    if weight.span is None:
        return False
    first, file = int(found["first"]), found["file"]
    last = int(found["last"] or first)
    here = "/" + weight.span.file.replace("\\", "/")
    return first <= weight.span.line <= last and (file is None or here.endswith(f"/{file.lstrip('./')}"))
