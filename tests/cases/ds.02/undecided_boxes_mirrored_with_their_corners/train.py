"""Where a bright patch is, as a box of two corners; every other picture is mirrored with its corners."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(8)
rng = np.random.default_rng(8)
SIDE = 12


class Patches:
    def __init__(self, count):
        low = rng.integers(0, 6, (count, 2))
        high = low + rng.integers(2, 6, (count, 2))
        self.pictures = rng.normal(0, 0.2, (count, 1, SIDE, SIDE)).astype(np.float32)
        for picture, (left, top), (right, bottom) in zip(self.pictures, low, high):
            picture[0, top:bottom, left:right] += 1
        shift = rng.uniform(-0.2, 0.2, (count, 4))
        self.boxes = ((np.concatenate([low, high], 1) + shift) / SIDE).astype(np.float32)

    def __len__(self):
        return len(self.boxes)

    def __getitem__(self, number):
        picture, box = self.pictures[number], self.boxes[number]
        if rng.random() < 0.5:
            picture = np.ascontiguousarray(picture[..., ::-1])
            box = np.stack([1 - box[2], box[1], 1 - box[0], box[3]]).astype(np.float32)
        return picture, box


data = ds.GeneratorDataset(Patches(400), ["picture", "box"], shuffle=True).batch(20)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(SIDE * SIDE, 48), nn.ReLU(), nn.Dense(48, 4))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), learning_rate=2e-3))
step.set_train()
for epoch in range(6):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, loss)
