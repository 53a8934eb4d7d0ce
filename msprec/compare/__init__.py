"""A run beside a reference: its losses, weights, tensors, data. Reading needs neither framework."""
