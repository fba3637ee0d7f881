"""ClusterNet: compare an image with representatives of each class under a metric that forgives small movements, and decide.

The heuristic is an ordinary function (`heuristic`); the network is what `deepalgo.compile` makes of it.

>>> import deepalgo.cluster
>>> [name for name in dir(deepalgo.cluster) if not name.startswith("_")][:4]
['Centres', 'Changes', 'ClusterNetClassifier', 'Explanation']
"""

from __future__ import annotations

import importlib

_HOME = {
    "Centres": "centres",
    "Changes": "augment",
    "ClusterNetClassifier": "classifier",
    "Explanation": "classifier",
    "History": "training",
    "Settings": "training",
    "Transform": "matching",
    "choose_centres": "centres",
    "compare_images": "metric",
    "correction": "features",
    "edges": "features",
    "heuristic": "vote",
    "image_distance": "metric",
    "match": "matching",
    "plot_centres": "plots",
    "plot_confusion": "plots",
    "spectral_mixing": "spectral",
    "train": "training",
    "transforms": "matching",
}

__all__ = sorted(_HOME)  # noqa: PLE0605  # a list of strings all the same


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
