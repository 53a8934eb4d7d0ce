import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn
from mindspore.train import LossMonitor
from sklearn.datasets import make_multilabel_classification

X, Y = make_multilabel_classification(n_samples=1200, n_features=20, n_classes=5, n_labels=3, random_state=2)
X = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
Y = Y.astype(np.float32)

train = ds.NumpySlicesDataset((X[:1000], Y[:1000]), ["x", "y"], shuffle=True).batch(25)


class TagNet(nn.Cell):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.hidden = nn.Dense(n_in, 40)
        self.relu = nn.ReLU()
        self.out = nn.Dense(40, n_out)
        self.activation = nn.Sigmoid()

    def construct(self, x):
        x = self.relu(self.hidden(x))
        return self.activation(self.out(x))


net = TagNet(20, 5)
model = Model(net, nn.BCELoss(reduction="mean"), nn.Adam(net.trainable_params(), 0.003))
model.train(20, train, callbacks=[LossMonitor(40)], dataset_sink_mode=False)

p = net(ms.Tensor(X[1000:])).asnumpy() > 0.5
print("label accuracy", (p == Y[1000:]).mean(), "exact", (p == Y[1000:]).all(1).mean())
