"""A debugger and a tracer of lines in the user's process see in an observed run what they see in the bare one."""

import json

import pytest

EVALUATE = '''
"""A module of the user's."""

import numpy as np


def evaluate(net, x, y):
    """The validation loss."""
    errors = []
    for number in range(2):
        out = net(x).asnumpy()
        errors.append(
            ((out - y.asnumpy()) ** 2).mean()
        )
    val_loss = float(np.mean(errors))
    return val_loss


def report(net, x, y):
    out = net(x).asnumpy()
    accuracy = float((abs(out - y.asnumpy()) < 1).mean())
    if accuracy >= 0:
        print("accuracy", accuracy)
'''

TRAIN = """
import sys
import json
import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_seed(3)
ms.set_context(mode=ms.PYNATIVE_MODE)
from scores import evaluate, report

draw = np.random.RandomState(0)
x, y = draw.randn(32, 5).astype(np.float32), draw.randn(32, 1).astype(np.float32)
v, w = (ms.Tensor(draw.randn(8, width).astype(np.float32)) for width in (5, 1))
net = nn.Dense(5, 1)
opt = nn.SGD(net.trainable_params(), 0.05)
loss_fn = nn.MSELoss()


def forward(a, b):
    return loss_fn(net(a), b)


grad_fn = ms.value_and_grad(forward, None, opt.parameters)
net.set_train()


def main():
    for epoch in range(3):
        for start in range(0, 32, 8):
            loss, grads = grad_fn(ms.Tensor(x[start : start + 8]), ms.Tensor(y[start : start + 8]))
            opt(grads)
        val_loss = evaluate(net, v, w)
        print("val_loss", val_loss)
        report(net, v, w)


START
main()
END
"""

TRACER = (
    """
seen = []

def trace(frame, event, arg):
    name = frame.f_code.co_filename
    if not name.endswith(("train.py", "scores.py")):
        return None
    seen.append((name[-9:], frame.f_code.co_name, frame.f_lineno, event))
    return trace

sys.settrace(trace)
assert sys.gettrace() is trace""",
    """
assert sys.gettrace() is trace
sys.settrace(None)
print(json.dumps(seen))""",
)

DEBUGGER = (
    """
import bdb
import scores

seen = []

class Debugger(bdb.Bdb):
    def user_line(self, frame):
        name = frame.f_code.co_filename
        if name.endswith(("train.py", "scores.py")):
            seen.append((frame.f_code.co_name, frame.f_lineno, sorted(frame.f_locals) if "out" in frame.f_locals else None))
        if self.break_here(frame):
            self.set_next(frame)
        elif len(seen) % 7 == 0:
            self.set_continue()
        else:
            self.set_next(frame)

    def user_return(self, frame, value):
        if frame.f_code.co_name == "evaluate":
            seen.append(("evaluate gives", value))
        self.set_next(frame)

debugger = Debugger()
assert debugger.set_break(scores.__file__, scores.evaluate.__code__.co_firstlineno + 5) is None
assert debugger.set_break(scores.__file__, scores.report.__code__.co_firstlineno + 2) is None
debugger.reset()
sys.settrace(debugger.trace_dispatch)""",
    """
sys.settrace(None)
print(json.dumps(seen))""",
)


@pytest.mark.parametrize("tool", [TRACER, DEBUGGER], ids=["tracer", "debugger"])
def test_what_it_sees_is_the_same(scripts, tool) -> None:
    scripts.write(EVALUATE, "scores.py")
    scripts.write(TRAIN.replace("START", tool[0]).replace("END", tool[1]))
    bare, observed = scripts.bare(), scripts.observed()
    assert bare.status == observed.status == 0, observed.err
    seen = json.loads(bare.out.splitlines()[-1])
    assert len(seen) > 20
    assert json.loads(observed.out.splitlines()[-1]) == seen
    assert observed.out == bare.out
    scripts.no_own_errors()
    # and what the evaluations gave is recorded all the same
    found = [(e["step"], set(e["metrics"]), e["via"]) for e in scripts.json("facts/evaluation.json")["evaluations"]]
    assert [one for one in found if one[2] == "function"] == [(step, {"val_loss"}, "function") for step in (4, 8, 12)]
    assert (4, {"accuracy"}, "variable") in found


def test_nothing_of_pythons_own_stays_replaced(scripts) -> None:
    scripts.write(
        "import builtins, io, sys\n"
        "print(open is io.open is builtins.open, open, sys.gettrace(), sys.settrace)\n"
        "try:\n    open('missing.csv')\nexcept OSError as error:\n    print(error, error.filename)\n"
        "class Reader:\n    read = open\n"
        "print(Reader().read(__file__).readline())\n"
    )
    bare, observed = scripts.bare(), scripts.observed()
    assert observed.out == bare.out and observed.status == bare.status == 0
