"""Everything programs are made of, by theme. Importing this package fills the registry."""

from tests.fuzz.constructs import (  # noqa: F401
    arithmetic,
    assignments,
    atoms,
    branches,
    calls,
    conditions,
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
