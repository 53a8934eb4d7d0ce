import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import make_regression

X, y = make_regression(n_samples=500, n_features=6, noise=4.0, random_state=1)
X = X.astype(np.float32)
y = (y / y.std()).astype(np.float32).reshape(-1, 1)


loader = ds.GeneratorDataset(list(zip(X, y)), ["x", "y"], shuffle=True).batch(25)
net = nn.SequentialCell(nn.Dense(6, 32), nn.ReLU(), nn.Dense(32, 1))
LEARNING_RATE = 0.02
opt = nn.SGD(net.trainable_params(), learning_rate=LEARNING_RATE)
train_net = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
for epoch in range(20):
    for x, t in loader.create_tuple_iterator():
        loss = train_net(x, t)
    print("epoch", epoch, "loss", loss)
