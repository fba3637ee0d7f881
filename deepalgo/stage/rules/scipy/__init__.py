"""What SciPy's functions mean on numbers and arrays that depend on data."""
