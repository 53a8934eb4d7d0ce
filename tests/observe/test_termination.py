"""SIGTERM and repeated SIGINT under `msprec run`: the script's own end, and a report in seconds."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

TRAIN = """
import numpy as np, mindspore as ms
from mindspore import nn
ms.set_seed(1)
x = ms.Tensor(np.random.RandomState(0).randn(16, 4).astype(np.float32))
net = nn.Dense(4, 1)
opt = nn.SGD(net.trainable_params(), 0.01)
grad_fn = ms.value_and_grad(lambda a: ((net(a) - 1) ** 2).mean(), None, opt.parameters)
net.set_train()
for step in range(1000000):
    loss, grads = grad_fn(x)
    opt(grads)
    if step == 20: print('up', flush=True)
"""
PLAIN = "import time\nprint('lost')\nprint('up', flush=True)\nprint('not flushed')\ntime.sleep(60)\n"
#: The main thread computes outside of Python, and hears of no signal.
DEAF = TRAIN + "    if step == 20: import ctypes; ctypes.CDLL(None).sleep(60)\n"
#: What scripts do themselves, each with the state they leave: the exit status, or that the signal goes on.
HANDLERS = {
    "exits": "def act(number, frame):\n    print('saved')\n    sys.exit(3)\nsignal.signal(signal.SIGTERM, act)\n",
    "raises": "def act(number, frame):\n    raise RuntimeError('asked to stop')\nsignal.signal(signal.SIGTERM, act)\n",
    "passes on": "def act(number, frame):\n    print('saved', signal.getsignal(number) is act)\n"
    "    signal.signal(number, before)\n    os.kill(os.getpid(), number)\n"
    "before = signal.signal(signal.SIGTERM, act)\nprint(before)\n",
    "ignores": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n",
    "restores": "before = signal.getsignal(signal.SIGTERM)\nsignal.signal(signal.SIGTERM, print)\n"
    "signal.signal(signal.SIGTERM, before)\nprint(before, signal.getsignal(signal.SIGTERM))\n",
}
WAITING = "import os, signal, sys, time\n{}print('up', flush=True)\ntime.sleep(2)\nprint('went on')\n"


def _signalled(scripts, command: list, numbers: tuple = (signal.SIGTERM,), until=None) -> tuple:
    """Starts a command, sends the signals (all but the first once ``until`` exists) when it has printed `up`; return code, both
    streams, seconds."""
    environment = {**scripts.environment(), "PYTHONUNBUFFERED": ""}
    streams = [scripts.folder.parent / name for name in ("out.txt", "err.txt")]
    with open(streams[0], "wb") as out, open(streams[1], "wb") as err:
        process = subprocess.Popen(command, cwd=scripts.folder, env=environment, stdout=out, stderr=err)
    while not streams[0].read_text().endswith("up\n"):
        assert process.poll() is None, streams[1].read_text()
        time.sleep(0.05)
    time.sleep(0.3)
    began = time.monotonic()
    for n, number in enumerate(numbers):
        while n and not until.exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(number)
    process.wait(60)
    seconds = time.monotonic() - began
    return (process.returncode, *(stream.read_text(encoding="utf-8") for stream in streams), seconds)


@pytest.mark.parametrize("text", [PLAIN, TRAIN, DEAF], ids=["plain", "training", "outside of Python"])
def test_sigterm_ends_the_script_at_once_and_leaves_a_report(scripts, text: str) -> None:
    scripts.write(text)
    bare = _signalled(scripts, [sys.executable, "train.py"])
    status, out, err, seconds = _signalled(scripts, scripts.command(options=("--word",)))
    assert (status, out) == bare[:2] and status == -signal.SIGTERM
    assert seconds < 25
    assert err.startswith(bare[2]) and "Traceback" not in err
    assert err.count("the script was ended by SIGTERM") == 1
    assert scripts.json("run.json")["exit"] == {"kind": "signal", "code": 143, "signal": "SIGTERM"}
    assert len(scripts.json("checklist.json")["items"]) == 24
    assert (scripts.run_folder / "checklist.docx").stat().st_size > 0
    if text is not PLAIN:
        assert len(scripts.rows()) >= 20
        assert scripts.json("facts/optimizer.json")["optimizers"]
        scripts.no_own_errors()


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_handler_of_the_script_answers_as_it_does_by_itself(scripts, handler: str) -> None:
    scripts.write(WAITING.format(HANDLERS[handler]))
    bare = _signalled(scripts, [sys.executable, "train.py"])
    status, out, err, _ = _signalled(scripts, scripts.command())
    assert (status, out) == bare[:2]
    assert err.startswith(bare[2])
    assert len(scripts.json("checklist.json")["items"]) == 24


@pytest.mark.versions
def test_no_probes_after_a_signal_that_the_script_handled(scripts) -> None:
    handler = "import os, signal, sys\nasked = []\nsignal.signal(signal.SIGTERM, lambda *_: asked.append(1))\n"
    ends = "import time\ntime.sleep(0.5)\n"  # as one that saves a checkpoint: the signal is noted beside the script
    scripts.write(handler + TRAIN + "    if asked: break\n" + ends)
    status, _, err, seconds = _signalled(scripts, scripts.command(options=("--probe-seconds", "60")))
    assert status == 0 and seconds < 25
    assert "sent SIGTERM and has ended" in err
    assert scripts.json("run.json")["exit"]["kind"] == "ok"
    assert len(scripts.json("checklist.json")["items"]) == 24
    assert not [event for event in scripts.events() if event["event"].startswith("probe")]


def test_a_script_that_ends_as_the_signal_comes(scripts) -> None:
    """Its own handler has answered, and the next statement is the last."""
    handler = "import os, signal\nsignal.signal(signal.SIGTERM, lambda *_: print('saved'))\n"
    training = TRAIN.replace("range(1000000)", "range(30)")
    scripts.write(handler + training + "os.kill(os.getpid(), signal.SIGTERM)\n")
    done = scripts.observed(options=("--probe-seconds", "60"))
    assert (done.status, done.out) == (0, "up\nsaved\n")
    assert "sent SIGTERM and has ended" in done.err
    assert not [event for event in scripts.events() if event["event"].startswith("probe")]


CHILD = """
import multiprocessing, os, signal, sys, threading, time
{training}
def work():
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
child = multiprocessing.get_context('fork').Process(target=work)
child.start()
child.join(20)
print(child.exitcode, threading.active_count(), signal.getsignal(signal.SIGTERM), flush=True)
print('up', flush=True)
time.sleep(1)
print('went on')
"""


@pytest.mark.parametrize("training", ["", "import mindspore"], ids=["plain", "with MindSpore"])
def test_a_forked_child_dies_of_the_signal_alone(scripts, training: str) -> None:
    scripts.write(CHILD.format(training=training))
    bare, observed = scripts.bare(), scripts.observed()
    assert (observed.status, observed.out) == (bare.status, bare.out)
    assert "-15 1 " in observed.out and "went on" in observed.out
    assert "SIGTERM" not in observed.err


def test_a_second_interrupt_does_not_wait_for_the_report(scripts) -> None:
    scripts.write(PLAIN)
    bare = _signalled(scripts, [sys.executable, "train.py"], (signal.SIGINT,))
    # the run folder tells when the script has ended: run.json is written, the report is being made
    slow = scripts.folder / "ended"
    scripts.write(
        "import msprec.engine, pathlib, time\nconclude = msprec.engine.conclude\n"
        f"def late(*a, **k):\n    pathlib.Path({str(slow)!r}).write_text('')\n    time.sleep(60)\n"
        "msprec.engine.conclude = late\n" + PLAIN
    )
    status, out, err, seconds = _signalled(scripts, scripts.command(), (signal.SIGINT, signal.SIGINT), slow)
    assert (status, out) == bare[:2] and status == -signal.SIGINT and seconds < 20
    assert err.count("KeyboardInterrupt") == 1 and "Aborted" not in err
    assert "msprec: interrupted, no report is written; msprec checklist --run" in err
    assert scripts.json("run.json")["exit"]["kind"] == "interrupt"
    again = scripts.msprec("checklist", "--run", str(scripts.run_folder))
    assert again.status == 0, again.err


def test_a_second_sigterm_ends_at_once(scripts) -> None:
    scripts.write(PLAIN)
    seen = scripts.run_folder / "run.json"
    command = scripts.command()
    status, _, _, seconds = _signalled(scripts, command, (signal.SIGTERM,) * 400, seen)
    assert status == -signal.SIGTERM and seconds < 15
    assert scripts.json("run.json")["exit"]["kind"] == "signal"
