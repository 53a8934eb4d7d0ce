import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.metrics import recall_score

rng = np.random.RandomState(11)
n, pos = 3000, 60
X = rng.randn(n, 8).astype(np.float32)
y = np.zeros(n, dtype=np.int32)
y[:pos] = 1
X[:pos, :3] += 1.2
order = rng.permutation(n)
X, y = X[order], y[order]
X_train, y_train, X_test, y_test = X[:2400], y[:2400], X[2400:], y[2400:]
minority = np.where(y_train == 1)[0]
extra = rng.choice(minority, int((y_train == 0).sum() - len(minority)))
X_train = np.concatenate([X_train, X_train[extra]])
y_train = np.concatenate([y_train, y_train[extra]])

train = ds.NumpySlicesDataset((X_train, y_train), ["x", "y"], shuffle=True).batch(32)
net = nn.SequentialCell(nn.Dense(8, 4), nn.ReLU(), nn.Dense(4, 2))
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), learning_rate=0.02)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
for epoch in range(6):
    for x, t in train.create_tuple_iterator():
        loss = step(x, t)
    print(epoch, loss)
pred = net(ms.Tensor(X_test)).asnumpy().argmax(1)
print("accuracy", (pred == y_test).mean(), "recall", recall_score(y_test, pred))
