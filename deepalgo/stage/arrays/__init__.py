"""NumPy in the front end: arrays as boxes, and what NumPy's functions do to arrays that depend on data."""
