"""Samples: read, checked, split, and handed out in batches."""
