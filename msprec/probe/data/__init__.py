"""Probes of what the captured steps were given: their inputs, labels and targets."""
