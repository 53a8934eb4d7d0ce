"""Predictions for a shuffled data set of inputs alone (ds.02)."""

import pytest
from building import Run, run_data

from msprec.checklists.ds.label_validity.inputs_alone import compared_with_arrays

SET = "test_ds = NumpySlicesDataset((x_test,), ['x'], shuffle=True).batch(90)\n"
PREDICT = """def predict(net):
    parts = [net(row[0]).asnumpy().argmax(1) for row in test_ds.create_tuple_iterator()]
    return np.concatenate(parts)
"""
SCORE = "print((predict(net) == y_test).mean())\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (SET + PREDICT + SCORE, [1, 5]),
        (SET.replace(", shuffle=True", "") + PREDICT + SCORE, [1, 5]),  # shuffled where nothing is said
        (SET.replace("(x_test,)", "{'x': x_test}") + PREDICT + SCORE, [1, 5]),
        (SET.replace("True", "False") + PREDICT + SCORE, None),
        (SET.replace("(x_test,)", "(x_test, y_test)") + PREDICT + SCORE, None),
        (SET + PREDICT.replace("test_ds", "other") + SCORE, None),
        (SET + PREDICT + "print((predict(net) == predict(other)).mean())\n", None),
    ],
)
def test_compared(tmp_path, code, lines):
    found = compared_with_arrays(run_data(tmp_path, Run(source={"train.py": code})), None, None)
    assert ([one.line for one in found[2:]] if found is not None else None) == lines
