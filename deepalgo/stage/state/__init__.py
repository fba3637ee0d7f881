"""The state of a staging run: values, containers and their copies, branches, weights, and the machine that holds them."""
