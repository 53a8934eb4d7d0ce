"""Two kinds of tumours, 357 benign and 212 malignant."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_breast_cancer

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(59)
cancer = load_breast_cancer()
x = ((cancer.data - cancer.data.mean(axis=0)) / cancer.data.std(axis=0)).astype(np.float32)
y = cancer.target.astype(np.float32).reshape(-1, 1)
train_set = ds.NumpySlicesDataset((x, y), ["cells", "benign"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(30, 16), nn.ReLU(), nn.Dense(16, 1))
cell = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.BCEWithLogitsLoss()), nn.Adam(net.trainable_params(), learning_rate=0.005)
)
cell.set_train()
batches = train_set.create_dict_iterator(num_epochs=3)
for epoch in range(3):
    for batch in batches:
        loss = cell(batch["cells"], batch["benign"])
    print("epoch", epoch, "loss", float(loss))
