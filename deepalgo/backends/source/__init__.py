"""`Program` and the values of its weights -> the text of a standalone Python or NumPy function."""
