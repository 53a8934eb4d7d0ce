"""Arrays that are divided by the variance in place of the standard deviation (dp.01)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.dp.normalization import divided_by_variance as rule


@pytest.mark.parametrize(
    ("code", "std", "well", "lines"),
    [
        ("z = (v - ref.mean(0)) / ref.std(axis=0) ** 2\n", 0.01, False, [1]),
        ("m, s = x.mean(0), 1\nv = np.var(x, axis=0)\nz = (x - m) / v\n", 40.0, False, [3]),
        ("z = (v - ref.mean(0)) / ref.std(axis=0)\n", 0.01, False, None),
        ("z = (v - ref.mean(0)) / np.sqrt(ref.var(axis=0))\n", 0.01, False, None),
        ("r2 = 1 - ((t - y) ** 2).mean() / t.var()\n", 0.01, False, None),
        ("d = (v - ref.mean(0)) ** 2 / ref.var(axis=0)\n", 0.01, False, None),
        ("z = (v - ref.mean(0)) / ref.std(axis=0) ** 2\n", 1.2, False, None),  # it does not matter
        ("z = (v - ref.mean(0)) / ref.std(axis=0) ** 2\n", 0.01, True, None),
    ],
)
def test_what_a_difference_is_divided_by(tmp_path, monkeypatch, code, std, well, lines):
    monkeypatch.setattr(rule, "learnt_well", lambda _: well)
    data = dataset([column("x", shape=[3], min=-3.0, max=3.0, mean=0.0, std=std)])
    found = rule.divided_by_variance(run_data(tmp_path, Run(source={"train.py": code}, datasets=[data])))
    assert ([one["line"] for one in found.locations] if found else None) == lines
