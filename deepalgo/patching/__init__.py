"""Trained constants back into the user's own source: found, rounded, shown as a diff, written."""
