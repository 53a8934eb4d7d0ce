"""``msprec lr`` on scripts that know nothing of it."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msprec.range_test.lr_curve import Curve, rates_of
from msprec.range_test.plot import draw_curve
from msprec.range_test.result import rows
from msprec.range_test.strings import WORDS

COMMON = """
import sys
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import amp, nn, ops
from mindspore.train import Model, CheckpointConfig, ModelCheckpoint
ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
ms.set_seed(1)
r = np.random.RandomState(0)
x = r.randn(256, 8).astype(np.float32)
y = (x @ r.randn(8, 1)).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(64).repeat(20)
net = nn.Dense(8, 1)
loss_fn = nn.MSELoss()
"""

STYLES = {
    "model": """
opt = nn.SGD(net.trainable_params(), nn.CosineDecayLR(0.001, 0.05, 500))
saved = ModelCheckpoint("net", "ckpt", CheckpointConfig(save_checkpoint_steps=5))
Model(net, loss_fn, opt).train(1, data, callbacks=[saved], dataset_sink_mode=False)
""",
    "functional": """
opt = nn.SGD(net.trainable_params(), 0.05)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in data.create_tuple_iterator(num_epochs=1):
    loss, grads = grad(x, y)
    opt(grads)
ms.save_checkpoint(net, "done.ckpt")
""",
    "jit": """
opt = nn.SGD(net.trainable_params(), [0.05] * 100)
def forward(x, y):
    return loss_fn(net(x), y)
grad = ms.value_and_grad(forward, None, opt.parameters)
@ms.jit
def step(x, y):
    loss, grads = grad(x, y)
    opt(grads)
    return loss
for number, (x, y) in enumerate(data.create_tuple_iterator(num_epochs=1)):
    step(x, y)
    if number % 10 == 0:
        ms.save_checkpoint(net, f"at{number}.ckpt")
""",
    "cell": """
opt = nn.SGD([{"params": [net.weight], "lr": 0.05}, {"params": [net.bias], "lr": 0.005}], 0.05)
train = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
train.set_train()
for x, y in data.create_tuple_iterator(num_epochs=1):
    train(x, y)
""",
}


@pytest.mark.parametrize(
    ("style", "mode"),
    [("model", "graph"), ("functional", "pynative"), ("jit", "graph"), ("cell", "graph"), ("cell", "pynative")],
)
def test_styles(scripts, style, mode):
    scripts.write(COMMON + STYLES[style])
    ran = scripts.msprec(
        "lr",
        "--low",
        "1e-5",
        "--high",
        "100",
        "--steps",
        "60",
        "--lang",
        "en",
        "--out",
        str(scripts.run_folder),
        "train.py",
        mode,
    )
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    curve = json.loads((scripts.run_folder / "lr" / "curve.json").read_text())
    table = pd.read_csv(scripts.run_folder / "lr" / "curve.csv")
    assert list(table["learning_rate"]) == pytest.approx(rates_of(1e-5, 100, 60)[: len(table)])
    recorded = [float(row["lr"]) for row in scripts.rows()]
    assert recorded[: len(table)] == pytest.approx(list(table["learning_rate"]), rel=1e-6)
    assert curve["used"] == pytest.approx(0.05)
    # eight features of unit variance: descent diverges beyond a rate of about 0.8, and takes some steps to show it
    assert 1e-4 < curve["lower"] < 0.05
    assert 0.05 < curve["upper"] < 5
    assert curve["upper"] < curve["diverged"] < 30
    assert "between the bounds" in ran.err
    assert (scripts.run_folder / "lr" / "curve.png").read_bytes()[:4] == b"\x89PNG"
    assert list(scripts.folder.rglob("*.ckpt")) == []


def test_what_cannot_be_done_is_one_line(scripts):
    scripts.write("print('no training here')\n")
    for arguments, told in (
        (("lr", "train.py"), "without a training step"),
        (("lr", "--low", "2", "--high", "1", "train.py"), "sweep"),
        (("lr", "nothing.py"), "no such script"),
    ):
        ran = scripts.msprec(*arguments)
        assert ran.status == 2
        line = ran.err.strip().splitlines()[-1]
        assert line.startswith("msprec: ") and told in line
        assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("unsettable", "why"),
    [("del opt.learning_rate", "no learning rate"), ("opt.param_groups = [{}]", "could not be set")],
)
def test_a_rate_that_cannot_be_set_is_one_line(scripts, unsettable, why):
    """Not a curve of losses by rates that were never used."""
    body = """
opt = nn.Momentum(net.trainable_params(), 0.05, 0.9)
class Own(nn.Momentum):
    def construct(self, gradients):
        return ops.assign_add(net.bias, -0.01 * gradients[1])
opt = Own(net.trainable_params(), 0.05, 0.9)
UNSETTABLE
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in data.create_tuple_iterator(num_epochs=1):
    loss, grads = grad(x, y)
    opt(grads)
"""
    scripts.write(COMMON + body.replace("UNSETTABLE", unsettable))
    ran = scripts.msprec("lr", "--out", str(scripts.run_folder), "train.py")
    assert ran.status == 2, ran.err
    line = ran.err.strip().splitlines()[-1]
    assert line.startswith("msprec: ") and "Own" in line and why in line
    assert "Traceback" not in ran.err
    assert not (scripts.run_folder / "lr" / "curve.csv").exists()


def test_a_short_script_is_undecided(scripts):
    scripts.write(COMMON.replace("repeat(20)", "repeat(2)") + STYLES["functional"])
    ran = scripts.msprec("lr", "--lang", "zh", "--out", str(scripts.run_folder), "train.py")
    assert ran.status == 0, ran.err
    assert WORDS["zh"]["few"] in ran.err


def test_words_in_both_languages():
    assert WORDS["zh"].keys() == WORDS["en"].keys()


@given(st.lists(st.floats(allow_nan=True, width=32), max_size=40), st.one_of(st.none(), st.floats(0, 10)))
def test_table_of_any_curve(losses, used):
    curve = Curve(rates_of(1e-6, 1, max(2, len(losses)))[: len(losses)], losses)
    for lang in WORDS:
        assert all(isinstance(value, str) for _, value in rows(curve, used, 1, lang))


@pytest.mark.parametrize(
    "losses", [np.full(30, np.nan), np.linspace(2, 1, 30), np.r_[np.linspace(2, 1, 20), [1e30] * 9]]
)
def test_picture_of_odd_curves(losses):
    curve = Curve(rates_of(1e-6, 1, len(losses)), losses)
    for lang in WORDS:
        picture = draw_curve(curve, 0.1, lang)
        assert picture is None if np.isnan(losses).all() else picture[:4] == b"\x89PNG"
