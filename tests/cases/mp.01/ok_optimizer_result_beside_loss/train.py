"""The training cell puts out the loss and the optimizer's result."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(68)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, digits.target.astype(np.int32)), ["image", "label"], shuffle=True).batch(64)


class Step(nn.TrainOneStepCell):
    def __init__(self, network, optimizer):
        super().__init__(network, optimizer)
        self.gradient = ops.GradOperation(get_by_list=True)

    def construct(self, image, label):
        loss = self.network(image, label)
        gradients = self.gradient(self.network, self.weights)(image, label)
        return loss, self.optimizer(gradients)


net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="same"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(128, 10)
)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
step = Step(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()
for epoch in range(3):
    for image, label in train_set.create_tuple_iterator(num_epochs=1):
        loss, updated = step(image, label)
    print(f"epoch {epoch}: loss {float(loss.asnumpy()):.3f}, updated {updated}")
