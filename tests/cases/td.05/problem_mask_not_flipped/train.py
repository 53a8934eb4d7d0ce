"""Pictures are mirrored at random and their masks are not; Model.train with a source of samples."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

SIZE = 16
ms.set_seed(6)


class Spots:
    def __init__(self, count):
        rng = np.random.default_rng(6)
        rows, columns = np.mgrid[:SIZE, :SIZE]
        centres = rng.uniform(3, SIZE - 3, (count, 2))
        distance = (rows - centres[:, :1, None]) ** 2 + (columns - centres[:, 1:, None]) ** 2
        self.masks = (distance < 9).astype(np.float32)[:, None]
        self.pictures = (self.masks + rng.normal(0, 0.4, self.masks.shape)).astype(np.float32)
        self.rng = rng

    def __len__(self):
        return len(self.masks)

    def __getitem__(self, index):
        picture, mask = self.pictures[index], self.masks[index]
        if self.rng.random() < 0.5:
            picture = picture[:, :, ::-1].copy()
        return picture, mask


net = nn.SequentialCell(nn.Conv2d(1, 8, 3, has_bias=True), nn.ReLU(), nn.Conv2d(8, 1, 3, has_bias=True))
data = ds.GeneratorDataset(Spots(256), ["picture", "mask"], shuffle=True, num_parallel_workers=1).batch(16)
model = Model(net, nn.BCEWithLogitsLoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(3, data, dataset_sink_mode=False)
