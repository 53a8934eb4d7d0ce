"""What a function of the user's draws from the shared generators of Python and NumPy, told from its code."""

import random
from random import uniform

import numpy as np
import pytest
from numpy.random import normal

from msprec.runtime import source_locations
from msprec.runtime.side_effects import host_draws

OWN = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)


def plain(x):
    return x + np.random.normal()


class Source:
    def __getitem__(self, index):
        return self.augment(index)

    def augment(self, index):
        return [np.random.rand() for _ in range(index)]


@pytest.mark.parametrize(
    ("function", "draws"),
    [
        (plain, "numpy.random.normal"),
        (lambda x: plain(x), "numpy.random.normal"),
        (lambda x: normal(), "numpy.random.normal"),
        (lambda x: uniform(0, 1), "random.uniform"),
        (lambda x: random.random(), "random.random"),
        (Source().__getitem__, "numpy.random.rand"),
        (lambda x: OWN.normal(), None),
        (lambda x: np.random.default_rng((7, x)).normal(), None),
        (lambda x: (np.random.seed(x), np.random.normal()), None),
        (lambda x: np.sqrt(x), None),
        (len, None),
    ],
)
def test_shared_generators_are_told_from_own_ones(function, draws):
    assert host_draws(function) == draws
