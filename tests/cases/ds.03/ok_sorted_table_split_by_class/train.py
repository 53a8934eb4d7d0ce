import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn
from mindspore.train import LossMonitor
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

ms.set_seed(2)
table = load_wine()
values = ((table.data - table.data.mean(0)) / table.data.std(0)).astype("float32")
kinds = table.target.astype("int32")
x, x_rest, y, y_rest = train_test_split(values, kinds, test_size=0.2, stratify=kinds, random_state=2)
by_kind = np.argsort(y, kind="stable")
train = ds.NumpySlicesDataset((x[by_kind], y[by_kind]), ["values", "kind"], shuffle=False).batch(16)
rest = ds.NumpySlicesDataset((x_rest, y_rest), ["values", "kind"], shuffle=False).batch(16)
net = nn.SequentialCell(nn.Dense(13, 24), nn.ReLU(), nn.Dense(24, 3))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"accuracy"})
model.train(15, train, callbacks=[LossMonitor(9)], dataset_sink_mode=False)
print(model.eval(rest, dataset_sink_mode=False))
