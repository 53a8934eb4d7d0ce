"""Trains in one of several styles and prints every number, random state and file that it leaves, bit by bit.

usage: training_script.py STYLE MODE
"""

import hashlib
import json
import random
import sys
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Callback, CheckpointConfig, Model, ModelCheckpoint

style, mode = sys.argv[1:3]
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(7)
ms.manual_seed(7)  # MindSpore 2.7 seeds its default generator at random
np.random.seed(7)
random.seed(7)


class Source:
    """Sixty-four samples; drawing one consumes NumPy's random state, as an augmentation does."""

    def __init__(self):
        draw = np.random.RandomState(0)
        self.x = draw.randn(64, 1, 6, 6).astype(np.float32)
        self.y = draw.randint(0, 3, 64).astype(np.int32)

    def __getitem__(self, index):
        return self.x[index] + np.float32(0.01 * np.random.randn()), self.y[index]

    def __len__(self):
        return len(self.x)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Dense(4 * 36, 3)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x)))
        return self.head(x.reshape(x.shape[0], -1))


class OwnStep(nn.Cell):
    """A training cell of a user's own."""

    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y)
        return ops.depend(loss, self.optimizer(grads))


class Keep(Callback):
    def on_train_step_end(self, run_context):
        losses.append(run_context.original_args().net_outputs.asnumpy().tobytes().hex())


data = ds.GeneratorDataset(Source(), ["x", "y"], shuffle=True, num_parallel_workers=1).batch(16)
net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
losses = []
if style == "model":
    saver = ModelCheckpoint("net", "checkpoints", CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=10))
    Model(net, loss_fn, optimizer).train(3, data, callbacks=[Keep(), saver], dataset_sink_mode=False)
else:
    if style == "cell":
        step = OwnStep(nn.WithLossCell(net, loss_fn), optimizer)
        step.set_train()
    else:

        def forward(x, y):
            return loss_fn(net(x), y)

        grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

        def step(x, y):
            loss, grads = grad_fn(x, y)
            optimizer(grads)
            return loss

        if style == "jit":
            step = ms.jit(step)
        net.set_train()
    for _ in range(3):
        for x, y in data.create_tuple_iterator(num_epochs=1):
            losses.append(step(x, y).asnumpy().tobytes().hex())
    ms.save_checkpoint(net, "last.ckpt")

files = sorted(
    str(p) for p in Path().rglob("*") if p.is_file() and p.name != "train.py" and "kernel_meta" not in p.parts
)
checkpoints = {
    f: {n: hashlib.sha256(p.asnumpy().tobytes()).hexdigest() for n, p in ms.load_checkpoint(f).items()}
    for f in files
    if f.endswith(".ckpt")
}
print(
    json.dumps(
        {
            "losses": losses,
            "weights": {p.name: hashlib.sha256(p.asnumpy().tobytes()).hexdigest() for p in net.get_parameters()},
            "moments": [hashlib.sha256(p.asnumpy().tobytes()).hexdigest() for p in optimizer.get_parameters()],
            "numpy": hashlib.sha256(str(np.random.get_state()).encode()).hexdigest(),
            "python": hashlib.sha256(str(random.getstate()).encode()).hexdigest(),
            "mindspore": hashlib.sha256(ms.get_rng_state().asnumpy().tobytes()).hexdigest(),
            "drawn": ops.standard_normal((4,)).asnumpy().tolist(),
            "layer": nn.Dense(3, 2).weight.asnumpy().tolist(),
            "files": files,
            "checkpoints": checkpoints,
        },
        indent=0,
    )
)
