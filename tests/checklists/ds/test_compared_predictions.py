"""ds.02: predictions that are compared with labels of other samples."""

import pytest
from building import Run, run_data

from msprec.checklists.ds.label_validity.compared_predictions import compared_out_of_order, probability_as_class

_MADE = "rest = NumpySlicesDataset((x, y), ['x', 'y']).batch(8)\n"
_LOOP = "p = []\nfor a, _ in rest.create_tuple_iterator():\n    p.append(net(a).argmax(1))\n"
_FUNCTION = (
    "def gather(data):\n    p = []\n    for i, (a, b) in enumerate(data):\n        p.append(net(a))\n    return p\n"
)

_HELPER = (
    "def batches(x, y, size, mixed=True):\n    return NumpySlicesDataset({'f': x, 'c': y}, shuffle=mixed).batch(size)\n"
)
_NAMED = "def batches(x, y, shuffle):\n    d = NumpySlicesDataset({'f': x, 'c': y}, shuffle=shuffle)\n    return d.batch(8)\n"
_ROWS = "rest = GeneratorDataset(Rows(x, y), ['f', 'c'], shuffle=True).batch(8)\n"
_LISTED = "p = [net(b['f']).asnumpy() for b in rest.create_dict_iterator()]\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_MADE + _LOOP + "print(np.mean(np.concatenate(p) == y))\n", [1, 5]),
        (_MADE + _LOOP + "p = np.concatenate(p)\nprint(accuracy_score(y, p))\n", [1, 6]),
        (_FUNCTION + _MADE + "q = gather(rest)\nprint(r2_score(y, q))\n", [6, 8]),
        ("def main():\n" + "".join(f"    {one}\n" for one in (_MADE + _LOOP + "print(f(y, p))").splitlines()), [2, 6]),
        (
            _HELPER
            + "rest = batches(u, v, 8, True)\ntruth = v.ravel()\n"
            + _LISTED
            + "print(auc(truth, np.concatenate(p)))",
            [3, 6],
        ),
        (_HELPER + "rest = batches(u, v, 8)\n" + _LISTED + "print(auc(v, p))", [3, 5]),
        (_NAMED + "rest = batches(u, v, shuffle=True)\n" + _LISTED + "print((p == v.argmax(1)).mean())", [4, 6]),
        (_NAMED + "rest = batches(u, v, shuffle=False)\n" + _LISTED + "print((p == v.argmax(1)).mean())", None),
        (_MADE + "p = [net(a) for a, b in rest]\nprint(auc(y, p))", [1, 3]),
        (_HELPER + "rest = batches(u, v, 8, False)\n" + _LISTED + "print(auc(v, p))", None),
        (_HELPER + "rest = batches(u, v, 8, mixed=m)\n" + _LISTED + "print(auc(v, p))", None),
        (
            _HELPER + "rest = batches(u, v, 8)\n" + _LISTED.replace("['f'])", "['f']) - b['c']") + "print(auc(v, p))",
            None,
        ),
        (_ROWS + _LISTED + "p = np.concatenate(p)\nprint(np.mean(p == y))", [1, 4]),
        (_MADE + _LOOP + "print((np.concatenate(p) == y.argmax(1)).mean())\n", [1, 5]),
        (_MADE + _LOOP + "print((np.concatenate(p) == y[:, 0]).mean())\n", [1, 5]),
        (_MADE + _LOOP + "print((np.concatenate(p) == y[order]).mean())\n", None),
        (_ROWS.replace(", shuffle=True", "") + _LISTED + "print(f(y, p))", None),
        (_ROWS.replace("True", "False") + _LISTED + "print(f(y, p))", None),
        (_ROWS.replace("Rows(x, y)", "rows") + _LISTED + "print(f(y, p))", None),
        # the order of the arrays; labels of the same loop; labels of another array; nothing is compared
        (_MADE.replace("['x', 'y']", "['x', 'y'], shuffle=False") + _LOOP + "print(p == y)\n", None),
        (_MADE.replace("['x', 'y']", "['x', 'y'], sampler=s") + _LOOP + "print(f(y, p))\n", None),
        (_MADE + _LOOP.replace("_ in", "b in").replace("net(a).argmax(1)", "net(a) == b") + "print(f(y, p))\n", None),
        (_MADE + _LOOP + "print(f(other, p))\n", None),
        (_MADE + _LOOP + "print(len(p), len(y))\n", None),
        (_MADE + "q = model.predict(x)\nprint(f(y, q))\n", None),
    ],
)
def test_another_order(tmp_path, code, lines):
    found = compared_out_of_order(run_data(tmp_path, Run(source={"train.py": code})), None, None)
    assert ([one.line for one in found[2:]] if found is not None else None) == lines


_NET = "net = Net()\np = ops.sigmoid(net(Tensor(x))).asnumpy()\n"


@pytest.mark.parametrize(
    ("code", "kind", "line"),
    [
        (_NET + "print(np.mean(p == y))\n", "bce_with_logits", 3),
        (_NET.replace("ops.sigmoid(net(Tensor(x)))", "net(Tensor(x))") + "print((p[:, 0] == y).mean())\n", "bce", 3),
        (_NET + "print(np.mean((p > 0.5) == y))\n", "bce", None),
        (_NET + "print(np.mean(p.round() == y))\n", "bce", None),
        (_NET.replace(".asnumpy()", ".asnumpy() > 0.5") + "print(np.mean(p == y))\n", "bce", None),
        (_NET.replace(".asnumpy()", ".argmax(1)") + "print(np.mean(p == y))\n", "bce", None),
        (_NET + "print(np.mean(p == y))\n", "softmax_cross_entropy", None),
        (_NET + "print(np.mean(q == y))\n", "bce", None),
    ],
)
def test_probabilities_beside_classes(tmp_path, code, kind, line):
    run = Run(source={"train.py": code})
    run.facts["probes"] = {"losses": [{"kind": kind}], "skipped": {}}
    cells = [{"path": "", "class": "Net", "builtin": False, "parameters": []}]
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells}])
    found = probability_as_class(run_data(tmp_path, run), None, None)
    assert (found[2].line if found is not None else None) == line
