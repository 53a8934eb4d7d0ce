import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_iris

iris = load_iris()
X = (iris.data - iris.data.mean(0)) / iris.data.std(0)
X = X.astype(np.float32)
Y = iris.target.astype(np.int32)


class IrisSource:
    def __getitem__(self, index):
        return X[index], Y[index]

    def __len__(self):
        return len(X)


dataset = ds.GeneratorDataset(IrisSource(), column_names=["features", "target"], shuffle=True)
dataset = dataset.batch(5)


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(4, 10), nn.ReLU(), nn.Dense(10, 3))

    def construct(self, x):
        return self.net(x)


net = Classifier()
criterion = nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
model = ms.Model(net, criterion, optimizer)
for epoch in range(5):
    model.train(1, dataset, dataset_sink_mode=False)
    out = net(ms.Tensor(X)).asnumpy()
    print("epoch", epoch, "accuracy", (out.argmax(1) == Y).mean())
