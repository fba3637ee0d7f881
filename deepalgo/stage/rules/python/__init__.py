"""What the operators, the built-in functions and the standard library of Python mean on values that depend on data."""
