"""Reverse-mode differentiation: `adjoint(program)` is the derivative of a program, again as a program."""

from deepalgo.adjoint.reverse import adjoint, careful_adjoint

__all__ = ["adjoint", "careful_adjoint"]
