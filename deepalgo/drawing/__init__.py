"""The signal-flow graph of a network as a figure: formulas as people write them, loops and branches as nested boxes."""
