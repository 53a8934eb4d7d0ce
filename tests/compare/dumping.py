"""A dump that MindSpore itself writes on the CPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

NETWORK = """
import sys, numpy as np, mindspore as ms
from mindspore import nn, ops
ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.fc = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2, eps=float(sys.argv[1])), nn.Dense(2 * 8 * 8, 3)
    def construct(self, x):
        x = self.bn(self.conv(x))
        x = ops.ACTIVATION(x)
        return self.fc(x.reshape((4, -1)))
net = Net()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.SGD(net.trainable_params(), 0.1))
r = np.random.RandomState(0)
x, y = ms.Tensor(r.randn(4, 1, 8, 8).astype(np.float32)), ms.Tensor(np.array([0, 1, 2, 0], np.int32))
for _ in range(2):
    step(x, y)
"""


def mindspore_dump(folder: Path, eps: str = "1e-5", activation: str = "relu") -> Path:
    """Runs two steps of a small network with ``MINDSPORE_DUMP_CONFIG`` and returns the folder of the dump."""
    folder.mkdir()
    common = {
        "op_debug_mode": 0,
        "dump_mode": 0,
        "path": str(folder / "out"),
        "net_name": "Net",
        "iteration": "all",
        "saved_data": "tensor",
        "input_output": 0,
        "kernels": [],
        "support_device": [0],
    }
    settings = {"common_dump_settings": common, "e2e_dump_settings": {"enable": True, "trans_flag": True}}
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "train.py").write_text(NETWORK.replace("ACTIVATION", activation))
    environment = {**os.environ, "MINDSPORE_DUMP_CONFIG": str(folder / "config.json"), "GLOG_v": "3"}
    command = [sys.executable, "train.py", eps]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder / "out"
