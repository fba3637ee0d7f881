"""The weights as one vector, the searches that move it, and the plan in which they run."""
