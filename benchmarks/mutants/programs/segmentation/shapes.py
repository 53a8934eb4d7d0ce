"""Noisy grey pictures of discs and boxes, with their masks."""

import numpy as np

SIZE = 24


def draw(rng):
    """One picture with pixels 0..255 and its mask of 0 and 1."""
    yy, xx = np.mgrid[:SIZE, :SIZE]
    mask = np.zeros((SIZE, SIZE), bool)
    for _ in range(rng.integers(1, 4)):
        cy, cx, r = rng.integers(5, SIZE - 5), rng.integers(5, SIZE - 5), rng.integers(3, 8)
        if rng.random() < 0.5:
            mask |= (yy - cy) ** 2 + (xx - cx) ** 2 <= r * r
        else:
            mask |= (abs(yy - cy) <= r) & (abs(xx - cx) <= r // 2 + 1)
    background = rng.uniform(40, 90) + xx * rng.uniform(-1, 1) + yy * rng.uniform(-1, 1)
    picture = background + mask * rng.uniform(35, 80) + rng.normal(0, 22, mask.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), mask.astype(np.uint8)


class ShapesDataset:
    """A source for GeneratorDataset."""

    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.samples = [draw(rng) for _ in range(count)]

    def __getitem__(self, index):
        image, mask = self.samples[index]
        return image[:, :, None], mask[:, :, None]

    def __len__(self):
        return len(self.samples)
