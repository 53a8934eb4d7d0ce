"""TensorBoard reads back what was recorded."""

import math
import sys

import pytest

from msprec.record.step_recorder import StepRecorder
from msprec.record.tensorboard import MISSING, TensorBoardWriter, require
from msprec.record.writer import RunWriter


def scalars(folder) -> dict:
    """``{tag: [(step, value)]}`` as TensorBoard itself reads it."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_what_was_recorded(tmp_path):
    recorder = StepRecorder(RunWriter(tmp_path / "run"))
    recorder.add_listener(TensorBoardWriter(tmp_path / "events"))
    for step, (loss, overflow) in enumerate([(0.5, False), (math.nan, True), (0.25, False)], 1):
        recorder.put(step, loss=loss, overflow=overflow, scale=1024.0, lr=0.125, grad_norm=2.0 if step == 2 else None)
        recorder.end(step)
    recorder.close()
    found = scalars(tmp_path / "events")
    assert found["loss"][0] == (1, 0.5) and found["loss"][2] == (3, 0.25) and math.isnan(found["loss"][1][1])
    assert found["loss_scale/overflow"] == [(1, 0.0), (2, 1.0), (3, 0.0)]
    assert found["loss_scale/scale"] == [(step, 1024.0) for step in (1, 2, 3)]
    assert found["learning_rate"][0] == (1, 0.125)
    assert found["gradient_norm"] == [(2, 2.0)]
    assert "time/compute_seconds" not in found


def test_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(ImportError) as caught:
        require()
    assert str(caught.value) == MISSING
