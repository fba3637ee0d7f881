"""DeepNewton: root finders for polynomials and systems of them, made of Newton's method by `compile`, the transformations and `fit`."""
