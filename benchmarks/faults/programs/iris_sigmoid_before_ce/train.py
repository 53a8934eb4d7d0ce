import mindspore.dataset as ds
import mindspore.nn as nn
from mindspore import Model
from mindspore.nn import Accuracy
from mindspore.train.callback import LossMonitor
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

X, y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X).astype("float32")
X_train, X_test, y_train, y_test = train_test_split(X, y.astype("int32"), test_size=0.3, random_state=0)

train_ds = ds.NumpySlicesDataset({"x": X_train, "y": y_train}, shuffle=True).batch(8)
test_ds = ds.NumpySlicesDataset({"x": X_test, "y": y_test}, shuffle=False).batch(8)


class IrisNet(nn.Cell):
    def __init__(self):
        super(IrisNet, self).__init__()
        self.dense1 = nn.Dense(4, 16, activation="relu")
        self.dense2 = nn.Dense(16, 3)

    def construct(self, x):
        return self.dense2(self.dense1(x))


net = IrisNet()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
opt = nn.SGD(net.trainable_params(), learning_rate=0.05)
model = Model(net, loss_fn=loss, optimizer=opt, metrics={"acc": Accuracy()})
model.train(40, train_ds, callbacks=LossMonitor(13))
print(model.eval(test_ds))
