"""Inputs and labels that are split by draws of their own (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.split_apart import split_apart

INPUTS = "x_train, x_test = train_test_split(data, test_size=0.2, random_state=1)\n"
LABELS = "y_train, y_test = train_test_split(classes, test_size=0.2, random_state=2)\n"
USED = "batches = ds.NumpySlicesDataset((x_train, y_train), ['x', 'y'])\n"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (INPUTS + LABELS + USED, 2),
        (INPUTS + LABELS.replace(", random_state=2", "") + USED, 2),
        (INPUTS.replace(", random_state=1", "") + LABELS.replace(", random_state=2", "") + USED, 2),
        (LABELS + INPUTS + "loss = step(Tensor(x_train[rows]), Tensor(y_train[rows]))\n", 1),
        (INPUTS + LABELS.replace("=2)", "=1)") + USED, None),  # one draw
        (INPUTS.replace("=1)", "=SEED)") + LABELS.replace("=2)", "=SEED)") + USED, None),
        ("x_train, x_test, y_train, y_test = train_test_split(data, classes, random_state=1)\n" + USED, None),
        (
            INPUTS.replace("random_state=1", "shuffle=False")
            + LABELS.replace("random_state=2", "shuffle=False")
            + USED,
            None,
        ),
        (
            f"np.random.seed(0)\n{INPUTS}np.random.seed(0)\n{LABELS}".replace(", random_state=1", "").replace(
                ", random_state=2", ""
            )
            + USED,
            None,
        ),
        (INPUTS + LABELS.replace("y_", "z_") + USED, None),  # two parts of the inputs
        (INPUTS + LABELS + "a, b = ds.NumpySlicesDataset(x_train), ds.NumpySlicesDataset(y_train)\n", None),
    ],
)
def test_splits(tmp_path, code, found):
    told = split_apart(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told.locations[0]["line"] if told else None) == found
