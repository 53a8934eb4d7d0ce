"""Each rank takes every second file of a listing; a training cell of its own."""

import mindspore as ms
import mindspore.dataset as ds
from files import FileSource, write_files
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
rank, size = get_rank(), get_group_size()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=size)
ms.set_seed(63)
write_files(f"parts_{rank}")
source = FileSource(f"parts_{rank}", rank, size)
data = ds.GeneratorDataset(source, ["x", "y"], shuffle=True).batch(8)
net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 1))
cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.01))
cell.set_train()
for x, y in data.create_tuple_iterator():
    loss = cell(x, y)
print(float(loss))
