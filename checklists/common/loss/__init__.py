"""What is asked of a loss: what it is given, what it takes, and what it does with it (cg.04)."""
