"""Seconds that do not run on while other processes have the processor.

What probes may spend is measured by them: on a machine that others use too, a budget of clock time would end before a
verdict is possible.
"""

import time

import mindspore

#: How many times slower than the clock the seconds may run; then the machine counts as too slow.
SLOWEST = 3.0


class _BusyClock:
    def __init__(self) -> None:
        self._seconds = self._wall = self._cpu = 0.0

    def __call__(self) -> float:
        wall, cpu = time.monotonic(), time.process_time()
        past = wall - self._wall
        if mindspore.get_context("device_target") == "CPU":  # elsewhere the process waits for its device
            past = max(min(past, cpu - self._cpu), past / SLOWEST)
        self._seconds += past
        self._wall, self._cpu = wall, cpu
        return self._seconds


#: Seconds, from an arbitrary start: on a CPU those in which this process computed, at least a third of the clock's; else the
#: clock's.
busy_seconds = _BusyClock()
