"""`msprec run SCRIPT` behaves as `python SCRIPT`: arguments, streams, exit status, tracebacks, signals."""

import os
import signal
import subprocess
import sys
import time

import pytest

TRAIN = """
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import nn
ms.set_seed(1)
x = np.random.RandomState(0).randn(64, 4).astype(np.float32)
y = (x[:, :1] > 0).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)
net = nn.Dense(4, 1)
opt = nn.SGD(net.trainable_params(), 0.1)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
net.set_train()
for epoch in range(EPOCHS):
    for a, b in data.create_tuple_iterator():
        loss, grads = grad_fn(a, b)
        opt(grads)
"""


def test_names_arguments_and_streams(scripts) -> None:
    scripts.write(
        "import sys, os\n"
        "print(__name__, sys.argv, __file__, os.getcwd(), sys.path[0], __spec__)\n"
        "print('to stderr', file=sys.stderr)\n"
        "print(sys.modules['__main__'].__file__)\n"
    )
    bare, observed = scripts.bare("--out", "x", "-h"), scripts.observed("--out", "x", "-h")
    assert (observed.status, observed.out) == (bare.status, bare.out)
    assert observed.err.startswith(bare.err)
    assert "does not import mindspore" in observed.err.lower() or "no training" in observed.err.lower()


@pytest.mark.parametrize(
    ("text", "status"),
    [("import sys; sys.exit(3)", 3), ("import sys; sys.exit('gone')", 1), ("raise SystemExit", 0), ("1/0", 1), ("", 0)],
)
def test_exit_status(scripts, text: str, status: int) -> None:
    scripts.write(text)
    bare, observed = scripts.bare(), scripts.observed()
    assert bare.status == observed.status == status
    assert observed.out == bare.out
    assert observed.err.startswith(bare.err)
    assert scripts.json("run.json")["exit"]["code"] == status
    assert len(scripts.json("checklist.json")["items"]) == 24


def test_traceback_is_the_users_own(scripts) -> None:
    scripts.write(
        TRAIN.replace("EPOCHS", "1")
        + "\nclass Bad(nn.Cell):\n    def construct(self, x):\n        raise ValueError('no')\n"
        "ms.set_context(mode=ms.PYNATIVE_MODE)\nBad()(ms.Tensor(x))\n"
    )
    observed = scripts.observed()
    assert observed.status == 1
    assert "Traceback (most recent call last)" in observed.err
    assert "ValueError: no" in observed.err
    trace = observed.err[observed.err.index("Traceback") : observed.err.index("ValueError: no")]
    assert "msprec" not in trace
    facts = scripts.json("run.json")
    assert facts["exit"]["exception"]["type"] == "ValueError"
    assert facts["exit"]["exception"]["place"]["file"] == "train.py"
    assert facts["training_steps"] == 4


def test_excepthook_of_the_script_is_used(scripts) -> None:
    scripts.write("import sys\nsys.excepthook = lambda t, e, tb: print('hook', t.__name__)\n{}['k']\n")
    bare, observed = scripts.bare(), scripts.observed()
    assert (observed.status, observed.out) == (bare.status, bare.out) == (1, "hook KeyError\n")


def _start_and_wait(scripts, epochs: int) -> subprocess.Popen:
    """Starts a long run and waits until some rows are on disk."""
    scripts.write(TRAIN.replace("EPOCHS", str(epochs)))
    process = subprocess.Popen(
        scripts.command(),
        cwd=scripts.folder,
        env=scripts.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    steps, deadline = scripts.run_folder / "rank_0" / "steps.csv", time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        if steps.exists() and steps.stat().st_size > 2000:
            break
        time.sleep(0.1)
    return process


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_sigkill_leaves_a_readable_folder(scripts) -> None:
    process = _start_and_wait(scripts, 100000)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert scripts.json("run.json")["exit"]["kind"] == "running"
    again = scripts.msprec("checklist", "--lang", "en", "--run", str(scripts.run_folder), "--json", "-")
    assert again.status == 0, again.err
    import json

    items = {i["id"]: i for i in json.loads(again.out)["items"]}
    assert len(items) == 24
    assert items["wi.01"]["conclusion"] == "ok"


def _interrupted(scripts, command: list) -> tuple:
    """Starts ``command``, sends SIGINT once it has printed a line, and gives return code and stderr."""
    process = subprocess.Popen(
        command,
        cwd=scripts.folder,
        env=scripts.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "up\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    "text",
    [
        "import time\nprint('up', flush=True)\ntime.sleep(60)\n",
        TRAIN.replace("EPOCHS", "100000") + "        if not epoch: print('up', flush=True)\n",
    ],
    ids=["plain", "training"],
)
def test_interrupt_ends_as_python_does(scripts, text: str) -> None:
    script = scripts.write(text)
    bare, _ = _interrupted(scripts, [sys.executable, str(script)])
    observed, err = _interrupted(scripts, scripts.command(options=("--word",)))
    assert observed == bare
    # MindSpore's data pipelines end the process themselves on SIGINT; then the folder is that of a killed run
    if observed == -signal.SIGINT:
        assert "KeyboardInterrupt" in err
        assert scripts.json("run.json")["exit"]["kind"] == "interrupt"
        assert (scripts.run_folder / "checklist.docx").stat().st_size > 0
    assert scripts.msprec("checklist", "--run", str(scripts.run_folder)).status == 0


def test_a_script_that_is_missing_is_one_line(scripts) -> None:
    observed = scripts.observed(script="missing.py")
    assert observed.status == 2
    assert observed.err.count("\n") == 1
    assert observed.err.startswith("msprec: ")
    assert "Traceback" not in observed.err


def test_a_folder_in_use_is_refused(scripts) -> None:
    scripts.write("print(1)")
    scripts.run_folder.mkdir()
    (scripts.run_folder / "mine.txt").write_text("keep")
    observed = scripts.observed()
    assert (observed.status, observed.out) == (2, "")
    assert (scripts.run_folder / "mine.txt").read_text() == "keep"


def test_mindspore_is_not_imported_for_the_script(scripts) -> None:
    scripts.write("import sys\nprint(sorted(m for m in ('mindspore', 'numpy', 'pandas') if m in sys.modules))\n")
    assert scripts.observed().out == "[]\n"
