"""Weights that are loaded, kept, averaged and updated (wi.01, wi.02, cg.02)."""
