"""How the matching operation is computed: in NumPy, in torch, and as vector code for several centres side by side."""
