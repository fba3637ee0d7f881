"""Heuristics as estimators of scikit-learn, which is an extra: `pip install 'deepalgo[sklearn]'`."""

import importlib.util

if importlib.util.find_spec("sklearn") is None:
    raise ImportError("estimators need scikit-learn: pip install 'deepalgo[sklearn]'")
