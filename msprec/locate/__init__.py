"""Finds the expression, operator and source line that made the first non-finite value of a step, by replaying it."""
