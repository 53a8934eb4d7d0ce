"""A small training with faults, from `msprec run` to the patch."""

import hashlib
import json
import os
import subprocess
import sys

SCRIPT = """\
import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

rng = np.random.default_rng(0)
x = rng.normal(size=(192, 4)).astype(np.float32)
y = (x @ rng.normal(size=(4, 3))).argmax(1).astype(np.int32)
x = 500 + 200 * x


def pipeline(part):
    return ds.NumpySlicesDataset((x[part], y[part]), ["x", "y"], shuffle=True).batch(16)


train_set = pipeline(slice(0, 128))
net = nn.Dense(4, 3)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(2):
    for a, b in train_set.create_tuple_iterator():
        loss, grads = grad_fn(a, b)
        optimizer(grads)
ms.save_checkpoint(net, "net.ckpt")
right = total = 0
for a, b in pipeline(slice(128, 192)).create_tuple_iterator():
    right += int((net(a).argmax(1) == b).sum().asnumpy())
    total += len(b)
print(f"accuracy: {right / total:.4f}")
"""


def digests(folder):
    return {str(path): hashlib.md5(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def msprec(folder, *args):
    env = {**os.environ, "GLOG_v": "3", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "msprec", *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_from_the_run_to_the_patch(tmp_path):
    project, run = tmp_path / "project", tmp_path / "run"
    project.mkdir()
    (project / "train.py").write_text(SCRIPT)
    msprec(project, "run", "--probe-seconds", "0", "--no-word", "--out", str(run), "train.py")
    before = digests(project)
    given = ("remedy", "--yes", "--lang", "en", "--only", "standardise", str(run))
    done = msprec(project, *given)
    assert done.returncode == 0, done.stderr
    assert digests(project) == before
    facts = json.loads((run / "facts" / "remedies.json").read_text())
    assert facts["score"] == "accuracy" and len(facts["baseline"]["scores"]) >= 3
    assert facts["remedies"][0]["id"] == "standardise" and facts["together"]["ids"] == ["standardise"]
    assert facts["patch"]["file"] == "remedy.patch"
    # the patched run is the hooked run: same seeds, same order, same numbers
    assert abs(facts["patch"]["scores"][0] - facts["together"]["scores"][0]) < 0.02
    assert (run / "remedies" / "effects.png").stat().st_size > 1000
    subprocess.run(["git", "apply", str(run / "remedy.patch")], cwd=project, check=True)
    assert ".map(lambda x: ((x - " in (project / "train.py").read_text()


def test_it_goes_on_where_it_was(tmp_path):
    """A second call of the same experiments starts no run."""
    from small_run import write_run

    from msprec.experiment.case import Case
    from msprec.experiment.runner import Runner, Task

    case = Case(write_run(tmp_path))
    runner = Runner(case)
    runner._run = lambda task: {"seconds": 1.0, "seed": task.seed}
    assert runner.run([Task(), Task((), 1)])[1]["seed"] == 1
    again = Runner(case)
    again._run = None
    assert again.run([Task(), Task((), 1)])[1]["seed"] == 1
    # another source is another experiment
    case.script.write_text("print(1)")
    assert again.known(Task()) is None
