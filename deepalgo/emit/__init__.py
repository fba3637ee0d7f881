"""Program -> torch code, Python source, drawings: passes that lower a program, and writers that print it."""
