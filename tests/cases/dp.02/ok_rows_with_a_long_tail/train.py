"""Raw measurements with long tails: the largest value of training is not the largest of the rest."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_breast_cancer

ms.set_seed(3)
cancer = load_breast_cancer()
order = np.random.RandomState(0).permutation(len(cancer.target))
features = cancer.data[order].astype(np.float32)
labels = cancer.target[order].astype(np.float32)[:, None]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Dense(30, 16)
        self.out = nn.Dense(16, 1)

    def construct(self, x):
        return self.out(ops.relu(self.layer1(x)))


net = Net()
criterion = nn.BCEWithLogitsLoss()
train_net = nn.TrainOneStepCell(nn.WithLossCell(net, criterion), nn.Adam(net.trainable_params(), 1e-4)).set_train()
train_data = ds.NumpySlicesDataset({"feature": features[:450], "label": labels[:450]}, shuffle=True).batch(16)
for batch in train_data.create_dict_iterator(num_epochs=1):
    loss = train_net(batch["feature"], batch["label"])
net.set_train(False)
predicted = net(ms.Tensor(features[450:])).asnumpy()
print("accuracy", ((predicted > 0) == labels[450:]).mean())
