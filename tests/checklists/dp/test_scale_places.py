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
        ("scaler = StandardScaler().fit(x)\nds = make(x)\n", 2, [1]),
        ("scaler = StandardScaler()\nscaler.fit(x)\nds = make(x)\n", 3, [2]),
        ("scaler = StandardScaler().fit(x)\nds = make(scaler.transform(x))\n", 2, []),
        ("m, s = x.mean(0), x.std(0)\nds = make(x)\n", 2, [1]),
        ("def norm(x):\n    return x / 255\nds = make(x)\n", 3, [1]),
        ("def norm(x):\n    return x / 255\nds = make(norm(x))\n", 3, []),
        ("def norm(x):\n    return x / 255\nds = ds.map(norm, ['x'])\n", 3, [2]),
        ("def norm(x):\n    return x / 255\nds = ds.map(operations=[norm, move])\n", 3, [2]),
        (
            "def fit(a):\n    return a.mean(), a.std()\ndef scale(a, s):\n    return (a - s[0]) / s[1]\n"
            "stats = fit(x)\nx = scale(x, stats)\n",
            6,
            [2, 2],
        ),
    ],
)
def test_places(tmp_path, code, line, lines):
    data = run_data(tmp_path, Run(source={"train.py": code}))
    assert [one.line for one in scale_places(data, [place("train.py", line)])] == lines
