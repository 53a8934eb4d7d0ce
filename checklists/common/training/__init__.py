"""How a training went: its curves, what it learnt, and what would have been reached without it."""
