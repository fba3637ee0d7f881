"""Measurements: `make bench` (speed) and `make corpus` (how much of the real world compiles)."""
