"""A feature of a table that lies far off 0 and hardly varies (dp.01)."""

import types

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.common.training import constant_prediction
from msprec.checklists.dp.normalization import off_centre

PRESSURE, OTHERS = (0.97, 0.009, 0.94, 1.0), [(0.6, 0.12, 0.2, 1.0), (0.3, 0.24, 0.0, 1.0)]


@pytest.mark.parametrize(
    ("features", "gain", "found"),
    [
        ([PRESSURE, *OTHERS], 0.5, True),
        ([PRESSURE, *OTHERS], None, True),
        ([PRESSURE, *OTHERS], 0.97, False),
        ([(0.01, 0.009, 0.0, 0.04), *OTHERS], 0.5, False),  # small, and near 0
        (
            [(-1.0, 0.012, -1.0, -0.3), *OTHERS],
            0.5,
            False,
        ),  # one value but for a few samples, as the margin of a picture
        ([PRESSURE, PRESSURE, PRESSURE], 0.5, False),  # the scale as a whole is another matter
        ([PRESSURE, *OTHERS * 20], 0.5, False),  # the points of a curve
        ([PRESSURE, (0.6, 0.02, 0.5, 0.7)], 0.5, False),
    ],
)
def test_features(tmp_path, monkeypatch, features, gain, found):
    monkeypatch.setattr(constant_prediction, "learning_outcome", lambda _: types.SimpleNamespace(gain=gain))
    mean, std, low, high = (list(one) for one in zip(*features))
    seen = {"axis": 1, "mean": mean, "std": std, "min": low, "max": high, "histograms": None}
    data = dataset([column("x", shape=[len(features)], min=min(low), max=max(high), mean=0.5, std=0.3, channels=seen)])
    run = run_data(tmp_path, Run(datasets=[data]))
    finding = off_centre.off_centre(run, run.datasets[0])
    assert (finding is not None) is found
    assert not found or "Feature 0 of the column x" in str(finding.summary)
