"""What needs a peer that is not installed is not collected."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("jax") else ["hand_written_jax.py"]
