"""The front end: a user's function becomes a `Program`.

The function's syntax tree is interpreted once, on `Signal`s where data will flow and on ordinary objects everywhere else. What
touches no Signal is plain Python and is gone from the result.

`state` holds values, the heap and the machine that emits operations. `rules` say what operators, attributes and calls do to values.
`syntax` walks the nodes of the tree. Imports go that way only: what calls back asks the machine (`state/language.py`).
"""
