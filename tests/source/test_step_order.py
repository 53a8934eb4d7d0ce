"""mp.03 and mp.04 on scripts that are only read: the order of operations in many styles of training steps."""

import pytest
from step_scripts import CLIPPING, PENALTY

from msprec.engine import conclude
from msprec.source.static_input import read_scripts

WANTED = {"problem": "problem", "ok": "ok", "na": "not_applicable", "undecided": "undecided"}


def verdict(item: str, code: str, folder) -> dict:
    script = folder / "train.py"
    script.write_text(code, encoding="utf-8")
    compile(code, "train.py", "exec")
    found = conclude(None, "en", {item}, scripts=read_scripts([script]))
    return next(entry for entry in found["items"] if entry["id"] == item)


@pytest.mark.parametrize("name", CLIPPING)
def test_clipping(name, tmp_path):
    entry = verdict("mp.03", CLIPPING[name], tmp_path)
    assert entry["conclusion"] == WANTED[name.split("_")[0]], entry["summary"]
    assert entry["locations"] or entry["conclusion"] != "problem"


@pytest.mark.parametrize("name", PENALTY)
def test_penalty(name, tmp_path):
    entry = verdict("mp.04", PENALTY[name], tmp_path)
    assert entry["conclusion"] == WANTED[name.split("_")[0]], entry["summary"]
    assert entry["locations"] or entry["conclusion"] != "problem"


_DEFAULT_OF_ONE = """
import mindspore as ms
from mindspore import nn, ops

class ClippedStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, sens=1.0):
        super().__init__(network, optimizer, sens)
        self.each = ops.HyperMap()

    def construct(self, x, y):
        loss = self.network(x, y)
        gradients = self.grad(self.network, self.weights)(x, y, ops.cast(ms.Tensor([self.sens]), ms.float32))
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        return ops.depend(loss, self.optimizer(gradients))
"""
_CALLER = """
net = nn.Dense(3, 2)
step = ClippedStep(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.01SCALE)GIVEN)
for x, y in []:
    step(x, y)
step(x, y)
"""


@pytest.mark.parametrize(
    ("caller", "wanted"),
    [
        ("", "undecided"),
        (_CALLER.replace("GIVEN", "").replace("SCALE", ""), "not_applicable"),
        (_CALLER.replace("GIVEN", ", 1024.0").replace("SCALE", ", loss_scale=1024.0"), "problem"),
    ],
    ids=["nobody calls it", "with its default", "with a scale"],
)
def test_a_scale_whose_default_is_one(tmp_path, caller, wanted):
    entry = verdict("mp.03", _DEFAULT_OF_ONE + caller, tmp_path)
    assert entry["conclusion"] == wanted, entry["summary"]
