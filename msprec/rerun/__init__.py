"""A script run again under observation for another purpose: to replay a kept step, to test learning rates, or to dump steps."""
