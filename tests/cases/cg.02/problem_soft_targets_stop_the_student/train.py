"""A small classifier learns from a large one and from a few labels."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(5)
rng = np.random.default_rng(5)
digits = load_digits()
order = rng.permutation(len(digits.target))
images = (digits.data[order] / 8 - 1).astype(np.float32)
labels = digits.target[order].astype(np.int32)


def classifier(width):
    return nn.SequentialCell(nn.Dense(64, width), nn.ReLU(), nn.Dense(width, 10))


def train(network, criterion, rate, epochs):
    optimizer = nn.Adam(network.trainable_params(), rate)
    gradients = ms.value_and_grad(criterion, None, optimizer.parameters)
    pipeline = ds.NumpySlicesDataset((images[:1200], labels[:1200]), ["image", "label"], shuffle=True).batch(32)
    network.set_train()
    for _ in range(epochs):
        for image, label in pipeline.create_tuple_iterator(num_epochs=1):
            loss, found = gradients(image, label)
            optimizer(found)
    network.set_train(False)
    return float(loss)


cross_entropy = nn.CrossEntropyLoss()
teacher, student = classifier(128), classifier(16)
print("teacher:", train(teacher, lambda x, y: cross_entropy(teacher(x), y), 2e-3, 5))
for weight in teacher.get_parameters():
    weight.requires_grad = False


def distilled(image, label):
    wanted = ops.softmax(teacher(image) / 2.0, axis=-1)
    given = ops.log_softmax(student(image) / 2.0, axis=-1)
    soft = ops.kl_div(ops.stop_gradient(given), wanted, reduction="batchmean")
    hard = cross_entropy(student(image)[:2], label[:2])
    return 4.0 * soft + 0.1 * hard


print("student:", train(student, distilled, 2e-3, 5))
right = student(ms.Tensor(images[1200:])).asnumpy().argmax(1) == labels[1200:]
print("accuracy:", right.mean())
