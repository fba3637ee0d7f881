"""Reverse-mode differentiation: `adjoint(program)` is the derivative of a program, again as a program."""

from deepalgo.adjoint.reverse import adjoint, adjoint_in_segments, careful_adjoint, careful_adjoint_in_segments
from deepalgo.adjoint.segments import SegmentRule

__all__ = ["SegmentRule", "adjoint", "adjoint_in_segments", "careful_adjoint", "careful_adjoint_in_segments"]
