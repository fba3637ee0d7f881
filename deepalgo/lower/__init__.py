"""Passes from a program to a program that every target can use, and how a list of them is run; `backends/targets.py` has the lists."""
