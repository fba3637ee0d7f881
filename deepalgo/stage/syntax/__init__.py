"""Python's statements, expressions and calls, node by node."""
