"""At MindSpore's own log level a run with msprec prints what the script prints, and nothing of the steps that are run again."""

import contextlib
import io
import re
import sys
import threading

import pytest

SCRIPT = '''
import sys, warnings
import numpy as np
import mindspore as ms
from mindspore import nn, ops, Tensor

class Net(nn.Cell):
    """Prints in each forward pass; its logarithm becomes NaN where ``offset`` is 3."""

    def __init__(self, offset):
        super().__init__()
        self.fc, self.offset = nn.Dense(4, 1), offset

    def construct(self, x):
        print("forward", x.shape)
        print("forward", x.shape, file=sys.stderr)
        y = self.fc(x)
        return ops.log(y - self.offset) if self.offset else y

ms.set_seed(1)
ms.set_context(mode=ms.PYNATIVE_MODE)
random = np.random.RandomState(0)
net = Net(float(sys.argv[1]))
optimizer = nn.Adam(net.trainable_params(), 0.01)
loss = nn.MSELoss()
gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for step in range(12):
    x = Tensor(random.randn(8, 4).astype(np.float32))
    value, grads = gradient(x, Tensor(np.zeros((8, 1), np.float32)))
    optimizer(grads)
    print(step, value)
'''


@pytest.mark.parametrize("offset", ["0", "3"], ids=["probes", "a step that is located"])
def test_streams_are_those_of_the_bare_script(scripts, offset: str) -> None:
    scripts.settings["GLOG_v"] = "2"  # MindSpore's default: warnings
    scripts.write(SCRIPT)
    bare = scripts.bare(offset)
    observed = scripts.observed(offset, options=("--probe-seconds", "10"))
    assert (bare.status, observed.status) == (0, 0), observed.err
    assert observed.out == bare.out
    assert scripts.json("facts/probes.json")["seconds"] > 0
    assert [context["args"] for context in scripts.json("run.json")["contexts"]] == [{"mode": "1"}]
    assert any(event["event"] == "located" for event in scripts.events()) == (offset == "3")
    script_says, log = _lines(bare.err)
    assert _lines(observed.err)[0][: len(script_says)] == script_says
    assert _lines(observed.err)[0].count("forward (8, 4)") == 12
    place = "ops.log(y - self.offset)` at train.py:18"
    assert sum(line.startswith("msprec:") and place in line for line in observed.err.splitlines()) == (offset == "3")
    assert _lines(observed.err)[1] == log


def _lines(text: str) -> tuple:
    """What the script wrote, and MindSpore's log without times and processes; msprec's own warnings are left out."""
    logged = [line for line in text.splitlines() if re.match(r"\[[A-Z]+\] ", line)]
    rest = [line for line in text.splitlines() if not re.match(r"\[[A-Z]+\] |msprec:", line)]
    return rest, sorted(re.sub(r"\(.*?\):\S+", "", line) for line in logged)


def test_only_the_thread_that_replays_is_silent(monkeypatch) -> None:
    from msprec.runtime.quiet import quiet

    heard = io.StringIO()
    monkeypatch.setattr(sys, "stdout", heard)
    with quiet(), quiet():
        print("replayed")
        other = threading.Thread(target=print, args=("loading",))
        other.start()
        other.join()
        with contextlib.redirect_stdout(io.StringIO()) as own:
            print("kept by the script itself")
    print("after")
    assert heard.getvalue() == "loading\nafter\n"
    assert own.getvalue() == "kept by the script itself\n"
    assert sys.stdout is heard


def test_what_is_logged_once_is_logged_after_a_replay() -> None:
    from mindspore import log

    from msprec.runtime.quiet import quiet

    logged = io.StringIO()
    logger = log._get_logger()
    handler, level = logger.handlers[0], logger.level
    outer = handler.setStream(logged)
    logger.setLevel("WARNING")
    try:
        once = log._LogActionOnce(logger=log, key="tests of quiet")
        warn = once(lambda: log.warning("said once"))
        with quiet():
            warn()
            log.warning("in the replay")
        warn()
    finally:
        handler.setStream(outer)
        logger.setLevel(level)
    assert "in the replay" not in logged.getvalue()
    assert logged.getvalue().count("said once") == 1
