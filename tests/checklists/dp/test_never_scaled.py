"""dp.02: predictions that a scaler brings back whose targets it never scaled."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.dp.preprocessing_consistency.never_scaled import never_scaled

_FITTED = "fy = StandardScaler().fit(y)\nt = y.astype(np.float32)\n"
_SERIES = "fy = StandardScaler(); x = fy.fit_transform(series)\n"
_BACK = "guess = fy.inverse_transform(net(x))\n"


@pytest.mark.parametrize(
    ("code", "mean", "std", "kind", "line"),
    [
        (_FITTED + _BACK, 660.0, 290.0, "regression", 3),
        (_FITTED + "t = self.fy.transform(y)\n" + _BACK.replace("fy", "self.fy"), 0.1, 1.0, "regression", None),
        (_FITTED + "t = fy.transform(y)\n" + _BACK, 0.1, 1.0, "regression", None),
        ("t = fy.fit_transform(y)\n" + _BACK, 0.1, 1.0, "regression", None),
        (_SERIES + _BACK, 660.0, 290.0, "regression", 2),  # by one that scales the inputs alone
        (_SERIES + "p = net(x).asnumpy()\np = fy.inverse_transform(p)[:, 0]\n", 660.0, 290.0, "regression", 3),
        (_SERIES + "shown = fy.inverse_transform(past)\n", 660.0, 290.0, "regression", None),  # no prediction
        (_SERIES.replace("()", "(with_std=False)") + _BACK, 660.0, 290.0, "regression", None),
        (_FITTED + _BACK, 0.0, 1.0, "regression", None),  # scaled elsewhere, as from a file
        (_FITTED + _BACK, 4.0, 2.9, "class", None),  # an encoder of labels
        (_FITTED, 660.0, 290.0, "regression", None),
    ],
)
def test_scalers(tmp_path, code, mean, std, kind, line):
    sets = dataset([column("x"), column("y", mean=mean, std=std)])
    sets["label"] = {"column": "y", "kind": kind}
    found = never_scaled(run_data(tmp_path, Run(source={"train.py": code}, datasets=[sets])))
    assert (found.locations[0]["line"] if found is not None else None) == line
