"""A gradient function whose loss is scaled; in a file of its own because MindSpore may compile what is in it."""


def scaled_gradient_function(value_and_grad, fn, args: tuple, kwargs: dict, scale: float):
    """What ``value_and_grad(fn, *args, **kwargs)`` gives, computed with the loss times ``scale`` and divided again."""
    has_aux = kwargs.get("has_aux", args[2] if len(args) > 2 else False)

    def scaled(*inputs):
        found = fn(*inputs)
        if has_aux:
            return (found[0] * scale, *found[1:])
        return found * scale

    gradient = value_and_grad(scaled, *args, **kwargs)

    def call(*inputs):
        value, gradients = gradient(*inputs)
        if has_aux:
            return (value[0] / scale, *value[1:]), _divided(gradients, scale)
        return value / scale, _divided(gradients, scale)

    return call


def _divided(gradients, scale: float):
    if isinstance(gradients, (tuple, list)):
        return tuple(_divided(one, scale) for one in gradients)
    return gradients / scale
