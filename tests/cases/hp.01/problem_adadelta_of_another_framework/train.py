"""Wine by Model.train: Adadelta with 0.001, the default of another framework, leaves the weights as they were drawn."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model
from sklearn.datasets import load_wine

ms.set_seed(4)
np.random.seed(4)

inputs, classes = load_wine(return_X_y=True)
inputs = ((inputs - inputs.mean(0)) / inputs.std(0)).astype(np.float32)
data = ds.NumpySlicesDataset({"features": inputs, "cultivar": classes.astype(np.int32)}, shuffle=True).batch(16)

network = nn.SequentialCell(nn.Dense(13, 24), nn.ReLU(), nn.Dense(24, 3))
optimizer = nn.Adadelta(network.trainable_params(), learning_rate=0.001)
model = Model(network, nn.CrossEntropyLoss(), optimizer)
model.train(25, data, dataset_sink_mode=False)
