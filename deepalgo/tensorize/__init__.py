"""Transformations: each takes a network and returns one with more weights that gives the same answers.

One transformation a file. `grow` holds what they share: rebuilding a program with new weights while the trained values of the old
ones are kept; `find` is how a user names the loop, the signal or the weight that is meant.
"""
