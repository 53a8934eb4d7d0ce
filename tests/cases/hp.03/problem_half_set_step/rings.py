"""The data of the two rings."""

import mindspore.dataset as ds
import numpy as np
from sklearn.datasets import make_circles


class Rings:
    def __init__(self, size=3000):
        self.points, self.ring = make_circles(size, noise=0.08, factor=0.5, random_state=29)

    def __len__(self):
        return len(self.ring)

    def __getitem__(self, index):
        return self.points[index].astype(np.float32), np.int32(self.ring[index])


def load(batch_size):
    data = ds.GeneratorDataset(Rings(), ["point", "ring"], shuffle=True)
    return data.batch(batch_size)
