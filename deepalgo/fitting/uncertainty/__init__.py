"""What data can tell: how sure a trained weight is, and which weights cannot be told apart."""
