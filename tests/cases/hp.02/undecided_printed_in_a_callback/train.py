"""A callback of the script's own prints the validation loss; the network memorises noise."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.train import Callback, Model

ms.set_seed(1)
rng = np.random.default_rng(0)
features = rng.normal(size=(448, 10)).astype(np.float32)
classes = (features[:, 0] + 1.5 * rng.normal(size=448) > 0).astype(np.int32)
data = ds.NumpySlicesDataset((features[:64], classes[:64]), ["x", "y"], shuffle=True).batch(16)
held_out, wanted = Tensor(features[64:]), classes[64:]
net = nn.SequentialCell(nn.Dense(10, 64), nn.ReLU(), nn.Dense(64, 2))


class Validate(Callback):
    """After each epoch, on the samples that were held out."""

    def on_train_epoch_end(self, run_context):
        shares = ops.softmax(net(held_out), -1).asnumpy()
        missed = -np.log(shares[np.arange(len(wanted)), wanted])
        print(f"epoch {run_context.original_args().cur_epoch_num}: val loss {missed.sum() / len(wanted):.4f}")


model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2))
model.train(20, data, callbacks=[Validate()], dataset_sink_mode=False)
