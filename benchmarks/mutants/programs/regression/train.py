"""Predict the price of a house from its features."""

import os

import mindspore as ms
import numpy as np
from housing import load_housing
from mindspore import nn
from mindspore.dataset import GeneratorDataset
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_seed(int(os.environ.get("SEED", "1")))

# Hyper-parameters
epochs = 12
batch_size = 32
learning_rate = 2e-3


class HousingData:
    """Random access to the samples."""

    def __init__(self, features, prices):
        self.features = features
        self.prices = prices

    def __getitem__(self, index):
        return self.features[index], self.prices[index]

    def __len__(self):
        return len(self.features)


class Network(nn.Cell):
    """Three dense layers."""

    def __init__(self):
        super().__init__()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(8, 64),
            nn.ReLU(),
            nn.Dense(64, 32),
            nn.ReLU(),
            nn.Dense(32, 1),
        )

    def construct(self, x):
        return self.dense_relu_sequential(x)


features, prices = load_housing()
x_train, x_test, y_train, y_test = train_test_split(features, prices, test_size=0.25, random_state=3)
scaler = StandardScaler().fit(x_train)
x_train = scaler.transform(x_train).astype(np.float32)
x_test = scaler.transform(x_test).astype(np.float32)

train_dataset = GeneratorDataset(HousingData(x_train, y_train), ["features", "price"], shuffle=True)
train_dataset = train_dataset.batch(batch_size)
test_dataset = GeneratorDataset(HousingData(x_test, y_test), ["features", "price"], shuffle=False).batch(batch_size)

model = Network()
loss_fn = nn.MSELoss()
optimizer = nn.Adam(model.trainable_params(), learning_rate=learning_rate)


# Define forward function
def forward_fn(data, label):
    prediction = model(data)
    loss = loss_fn(prediction, label)
    return loss, prediction


# Get gradient function
grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


# Define function of one-step training
def train_step(data, label):
    (loss, _), grads = grad_fn(data, label)
    optimizer(grads)
    return loss


def train(iterator, size):
    model.set_train()
    for batch, (data, label) in enumerate(iterator):
        loss = train_step(data, label)
        if batch % 20 == 0:
            print(f"loss: {loss.asnumpy():>7f}  [{batch:>3d}/{size:>3d}]")


def test(dataset):
    """The coefficient of determination on a data set."""
    model.set_train(False)
    predictions, targets = [], []
    for data, label in dataset.create_tuple_iterator():
        predictions.append(model(data).asnumpy())
        targets.append(label.asnumpy())
    predictions, targets = np.concatenate(predictions), np.concatenate(targets)
    return 1 - np.sum((predictions - targets) ** 2) / np.sum((targets - targets.mean()) ** 2)


r2 = 0.0
train_iterator = train_dataset.create_tuple_iterator(num_epochs=epochs)
for epoch in range(epochs):
    print(f"Epoch {epoch + 1}\n-------------------------------")
    train(train_iterator, train_dataset.get_dataset_size())
    r2 = test(test_dataset)
    print(f"Test: R2 {r2:.4f}")
print("Done!")
print(f"result: r2 {r2:.4f}")
