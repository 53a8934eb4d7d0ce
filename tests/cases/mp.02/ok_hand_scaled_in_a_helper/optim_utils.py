from mindspore import ops


def rescale(grads, factor):
    return tuple(g * factor for g in grads)


def clip_norm(grads, limit):
    return ops.clip_by_global_norm(grads, clip_norm=limit)
