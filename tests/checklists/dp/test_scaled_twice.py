"""dp.02: arrays that one function scales twice."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.preprocessing_consistency.scaled_twice import scaled_twice

_PREPARE = "def prepare(x):\n    return (x / 16.0).astype(np.float32)\n\n"
_STANDARD = 'def scale(a):\n    """To unit variance."""\n    return (a.astype(np.float32) - m) / s\n\n'


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_PREPARE + "x = prepare(raw)\nfew = prepare(x[:40])\n", [5, 4, 1]),
        (_PREPARE + "x, y = prepare(raw), labels\nfew, own = prepare(x), y\n", [5, 4, 1]),
        (_STANDARD + "x = scale(raw)\nx2 = scale(x)\n", [6, 5, 1]),
        (_PREPARE + "x = prepare(raw)\nfew = prepare(raw[:40])\n", None),
        (_PREPARE + "x = prepare(raw)\nx = load()\nfew = prepare(x)\n", None),
        (_PREPARE + "for x in rows:\n    x = prepare(x)\n", None),
        (_PREPARE + "x = load()\nx = prepare(x)\n", None),
        ("def prepare(x):\n    return x[::-1] / 2\n\nx = prepare(raw)\nfew = prepare(x)\n", None),
        (
            "def prepare(x):\n    if x.max() > 1:\n        x = x / 255\n    return x\n\nx = prepare(raw)\nz = prepare(x)\n",
            None,
        ),
    ],
)
def test_scaled_by_one_function(tmp_path, code, lines):
    found = scaled_twice(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
