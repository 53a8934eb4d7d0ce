"""Probes that train on, or compute again what the optimizer was given."""
