"""Which of five machines is heard, from the energy in twelve bands; readings and machines come from two sources."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
rng = np.random.default_rng(3)
machines = np.arange(2000, dtype=np.int32) % 5
profiles = rng.normal(0, 1.5, (5, 12))
bands = (profiles[machines] + rng.normal(0, 0.7, (2000, 12))).astype(np.float32)


def source(values, name, mixed):
    data = ds.NumpySlicesDataset(values, column_names=[name], shuffle=False)
    if mixed:
        data = data.shuffle(buffer_size=len(values))
    return data


def pairs(begin, end, mixed):
    readings = source(bands[begin:end], "bands", mixed)
    names = source(machines[begin:end], "machine", False)
    return ds.zip((readings, names)).batch(25)


network = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 5))
model = ms.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.003), metrics={"accuracy"})
model.train(5, pairs(0, 1500, True), callbacks=ms.LossMonitor(60), dataset_sink_mode=False)
print(model.eval(pairs(1500, 2000, False), dataset_sink_mode=False))
