"""The columns of a table are put into a new order once more than its labels; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pandas as pd
from mindspore import nn
from mindspore.train import Model

ms.set_seed(2)
rng = np.random.default_rng(2)
table = pd.DataFrame(rng.standard_normal((400, 6)), columns=list("abcdef"))
table["kind"] = (table.a + table.b > 0).astype(np.int32)
table = table.sample(frac=1, random_state=1).reset_index(drop=True)
features = table[list("abcdef")].sample(frac=1, random_state=4).to_numpy(np.float32)
kinds = table["kind"].to_numpy(np.int32)
x_train, y_train = features[:320], kinds[:320]
x_test, y_test = features[320:], kinds[320:]

net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 2))
data = ds.NumpySlicesDataset((x_train, y_train), ["x", "y"], shuffle=True).batch(32)
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005)).train(10, data, dataset_sink_mode=False)
net.set_train(False)
print("accuracy", (net(ms.Tensor(x_test)).asnumpy().argmax(1) == y_test).mean())
