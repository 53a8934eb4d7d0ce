"""ds.02: outputs that are held against an end of their range."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.ds.label_validity.beyond_output import always_alike, other_class, softmax_of_several_labels

_NET = "class Net(nn.Cell):\n    def construct(self, x):\n        return ops.sigmoid(self.fc(x))\nnet = Net()\n"
_PREDICT = "def predict(x):\n    return ops.sigmoid(ops.matmul(x, w) + b).squeeze(-1)\n"
_LAYERS = "net = nn.SequentialCell(nn.Dense(4, 1),\n    nn.ReLU(),\n    nn.Sigmoid())\n\n"


def watched(code, line, low=0.0, high=1.0, created=False):
    place = {"file": "train.py", "line": line}
    output = {"low": low, "high": high, "operator": "sigmoid", "created" if created else "place": place}
    run = Run(source={"train.py": code})
    run.facts["probes"] = {"losses": [{"name": "BCELoss", "kind": "bce", "output": output}], "skipped": {}}
    return run


@pytest.mark.parametrize(
    ("code", "settings", "told"),
    [
        (_NET + "out = net(x).asnumpy()\npred = (out > 0).astype(int)\n", {"line": 3}, 6),
        (_NET + "print(((net(x) >= 1) == y).mean())\n", {"line": 3}, 5),
        (_LAYERS + "out = net(x)\npred = out < 0\n", {"line": 3, "created": True}, 6),
        (_NET + "out = net(x).asnumpy()\npred = out > 0.5\n", {"line": 3}, None),
        (_NET + "out = net(x)\nassert (out > 0).all()\n", {"line": 3}, None),
        (_NET + "out = net(x)\npred = y > 0\n", {"line": 3}, None),  # the labels
        (_NET + "out = net(x)\nkept = np.log(out[out > 0])\n", {"line": 3}, None),  # no class
        # a sigmoid of scores, behind the network
        (_NET + "p = ops.sigmoid(net(x)).asnumpy()[:, 0]\npred = (p > 0).astype(int)\n", {"line": 3, "high": None}, 6),
        (_NET + "p = ops.sigmoid(net(x))\np = p - 0.5\npred = p > 0\n", {"line": 3, "high": None}, None),
        (_NET + "p = ops.tanh(net(x))\npred = p > 0\n", {"line": 3, "high": None}, None),
        (_NET + "out = net(x)\npred = out > 0\n", {"line": 3, "high": None}, None),  # ends in a ReLU
        # what a function of the script returns
        (_PREDICT + "out = predict(x).asnumpy()\npred = out > 0\n", {"line": 3, "high": None}, 4),
        (_PREDICT + "pred = predict(x) > 0.5\n", {"line": 3, "high": None}, None),
        ("def f(x):\n    return f(x)\n\npred = f(x) > 0\n", {"line": 3, "high": None}, None),
        (
            "def f(x):\n    if raw:\n        return x @ w\n    return ops.sigmoid(x @ w)\npred = f(x) > 0\n",
            {"line": 3, "high": None},
            None,
        ),
        # the sigmoid stands in the loss, and what is compared are scores
        (
            _NET.replace("ops.sigmoid(self.fc(x))", "self.fc(x)") + "p = net(x) > 0\nl = ops.sigmoid(net(x))\n",
            {"line": 6},
            None,
        ),
    ],
)
def test_ends_of_the_range(tmp_path, code, settings, told):
    found = always_alike(run_data(tmp_path, watched(code, **settings)), None, None)
    assert (found[2].line if found is not None else None) == told


@pytest.mark.parametrize(
    ("kind", "code", "told"),
    [
        ("multi_hot", "p = ops.softmax(net(x)).asnumpy() > 0.5\n", 1),
        ("multi_hot", "p = ops.softmax(net(x), axis=-1)\nq = (p >= 0.3)\n", 2),
        ("multi_hot", "p = ops.sigmoid(net(x)).asnumpy() > 0.5\n", None),
        ("multi_hot", "p = ops.softmax(net(x)).argmax(1)\n", None),
        ("class", "sure = ops.softmax(net(x)) > 0.5\n", None),
    ],
)
def test_softmax_beside_several_labels(tmp_path, kind, code, told):
    made = dataset()
    made["label"] = {**made["label"], "kind": kind}
    run = run_data(tmp_path, Run(source={"train.py": code}, datasets=[made]))
    (data,) = run.datasets_of("train")
    found = softmax_of_several_labels(run, data, None)
    assert (found[2].line if found is not None else None) == told


@pytest.mark.parametrize(
    ("values", "code", "told"),
    [
        ({"0": 9, "1": 9}, "pred = (p[:, 0] > 0.5).astype(np.int32)\n", 1),
        ({"0": 9, "1": 9}, "hits = (p.asnumpy()[:, 0] >= 0.5).astype(int) == y\n", 1),
        ({"0": 9, "1": 9}, "pred = (p[:, 1] > 0.5).astype(np.int32)\n", None),
        ({"0": 9, "1": 9}, "pred = (p[:, 0] < 0.5).astype(np.int32)\n", None),
        ({"0": 9, "1": 9}, "pred = 1 - (p[:, 0] > 0.5).astype(np.int32)\n", None),
        ({"0": 9, "1": 9}, "sure = p[p[:, 0] > 0.5]\n", None),
        ({"0": 9, "1": 9, "2": 9}, "pred = (p[:, 0] > 0.5).astype(np.int32)\n", None),
    ],
)
def test_the_column_of_the_other_class(tmp_path, values, code, told):
    labels = column("y", dtype="int32", kind="int", shape=[], min=0, max=len(values) - 1, values=values)
    made = dataset([column("x"), labels])
    made["label"] = {"column": "y", "kind": "class"}
    run = run_data(tmp_path, Run(source={"train.py": code}, datasets=[made]))
    (data,) = run.datasets_of("train")
    found = other_class(run, data, data.columns[1])
    assert (found[2].line if found is not None else None) == told
