"""What operators, attributes and calls mean on values that depend on data."""
