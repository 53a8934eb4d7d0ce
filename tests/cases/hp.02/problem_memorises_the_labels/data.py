import mindspore.dataset as ds
import numpy as np


def load():
    """The sign of one feature; three in ten training labels are wrong, the test labels are right."""
    rng = np.random.default_rng(53)
    x = rng.normal(size=(900, 20)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32)
    wrong = rng.random(300) < 0.3
    noisy = np.where(wrong, 1 - y[:300], y[:300]).astype(np.int32)
    train = ds.NumpySlicesDataset((x[:300], noisy), ["x", "y"], shuffle=True).batch(50)
    return train, ds.NumpySlicesDataset((x[300:], y[300:]), ["x", "y"], shuffle=False).batch(100)
