"""An adversary turns the sign of the loss in its own turn; the classifier learns with the loss as it is."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(640, 4)).astype(np.float32)
y = (x[:, 0] + x[:, 1] > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(32)

shift = nn.Dense(4, 4)
classifier = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 2))
loss_fn = nn.CrossEntropyLoss()
learn = nn.Adam(classifier.trainable_params(), learning_rate=0.01)
attack = nn.Adam(shift.trainable_params(), learning_rate=0.001)
classify = ms.value_and_grad(lambda x, y: loss_fn(classifier(x + 0.1 * shift(x)), y), None, learn.parameters)
disturb = ms.value_and_grad(lambda x, y: -loss_fn(classifier(x + 0.1 * shift(x)), y), None, attack.parameters)

batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for features, label in batches:
        attack(disturb(features, label)[1])
        loss, grads = classify(features, label)
        learn(grads)
    print(epoch, loss)
