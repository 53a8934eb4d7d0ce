"""Steps of the training run again: what a run leaves of them, what they compute, and what made it."""
