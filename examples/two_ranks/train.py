"""Two workers on a CPU, data parallel; the data set forgets to divide its samples between them.

    msrun --worker_num=2 --local_worker_num=2 --join=True --log_dir=log python -m msprec run examples/two_ranks/train.py

Each worker records a folder of its own, and the report for both finds that they read the same samples (dp.05): the end of
log/worker_0.log. The fix: `num_shards=get_group_size(), shard_id=get_rank()` in NumpySlicesDataset.
"""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, init
from mindspore.train import Model
from sklearn.datasets import load_digits


def main():
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    init()
    ms.set_auto_parallel_context(
        parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=get_group_size()
    )
    ms.set_seed(1)
    digits = load_digits()
    images, labels = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
    train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(64, drop_remainder=True)

    net = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 10))
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
    model = Model(net, nn.CrossEntropyLoss(), optimizer)
    model.train(2, train_set, dataset_sink_mode=False)


if __name__ == "__main__":
    main()
