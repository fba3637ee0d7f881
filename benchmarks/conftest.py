"""What needs a package that is not installed is not collected."""

import importlib.util

NEEDS = {
    "hand_written.py": ("fluids",), "hand_written_jax.py": ("fluids", "jax"), "native_peers.py": ("jax",), "native_casadi.py": ("casadi",),
}

collect_ignore = [file for file, packages in NEEDS.items() if not all(map(importlib.util.find_spec, packages))]
