"""Which weights train, and between what: what the caller says, what the source says, and the default."""
