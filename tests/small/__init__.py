"""A set of small functions, one for each corner of the language and of its libraries: network against Python, value and gradient.

`functions/` is the list. It was written down before any of it was compiled, and nothing is ever taken out of it.
"""
