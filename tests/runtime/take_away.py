"""Runs one script in this process again and again, each time with some hook points taken away; prints a line of JSON a run.

python take_away.py FOLDER [HOOK,HOOK… …]
"""

import contextlib
import io
import json
import os
import sys
from pathlib import Path

import mindspore  # noqa: F401  # once for all runs

from msprec.engine.runner import conclude
from msprec.observe.launch import run_script
from msprec.observe.observer import Options
from msprec.runtime import hook_points

SCRIPT = """
import sys
import mindspore as ms, mindspore.dataset as ds, numpy as np
from mindspore import nn
from mindspore.amp import StaticLossScaler
from mindspore.train import Model
ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)
x = np.random.RandomState(0).randn(24, 4).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(8)
net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(8, 2))
ms.save_checkpoint(net, "net.ckpt")
ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
loss_fn = nn.CrossEntropyLoss()
model = Model(net, loss_fn, nn.SGD(net.trainable_params(), 0.1), metrics={"accuracy"})
model.train(1, data, dataset_sink_mode=False)
model.eval(data, dataset_sink_mode=False)
optimizer, scaler = nn.SGD(net.trainable_params(), 0.1), StaticLossScaler(2.0)
grad_fn = ms.value_and_grad(lambda a, b: scaler.scale(loss_fn(net(a), b)), None, optimizer.parameters)
net.set_train()
for a, b in data.create_tuple_iterator(num_epochs=1):
    loss, grads = grad_fn(a, b)
    optimizer(scaler.unscale(grads))
sys.exit(3)
"""


def without(names: list, folder: Path) -> dict:
    """Runs the script without the hook points ``names``."""
    rows = {name: hook_points.BY_NAME[name] for name in names}
    hook_points._missing.clear()
    hook_points.BY_NAME.update({name: row._replace(places=("mindspore:absent_name",)) for name, row in rows.items()})
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            outcome = run_script("train.py", [], folder, Options())
    finally:
        hook_points.BY_NAME.update(rows)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    items = {one["id"]: one for one in conclude(folder)["items"]}
    return {
        "names": names,
        "status": outcome.status,
        "imports": run["script_imports_mindspore"],
        "missing": [[hook["learns"]["en"], hook["why"]["en"], hook["items"]] for hook in run["hooks_missing"]],
        "told": told.getvalue(),
        "open": [id for id, one in items.items() if "does not have" in one["summary"]],
        "conclusions": {id: one["conclusion"] for id, one in items.items()},
    }


def main(folder: str, *names: str) -> None:
    os.chdir(folder)
    Path("train.py").write_text(SCRIPT, encoding="utf-8")
    for number, group in enumerate(names):
        taken = [name for name in group.split(",") if name]
        print("RUN " + json.dumps(without(taken, Path(folder) / f"run{number}")), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
