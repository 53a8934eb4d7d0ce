"""What the optimizer is given, of a training that diverged later on."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from msprec.probe.training import update_gradients as module
from msprec.probe.training.update_gradients import Given, update_gradients

OWN, BEFORE = np.array([1.0, 0.0, 2.0]), np.array([0.0, 3.0, 1.0])


@pytest.mark.parametrize("kept", [1, 0])
def test_gradients_that_are_not_finite_are_left_out(monkeypatch, kept):
    known = [Given(2, OWN + BEFORE, [OWN], BEFORE, 1)] * kept
    lost = Given(9, np.full(3, np.nan), [np.full(3, np.nan)], BEFORE, 1)
    monkeypatch.setattr(module, "_of_loop", lambda material, seconds: [*known, lost])
    monkeypatch.setattr(module, "_loss_divided", lambda material: None)
    held = SimpleNamespace(place=None, optimizer=None)
    material = SimpleNamespace(style="functional", updates_held=held, as_in_training=nullcontext)
    found = update_gradients(material, 1.0)
    if not kept:
        assert found is None
    else:
        (update,) = found["updates"]
        assert update["update"] == 2 and update["left"] == pytest.approx(1.0) and update["rest"] < 1e-6
