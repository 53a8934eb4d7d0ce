import os
import pickle

import numpy as np


def restore(folder):
    """Stands for the copy from the file server."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(83)
    batch = {b"data": rng.integers(0, 256, (60, 3072), dtype=np.uint8), b"labels": rng.integers(0, 10, 60).tolist()}
    with open(os.path.join(folder, "data_batch_1"), "wb") as file:
        pickle.dump(batch, file)
