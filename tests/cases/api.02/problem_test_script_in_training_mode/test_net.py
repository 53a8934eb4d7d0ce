import mindspore as ms
import numpy as np
from network import Net


def predict(net, x):
    return net(ms.Tensor(x)).asnumpy().argmax(axis=1)


net = Net()
ms.load_checkpoint("net.ckpt", net)
net.set_train()
x = np.load("x_test.npy")
print((predict(net, x) == (x[:, 0] > 0)).mean())
