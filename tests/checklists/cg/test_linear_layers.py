"""cg.03 on linear layers in a row, and on a step whose loss was not seen."""

import pytest
from building import Run, parameter

PLACE, CALL = {"file": "train.py", "line": 5}, {"file": "train.py", "line": 6}


def pair(first="fc1", second="fc2", sizes=(784, 512, 10), **changes):
    base = {
        "first": first,
        "second": second,
        "class": "Dense",
        "sizes": list(sizes),
        "kernels": [[], []],
        "groups": [1, 1],
        "between": [],
        "created": PLACE,
        "place": CALL,
    }
    return {**base, **changes}


def judged(verdict, *pairs, **changes):
    cells = [
        {"path": path, "class": "Dense", "builtin": True, "loss": False, "calls": 1, "used": True, "gradient": True}
        for path in ("fc1", "fc2")
    ]
    made = Run(parameters=[parameter("fc1.weight", [4, 4])])
    graph = {"cells": cells, "unregistered": [], "loss_seen": True, "linear_pairs": list(pairs)}
    made.facts["probes"] = {"skipped": {}, "graph": {**graph, **changes}}
    return verdict("cg.03", made)


CONVOLUTIONS = {"class": "Conv2d", "kernels": [[3, 3], [3, 3]]}


@pytest.mark.parametrize(
    "one",
    [
        pair(),
        pair(between=["reshape"]),
        pair(between=["dropout"]),
        pair("layers.0", "layers.1"),
        pair("0", "2"),  # a SequentialCell is the network
        pair(sizes=(64, 64, 64)),
        pair("conv1", "conv2", (3, 16, 32), **CONVOLUTIONS),
    ],
)
def test_a_forgotten_activation(verdict, one):
    entry = judged(verdict, one)
    assert entry["conclusion"] == "problem" and "no activation" in entry["summary"], entry["summary"]
    assert entry["locations"] == [CALL, PLACE]


@pytest.mark.parametrize(
    "one",
    [
        pair(sizes=(768, 8, 768)),  # a factorised matrix
        pair("a", "b", (64, 16, 64)),
        pair("lora_a", "lora_b"),
        pair("attn.out_proj", "fc1"),
        pair("layers.0.attn.o", "layers.0.mlp.fc1"),
        pair("encoder.last", "decoder.first"),  # of different cells
        pair("fc_mean", "out"),
        pair(between=["batchnorm1d"]),  # affine only in inference
        pair("dw", "pw", (32, 32, 64), **{**CONVOLUTIONS, "groups": [32, 1]}),
        pair("conv1", "conv2", (32, 64, 64), **{**CONVOLUTIONS, "kernels": [[3, 3], [1, 1]]}),
        pair("conv1", "conv2", (32, 64, 64), **{**CONVOLUTIONS, "kernels": [[1, 5], [5, 1]]}),
    ],
)
def test_linear_by_design_is_noted_only(verdict, one):
    entry = judged(verdict, one)
    assert entry["conclusion"] == "ok"
    assert any(one["first"] in str(piece) and "no activation" in str(piece) for piece in entry["evidence"])


def in_a_row(verdict, *layers):
    """A network of ``(path, class)`` in a row, with each Dense but the last before a batch normalisation and the next."""
    dense = [path for path, name in layers if name == "Dense"]
    pairs = [pair(a, b, (8, 16, 16), between=["batchnorm1d"]) for a, b in zip(dense, dense[1:])]
    cells = [{"path": p, "class": c, "builtin": True, "loss": False, "calls": 1, "used": True} for p, c in layers]
    weights = [parameter(f"{path}.weight", [4, 4], cell=path) for path, _ in layers]
    made = Run(parameters=weights)
    made.facts["probes"] = {
        "skipped": {},
        "graph": {"cells": cells, "unregistered": [], "loss_seen": True, "linear_pairs": pairs},
    }
    return verdict("cg.03", made)["conclusion"]


def test_a_network_that_is_linear_as_a_whole(verdict):
    assert in_a_row(verdict, ("a", "Dense"), ("b", "Dense"), ("c", "Dense")) == "problem"
    # an embedding, its normalisation and a classifier after something that is not linear
    assert in_a_row(verdict, ("conv", "Conv2d"), ("a", "Dense"), ("b", "Dense"), ("c", "Dense")) == "ok"
    assert in_a_row(verdict, ("a", "Dense"), ("b", "Dense")) == "ok"


def test_a_loss_that_was_not_seen_decides_nothing(verdict):
    unknown = [
        {"path": "fc1", "class": "Dense", "builtin": True, "loss": False, "calls": 1, "used": None, "gradient": None}
    ]
    assert judged(verdict, loss_seen=False, cells=unknown)["conclusion"] == "undecided"
    assert judged(verdict)["conclusion"] == "ok"


def test_a_leaky_relu_of_slope_one(verdict):
    cells = [{"path": path, "class": "Dense", "builtin": True, "loss": False, "calls": 1} for path in ("fc1", "fc2")]
    made = {"file": "train.py", "line": 4}
    cells.append({"path": "act", "class": "LeakyReLU", "builtin": True, "loss": False, "calls": 1, "created": made})
    found = judged(verdict, pair(between=["leakyrelu"]), cells=cells)
    assert found["conclusion"] == "problem" and "slope 1" in found["summary"]
    assert 4 in [one["line"] for one in found["locations"]]


@pytest.mark.parametrize(
    ("setting", "told"), [("cfg = dict(hidden=24, act=None)", True), ("cfg = {'act': 'relu'}", False)]
)
def test_a_setting_that_names_no_activation(verdict, setting, told):
    made = Run(parameters=[parameter("fc1.weight", [4, 4])], source={"train.py": setting + "\n"})
    cells = [{"path": path, "class": "Dense", "builtin": True, "loss": False, "calls": 1} for path in ("fc1", "fc2")]
    graph = {"cells": cells, "unregistered": [], "loss_seen": True, "linear_pairs": [pair()]}
    made.facts["probes"] = {"skipped": {}, "graph": graph}
    assert ({"file": "train.py", "line": 1} in verdict("cg.03", made)["locations"]) is told


_BUILT = """def build(text):
    cells = [nn.Dense(8, 8) for one in text.split()]
    return nn.SequentialCell(cells)


net = build("8:none 8:none")
"""
_DROPPED = """class Net(nn.Cell):
    def construct(self, x):
        h = self.fc1(x)
        ops.relu(h)
        return self.fc2(h)
"""


@pytest.mark.parametrize(("code", "made", "line"), [(_BUILT, 2, 6), (_DROPPED, 1, 4)])
def test_where_it_comes_from(verdict, code, made, line):
    created = {"file": "train.py", "line": made}
    cells = [
        {"path": path, "class": "Dense", "builtin": True, "loss": False, "calls": 1, "created": created}
        for path in ("fc1", "fc2")
    ]
    run = Run(parameters=[parameter("fc1.weight", [4, 4])], source={"train.py": code})
    graph = {"cells": cells, "unregistered": [], "loss_seen": True, "linear_pairs": [pair(created=created)]}
    run.facts["probes"] = {"skipped": {}, "graph": graph}
    assert {"file": "train.py", "line": line} in verdict("cg.03", run)["locations"]


UNIT = """class Unit(nn.Cell):
    def construct(self, x):
        y = self.act(self.expand(x))
        return self.reduce(y)
"""


@pytest.mark.parametrize(
    ("changes", "count", "found"),
    [
        ({}, 2, True),
        ({}, 1, False),  # one may be the head of a design
        ({"between": ["layernorm"]}, 2, False),
        ({"sizes": [64, 16, 64]}, 2, False),
        ({"class": "Conv2d", "kernels": [[3, 3], [1, 1]]}, 2, False),
    ],
)
def test_units_that_end_and_begin_with_a_linear_layer(verdict, changes, count, found):
    made = Run(parameters=[parameter("units.0.reduce.weight", [4, 4])], source={"train.py": UNIT})
    names = [f"units.{n}" for n in range(4)]
    cells = [{"path": "", "class": "Net", "builtin": False, "args": "", "parameters": []}]
    cells += [{"path": name, "class": "Unit", "builtin": False, "args": "", "parameters": []} for name in names]
    made.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells}])
    pairs = [
        pair(f"units.{n}.reduce", f"units.{n + 1}.expand", **{"sizes": (64, 64, 64), **changes}) for n in range(count)
    ]
    graph = {"cells": [], "unregistered": [], "loss_seen": True, "linear_pairs": pairs}
    graph["cells"] = [
        {"path": "units.0.reduce", "class": "Dense", "builtin": True, "loss": False, "calls": 1, "used": True}
    ]
    made.facts["probes"] = {"skipped": {}, "graph": graph}
    entry = verdict("cg.03", made)
    assert ("Each Unit ends" in entry["summary"]) is found, entry["summary"]
    assert not found or entry["locations"][0]["line"] == 4


GRAPH = """class Net(nn.Cell):
    def construct(self, a, x):
        h = self.conv1(a, x)
        return self.conv2(a, h)
"""


@pytest.mark.parametrize(
    ("between", "classes", "lines"),
    [
        (["matmul"], ("GraphConv", "GraphConv"), [3, 4, 6, 5]),
        (["matmul", "softmax"], ("GraphConv", "GraphConv"), None),
        (["matmul"], ("Encoder", "Head"), None),
        ([], ("GraphConv", "GraphConv"), None),
    ],
)
def test_two_graph_convolutions(verdict, between, classes, lines):
    made = Run(parameters=[parameter("conv1.lin.weight", [4, 4])], source={"train.py": GRAPH})
    cells = [
        {"path": f"conv{n}", "class": name, "builtin": False, "parameters": []} for n, name in enumerate(classes, 1)
    ]
    made.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells}])
    seen = [
        {
            "path": f"conv{n}.lin",
            "class": "Dense",
            "builtin": True,
            "loss": False,
            "calls": 1,
            "used": True,
            "gradient": True,
        }
        for n in (1, 2)
    ]
    one = pair("conv1.lin", "conv2.lin", (3, 32, 3), between=between)
    graph = {"cells": seen, "unregistered": [], "loss_seen": True, "linear_pairs": [one]}
    made.facts["probes"] = {"skipped": {}, "graph": graph}
    entry = verdict("cg.03", made)
    told = entry["conclusion"] == "problem"
    assert ([place["line"] for place in entry["locations"]] if told else None) == lines, entry["summary"]
