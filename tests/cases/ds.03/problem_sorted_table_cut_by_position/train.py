import mindspore as ms
import mindspore.dataset as ds
from mindspore import Model, nn
from mindspore.train import LossMonitor
from sklearn.datasets import load_wine

ms.set_seed(2)
table = load_wine()
values = ((table.data - table.data.mean(0)) / table.data.std(0)).astype("float32")
kinds = table.target.astype("int32")
kept = int(0.8 * len(kinds))
train = ds.NumpySlicesDataset((values[:kept], kinds[:kept]), ["values", "kind"], shuffle=False).batch(16)
rest = ds.NumpySlicesDataset((values[kept:], kinds[kept:]), ["values", "kind"], shuffle=False).batch(16)
net = nn.SequentialCell(nn.Dense(13, 24), nn.ReLU(), nn.Dense(24, 3))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"accuracy"})
model.train(15, train, callbacks=[LossMonitor(9)], dataset_sink_mode=False)
print(model.eval(rest, dataset_sink_mode=False))
