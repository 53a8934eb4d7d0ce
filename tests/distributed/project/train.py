"""Data parallel on CPUs. Arguments: ``callbacks=FOLDER`` puts the monitors in by hand; ``nan`` spoils rank 1's fourth batch;
``seeds`` starts each rank with a seed of its own; ``apart`` lets each rank judge overflow by itself; ``early`` ends rank 1's data
sooner, without a common gradient; ``wrong`` gives rank 1 a hole in its data and an optimizer that lacks a layer, likewise;
``long`` trains on, and tells its process once it does."""

import os
import sys
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from cells import LocalCheckCell, SumsGradients
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init
from mindspore.train import Callback, Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
rank = get_rank()
if not {"early", "wrong"} & set(sys.argv):
    ms.set_auto_parallel_context(
        parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=get_group_size()
    )
ms.set_seed(1 + rank if "seeds" in sys.argv else 1)

x = np.random.RandomState(rank).randn(48, 4).astype(np.float32)
y = x.sum(1, keepdims=True)
if "nan" in sys.argv and rank == 1:
    y[24] = np.nan
if "apart" in sys.argv and rank == 1:
    x[16:24] *= 1e4  # only this rank's gradients exceed float16
if "early" in sys.argv and rank == 1:
    x, y = x[:32], y[:32]
if "wrong" in sys.argv and rank == 1:
    x[37, 2] = np.nan
data = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(8)
net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
trained = net[2] if "wrong" in sys.argv and rank == 1 else net
optimizer = nn.Momentum(trained.trainable_params(), 0.001, 0.9)
if "apart" in sys.argv:
    net.to_float(ms.float16)
    scale = nn.DynamicLossScaleUpdateCell(1024, 2, 1000)
    model = Model(LocalCheckCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, scale))
elif "nan" in sys.argv:
    # a cell of the user's own that talks to the other ranks: it must not be replayed by one rank alone
    model = Model(SumsGradients(nn.WithLossCell(net, nn.MSELoss()), optimizer))
else:
    model = Model(net, nn.MSELoss(), optimizer)


class TellsProcess(Callback):
    def on_train_epoch_end(self, run_context):
        if run_context.original_args().cur_epoch_num == 2:
            Path(f"pid_{rank}").write_text(str(os.getpid()))


callbacks = []
for argument in sys.argv:
    if argument.startswith("callbacks="):
        from msprec import PrecisionMonitor

        callbacks = [PrecisionMonitor(out=argument.partition("=")[2])]
if "long" in sys.argv:
    callbacks = [TellsProcess()]
model.train(100000 if "long" in sys.argv else 2, data, callbacks=callbacks)
print("weights of rank", rank, net[0].weight.asnumpy().sum(dtype=np.float64).hex())
