"""Breast cancer data, Model with a mixed precision level; settings in a module of their own."""

import mindspore as ms
from mindspore import nn
from mindspore.train import LossMonitor, Model
from settings import AMP_LEVEL, BATCH, EPOCHS, LEARNING_RATE, table

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(5)

network = nn.SequentialCell(nn.Dense(30, 32), nn.ReLU(), nn.Dense(32, 2))
optimizer = nn.Adam(network.trainable_params(), LEARNING_RATE)
model = Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"}, amp_level=AMP_LEVEL)
train_set = table("train", BATCH)
model.train(EPOCHS, train_set, callbacks=[LossMonitor(train_set.get_dataset_size())], dataset_sink_mode=False)
print(model.eval(table("test", BATCH), dataset_sink_mode=False))
