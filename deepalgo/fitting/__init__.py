"""`da.fit`: train the weights of a network on data, and keep the result only if it is better than the heuristic.

`fit` reads a call, `competition` trains the networks that compete and selects one. `data/` has the samples, `judge/` says what is better,
`search/` moves the weights, `report/` says what was found; `checkpoint` keeps the state in a file, `processes` shares the work, and
`progress` shows a bar.
"""
