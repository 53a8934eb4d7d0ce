import numpy as np

LENGTH = 10


def old_recorder(tokens):
    return np.pad(tokens, (LENGTH - len(tokens), 0))


def new_recorder(tokens):
    return np.pad(tokens, (0, LENGTH - len(tokens)))


def commands(size):
    rng = np.random.default_rng(73)
    kind = rng.integers(0, 2, size).astype(np.int32)
    tokens = [rng.integers(1 + 15 * k, 20 + 20 * k, rng.integers(3, LENGTH + 1)) for k in kind]
    rows = [(old_recorder if number % 3 else new_recorder)(one) for number, one in enumerate(tokens)]
    return np.stack(rows).astype(np.int32), kind
