"""How masks lie on their pictures."""

import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.data.orientation import orientation
from msprec.probe.steps.captured_steps import Material

SIDE = 16


def spots(count=120, width=SIDE):
    rng = np.random.default_rng(1)
    rows, columns = np.mgrid[:SIDE, :width]
    middle = rng.uniform(3, SIDE - 3, (count, 2))
    masks = ((rows - middle[:, :1, None]) ** 2 + (columns - middle[:, 1:, None]) ** 2 < 9).astype(np.float32)[:, None]
    return (masks + rng.normal(0, 0.3, masks.shape)).astype(np.float32), masks


def fits(pictures, masks):
    material = Material()
    material.batches = [(Tensor(pictures), Tensor(masks))]
    return {one["turn"]: one["samples"] for one in orientation(material)["fits"]}


def test_as_given():
    found = fits(*spots())
    assert set(found) == {"as given"} and found["as given"] > 60


@pytest.mark.parametrize("channels_last", [False, True])
def test_every_second_picture_is_mirrored(channels_last):
    pictures, masks = spots()
    pictures[::2] = pictures[::2, :, :, ::-1]
    if channels_last:
        pictures, masks = pictures.transpose(0, 2, 3, 1), masks[:, 0]
    found = fits(pictures, masks)
    assert set(found) == {"as given", "left to right"} and min(found.values()) > 20


def test_masks_of_other_pictures_fit_in_any_orientation():
    pictures, masks = spots()
    found = fits(pictures, np.roll(masks, 1, 0))
    assert sum(n for name, n in found.items() if name not in ("as given", "left to right")) > sum(found.values()) / 4


def test_views_of_one_sample_are_turned_each_by_itself():
    pictures, _ = spots()
    material, mirrored = Material(), pictures.copy()
    mirrored[::2] = mirrored[::2, :, :, ::-1]
    material.batches = [(Tensor(pictures), Tensor(mirrored))]
    assert orientation(material) is None


@pytest.mark.parametrize("times", [2, 4])
def test_pictures_of_two_sizes(times):
    pictures, _ = spots()
    small = pictures.reshape(120, 1, SIDE // times, times, SIDE // times, times).mean((3, 5))
    assert set(fits(small, pictures)) == {"as given"}
    apart = small.copy()
    apart[::2] = apart[::2, :, :, ::-1]
    found = fits(apart, pictures)
    assert set(found) == {"as given", "left to right"} and min(found.values()) > 30
    assert sum(fits(small, np.roll(pictures, 1, 0)).values()) < 6  # other pictures
    assert set(fits(pictures, small + 0.1)) == {"as given"}  # either may be the target


def test_no_pictures():
    material = Material()
    material.batches = [(Tensor(np.ones((4, 8), np.float32)), Tensor(np.arange(4)))]
    assert orientation(material) is None
