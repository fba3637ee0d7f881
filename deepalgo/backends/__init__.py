"""What programs run on: each backend is a folder."""
