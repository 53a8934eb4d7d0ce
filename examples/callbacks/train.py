"""The monitors as a callback of Model.train: float16 with a fixed loss scale that is far too high.

    python examples/callbacks/train.py

After eight steps a warning tells that no update was made; the training ends as it began, and the last lines say what the
monitors counted. With LOSS_SCALE = 2**10 the digits are learnt.
"""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.amp import FixedLossScaleManager
from mindspore.train import Model
from sklearn.datasets import load_digits

import msprec

LOSS_SCALE = 2**26


def main():
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    msprec.enable_loss_scale_on_cpu()
    digits = load_digits()
    images, labels = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
    train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(64, drop_remainder=True)

    net = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 10))
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
    manager = FixedLossScaleManager(LOSS_SCALE, drop_overflow_update=True)
    model = Model(net, nn.CrossEntropyLoss(), optimizer, loss_scale_manager=manager, amp_level="O2")

    monitor = msprec.PrecisionMonitor()
    model.train(2, train_set, callbacks=[monitor], dataset_sink_mode=False)

    scale = monitor.summary()["loss_scale"]
    print(f"{scale['overflows']} of {scale['steps']} steps overflowed; recorded in {monitor.folder.name}")


if __name__ == "__main__":
    main()
