"""A loss that sums over its batch has large gradients: SGD with 0.0005 is a small number and no small step."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from sklearn.datasets import load_diabetes

ms.set_seed(3)
rng = np.random.default_rng(3)
patients, progression = load_diabetes(return_X_y=True)
patients = (patients / patients.std(0)).astype(np.float32)
progression = ((progression - progression.mean()) / progression.std()).astype(np.float32)[:, None]

network = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 1))
squares = nn.MSELoss(reduction="sum")
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.0005, weight_decay=1e-4)
train = nn.TrainOneStepCell(nn.WithLossCell(network, squares), optimizer)
train.set_train()

for epoch in range(30):
    order = rng.permutation(len(patients))
    for start in range(0, len(order) - 31, 32):
        chosen = order[start : start + 32]
        loss = train(Tensor(patients[chosen]), Tensor(progression[chosen]))
    print(epoch, float(loss) / 32)
