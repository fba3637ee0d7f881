"""The one table of operations: type rule, torch form, Python and NumPy spelling, and where each may go wrong."""
