"""td.05: a forecast whose inputs are smoothed over what comes after them."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.look_ahead import look_ahead

_FORECAST = "lookback = 14\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (_FORECAST + "s = np.convolve(x, np.ones(7) / 7, mode='same')\n", 2),
        (_FORECAST + "s = frame.rolling(7, center=True).mean()\n", 2),
        (_FORECAST + "s = savgol_filter(x, 11, 2)\n", 2),
        # past values alone; nothing is forecast; only drawn
        (_FORECAST + "s = np.convolve(x, np.ones(7) / 7, mode='full')[: len(x)]\n", None),
        (_FORECAST + "s = frame.rolling(7).mean()\n", None),
        ("s = np.convolve(x, np.ones(7) / 7, mode='same')\n", None),
        (_FORECAST + "plt.plot(np.convolve(losses, np.ones(7) / 7, 'same'))\n", None),
    ],
)
def test_smoothed_about_each_value(tmp_path, code, line):
    found = look_ahead(run_data(tmp_path, Run(source={"train.py": code})))
    assert (found.locations[0]["line"] if found is not None else None) == line
