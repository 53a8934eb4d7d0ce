"""cg.03: an end of the edges that a layer is given and never reads."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.cg.connectivity.unread_input import judge_unread_input

LAYER = """class Layer(nn.Cell):
    def construct(self, h, src, dst):
        msg = self.dense(h)[{}]
        return sums(msg, dst)
"""


@pytest.mark.parametrize(
    ("taken", "shape", "found"),
    [
        ("dst", [], [3, 2]),
        ("src", [], None),
        ("dst", [2], None),  # something else than the other end
    ],
)
def test_rows_of_the_wrong_end(tmp_path, taken, shape, found):
    ends = [column("src", kind="int", shape=shape), column("dst", kind="int", shape=[])]
    run = Run(source={"train.py": LAYER.format(taken)}, datasets=[dataset(ends)])
    cells = [{"path": "", "class": "Layer", "builtin": False, "args": "", "parameters": []}]
    run.set("network", [{"id": 0, "class": "Layer", "role": "train", "cells": cells}])
    seen = judge_unread_input(run_data(tmp_path, run))
    assert (seen and [one["line"] for one in seen.locations]) == found


STEP = "def loss_fn(x, y, {0}):\n    return {1}\n\n\ngrad = ms.value_and_grad(loss_fn, None, weights)\n"


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("has", "((net(x) - y) ** 2).mean()", True),
        ("pad_mask", "((net(x) - y) ** 2).mean()", True),
        ("has", "(((net(x) - y) ** 2) * has).sum() / has.sum()", False),
        ("ids", "((net(x) - y) ** 2).mean()", False),  # an interface may be wider
        ("_mask", "((net(x) - y) ** 2).mean()", False),  # named as one that is not used
    ],
)
def test_a_mask_that_a_loss_never_reads(tmp_path, name, value, found):
    run = Run(source={"train.py": STEP.format(name, value)})
    seen = judge_unread_input(run_data(tmp_path, run))
    assert (seen.locations[0]["line"] if seen else None) == (1 if found else None)


NET = """class Pool(nn.Cell):
    def construct(self, h, {0}):
        w = ops.softmax(self.score(h), -1)
        return (h * w).sum(1)


class Net(nn.Cell):
    def construct(self, x, {0}):
        return self.head(self.pool(self.embed(x), {1}))


def loss(x, {0}, y):
    return ((net(x, {0}) - y) ** 2).mean()
"""


@pytest.mark.parametrize(
    ("name", "handed", "line"),
    [
        ("valid", "valid", 2),
        ("valid", "valid * 1.0", None),  # something is computed with it
        ("extra", "extra", None),
    ],
)
def test_a_mask_that_is_handed_on_alone(tmp_path, name, handed, line):
    run = Run(source={"train.py": NET.format(name, handed)})
    cells = [{"path": "", "class": "Net", "builtin": False, "args": "", "parameters": []}]
    cells.append({"path": "pool", "class": "Pool", "builtin": False, "args": "", "parameters": []})
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells}])
    seen = judge_unread_input(run_data(tmp_path, run))
    assert (seen.locations[0]["line"] if seen else None) == line


LAST = """class Net(nn.Cell):
    def construct(self, tokens, length):
        steps = self.rnn(self.embed(tokens)){0}
        return self.head(steps[:, -1])
"""


@pytest.mark.parametrize(
    ("code", "share", "right", "lines"),
    [
        (LAST.format(""), 0.7, 100, [2, 4]),
        (LAST.format(""), 0.2, 100, None),  # hardly any padding
        (LAST.format(""), 0.7, 50, None),  # it stands in front too
        (LAST.format(" * mask(length)"), 0.7, 100, None),
        (LAST.replace("length)", "extra)").format(""), 0.7, 100, None),
    ],
)
def test_lengths_of_padded_sequences(tmp_path, code, share, right, lines):
    pad = {"column": "tokens", "kind": "int", "rows": 100, "right_only": right, "share": share}
    run = Run(source={"train.py": code}, datasets=[dataset(padding=[pad])])
    cells = [{"path": "", "class": "Net", "builtin": False, "args": "", "parameters": []}]
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells}])
    seen = judge_unread_input(run_data(tmp_path, run))
    assert ([one["line"] for one in seen.locations] if seen else None) == lines
