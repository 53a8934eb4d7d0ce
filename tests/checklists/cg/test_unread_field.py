"""A tensor that a cell keeps and nothing reads (cg.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import unread_field
from msprec.checklists.cg.connectivity.unread_field import judge_unread_field
from msprec.checklists.common.training.constant_prediction import BesideConstant

CODE = """def table(length, dim):
    return Tensor(np.zeros((length, dim), np.float32))
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.place = {made}
        self.size = 8
    def construct(self, x):
        h = self.embed(x)
        return {result}
"""


@pytest.mark.parametrize(
    ("code", "verdict", "line"),
    [
        (CODE.format(made="table(12, 8)", result="h.mean(1)"), "nothing", 10),
        (CODE.format(made="Parameter(zeros(12, 8))", result="h.mean(1)"), "hardly", 10),
        (CODE.format(made="table(12, 8)", result="(h + self.place).mean(1)"), "nothing", None),
        (CODE.format(made="table(12, 8)", result="h.mean(1)") + "print(net.place)\n", "nothing", None),
        (CODE.format(made="table(12, 8)", result="h.mean(1)") + "print(getattr(net, 'place'))\n", "nothing", None),
        (CODE.format(made="table(12, 8)", result="h.mean(1)"), "learnt", None),
        (CODE.format(made="table(12, 8)", result="h.mean(1)"), "unknown", None),
        (CODE.format(made="Config(12, 8)", result="h.mean(1)"), "nothing", None),
        (CODE.format(made="table(12, 8)", result="h.mean(1)").replace("Net", "Other"), "nothing", None),
    ],
)
def test_tables_of_positions(tmp_path, monkeypatch, code, verdict, line):
    monkeypatch.setattr(unread_field, "learning_outcome", lambda _: BesideConstant(verdict))
    run = Run(source={"train.py": code}).set("network", [{"id": 0, "class": "Net", "role": "train", "cells": []}])
    told = judge_unread_field(run_data(tmp_path, run))
    assert (told.locations[0]["line"] if told else None) == line
