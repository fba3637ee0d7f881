"""Real heuristics that data make better: each script tunes one against its exact reference and says by how much."""
