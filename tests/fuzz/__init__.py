"""Random programs, the answers Python gives for them, and the comparison with the compiled network.

Reading order: `program` (what is passed around), `writer` and `constructs` (how source text is made), `generator` (whole modules),
`instrument` and `oracle` (what is true), `compare` (the verdict), `shrink` (the smallest failing program), `campaign` and `log`.
"""
