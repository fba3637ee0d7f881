"""Two studies made with the package: root finders (`newton`) and image classification (`cluster`).

Each has its heuristics, what is made of them, and the paper's tables. Operations that only a study needs are rows of its own.
"""

from deepalgo.ops import provide

provide("deepalgo.studies.cluster.rows")
