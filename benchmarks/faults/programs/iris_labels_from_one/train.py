import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_iris

# class ids as in the csv file: 1, 2, 3
iris = load_iris()
features = iris.data.astype(np.float32)
features = (features - features.mean(0)) / features.std(0)
classes = (iris.target + 1).astype(np.int32)
target = classes - 1

data = ds.NumpySlicesDataset((features, target), ["x", "y"], shuffle=True).batch(10)
net = nn.SequentialCell(nn.Dense(4, 12), nn.ReLU(), nn.Dense(12, 3))
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
opt = nn.Adam(net.trainable_params(), 0.01)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
step.set_train()
for epoch in range(20):
    for x, t in data.create_tuple_iterator():
        loss = step(x, t)
    print(epoch, loss)
pred = net(ms.Tensor(features)).asnumpy().argmax(1)
print("accuracy", (pred == target).mean())
