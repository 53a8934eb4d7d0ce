"""Predictions that are not brought back to the unit of their targets (dp.02)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.dp.preprocessing_consistency.check import same_processing
from msprec.checklists.dp.preprocessing_consistency.not_scaled_back import not_scaled_back

SCALED = "y_train = sy.fit_transform(y_train)\n"
BY_HAND = "y_train_s = (y_train - mean) / std\n"
PREDICTED = "pred = model.predict(Tensor(x_test)).asnumpy()\n"


@pytest.mark.parametrize(
    ("code", "std", "line"),
    [
        (SCALED + PREDICTED + "print(np.abs(pred - y_test).mean())\n", 1.0, 3),
        (BY_HAND + "out = net(x_test).asnumpy()\nmae = mean_absolute_error(y_test, out)\n", 1.0, 3),
        (SCALED + PREDICTED + "print(np.abs(pred - y_test).mean())\n", 9.0, None),
        (SCALED + "y_test = sy.transform(y_test)\n" + PREDICTED + "print(np.abs(pred - y_test).mean())\n", 1.0, None),
        (SCALED + PREDICTED + "pred = sy.inverse_transform(pred)\nprint(np.abs(pred - y_test).mean())\n", 1.0, None),
        (BY_HAND + "pred = net(x_test) * std + mean\nprint(np.abs(pred - y_test).mean())\n", 1.0, None),
        (BY_HAND + "pred = net(x_test)\npred = pred * std + mean\nprint(np.abs(pred - y_test).mean())\n", 1.0, None),
        (
            SCALED + PREDICTED + "pred = pred.astype(np.float64).reshape(-1)\nprint(np.abs(pred - y_test).mean())\n",
            1.0,
            4,
        ),
        (PREDICTED + "print(np.abs(pred - y_test).mean())\n", 1.0, None),
    ],
)
def test_errors(tmp_path, code, std, line):
    target = column("y", shape=[1], min=-2.0, max=2.0, mean=0.0, std=std)
    data = dataset([column("x", shape=[8]), target], label={"column": "y", "kind": "regression"})
    told = not_scaled_back(run_data(tmp_path, Run(source={"train.py": code}, datasets=[data])))
    assert (told.locations[0]["line"] if told else None) == line


_MADE = "t = ((demand - mean) / std).astype(np.float32)\nds = NumpySlicesDataset((x, t))\n"
_RAW = "raw = model.predict(Tensor(x))\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (_MADE + _RAW + "order = raw\ngap = demand[cut:] - order\n", 5),
        (_MADE + _RAW + "mae = mean_absolute_error(demand[cut:], raw)\n", 4),
        (_MADE + _RAW + "order = raw * std + mean\ngap = demand[cut:] - order\n", None),
        (_MADE + _RAW + "gap = t[cut:] - raw\n", None),
        (_MADE.replace("demand", "x") + _RAW + "gap = demand[cut:] - raw\n", None),
    ],
)
def test_the_array_that_targets_are_made_of(tmp_path, code, line):
    target = column("t", shape=[1], min=-2.0, max=2.0, mean=0.0, std=1.0)
    data = dataset([column("x", shape=[8]), target], label={"column": "t", "kind": "regression"})
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 2}}]
    told = not_scaled_back(run_data(tmp_path, Run(source={"train.py": code}, datasets=[data])))
    assert (told.locations[0]["line"] if told else None) == line


def test_words_numbered_anew_are_told_beside(tmp_path):
    numbered = "def build(column):\n    return {raw: n for n, raw in enumerate(column.unique())}\n"
    numbered += "a = build(train_texts)\nb = build(test_texts)\n"
    code = SCALED + PREDICTED + "print(np.abs(pred - y_test).mean())\n" + numbered
    target = column("y", shape=[1], min=-2.0, max=2.0, mean=0.0, std=1.0)
    data = dataset([column("x", shape=[8]), target], label={"column": "y", "kind": "regression"})
    found = same_processing(run_data(tmp_path, Run(source={"train.py": code}, datasets=[data])))
    assert found.conclusion == "problem"
    assert {3, 7} <= {one["line"] for one in found.locations}
