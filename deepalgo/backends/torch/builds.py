"""The cache of builds: each program is lowered once for each plan, and its builds are freed with it.

>>> from deepalgo.ir import parse
>>> program = parse("double(x: real)\\n  %y = add %x %x\\n  return %y")
>>> build(program, Plan()) is build(program, Plan())
True
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass, field, replace

from deepalgo.backends.targets import Plan, shared_passes, torch_passes
from deepalgo.backends.torch.executable import Executable, load_code
from deepalgo.ir import Program
from deepalgo.lower.depth import compiling
from deepalgo.lower.passes import Passes, PassSettings, run


@dataclass(frozen=True, slots=True)
class Builds:
    """What was made of one program: after the passes that plans share, after all passes of a plan, and as code."""

    shared: dict[Passes, Program] = field(default_factory=dict)
    lowered: dict[Plan, Program] = field(default_factory=dict)
    built: dict[Plan, Executable] = field(default_factory=dict)


#: By the identity of the program, as equal ones may have other lines; a program that is gone takes its builds along.
_builds: dict[int, tuple[weakref.ref[Program], Builds]] = {}
_lock = threading.RLock()


def builds_of(program: Program) -> Builds:
    """What has been made of a program so far."""
    with _lock:
        found = _builds.get(id(program))
        if found is None:
            key = id(program)
            found = _builds[key] = weakref.ref(program, lambda _: _builds.pop(key, None)), Builds()
        return found[1]


def lowered(program: Program, plan: Plan) -> Program:
    """The program after the passes of a plan."""
    builds, plan = builds_of(program), replace(plan, careful=False)  # which only the writer reads
    with _lock:
        if plan not in builds.lowered:
            passes, shared = torch_passes(plan), shared_passes(plan)
            with compiling():
                if shared not in builds.shared:
                    builds.shared[shared] = run(shared, program)
                builds.lowered[plan] = run(passes[len(shared) :], builds.shared[shared], PassSettings(plan.rounds))
        return builds.lowered[plan]


def build(program: Program, plan: Plan) -> Executable:
    """The program as code that runs by a plan."""
    builds = builds_of(program)
    with _lock:
        if plan not in builds.built:
            builds.built[plan] = load_code(lowered(program, plan), plan)
        return builds.built[plan]
