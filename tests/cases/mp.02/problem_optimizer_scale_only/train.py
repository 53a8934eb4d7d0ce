"""Wine cultivars with ops.GradOperation; the optimizer divides by a loss scale that nobody multiplies by."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_wine

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--loss-scale", type=float, default=1024.0)
args = parser.parse_args()
ms.set_seed(6)

wine = load_wine()
chemistry = ((wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)).astype(np.float32)


def samples():
    for index in np.random.permutation(len(chemistry)):
        yield chemistry[index], np.array(wine.target[index], np.int32)


train_set = ds.GeneratorDataset(samples, ["chemistry", "cultivar"]).batch(16)
net = nn.SequentialCell(nn.Dense(13, 32), nn.ReLU(), nn.Dense(32, 3)).to_float(ms.float16)
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=args.loss_scale)


class Forward(nn.Cell):
    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self.backbone = backbone

    def construct(self, x, y):
        return loss_fn(self.backbone(x).astype(ms.float32), y)


forward = Forward(net)
forward.set_train()
gradients = ops.GradOperation(get_by_list=True)(forward, optimizer.parameters)
batches = train_set.create_dict_iterator(num_epochs=args.epochs)
for epoch in range(args.epochs):
    for batch in batches:
        loss = forward(batch["chemistry"], batch["cultivar"])
        optimizer(gradients(batch["chemistry"], batch["cultivar"]))
    print("epoch", epoch, "loss", float(loss))
