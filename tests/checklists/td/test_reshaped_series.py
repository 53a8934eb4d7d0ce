"""td.05: series that were reshaped to steps and channels, and not transposed."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.reshaped_series import reshaped_series

_TORN, _SOUND, _FRAMES = (0.42, 0.44, 0.22, -0.03), (0.16, 0.15, 0.43, 0.15), (0.8, 0.8, 0.3, 0.78)


@pytest.mark.parametrize(
    ("code", "together", "line"),
    [
        ("x = x.reshape(len(x), LENGTH, 2)\n", _TORN, 1),
        ("x = load()\nx = np.reshape(x, (-1, steps, channels))\n", _TORN, 2),
        ("x = x.reshape(-1, T, AXES)\n", _TORN, 1),
        ("x = load()\n", _TORN, None),  # as it was measured, for all that is known
        ("x = x.reshape(len(x), LENGTH, 2)\n", _SOUND, None),
        ("x = x.reshape(len(x), LENGTH, 2)\n", _FRAMES, None),  # one series, cut on purpose
        ("x = x.reshape(len(x), LENGTH, 2)\n", (0.42, 0.2, 0.1, 0.0), None),  # channels that go together
        ("x = x.reshape(len(x), LENGTH, 2)\n", (0.15, 0.15, 0.0, 0.0), None),  # next to noise
        ("x = x.reshape(len(x), LENGTH, 2)\n", (0.42, 0.44, 0.22, None), None),
    ],
)
def test_channels_that_follow_one_another(tmp_path, code, together, line):
    run = Run(source={"train.py": code})
    named = dict(zip(("within_steps", "across_steps", "steps_apart", "at_borders"), together))
    run.facts["probes"] = {"interleaved_series": {"steps": 24, "channels": 2, **named}}
    found = reshaped_series(run_data(tmp_path, run))
    assert (found.locations[0]["line"] if found is not None else None) == line
