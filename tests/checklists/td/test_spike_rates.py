"""td.09: the learning rate around a spike, of which some steps before a change were not read."""

from types import SimpleNamespace

import numpy as np

from msprec.checklists.td.spikes.circumstances import _rate

RUN = SimpleNamespace(limit=lambda name: {"td.09.restart": 2.0}[name])


def around(rates, step):
    rates = np.asarray(rates, float)
    return _rate(RUN, SimpleNamespace(rates=rates, highest=np.fmax.accumulate(rates), at=int), step, 20)


def test_a_rise_of_which_some_steps_were_not_read():
    told = (0.5, 0.01, True, False)
    assert around([0.01] * 40 + [0.5] * 10, 42) == told
    assert around([0.01] * 38 + [np.nan] * 7 + [0.5] * 5, 42) == told
    assert around([0.5] * 20 + [0.01] * 38 + [np.nan] * 7 + [0.5] * 5, 62) == (0.5, 0.01, False, True)


def test_no_rise_and_rates_that_are_hardly_known():
    assert around([0.01] * 38 + [np.nan] * 7 + [0.01] * 5, 42) == (0.01, 0.01, False, False)
    assert around([0.01] * 45 + [np.nan] * 8, 42)[1:] == (0.01, False, False)
    assert around([np.nan] * 48 + [0.5], 47) == (0.5, None, False, False)
    assert around([np.nan] * 50, 42) == (None, None, False, False)
