import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(1)
rng = np.random.default_rng(1)
features = rng.normal(size=(512, 8)).astype(np.float32)
positive = (features[:, 0] + features[:, 1] > 0).astype(np.int32)


class Classifier(nn.Cell):
    """An auxiliary head beside the last one, as deep networks of pictures have them."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(8, 16), nn.Dense(16, 16)
        self.auxiliary, self.last = nn.Dense(16, 2), nn.Dense(16, 2)

    def construct(self, x):
        hidden = ops.relu(self.first(x))
        return self.last(ops.relu(self.second(hidden))), self.auxiliary(hidden)


class TwoHeads(nn.Cell):
    def construct(self, last, auxiliary, label):
        return self.surprise(last, label) + 0.4 * self.surprise(auxiliary, label)

    def surprise(self, logits, label):
        return -ops.gather_elements(ops.log_softmax(logits, axis=1), 1, label.reshape(-1, 1)).mean()


network, loss = Classifier(), TwoHeads()
optimizer = nn.Adam(network.trainable_params(), 0.01)
gradients = ms.value_and_grad(lambda x, y: loss(*network(x), y), None, optimizer.parameters)
network.set_train()
batches = NumpySlicesDataset((features, positive), ["x", "y"], shuffle=True).batch(32)
for x, y in batches.create_tuple_iterator(num_epochs=8):
    value, found = gradients(x, y)
    optimizer(found)
network.set_train(False)
print("loss", value, "accuracy", (network(Tensor(features))[0].asnumpy().argmax(1) == positive).mean())
