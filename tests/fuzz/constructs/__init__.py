"""Everything programs are made of, by theme. Importing this package fills the registry."""

from tests.fuzz.constructs import (  # noqa: F401
    arithmetic,
    arrays,
    assignments,
    atoms,
    attempts,
    branches,
    calls,
    conditions,
    containers,
    counting,
    errors,
    helpers,
    integers,
    loops,
    mathematics,
    maybe,
    rounding,
    statics,
    tuples,
    whiles,
)
