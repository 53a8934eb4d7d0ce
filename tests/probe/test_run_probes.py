"""Probes after a script: what they leave alone, and when they are not made."""

import json

import pytest

from msprec.observe.observer import Options
from msprec.probe.run import may_leave_bounds

SCRIPT = """
import atexit
import sys
import mindspore as ms, mindspore.dataset as ds, numpy as np
from mindspore import nn, ops
ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
x = np.random.default_rng(0).normal(size=(64, 6)).astype(np.float32)
y = x.sum(1, keepdims=True).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 1)
    def construct(self, x):
        BODY
        return self.dense(x)
net = Net()
loss_fn, optimizer = nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01)
gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
for epoch in range(4):
    for number, batch in enumerate(data.create_tuple_iterator(num_epochs=1)):
        loss, grads = gradient(*batch)
        CLIP
        optimizer(grads)
atexit.register(lambda: print("end", net.dense.weight.asnumpy().sum(), float(optimizer.global_step.asnumpy().sum())))
"""


def _script(body: str = "pass", clip: str = "pass") -> str:
    return SCRIPT.replace("BODY", body).replace("CLIP", clip)


def _probes(scripts) -> dict:
    return scripts.json("facts/probes.json")


def test_what_the_script_leaves_is_as_without(scripts, tmp_path):
    scripts.write(_script('print("forward")'))
    bare, ran = scripts.bare(), scripts.observed(options=("--probe-seconds", "60"))
    assert ran.status == 0, ran.err
    assert ran.out == bare.out  # also what runs at exit, on the weights of the training
    scripts.no_own_errors()
    facts = _probes(scripts)
    assert facts["skipped"] == {} and facts["graph"]["cells"] and facts["further"]["trials"]
    assert json.loads((scripts.run_folder / "facts" / "range_test.json").read_text())["by"] == "probe"


def test_none(scripts):
    scripts.write(_script())
    ran = scripts.observed(options=("--probe-seconds", "0"))
    assert ran.status == 0 and not (scripts.run_folder / "facts" / "probes.json").exists()
    assert scripts.msprec("run", "--probe-seconds", "-1", "train.py").status == 2


@pytest.mark.parametrize(
    ("body", "clip", "probe", "why"),
    [
        ('open("log.txt", "a").write("x")', "pass", "graph", "side_effect: open"),
        ("pass", "grads = ops.clip_by_global_norm(grads, 1e-3)", "range_test", "gradients"),
        ("pass", "if number % 2: continue", "range_test", "accumulation"),
    ],
)
def test_when_it_is_not_made(scripts, body, clip, probe, why):
    scripts.write(_script(body, clip))
    ran = scripts.observed(options=("--probe-seconds", "60"))
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    assert _probes(scripts)["skipped"][probe].startswith(why)
    lines = scripts.folder / "log.txt"
    assert not lines.exists() or lines.read_text() == "x" * 16


def test_a_script_that_failed_is_not_probed(scripts):
    scripts.write(_script() + "raise SystemExit(3)\n")
    assert scripts.observed().status == 3
    scripts.run_folder.rename(scripts.run_folder.with_name("first"))
    scripts.write(_script() + "raise ValueError('no')\n")
    assert scripts.observed().status == 1
    assert not (scripts.run_folder / "facts" / "probes.json").exists()


def test_a_network_made_anew_under_the_same_name(scripts):
    """As when a script ends with loading its checkpoint into another network: the step is that of the trained one."""
    scripts.write(_script() + "\nnet = Net()\nnet.set_train(False)\n")
    ran = scripts.observed(options=("--probe-seconds", "60"))
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    facts = _probes(scripts)
    assert facts["skipped"] == {}
    assert [cell["path"] for cell in facts["graph"]["cells"]], "the trained network's cells were seen"


@pytest.mark.parametrize(
    ("kind", "operator", "left"),
    [
        ("bce", "Dense", True),
        ("bce", None, True),
        ("bce", "Sigmoid", False),
        ("bce", "clip_by_value", False),
        ("bce_with_logits", "Dense", False),
    ],
)
def test_a_loss_whose_kernel_would_end_the_process(kind, operator, left):
    source = {"operator": operator} if operator else None
    assert may_leave_bounds([{"kind": kind, "predicted": {"source": source}}]) is left


def test_probes_take_what_the_scripts_time_allows() -> None:
    """A minute may take a fifth more in all, ten minutes a twentieth."""
    after = {seconds: Options(probe_seconds=None).seconds_for_probes(seconds) for seconds in (0, 10, 60, 600, 86400)}
    assert after[0] == 30 > after[10] > after[60] < after[600] < after[86400] == 30
    assert after[60] <= 0.1 * 60 and after[600] <= 0.02 * 600
    assert Options(probe_seconds=2.5).seconds_for_probes(600) == 2.5
    assert Options(probe_seconds=None).probes and not Options(probe_seconds=0.0).probes
