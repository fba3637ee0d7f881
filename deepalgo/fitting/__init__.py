"""Training with a floor: data, space of weights, steps, selection, report."""
