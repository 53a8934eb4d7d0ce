"""A small training in float16, from `msprec run` to the cell whose float16 costs the accuracy."""

import json
import os
import subprocess
import sys

SCRIPT = """\
import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

rng = np.random.default_rng(0)
x = rng.normal(size=(320, 4)).astype(np.float32)
x[:, 0] += np.sign(x[:, 0])
y = (x[:, 0] > 0).astype(np.int32)
x = 5000 + 0.5 * x


class Centred(nn.Cell):
    def construct(self, x):
        return (x - 5000.0) * 2.0  # float16 tells apart numbers near 5000 that are 4 apart


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = Centred()
        self.body = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU())
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        return self.head(self.body(self.first(x)))


train_set = ds.NumpySlicesDataset((x[:256], y[:256]), ["x", "y"], shuffle=True).batch(16)
net = Net()
net.to_float(ms.float16)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.2)


def forward(a, b):
    return loss_fn(net(a).astype(ms.float32), b)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(3):
    for a, b in train_set.create_tuple_iterator():
        loss, grads = grad_fn(a, b)
        optimizer(grads)
right = int((net(ms.Tensor(x[256:])).argmax(1) == ms.Tensor(y[256:])).sum().asnumpy())
print(f"accuracy: {right / 64:.4f}")
"""


def test_the_cell_that_needs_float32_is_named_with_its_line(tmp_path):
    project, run = tmp_path / "project", tmp_path / "run"
    project.mkdir()
    (project / "train.py").write_text(SCRIPT)
    env = {**os.environ, "GLOG_v": "3", "MS_DEV_LAUNCH_BLOCKING": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def msprec(*args):
        command = [sys.executable, "-m", "msprec", *args]
        return subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)

    msprec("run", "--probe-seconds", "0", "--no-locate", "--no-word", "--out", str(run), "train.py")
    done = msprec("remedy", "--yes", "--lang", "en", "--what-if", "precision,fusion", str(run))
    assert done.returncode == 0, done.stderr
    facts = json.loads((run / "facts" / "what_if.json").read_text())
    assert facts["first"] == "float32" and facts["settings"][0]["gain"] > 0.2
    assert [one["verdict"] for one in facts["settings"][1:]] == ["without_effect_here"] * 2
    assert [one["path"] for one in facts["cells"]] == ["first"]
    line = 1 + SCRIPT.splitlines().index("        self.first = Centred()")
    assert f"a cell that needs float32: first (Centred), train.py:{line}" in done.stderr + done.stdout
