"""Seconds that do not run on while other processes have the processor.

What probes may spend is measured by them: on a machine that others use too, a budget of clock time would end before a
verdict is possible.
"""

import time

import mindspore

#: How many times slower than the clock the seconds may run; then the machine counts as too slow.
SLOWEST = 3.0


def busy_part(wall: float, cpu: float) -> float:
    """The seconds that count, of ``wall`` by the clock in which the process had ``cpu`` seconds of its processors."""
    if mindspore.get_context("device_target") != "CPU":  # the process waits for its device
        return wall
    return max(min(wall, cpu), wall / SLOWEST)


class _BusyClock:
    def __init__(self) -> None:
        self._seconds = self._wall = self._cpu = 0.0

    def __call__(self) -> float:
        wall, cpu = time.monotonic(), time.process_time()
        self._seconds += busy_part(wall - self._wall, cpu - self._cpu)
        self._wall, self._cpu = wall, cpu
        return self._seconds


#: Seconds, from an arbitrary start: on a CPU those in which this process computed, at least a third of the clock's; else the
#: clock's.
busy_seconds = _BusyClock()
