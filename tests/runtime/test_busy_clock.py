"""Seconds of probes: they stand still, but for a third, while other processes have the processor."""

import mindspore
import pytest

from msprec.runtime import busy_clock


@pytest.fixture
def passes(monkeypatch):
    """Lets so many seconds pass, by the clock and of the process, and gives those that count."""
    now = {"wall": 100.0, "cpu": 7.0}
    monkeypatch.setattr(busy_clock.time, "monotonic", lambda: now["wall"])
    monkeypatch.setattr(busy_clock.time, "process_time", lambda: now["cpu"])
    clock = busy_clock._BusyClock()
    clock()

    def of(wall: float, cpu: float) -> float:
        before = clock()
        now["wall"] += wall
        now["cpu"] += cpu
        return clock() - before

    return of


@pytest.mark.parametrize(
    ("wall", "cpu", "counted"), [(2.0, 2.0, 2.0), (2.0, 3.9, 2.0), (2.0, 1.0, 1.0), (3.0, 0.1, 1.0), (0.0, 0.0, 0.0)]
)
def test_seconds_of_the_process_within_the_clock(passes, wall, cpu, counted):
    assert passes(wall, cpu) == pytest.approx(counted)


def test_the_clock_where_a_device_computes(passes, monkeypatch):
    monkeypatch.setattr(mindspore, "get_context", lambda name: "Ascend")
    assert passes(3.0, 0.1) == pytest.approx(3.0)
