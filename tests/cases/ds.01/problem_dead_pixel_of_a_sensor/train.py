"""Spots seen by a camera of 16 × 16 pixels of which one drops out at times."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(8)
rng = np.random.default_rng(8)
rows, columns = np.mgrid[:16, :16]


def frames(count):
    at = rng.uniform(2.5, 12.5, (count, 2))
    light = np.zeros((count, 16, 16))
    for i, (y, x) in enumerate(at):
        light[i] = 3.0 * np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / 5)
    # the counter has 8 bits, and a full well reads 255
    return np.clip(np.round(light * 255), 0, 255).reshape(count, 256) / 255, at / 16


seen, where = (part.astype(np.float32) for part in frames(500))
seen[rng.choice(500, 20, replace=False), 137] = -999  # what the driver writes when the pixel does not answer
train_set = ds.NumpySlicesDataset((seen, where), ["frame", "where"], shuffle=True).batch(25)
net = nn.SequentialCell(nn.Dense(256, 32), nn.ReLU(), nn.Dense(32, 2))
cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.002))
cell.set_train()
batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    for frame, place in batches:
        loss = cell(frame, place)
    print(epoch, float(loss))
