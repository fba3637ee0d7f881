"""What NumPy's functions and methods mean on arrays that depend on data."""
