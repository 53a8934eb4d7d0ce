"""What is done to the gradients between their computation and the update."""

from mindspore import ops


def norm_of(grads):
    total = 0.0
    for gradient in grads:
        total = total + ops.square(gradient.astype("float32")).sum()
    return ops.sqrt(total)


def shrink(grads, limit):
    """Gradients whose global norm is at most ``limit``."""
    norm = norm_of(grads)
    if norm <= limit:
        return grads
    return [gradient * (limit / (norm + 1e-6)) for gradient in grads]


def divide(grads, scale):
    return tuple(gradient / scale for gradient in grads)
