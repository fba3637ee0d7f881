"""ClusterNet: compare an image with representatives of each class under a metric that forgives small movements, and decide."""
from deepalgo.cluster.matching import Transform, match, transforms

__all__ = ["Transform", "match", "transforms"]
