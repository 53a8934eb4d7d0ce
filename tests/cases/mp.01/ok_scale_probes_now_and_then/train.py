"""Model.train in float16 (O2); the dynamic loss scale doubles every 20 steps and falls back when it was too much."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model
from sklearn.datasets import load_digits

ms.set_seed(67)

digits = load_digits()
images = (digits.data / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, digits.target.astype(np.int32)), ["image", "label"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 10))
manager = ms.DynamicLossScaleManager(init_loss_scale=2**15, scale_factor=2, scale_window=20)
model = Model(
    net,
    nn.CrossEntropyLoss(),
    nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9),
    amp_level="O2",
    loss_scale_manager=manager,
)
model.train(4, train_set, dataset_sink_mode=False)
print("done")
