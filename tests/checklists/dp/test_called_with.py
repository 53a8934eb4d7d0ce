"""dp.01: what a network is called with, where the step is given nothing."""

import pytest
from building import Run

CODE = """x = Tensor(table)
y = Tensor(labels)
net = Graph(4)
def forward():
    return loss(net(edges, x)[rows], y)
step = value_and_grad(forward, None, optimizer.parameters)
"""
PLACE = {"file": "train.py", "line": 5}


def argument(position, name, low, high, mean, std, size=2):
    channels = {"axis": 1, "mean": mean, "std": std, "min": low, "max": high, "histograms": None}
    return {
        "position": position,
        "name": name,
        "dtype": "float32",
        "kind": "float",
        "shape": [len(mean)] if size is None else [size],
        "varying_shape": False,
        "elements": 4800,
        "zeros": 0,
        "min": min(low),
        "max": max(high),
        "mean": sum(mean) / len(mean),
        "std": max(std),
        "channels": channels,
    }


RAW = argument(1, "x", [16.0, 6000.0], [64.0, 55000.0], [39.0, 30000.0], [8.5, 9200.0])
SCALED = argument(1, "x", [-3.0, -2.5], [3.1, 2.7], [0.0, 0.0], [1.0, 1.0])
EDGES = argument(0, "adj", [0.0, 0.0], [9.0, 90.0], [5.0, 60.0], [3.0, 20.0], size=400)


def called(*arguments):
    call = {"phase": "train", "via": "call", "level": "network", "network": "Graph", "place": PLACE}
    return {"inputs": [{**call, "calls": 150, "sampled": 12, "samples": 4800, "arguments": list(arguments)}]}


@pytest.mark.parametrize(
    ("arguments", "code", "conclusion"),
    [
        ((EDGES, RAW), CODE, "problem"),
        ((EDGES, SCALED), CODE, "ok"),
        ((EDGES,), CODE, "undecided"),
        ((), CODE, "undecided"),
    ],
)
def test_features_of_a_graph(verdict, arguments, code, conclusion):
    run = Run(source={"train.py": code}, datasets=[])
    run.facts["inputs"] = called(*arguments)
    entry = verdict("dp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    if conclusion == "problem":
        assert [one["line"] for one in entry["locations"]] == [1, 5]
