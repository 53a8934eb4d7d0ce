"""Corners of boxes, and other four numbers."""

import numpy as np
from mindspore import Tensor

from msprec.probe.data.box_corners import box_corners
from msprec.probe.steps.captured_steps import Material

RNG = np.random.default_rng(5)
PICTURES = np.zeros((200, 1, 4, 4), np.float32)


def boxes(count=200):
    low = RNG.uniform(0, 0.6, (count, 2))
    return np.concatenate([low, low + RNG.uniform(0.1, 0.4, (count, 2))], 1).astype(np.float32)


def told(rows):
    material = Material()
    material.batches = [(Tensor(PICTURES[:50]), Tensor(rows[n : n + 50])) for n in range(0, len(rows), 50)]
    return box_corners(material)


def test_corners():
    assert told(boxes()) == {"input": 1, "samples": 200, "smaller": [0, 0]}


def test_mirrored_without_an_exchange():
    rows = boxes()
    rows[::2, [0, 2]] = 1 - rows[::2, [0, 2]]
    assert told(rows)["smaller"] == [100, 0]


def test_four_other_numbers():
    assert told(RNG.normal(size=(200, 4)).astype(np.float32)) is None
    sides = boxes()
    sides[:, 2:] -= sides[:, :2]  # a corner, width and height
    assert told(sides) is None
    assert told(np.sign(RNG.normal(size=(200, 4))).astype(np.float32)) is None
    assert told(boxes(40)) is None
