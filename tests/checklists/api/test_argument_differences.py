"""api.01: of the modules that were not read, those that may have made a part of the network."""

from types import SimpleNamespace

import pytest
from building import Run

from msprec.checklists.api.argument_differences.argument_differences import _makers
from msprec.engine.schema import Fact
from msprec.record.schema import PLACE
from msprec.source import Project
from msprec.source.files import File

SCRIPT = """import zoo
import clock
from heads.linear import head as make_head
from mindspore import nn

clock.start()
net = zoo.build(
    "small", 10,
)
head = make_head(8)
own = nn.Dense(8, 2)
twice = wrap(zoo.build("large", 10))
"""
OUTSIDE = ["zoo", "clock", "heads"]


def made_at(*lines, file="train.py"):
    return [Fact({"created": {"file": file, "line": line}}, {"created": PLACE}) for line in lines]


@pytest.mark.parametrize(
    ("lines", "makers"),
    [
        ((11,), []),  # nn.Dense of the script's own
        ((6,), ["clock"]),  # whatever is called there counts
        ((7,), ["zoo"]),
        ((8,), ["zoo"]),  # a call over several lines
        ((9, 10), ["zoo", "heads"]),  # under another name, from a module inside a package
        ((12,), ["zoo"]),  # inside the arguments of another call
        ((3, 40), []),
        ((), []),
    ],
)
def test_makers(lines, makers):
    run_data = SimpleNamespace(project=Project([File("train.py", None, SCRIPT)], follow=False))
    assert _makers(run_data, made_at(*lines), OUTSIDE) == makers


def test_a_line_of_another_file_made_nothing_here():
    run_data = SimpleNamespace(project=Project([File("train.py", None, SCRIPT)], follow=False))
    assert _makers(run_data, made_at(7, file="net.py"), OUTSIDE) == []


def network(*lines, file="train.py"):
    cells = [
        {
            "path": f"fc{line}",
            "class": "Dense",
            "builtin": True,
            "args": "in_channels=8, out_channels=2",
            "created": {"file": file, "line": line},
            "parameters": [],
        }
        for line in lines
    ]
    return {"id": 0, "class": "Net", "role": "train", "place": {"file": "train.py", "line": 7}, "cells": cells}


@pytest.mark.parametrize(
    ("made", "conclusion", "named"),
    [
        (network(11), "ok", []),  # the network is all here; what else is imported made no part of it
        (network(7, 11), "undecided", ["zoo"]),
        (network(7, file="elsewhere.py"), "undecided", ["zoo", "clock", "heads"]),
    ],
)
def test_verdict_on_networks_from_outside(verdict, made, conclusion, named):
    entry = verdict("api.01", Run(network=[made], source={"train.py": SCRIPT}))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert [name for name in OUTSIDE if name in entry["summary"]] == named


_BLOCK = """from mindspore import nn
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(p=0.9)
        self.fc = nn.Dense(8, 8)
net = Block()
model.train(1, data)
"""


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        ("rewritten_network/BlockOpt_1.py", 12, True),  # O1 made the classes of the network anew
        ("train.py", 6, False),  # Dropout is in no network that ran
    ],
)
def test_classes_that_were_written_anew(verdict, file, line, told):
    cells = [{"path": "fc", "class": "Dense", "builtin": True, "args": "", "parameters": ["fc.weight"]}]
    run = Run(source={"train.py": _BLOCK})
    run.facts["network"]["networks"][0]["cells"] = [{**one, "created": {"file": file, "line": line}} for one in cells]
    entry = verdict("api.01", run)
    assert (entry["conclusion"] == "problem") == told, entry["summary"]


def test_the_option_that_a_share_to_drop_comes_from(verdict):
    code = _BLOCK.replace("__init__(self)", "__init__(self, drop)").replace("p=0.9", "p=drop")
    code = code.replace("net = Block()", "net = Block(args.dropout)")
    head = "parser.add_argument('--dropout', type=float, default=0.9)\nargs = parser.parse_args()\n"
    run = Run(source={"train.py": "import argparse\nparser = argparse.ArgumentParser()\n" + head + code})
    run.facts["network"]["networks"][0]["cells"] = [
        {"path": "drop", "class": "Dropout", "builtin": True, "args": "", "created": {"file": "train.py", "line": 9}}
    ]
    entry = verdict("api.01", run)
    assert entry["conclusion"] == "problem" and {"file": "train.py", "line": 3} in entry["locations"], entry
