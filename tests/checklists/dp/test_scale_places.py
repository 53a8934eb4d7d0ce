"""Where the scale of inputs is decided (dp.01)."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.normalization.scale_places import scale_places
from msprec.engine.run_data import place


@pytest.mark.parametrize(
    ("code", "line", "lines"),
    [
        ("top = 1\nx = (data / top).astype(np.float32)\n", 2, [1]),
        ("top = data.max()\nx = data / top\n", 2, [1]),
        ("mean, std = x.mean(), x.std()\nx = ((x - mean) / std).astype(np.float32)\n", 2, [1]),
        ("top = load()\nx = data / top\n", 2, []),
        ("scaler.fit_transform(x)\nds = make(x)\n", 2, [1]),
        ("x = scaler.fit_transform(x)\nds = make(x)\n", 2, []),
    ],
)
def test_places(tmp_path, code, line, lines):
    data = run_data(tmp_path, Run(source={"train.py": code}))
    assert [one.line for one in scale_places(data, [place("train.py", line)])] == lines
