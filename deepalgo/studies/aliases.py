"""Short names for the modules of a study: `deepalgo.newton.solver` is `deepalgo.studies.newton.solver`, one module under two names.

>>> import deepalgo.newton.solver, deepalgo.studies.newton.solver
>>> deepalgo.newton.solver is deepalgo.studies.newton.solver
True
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class Aliases(MetaPathFinder, Loader):
    """Finds modules of a package under the name of another one."""

    def __init__(self) -> None:
        self.homes: dict[str, str] = {}

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The alias of a module, or None where there is no such module; folders have one name."""
        package, _, name = fullname.rpartition(".")
        home = self.homes.get(package)
        found = importlib.util.find_spec(f"{home}.{name}") if home is not None else None
        if found is None or found.submodule_search_locations is not None:
            return None
        return ModuleSpec(fullname, self, origin=f"{home}.{name}")

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself, with what it knows of its own name kept aside."""
        assert spec.origin is not None
        module = importlib.import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own name back; it has been executed."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


ALIASES = Aliases()
sys.meta_path.append(ALIASES)


def alias(package: str, home: str) -> None:
    """Let `package.name` be the module `home.name`. The package needs an empty `__path__`, so that nothing else is found there."""
    ALIASES.homes[package] = home
