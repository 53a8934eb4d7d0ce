"""`msprec dump` on scripts of every style."""

import numpy as np
import pytest
from click.testing import CliRunner

from msprec.cli import main
from msprec.compare.dumps.read_dump import read_dump
from msprec.compare.dumps.tensor_names import mapped, wanted_steps
from msprec.compare.errors import CannotRead

SCRIPT = """
import sys
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import nn, ops
from mindspore.train import Model
style, mode = sys.argv[1:3]
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(1)
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.body = nn.Dense(4, 4), nn.SequentialCell(nn.ReLU(), nn.Dense(4, 2))
    def construct(self, x):
        return self.body(self.a(x) + x)
net, loss_fn = Net(), nn.MSELoss()
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
r = np.random.RandomState(0)
x, y = r.randn(24, 4).astype(np.float32), r.randn(24, 2).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(8)
if style == "model":
    Model(net, loss_fn, opt).train(1, data, dataset_sink_mode=False)
else:
    if style == "cell":
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt, sens=8.0)
        step.set_train()
    else:
        def forward(x, y):
            return loss_fn(net(x), y)
        grad = ms.value_and_grad(forward, None, opt.parameters)
        def step(x, y):
            loss, grads = grad(x, y)
            opt(grads)
            return loss
        if style == "jit":
            step = ms.jit(step)
    for x, y in data.create_tuple_iterator(num_epochs=1):
        step(x, y)
open("finished", "w").close()
"""


@pytest.mark.parametrize(
    ("style", "mode"), [("function", "pynative"), ("jit", "pynative"), ("cell", "graph"), ("model", "graph")]
)
def test_every_style(scripts, style, mode):
    scripts.write(SCRIPT)
    done = scripts.msprec("dump", "--steps", "1-2", "--out", "dumped", "train.py", style, mode, timeout=180)
    assert done.status == 0, done.err
    assert "tensors of 2 steps" in done.err and not (scripts.folder / "finished").exists()
    items = {(i.step, i.name): i.open().load() for i in read_dump(scripts.folder / "dumped").items}
    assert len({name for step, name in items if step == 1}) >= 22
    x = np.random.RandomState(0).randn(24, 4).astype(np.float32)
    for step in (1, 2):
        np.testing.assert_array_equal(items[step, "(network).forward.input.0"], x[8 * (step - 1) : 8 * step])
        given, weight, bias = (
            items[step, f"a.forward.{name}"] for name in ("input.0", "parameter.weight", "parameter.bias")
        )
        np.testing.assert_allclose(items[step, "a.forward.output.0"], given @ weight.T + bias, rtol=1e-4, atol=1e-5)
        coming = items[step, "a.backward.input.0"]
        np.testing.assert_allclose(items[step, "a.backward.gradient.weight"], coming.T @ given, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(items[step, "a.backward.gradient.bias"], coming.sum(0), rtol=1e-4, atol=1e-5)
    moved = items[1, "a.forward.parameter.weight"] - items[2, "a.forward.parameter.weight"]
    scale = 8.0 if style == "cell" else 1.0  # the cell's own scale is part of its update
    np.testing.assert_allclose(moved, 0.1 * scale * items[1, "a.backward.gradient.weight"], rtol=1e-3, atol=1e-6)


def test_a_step_that_is_not_reached(scripts):
    scripts.write("import mindspore\nraise SystemExit(0)\n")
    done = scripts.msprec("dump", "--steps", "3", "--out", "dumped", "train.py", timeout=120)
    assert done.status == 2 and "ended (exit) after 0 training steps; step 3 was not reached" in done.err


def test_bad_usage(tmp_path):
    def ask(*args):
        return CliRunner().invoke(main, ["dump", *map(str, args)])

    done = ask(tmp_path / "none.py")
    assert done.exit_code == 2 and "no such script" in done.output
    done = ask("--steps", "0", __file__)
    assert done.exit_code == 2 and "no steps: '0'" in done.output
    (tmp_path / "a.py").write_text("x = (\n")
    done = ask("--out", tmp_path / "o", tmp_path / "a.py")
    assert done.exit_code == 1 and "SyntaxError" in done.output


def test_steps_and_slots():
    assert wanted_steps("1-3, 7") == {1, 2, 3, 7} and wanted_steps("5") == {5}
    for wrong in ("", "a", "3-1", "0", "-2", "1-99999"):
        with pytest.raises(CannotRead):
            wanted_steps(wrong)
    seen = []
    given = ([1, (2,)], {"a": 3, "b": "x"})
    made = mapped(given, lambda v: isinstance(v, int), lambda slot, value: seen.append(slot) or value * 10)
    assert made == ([10, (20,)], {"a": 30, "b": "x"}) and seen == ["0.0", "0.1.0", "1.a"]
