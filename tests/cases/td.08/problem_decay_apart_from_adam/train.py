import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn
from mindspore.train import LossMonitor

ms.set_seed(17)
rng = np.random.default_rng(17)
middles = rng.normal(size=(6, 16))
part = rng.integers(0, 6, 1500).astype(np.int32)
readings = (middles[part] + 0.8 * rng.normal(size=(1500, 16))).astype(np.float32)
parts = ds.NumpySlicesDataset((readings, part), ["readings", "part"], shuffle=True).batch(25)
net = nn.SequentialCell(nn.Dense(16, 64), nn.ReLU(), nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 6))
optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=0.002, weight_decay=60.0)
model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(10, parts, callbacks=[LossMonitor(60)], dataset_sink_mode=False)
