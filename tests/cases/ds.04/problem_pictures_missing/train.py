"""Pictures by folder; the copy on this machine lacks some. A training cell of its own."""

import mindspore as ms
import mindspore.dataset as ds
from cell import TrainCell
from mindspore import nn
from mindspore.dataset import vision

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(82)
data = ds.ImageFolderDataset("pictures", decode=True, shuffle=True)
data = data.map([vision.Resize((8, 8)), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()], "image").batch(2)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(192, 2))
cell = TrainCell(net, nn.SGD(net.trainable_params(), 0.01))
cell.set_train()
for image, label in data.create_tuple_iterator():
    loss = cell(image, label)
print(float(loss))
