"""Builds small run folders for tests: a healthy run by default, changed where the test says so."""

import copy
import json

from msprec.engine import conclude
from msprec.engine.run_data import RunData
from msprec.engine.runner import default_thresholds
from msprec.engine.thresholds import resolve_thresholds
from msprec.record.reader import RunFolder

PLACE = {"file": "train.py", "line": 3}


def column(name="image", **changes):
    base = {
        "name": name,
        "dtype": "float32",
        "kind": "float",
        "shape": [1, 8, 8],
        "batched": True,
        "varying_shape": False,
        "elements": 92160,
        "nan": 0,
        "inf": 0,
        "first_nonfinite": [],
        "nonfinite_samples": 0,
        "min": 0.0,
        "max": 1.0,
        "mean": 0.3,
        "std": 0.37,
        "zeros": 40000,
        "channels": None,
        "histogram": None,
        "distinct": 17,
        "values": None,
        "suspects": [],
        "empty_strings": 0,
    }
    return {**base, **changes}


def features(lows, highs, means, stds, name="x", **changes):
    """A two-dimensional column with a scale of its own for each feature."""
    return column(
        name,
        shape=[len(lows)],
        min=min(lows),
        max=max(highs),
        mean=sum(means) / len(means),
        std=max(stds),
        distinct=None,
        channels={"axis": 1, "mean": means, "std": stds, "min": lows, "max": highs},
        **changes,
    )


def one_pass(number=1, **changes):
    base = {
        "pass": number,
        "samples": 1440,
        "complete": True,
        "iterator": 1,
        "first_keys": ["a", "b"],
        "same_order_as_first": None if number == 1 else False,
        "compared_samples": 1440,
        "equal_samples": 1,
        "label_changes": 1290,
        "expected_changes": 1296.0,
        "label_segment_dependence": 0.01,
    }
    return {**base, **changes}


def pad(**changes):
    """An entry ``padding`` of a data set: token ids that are filled up on the right."""
    base = {
        "column": "ids",
        "rows": 480,
        "kind": "int",
        "lengths": [12, 12],
        "value": 0.0,
        "share": 0.3,
        "right_only": 430,
        "left_only": 0,
        "both": 0,
        "longest": 8,
        "inside": 0,
        "inside_rows": 0,
        "mask": None,
        "length": None,
    }
    return {**base, **changes}


def dataset(columns=None, counts=None, label=(), passes=None, **changes):
    counts = {str(digit): 144 for digit in range(10)} if counts is None else counts
    labels = column(
        "label",
        dtype="int32",
        kind="int",
        shape=[],
        min=0,
        max=9,
        mean=4.5,
        std=2.9,
        values=counts,
        distinct=len(counts),
    )
    base = {
        "id": 0,
        "role": "train",
        "pipeline": [
            {"op": "GeneratorDataset", "args": {"column_names": ["image", "label"], "shuffle": True}, "place": PLACE},
            {"op": "batch", "args": {"batch_size": 32}, "place": {"file": "train.py", "line": 4}},
        ],
        "shuffle": {
            "declared": True,
            "means": ["GeneratorDataset(shuffle=True)"],
            "buffer_size": None,
            "seekable_source": True,
        },
        "sharding": {"num_shards": None, "shard_id": None},
        "repeat": 1,
        "batch_size": 32,
        "passes": 3,
        "batches": 135,
        "samples": 4320,
        "samples_per_pass": 1440,
        "scanned": {"samples": 4320, "share": 1.0, "why_not_all": None},
        "columns": [*(columns or [column()]), labels],
        "label": {
            "column": "label",
            "kind": "class",
            "why": "",
            "counts": counts,
            "counted_samples": sum(counts.values()),
            "complete_pass": True,
        },
        "order": {"passes": passes or [one_pass(1), one_pass(2), one_pass(3)], "new_iterator_each_pass": False},
        "iterated_at": {"file": "train.py", "line": 9},
    }
    base["label"] = {**base["label"], **dict(label)} if label is not None else None
    return {**base, **changes}


def parameter(name, shape, kind="weight", **changes):
    cell, _, _ = name.rpartition(".")
    size = 1
    for length in shape:
        size *= length
    varied = {"min": -0.1, "max": 0.1, "mean": 0.0, "std": 0.05, "zeros": 0.0, "constant": False, "nonfinite": 0}
    base = {
        "name": name,
        "path": name,
        "shape": shape,
        "dtype": "Float32",
        "size": size,
        "requires_grad": True,
        "in_optimizer": True,
        "cell": cell,
        "cell_class": "Conv2d" if len(shape) == 4 else "Dense",
        "kind": kind,
        "initial": varied,
        "final": dict(varied),
        "moved": {"max_abs": 0.01, "relative": 0.2, "any": True, "proportional": False},
        "compared": "all",
    }
    return {**base, **changes}


ZERO = {"min": 0.0, "max": 0.0, "mean": 0.0, "std": 0.0, "zeros": 1.0, "constant": True, "nonfinite": 0}
ONE = {"min": 1.0, "max": 1.0, "mean": 1.0, "std": 0.0, "zeros": 0.0, "constant": True, "nonfinite": 0}
STILL = {"max_abs": 0.0, "relative": 0.0, "any": False, "proportional": False}


def phase(name="train", dependent=(("drop", True),), **changes):
    cells = [
        {
            "path": path,
            "class": "Dropout" if "drop" in path else "BatchNorm2d",
            "training": on,
            "use_batch_statistics": None,
        }
        for path, on in dependent
    ]
    base = {
        "phase": name,
        "via": "call",
        "root": "Net",
        "place": {"file": "train.py", "line": 10},
        "first_step": 0,
        "last_step": 135,
        "calls": 135,
        "root_training": name == "train",
        "dependent": cells,
        "gradient": name == "train",
    }
    return {**base, **changes}


def train_step(scale=None, **changes):
    none = {
        "kind": "none",
        "class": None,
        "initial": None,
        "factor": None,
        "window": None,
        "drop_overflow_update": None,
        "place": None,
        "floor": None,
    }
    base = {
        "style": "model",
        "class": "TrainOneStepCell",
        "function": None,
        "mode": "graph",
        "place": {"file": "train.py", "line": 10},
        "count": 135,
        "sink": False,
        "accumulation": 1,
        "loss_scale": {**none, **(scale or {})},
        "overflow_flag": False,
    }
    return {**base, **changes}


DYNAMIC = {
    "kind": "dynamic",
    "class": "DynamicLossScaleUpdateCell",
    "initial": 65536.0,
    "factor": 2.0,
    "window": 1000,
    "drop_overflow_update": True,
    "floor": 1.0,
}


def fixed(value, drop):
    return {"kind": "fixed", "class": "FixedLossScaleManager", "initial": value, "drop_overflow_update": drop}


def optimizer(**changes):
    base = {
        "id": 0,
        "class": "Momentum",
        "place": {"file": "train.py", "line": 8},
        "used": True,
        "learning_rate": {"kind": "constant", "value": 0.1, "first": 0.1, "last": 0.1, "class": None},
        "momentum": 0.9,
        "weight_decay": 0.0,
        "loss_scale": 1.0,
        "parameters": 4,
        "parameter_names": [],
    }
    return {**base, **changes}


HALF = {"half_compute": True, "dtypes": ["float16"]}


def simulate(n, bad, start=65536.0, window=1000, factor=2.0):
    """Steps of a dynamic loss scale; ``bad(step, scale)`` says whether a step overflows."""
    rows, scale, good = [], start, 0
    for step in range(1, n + 1):
        over = bad(step, scale)
        good = 0 if over else good + 1
        after = max(1.0, scale / factor) if over else scale * factor if good == window else scale
        good = 0 if good == window else good
        rows.append(
            {
                "step": step,
                "epoch": 1,
                "loss": 2.0 / step,
                "overflow": int(over),
                "scale": scale,
                "next_scale": after,
                "lr": 0.1,
            }
        )
        scale = after
    return rows


SCRIPT = """import mindspore as ms
from mindspore import nn
data = make_dataset()
data = data.batch(32)
net = Net()
loss = nn.CrossEntropyLoss()

opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
model = ms.Model(net, loss, opt)
model.train(3, data)
"""


class Run:
    """A healthy training of a small network on a CPU, as facts. ``None`` for a fact file leaves it out."""

    def __init__(self, **changes):
        self.source = {"train.py": SCRIPT}
        self.run = {
            "schema": 1,
            "script": "train.py",
            "started": "2026-11-20T10:00:00+00:00",
            "ended": "2026-11-20T10:00:20+00:00",
            "exit": {"kind": "ok", "code": 0, "exception": None},
            "device_target": "CPU",
            "mode": "graph",
            "rank": 0,
            "rank_size": 1,
            "training_steps": 135,
            "script_imports_mindspore": True,
        }
        self.facts = {
            "datasets": {"datasets": [dataset()]},
            "network": {
                "networks": [
                    {
                        "id": 0,
                        "class": "Net",
                        "role": "train",
                        "place": PLACE,
                        "cells": [
                            {
                                "path": "conv",
                                "class": "Conv2d",
                                "builtin": True,
                                "args": "in_channels=1, out_channels=8",
                                "mode_dependent": False,
                                "parameters": ["conv.weight"],
                            },
                            {
                                "path": "drop",
                                "class": "Dropout",
                                "builtin": True,
                                "args": "p=0.5",
                                "mode_dependent": True,
                                "parameters": [],
                            },
                            {
                                "path": "fc",
                                "class": "Dense",
                                "builtin": True,
                                "args": "in_channels=128, out_channels=10",
                                "mode_dependent": False,
                                "parameters": ["fc.weight", "fc.bias"],
                            },
                        ],
                    }
                ]
            },
            "parameters": {
                "parameters": [
                    parameter("conv.weight", [8, 1, 3, 3]),
                    parameter("fc.weight", [10, 128]),
                    parameter("fc.bias", [10], kind="bias", initial=ZERO),
                ],
                "observed": {"initial_step": 0, "final_step": 135, "from_optimizer": True},
                "requires_grad_changes": [],
            },
            "optimizer": {"optimizers": [optimizer()]},
            "loss": {
                "losses": [
                    {"class": "CrossEntropyLoss", "builtin": True, "args": "", "place": {"file": "train.py", "line": 6}}
                ]
            },
            "train_step": {"steps": [train_step()]},
            "precision": {
                "amp": [],
                "to_float": [],
                "parameter_dtypes": {"Float32": 3},
                "cells_by_compute_dtype": {"float32": 3},
                "casts": [],
                "half_compute": False,
                "dtypes": ["float32"],
            },
            "weights_loaded": {"loads": []},
            "modes": {"phases": [phase()], "construct_calls_set_train": []},
            "evaluation": {"evaluations": []},
        }
        self.steps = [
            {"step": step, "epoch": 1 + (step - 1) // 45, "loss": 2.3 / step, "lr": 0.1, "batch": 32}
            for step in range(1, 136)
        ]
        self.events, self.gradients = [], []
        for name, value in changes.items():
            self.set(name, value)

    def set(self, name, value):
        if name in ("source", "steps", "events", "gradients", "run"):
            setattr(self, name, {**self.run, **value} if name == "run" else value)
        elif value is None:
            self.facts.pop(name, None)
        else:
            key = {
                "network": "networks",
                "optimizer": "optimizers",
                "loss": "losses",
                "train_step": "steps",
                "weights_loaded": "loads",
                "modes": "phases",
                "evaluation": "evaluations",
            }.get(name, name)
            self.facts[name] = (
                {**self.facts[name], **value} if name == "precision" else {**self.facts.get(name, {}), key: value}
            )
        return self

    def write(self, folder):
        (folder / "facts").mkdir(parents=True, exist_ok=True)
        (folder / "source").mkdir(exist_ok=True)
        (folder / "rank_0").mkdir(exist_ok=True)
        names = {name: f"source/{name}" for name in self.source}
        (folder / "run.json").write_text(json.dumps({**self.run, "source_files": names}), encoding="utf-8")
        for name, text in self.source.items():
            (folder / "source" / name).write_text(text, encoding="utf-8")
        for name, value in self.facts.items():
            (folder / "facts" / f"{name}.json").write_text(json.dumps(copy.deepcopy(value)), encoding="utf-8")
        write_steps(folder / "rank_0" / "steps.csv", self.steps)
        if self.gradients:
            write_steps(folder / "rank_0" / "gradients.csv", self.gradients, ("step", "parameter", "norm"))
        (folder / "rank_0" / "events.jsonl").write_text(
            "".join(json.dumps(event) + "\n" for event in self.events), encoding="utf-8"
        )
        return folder


COLUMNS = ("step", "epoch", "loss", "overflow", "scale", "next_scale", "lr", "seconds", "data_seconds", "batch")


def write_steps(path, rows, columns=COLUMNS):
    lines = [",".join(columns)] + [",".join(str(row.get(name, "")) for name in columns) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_data(folder, run):
    """What the checks of that run are given."""
    return RunData(RunFolder(run.write(folder)), resolve_thresholds(default_thresholds(), None))


def judge(folder, item, run, **options):
    """The entry of one item for that run."""
    checklist = conclude(run.write(folder), **options)
    entry = next(entry for entry in [*checklist["items"], *checklist["beyond"]] if entry["id"] == item)
    assert (entry["would_decide"] is not None) == (entry["conclusion"] == "undecided"), entry
    assert (entry["advice"] is not None) == (entry["conclusion"] == "problem"), entry
    return entry
