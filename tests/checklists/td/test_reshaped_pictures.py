"""td.05: pictures that were reshaped to channels first, and not transposed."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.reshaped_pictures import reshaped_pictures

_CLEAR = [1.2, 1.3, 0.9, 1.2, 1.3, 1.0, 1.3]
_NOISY = [1.264, 1.257, 1.231, 1.280, 1.267, 1.336, 1.271]
_RISING = [1.10, 1.15, 1.18, 1.20, 1.21, 1.22, 1.22]


@pytest.mark.parametrize(
    ("code", "apart", "line"),
    [
        ("x = x.reshape(-1, 3, 16, 16)\n", _CLEAR, 1),
        ("x = load()\nx = np.reshape(x, (len(x), 3, 16, 16))\n", _NOISY, 2),
        ("x = x.transpose(0, 3, 1, 2)\n", _NOISY, None),  # a texture of its own may lie so
        ("x = x.reshape(-1, 16, 16, 3)\n", _NOISY, None),
        ("x = x.reshape(-1, 3, 16, 16)\n", _RISING, None),  # rows of one channel, as CIFAR has them
    ],
)
def test_channels_side_by_side(tmp_path, code, apart, line):
    run = Run(source={"train.py": code})
    run.facts["probes"] = {"interleaved_channels": {"channels": 3, "apart": apart}}
    found = reshaped_pictures(run_data(tmp_path, run))
    assert (found and found.locations[0]["line"]) == line
