"""A script run again under observation for another purpose: to replay a kept step, or to test learning rates."""
