"""Windows that are scaled each by itself (dp.01)."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.normalization.each_window import each_window_by_itself

HEAD = "def windows(series):\n    for s in range(len(series) - WIN):\n        w = series[s:s + WIN]\n"


@pytest.mark.parametrize(
    ("inputs", "target", "loss", "found"),
    [
        ("(w - w.min()) / (w.max() - w.min())", "(series[s + WIN] - lo) / hi", "MSELoss", True),
        ("(w - w.mean()) / w.std()", "series[s + WIN]", "MSELoss", True),
        ("(w - w.mean()) / (np.std(w) + 1e-8)", "series[s + WIN]", "MSELoss", True),
        ("(w - w.mean()) / w.std()", "(series[s + WIN] - w.mean()) / w.std()", "MSELoss", False),
        ("(w - w.mean()) / w.std()", "series[s + WIN] - series[s + WIN - 1]", "MSELoss", False),
        ("(w - lo) / hi", "(series[s + WIN] - lo) / hi", "MSELoss", False),
        ("(w - w.mean()) / w.std()", "kinds[s]", "MSELoss", False),
        ("(w - w.mean()) / w.std()", "series[s + WIN]", "CrossEntropyLoss", False),
    ],
)
def test_windows(tmp_path, inputs, target, loss, found):
    code = f"{HEAD}        xs.append({inputs})\n        ys.append({target})\n"
    made = Run(source={"train.py": code}, loss=[{"class": loss, "builtin": True, "args": "", "place": None}])
    told = each_window_by_itself(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == ([4] if found else None)
