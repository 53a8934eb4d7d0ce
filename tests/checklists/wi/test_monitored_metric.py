"""wi.02: an accuracy of which the least counts as the best, or a loss of which the largest does."""

import pytest
from building import Run, run_data

from msprec.checklists.common.weights.monitored_metric import monitored_the_wrong_way

_FIELDS = "class Config:\n    monitor: str = '{}'\n    mode: str = '{}'\n"

_KEEPER = (
    "class Keep:\n    def __init__(self, mode):\n        self.mode = mode\n"
    "class Trainer:\n    def fit(self):\n        val_acc = run()\n        self.keeper.update(val_acc)\n"
)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (_FIELDS.format("val_acc", "min"), 3),
        (_FIELDS.format("val_acc", "max"), None),
        (_FIELDS.format("val_loss", "max"), 3),
        (_FIELDS.format("score", "min"), None),  # it may be either
        (_FIELDS.format("acc_loss", "min"), None),  # so may this
        (_FIELDS.format("val_acc", "min") + "c = Config(mode='max')\n", None),
        ("stop = EarlyStopping(monitor='accuracy', mode='min', patience=3)\n", 1),
        ("stop = EarlyStopping(monitor='eval_loss', mode='auto')\n", None),
        ("settings = {'monitor': 'iou',\n            'mode': 'min'}\n", 2),
        ("settings = {'monitor': 'iou', 'mode': modes[0]}\n", None),
        ("keep(monitor=names[0], mode='min')\n", None),
        ('class Best:\n    def __init__(self, net, monitor="val_rmse", mode="max"):\n        pass\n', 2),
        ('class Best:\n    def __init__(self, net, monitor="val_rmse", mode="min"):\n        pass\n', None),
        (_KEEPER + "t = Trainer(keeper=Keep(mode='min'))\n", 8),
        (_KEEPER + "t = Trainer(keeper=Keep(mode='max'))\n", None),
    ],
)
def test_sense_of_a_metric(tmp_path, code, line):
    found = monitored_the_wrong_way(run_data(tmp_path, Run(source={"train.py": code})))
    assert (found.locations[0]["line"] if found is not None else None) == line
