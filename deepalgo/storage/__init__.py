"""A network as one file: weights as safetensors, the program as JSON in its header. Nothing in a file is ever executed."""
