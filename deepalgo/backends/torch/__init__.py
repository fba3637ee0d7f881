"""Program -> torch code: the passes that only torch needs, the writer, and what the code calls while it runs."""
