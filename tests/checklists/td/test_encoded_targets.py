"""td.05: a category that is replaced by the mean target of the rows themselves."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.encoded_targets import encoded_targets

_PANDAS = "cols = ['age', 'income']\nr = t.groupby('zip').churn.mean()\n"
_NUMPY = "r = np.bincount(c, weights=y) / np.maximum(1, np.bincount(c))\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_PANDAS + "t['z'] = t.zip.map(r)\n", [2, 3]),
        (_PANDAS + "t['z'] = t['zip'].map(r).fillna(0)\n", [2, 3]),
        ("t['z'] = t.groupby('zip')['label'].transform('mean')\n", [1]),
        (_NUMPY + "x = r[c]\n", [1, 2]),
        ("m = {k: y[c == k].mean() for k in set(c)}\nx = np.array([m[k] for k in c])\n", [1, 2]),
        # other rows; another column than the target; the mean of all
        (_PANDAS + "new['z'] = new.zip.map(r)\n", None),
        ("r = t.iloc[fit].groupby('zip').churn.mean()\nt['z'] = t.zip.map(r)\n", None),
        ("cols = ['age', 'income']\nr = t.groupby('zip').income.mean()\nt['z'] = t.zip.map(r)\nz = t.income\n", None),
        (_NUMPY + "x = r[other]\n", None),
        ("r = y.mean()\nx = r * c\n", None),
    ],
)
def test_means_of_own_rows(tmp_path, code, lines):
    found = encoded_targets(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
    assert found is None or found.conclusion == "undecided"  # what the column tells was not measured
