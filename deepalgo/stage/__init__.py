"""The front end: a user's function becomes a `Program`.

The function's syntax tree is interpreted once, on `Signal`s where data will flow and on ordinary objects everywhere else. What
touches no Signal is plain Python and is gone from the result.
"""
