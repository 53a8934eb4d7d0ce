"""The gradient penalty of a critic."""

from mindspore import ops


def interpolate(real, fake, share):
    return share * real + (1.0 - share) * fake


def gradient_penalty(slope_fn, real, fake, share):
    """How far the slope of the critic is from one between real and made samples."""
    mixed = interpolate(real, fake, share)
    slope = slope_fn(mixed)
    norm = ops.norm(slope, dim=1)
    return ops.reduce_mean(ops.pow(norm - 1.0, 2))
