"""The loss and the overflow flag among what a step gives."""

from msprec.record.nested import flatten


def first_scalar(output, skip=()):
    """The first floating-point scalar of an output (nested tuples, lists, dictionaries): the loss; or None."""
    for value in flatten(output):
        if any(value is s for s in skip) or not hasattr(value, "dtype"):
            continue
        if "Float" in str(value.dtype) and value.size == 1 and not is_parameter(value):
            return value
    return None


def loss_of(output):
    """The loss among what a differentiated function gives: the first scalar, or else losses that were not reduced, of which
    the mean is recorded; or None."""
    scalar = first_scalar(output)
    first = output[0] if isinstance(output, (tuple, list)) and output else output
    if scalar is not None or not hasattr(first, "dtype") or is_parameter(first):
        return scalar
    return first if "Float" in str(first.dtype) and len(first.shape) == 1 else None


def first_flag(output):
    """The first boolean scalar of an output: the overflow flag; or None."""
    for value in flatten(output):
        if isinstance(value, bool):
            return value
        if hasattr(value, "dtype") and str(value.dtype) == "Bool" and value.size == 1:
            return value
    return None


def is_parameter(value) -> bool:
    """Whether a value is one of MindSpore's parameters."""
    return type(value).__name__ == "Parameter"
