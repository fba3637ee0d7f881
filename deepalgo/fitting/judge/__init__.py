"""What is better: the loss of a sample, the floor that a change has to clear, and the networks that compete."""
