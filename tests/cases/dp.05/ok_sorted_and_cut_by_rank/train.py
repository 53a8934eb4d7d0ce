"""Files sorted by name and cut by the rank; a compiled step."""

from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
rank, size = get_rank(), get_group_size()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=size)
ms.set_seed(64)
folder = Path(f"parts_{rank}")
folder.mkdir()
rng = np.random.default_rng(64)
for number in range(12):
    np.save(folder / f"part{number:02d}.npy", rng.normal(size=(10, 5)).astype(np.float32))

files = sorted(folder.glob("*.npy"))
rows = np.concatenate([np.load(file) for file in files[rank::size]])
data = ds.NumpySlicesDataset({"x": rows[:, :4], "y": rows[:, 4:]}, shuffle=True).batch(10)
net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 1))
cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.01))
cell.set_train()
for x, y in data.create_tuple_iterator():
    loss = cell(x, y)
print(float(loss))
