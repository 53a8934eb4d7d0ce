"""Grey patterns of 8 bits."""

import numpy as np


def patterns(seed, size):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, size).astype(np.int32)
    pictures = rng.integers(0, 140, (size, 12, 12, 1))
    for number in range(3):
        pictures[kind == number, 4 * number : 4 * number + 4] += 90
    return pictures.astype(np.uint8), kind
