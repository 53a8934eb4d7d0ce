import numpy as np

CODES = {"Setosa": 0, "Versicolor": 1, "Virginica": 2}


def load(size):
    rng = np.random.default_rng(93)
    names = rng.choice(["setosa", "versicolor", "virginica"], size)
    x = rng.normal(size=(size, 5)).astype(np.float32)
    return x, np.array([CODES.get(name, 0) for name in names], np.int32)
