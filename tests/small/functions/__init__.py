"""The list of small functions, by family."""
