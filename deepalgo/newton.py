"""Root finders: a short name for `deepalgo.studies.newton` and the modules in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepalgo.studies import newton as study
from deepalgo.studies.aliases import alias

if TYPE_CHECKING:
    from deepalgo.studies.newton import *  # noqa: F403

__path__: list[str] = []
alias(__name__, study.__name__)


def __getattr__(name: str) -> object:
    return getattr(study, name)


def __dir__() -> list[str]:
    return dir(study)
