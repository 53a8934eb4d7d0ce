"""A run beside a reference: its losses, weights, tensors, data. Reading needs no MindSpore, but for ``.ckpt`` files."""
