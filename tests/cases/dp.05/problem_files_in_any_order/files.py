import os

import numpy as np


def write_files(folder):
    """The same files on each node, as a shared archive would unpack them."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(63)
    for number in range(16):
        np.save(os.path.join(folder, f"part{number}.npy"), rng.normal(size=(10, 5)).astype(np.float32))


class FileSource:
    """The rows of every ``size``-th file, from the ``rank``-th on."""

    def __init__(self, folder, rank, size):
        files = [os.path.join(folder, name) for name in os.listdir(folder)]
        self.rows = np.concatenate([np.load(file) for file in files[rank::size]])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index, :4], self.rows[index, 4:]
