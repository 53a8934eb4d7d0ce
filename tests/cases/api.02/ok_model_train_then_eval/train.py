"""Wine classifier with Model.train and Model.eval; --dropout 0 turns the dropout off."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--dropout", type=float, default=0.2)
args = parser.parse_args()

ms.set_seed(2)
wine = load_wine()
x_train, x_test, y_train, y_test = train_test_split(wine.data, wine.target, test_size=0.25, random_state=2)
scaler = StandardScaler().fit(x_train)


def batches(x, y, shuffle):
    columns = {"x": scaler.transform(x).astype(np.float32), "y": y.astype(np.int32)}
    return ds.NumpySlicesDataset(columns, shuffle=shuffle).batch(12, drop_remainder=shuffle)


net = nn.SequentialCell(nn.Dense(13, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(p=args.dropout), nn.Dense(32, 3))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=0.01), metrics={"accuracy"})
model.train(args.epochs, batches(x_train, y_train, True), callbacks=[LossMonitor(40)], dataset_sink_mode=False)
print(model.eval(batches(x_test, y_test, False), dataset_sink_mode=False))
