"""Probes of the loss: which one it is, what it is given, how it behaves, and its terms."""
