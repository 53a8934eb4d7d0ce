"""dp.01 on facts, with the near misses."""

import types

import pytest
from building import Run, column, dataset, features

from msprec.checklists.common.data import input_scale
from msprec.checklists.dp.normalization import check

RAW = {"dtype": "float32", "min": 0.0, "max": 255.0, "mean": 80.0, "std": 90.0}
DIGITS = {"min": 0.0, "max": 16.0, "mean": 4.9, "std": 6.0}
CELLS = [
    {"path": "conv", "class": "Conv2d", "builtin": True, "args": "", "parameters": ["conv.weight"]},
    {"path": "fc", "class": "Dense", "builtin": True, "args": "", "parameters": ["fc.weight"]},
]


@pytest.fixture(autouse=True)
def gain(monkeypatch):
    """A training that left something to learn."""
    outcome = types.SimpleNamespace(gain=0.5)

    def learnt_by(run_data, share):
        return outcome.gain is not None and outcome.gain >= run_data.limit(share)

    monkeypatch.setattr(check, "learnt_by", learnt_by)
    return outcome


@pytest.mark.parametrize(
    ("learnt", "most", "image", "conclusion"),
    [
        (0.98, 16.0, False, "ok"),
        (0.95, 16.0, False, "problem"),
        (0.5, 16.0, False, "problem"),
        (None, 16.0, False, "problem"),
        (0.98, 255.0, False, "problem"),
        (0.98, 60.0, True, "problem"),
    ],
)
def test_natural_units_of_a_training_that_learnt_nearly_all(verdict, gain, learnt, most, image, conclusion):
    gain.gain = learnt
    shape = [3, 32, 32] if image else [3]
    data = column("x", shape=shape, min=0.0, max=most, mean=most / 3, std=most / 3)
    assert verdict("dp.01", fed(data))["conclusion"] == conclusion


def fed(*columns, code=None, cells=None, **changes):
    run = Run(datasets=[dataset(list(columns), **changes)])
    if code is not None:
        run.set("source", {"train.py": code})
    return run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells or CELLS}])


def channels(*rows):
    low, high, mean, std = zip(*rows)
    return {"axis": 1, "mean": list(mean), "std": list(std), "min": list(low), "max": list(high)}


@pytest.mark.parametrize(
    "data",
    [
        column(**RAW),
        column(**{**RAW, "dtype": "uint8", "kind": "int"}),
        column(**DIGITS),
        column(min=0.0, max=255.0, mean=0.4, std=3.9),  # a sparse raw picture
        column(min=-4.2, max=1100.0, mean=300.0, std=400.0),  # normalised without rescaling first
        column(min=0.0, max=1 / 255, mean=0.001, std=0.0012),  # rescaled twice
        column(min=0.0, max=16 / 255, mean=0.02, std=0.02),  # pixels of 0–16 divided by 255
        column("x", shape=[5], min=-4e-4, max=4e-4, mean=0.0, std=1e-4),
        column("kelvin", shape=[3], min=270.0, max=300.0, mean=285.0, std=5.0),
        features([0, 0.1, 18], [1, 9e4, 90], [0.5, 3e4, 40], [0.5, 2e4, 13]),
        features([-3, 0.0], [3, 1e-3], [0.0, 5e-4], [1.0, 3e-4]),  # one feature a thousand times smaller
        features([-3] * 30 + [18], [3] * 30 + [90], [0.0] * 30 + [40], [1.0] * 30 + [13]),  # one raw feature among many
        column("hour", shape=[], min=0.0, max=2300.0, mean=1200.0, std=600.0),
        column(min=-2.12, max=-2.1, mean=-2.11, std=0.005),  # constants for 0–255 on pixels of 0–1
        features([0.99, 1.9], [1.01, 2.0], [1.0, 1.95], [0.005, 0.02]),
    ],
)
def test_off_scale_is_a_problem(verdict, data):
    entry = verdict("dp.01", fed(data))
    assert entry["conclusion"] == "problem"
    assert data["name"] in entry["summary"] and entry["locations"]


def called_with(*arguments):
    """A network that was called with these in training."""
    run = fed(column("image", shape=[28, 28, 1], min=0.0, max=255.0, mean=80.0, std=90.0))
    call = {"phase": "train", "via": "call", "level": "network", "network": "Net", "arguments": list(arguments)}
    run.facts["inputs"] = {"inputs": [call]}
    return run


def test_what_enters_the_network_is_judged_where_it_was_seen(verdict):
    scaled = column("a", shape=[1, 28, 28], min=-1.0, max=1.0, mean=-0.4, std=0.7)
    entry = verdict("dp.01", called_with(scaled))
    assert entry["conclusion"] == "ok" and "-1 to 1" in entry["summary"]
    raw = column("b", shape=[28, 28], min=0.0, max=255.0, mean=80.0, std=90.0)
    small = column("c", shape=[7, 7], min=-1.0, max=1.0, mean=0.0, std=0.7)
    for others in ((raw,), (scaled, raw), (small,), ({**scaled, "std": None},)):
        assert verdict("dp.01", called_with(*others))["conclusion"] == "problem"


LINE = {"shape": [1], "min": 2.2, "max": 10.8, "mean": 6.1, "std": 2.4}


def test_one_offset_for_all_hides_no_disparity(verdict):
    whole = features([-0.32] * 4 + [0.5], [-0.30] * 4 + [7.5], [-0.31] * 4 + [3.1], [0.002] * 4 + [1.5])
    entry = verdict("dp.01", fed(whole))
    assert entry["conclusion"] == "problem" and "differ in scale" in entry["summary"]


@pytest.mark.parametrize(("size", "conclusion"), [(4e-16, "ok"), (1e-9, "problem")])
def test_what_rounding_leaves_of_a_zero_is_no_other_unit(verdict, size, conclusion):
    whole = features([-1.2, -2 * size], [1.3, 2 * size], [0.0, 0.0], [1.1, size])
    assert verdict("dp.01", fed(whole))["conclusion"] == conclusion


def test_a_lone_feature_has_wider_limits(verdict):
    assert verdict("dp.01", fed(column("x", **LINE)))["conclusion"] == "ok"
    years = column("x", **{**LINE, "min": 1950.0, "max": 2020.0, "mean": 1990.0, "std": 15.0})
    assert verdict("dp.01", fed(years))["conclusion"] == "problem"
    beside = [column("x", **LINE), column("z", **{**LINE, "min": 0.0, "max": 1.0, "mean": 0.5, "std": 0.3})]
    assert verdict("dp.01", fed(*beside))["conclusion"] == "problem"


def test_a_lone_feature_of_a_training_that_came_to_nothing(verdict, monkeypatch):
    wide = column("x", **{**LINE, "min": -50.0, "max": 50.0, "mean": 0.0, "std": 28.0})
    assert verdict("dp.01", fed(wide))["conclusion"] == "ok"
    nothing = types.SimpleNamespace(verdict="nothing")
    monkeypatch.setattr(input_scale, "learning_outcome", lambda _: nothing)
    assert verdict("dp.01", fed(wide))["conclusion"] == "problem"
    assert (
        verdict("dp.01", fed(column("x", **{**LINE, "min": -9.0, "max": 9.0, "mean": 0.0, "std": 5.2})))["conclusion"]
        == "ok"
    )


@pytest.mark.parametrize(
    "data",
    [
        column(),
        column(min=-1.0, max=1.0, mean=-0.7, std=0.6),
        column(min=-0.42, max=2.8, mean=0.0, std=1.0),
        column(min=-2.12, max=2.64, mean=-0.1, std=1.1),
        column(min=0.0, max=1.0, mean=0.13, std=0.3),
        column("wave", shape=[1, 16000], min=-0.9, max=0.8, mean=0.0, std=0.02),
        column("x", shape=[30], min=-4.0, max=31.0, mean=0.0, std=1.0),  # standardised with a heavy tail
        features([0] * 5, [1] * 5, [0.2, 0.001, 0.5, 0.1, 0.2], [0.4, 0.001, 0.5, 0.3, 0.4]),  # one-hot, one value rare
        features([-1.5, -0.02], [1.5, 42.0], [0.0, 0.0], [1.0, 1.0]),  # standardised, one feature lit once
        features(
            [4.3, 2.0, 1.0, 0.1], [7.9, 4.4, 6.9, 2.5], [5.8, 3.1, 3.8, 1.2], [0.8, 0.4, 1.8, 0.8]
        ),  # iris as it is
        column("x", shape=[4], min=0.0, max=0.0, mean=0.0, std=0.0),
        column("flag", kind="bool", shape=[1, 8, 8], min=0, max=1, mean=0.5, std=0.5),
        column("x", shape=[57], min=0.0, max=20.0, mean=0.1, std=0.8),  # counts of words
        features([-3, 1.0, 0.99], [3, 1.0, 1.01], [0.0, 1.0, 1.0], [1.0, 0.0, 0.005]),  # one feature nearly constant
    ],
)
def test_sound_scales_are_ok(verdict, data):
    entry = verdict("dp.01", fed(data))
    assert entry["conclusion"] == "ok", entry["summary"]


def test_a_huge_regression_target_is_mentioned_only(verdict):
    data = dataset(label={"kind": "regression", "counts": None})
    data["columns"][-1] = column("label", shape=[], min=14999.0, max=500001.0, mean=2e5, std=1.1e5)
    entry = verdict("dp.01", Run(datasets=[data]))
    assert entry["conclusion"] == "ok" and any(
        "regression target" in piece.get("text", "") for piece in entry["evidence"]
    )


_TABLE = """
class Net(nn.Cell):
    def __init__(self):
        self.table = Parameter(initializer("normal", (20001, 8)), name="table")

    def construct(self, ids):
        return self.table[ids].sum(axis=1)
"""


def test_token_ids_are_not_applicable_only_with_an_embedding(verdict):
    tokens = column("tokens", kind="int", dtype="int32", shape=[40], min=0, max=20000, mean=900.0, std=2000.0)
    embedding = [
        {"path": "emb", "class": "Embedding", "builtin": True, "args": "", "parameters": ["emb.table"]},
        *CELLS,
    ]
    assert verdict("dp.01", fed(tokens, cells=embedding))["conclusion"] == "not_applicable"
    assert verdict("dp.01", fed(tokens))["conclusion"] == "problem"
    run = fed(tokens)
    run.source["net.py"] = _TABLE
    assert verdict("dp.01", run)["conclusion"] == "not_applicable"
    run.source["net.py"] = _TABLE.replace("[ids]", "[:4]")
    assert verdict("dp.01", run)["conclusion"] == "problem"


@pytest.mark.parametrize(
    ("used", "conclusion"), [("net(a)[nodes]", "not_applicable"), ("net(a)[nodes] * nodes", "problem")]
)
def test_numbers_that_rows_are_taken_by(verdict, used, conclusion):
    run = fed(column("nodes", kind="int", dtype="int32", shape=[], min=13, max=892, mean=479.0, std=262.0))
    run.source["net.py"] = f"def forward(a, nodes):\n    return {used}\n"
    assert verdict("dp.01", run)["conclusion"] == conclusion


@pytest.mark.parametrize(("layers", "conclusion"), [([], "ok"), ([{"operator": "Dense"}], "problem")])
def test_numbers_that_enter_no_layer(verdict, layers, conclusion):
    rows = column("rows", kind="int", dtype="int32", shape=[], min=13, max=892, mean=479.0, std=262.0)
    run = fed(column("x", shape=[4], min=-2.0, max=2.0, mean=0.0, std=1.0), rows)
    entered = [{"layers": [{"operator": "Dense"}]}, {"layers": layers}, {"layers": []}]
    run.facts["probes"] = {"first_layers": entered, "skipped": {}}
    assert verdict("dp.01", run)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("first", "layers", "conclusion"),
    [("float", [], "ok"), ("float", [{"operator": "Dense"}], "problem"), ("int", [], "problem")],
)
def test_times_that_the_loss_alone_compares(verdict, first, layers, conclusion):
    times = column("times", shape=[], min=0.1, max=892, mean=79.0, std=62.0)
    kinds = {"kind": "float"} if first == "float" else {"kind": "int", "dtype": "int32"}
    run = fed(column("x", shape=[4], min=0, max=2, mean=1.0, std=1.0, **kinds), times)
    entered = [{"layers": [{"operator": "Dense"}]}, {"layers": layers}, {"layers": []}]
    run.facts["probes"] = {"first_layers": entered, "skipped": {}}
    assert verdict("dp.01", run)["conclusion"] == conclusion


def test_a_zero_state_beside_token_ids_has_no_scale(verdict):
    tokens = column("tokens", kind="int", dtype="int32", shape=[40], min=0, max=20000, mean=900.0, std=2000.0)
    embedding = [
        {"path": "emb", "class": "Embedding", "builtin": True, "args": "", "parameters": ["emb.table"]},
        *CELLS,
    ]
    zero = column("state", shape=[8], min=0.0, max=0.0, mean=0.0, std=0.0)
    assert verdict("dp.01", fed(tokens, zero, cells=embedding))["conclusion"] == "not_applicable"
    wide = column("extra", shape=[8], min=0.0, max=9000.0, mean=4000.0, std=2000.0)
    assert verdict("dp.01", fed(tokens, zero, wide, cells=embedding))["conclusion"] == "problem"


def test_a_target_that_no_network_is_given_is_no_feature(verdict):
    def called(*shapes):
        arguments = [{"position": 0, "name": "x", "shape": shape} for shape in shapes]
        return [{"phase": "train", "via": "call", "level": "network", "network": "Net", "arguments": arguments}]

    boxes = column("boxes", shape=[3, 4], min=0.0, max=640.0, mean=200.0, std=150.0)
    assert verdict("dp.01", fed(column(), boxes).set("inputs", called([1, 8, 8])))["conclusion"] == "ok"
    assert verdict("dp.01", fed(column(), boxes).set("inputs", called([1, 8, 8], [12])))["conclusion"] == "problem"
    joined = verdict("dp.01", fed(column(), boxes).set("inputs", called([76])))  # both columns in one
    assert joined["conclusion"] == "problem"


def test_masks_ids_and_sample_weights_are_no_features(verdict):
    run = fed(
        column(), column("sample_id", kind="int", shape=[], max=5000, mean=2500.0, std=1400.0), column("mask", max=1.0)
    )
    assert verdict("dp.01", run)["conclusion"] == "ok"


NET = (
    "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
    "        self.k = 255.0\n\n    def construct(self, x):\n"
)
END = "        return self.fc(self.conv(x))\n"


@pytest.mark.parametrize(
    "body",
    [
        "        x = x / 255.0\n",
        "        x = x.astype(ms.float32) / 255\n",
        "        x = ops.cast(x, ms.float32) * (1 / 255.0)\n",
        "        x /= 255.0\n",
        "        x = (x - self.mean) / self.std\n",
        "        x = ops.div(x, 255.0)\n",
        "        x = x / self.k\n",
        "        x = normalize(x)\n",
    ],
)
def test_scaling_in_the_network_is_ok(verdict, body):
    entry = verdict("dp.01", fed(column(**RAW), code=NET + body + END))
    assert entry["conclusion"] == "ok" and entry["locations"] == [{"file": "train.py", "line": 7}]


def test_scaling_by_an_unknown_number_is_undecided(verdict):
    code = NET + "        x = x / self.range\n" + END
    assert verdict("dp.01", fed(column(**RAW), code=code))["conclusion"] == "undecided"


@pytest.mark.parametrize(
    "code",
    [
        NET + END,
        NET + "        x = x / 2\n" + END,
        NET + "        x = self.conv(x) / 255.0\n        return self.fc(x)\n",
        NET + "        scores = self.q(self.conv(x)) * 0.01\n" + END,
        "def forward_fn(data, label):\n    return loss_fn(net(data), label / 10.0)\n" + NET + END,
        "def prepare(images):\n    return images / 255.0\n" + NET + END,
        "class Old(nn.Cell):\n    def construct(self, x):\n        return x / 255.0\n\n" + NET + END,
    ],
)
def test_other_divisions_do_not_excuse(verdict, code):
    assert verdict("dp.01", fed(column(**RAW), code=code))["conclusion"] == "problem"


@pytest.mark.parametrize(
    "code",
    [
        "def forward_fn(data, label):\n    return loss_fn(net(data / 255.0), label)\n"
        "\ngrad = ms.value_and_grad(forward_fn, None, w)\n",
        "for epoch in range(3):\n"
        "    for i, (x, y) in enumerate(train.create_tuple_iterator()):\n        step(x / 255, y)\n",
        "for batch in train.create_dict_iterator():\n    step(batch['image'] / 255.0, batch['label'])\n",
    ],
)
def test_scaling_around_the_network_is_ok(verdict, code):
    assert verdict("dp.01", fed(column(**RAW), code=code))["conclusion"] == "ok"


def test_a_normalising_first_layer_is_ok_and_a_later_one_is_not(verdict):
    norm = {"path": "norm", "class": "BatchNorm2d", "builtin": True, "args": "", "parameters": ["norm.gamma"]}
    first = NET + "        return self.fc(self.conv(self.norm(x)))\n"
    later = NET + "        return self.fc(self.norm(self.conv(x)))\n"
    assert verdict("dp.01", fed(column(**RAW), code=first, cells=[*CELLS, norm]))["conclusion"] == "ok"
    assert verdict("dp.01", fed(column(**RAW), code=later, cells=[norm, *CELLS]))["conclusion"] == "problem"
    assert verdict("dp.01", fed(column(**RAW), code="", cells=[norm, *CELLS]))["conclusion"] == "ok"
    assert verdict("dp.01", fed(column(**RAW), code="", cells=[*CELLS, norm]))["conclusion"] == "problem"


def test_a_cell_of_the_users_that_scales_inside(verdict):
    code = (
        "class Scale(nn.Cell):\n    def construct(self, x):\n        return x / 255.0\n\n"
        "class Net(nn.Cell):\n    def construct(self, x):\n        x = self.scale(x)\n        return self.fc(x)\n"
    )
    cells = [{"path": "scale", "class": "Scale", "builtin": False, "args": "", "parameters": []}, *CELLS]
    assert verdict("dp.01", fed(column(**RAW), code=code, cells=cells))["conclusion"] == "ok"


def test_channels_name_the_feature(verdict):
    data = column(
        "x", shape=[2], min=-3.0, max=4e4, mean=1e4, std=1e4, channels=channels((-3, 3, 0, 1), (0, 4e4, 2e4, 1e4))
    )
    entry = verdict("dp.01", fed(data))
    assert "1 of 2 features" in entry["summary"]
    assert {"channels"} <= {piece.get("figure") for piece in entry["evidence"]}


def test_a_missing_value_mark_does_not_pass_for_a_wrong_scale(verdict):
    mark = {
        "feature": 1,
        "value": -999.0,
        "count": 45,
        "share": 0.03,
        "nearest_other": -2.0,
        "others_low": -2.0,
        "others_high": 5.0,
        "others_distinct": 500,
        "first_samples": [],
    }
    spoiled = features([-3.0, -999.0], [3.0, 5.0], [0.0, -26.0], [1.0, 160.0], suspects=[mark])
    assert verdict("dp.01", fed(spoiled))["conclusion"] == "ok"
    raw = features([-3.0, -999.0], [3.0, 500.0], [0.0, -26.0], [1.0, 160.0], suspects=[{**mark, "others_high": 500.0}])
    assert verdict("dp.01", fed(raw))["conclusion"] == "problem"


def test_each_channel_s_distribution_is_shown():
    """Of a sound picture too; one channel has the column's own."""
    from msprec.checklists.dp.normalization.check import _histogram
    from msprec.engine.schema import Fact
    from msprec.record.schema import COLUMN

    one = {"edges": [0.0, 0.5, 1.0], "counts": [3, 4]}
    table = {"axis": 1, "mean": [0.5] * 3, "std": [0.2] * 3, "min": [0.0] * 3, "max": [1.0] * 3}
    empty = {"edges": [], "counts": []}
    shown = _histogram(Fact(column(channels={**table, "histograms": [one, empty, one]}, histogram=one), COLUMN))
    assert shown.body["figure"] == "histograms"
    assert [entry["name"] for entry in shown.body["data"]["histograms"]] == ["image [0]", "image [2]"]
    assert _histogram(Fact(column(histogram=one), COLUMN)).body["figure"] == "histogram"
    assert _histogram(Fact(column(channels={**table, "histograms": None}), COLUMN)) is None


def test_lengths_of_padded_sequences_are_no_features(verdict):
    lengths = column("n", dtype="int32", kind="int", shape=[], min=4, max=90, mean=40.0, std=20.0)
    pad = {
        "column": "x",
        "rows": 480,
        "kind": "float",
        "lengths": [90, 90],
        "value": 0.0,
        "share": 0.3,
        "right_only": 450,
        "length": {"column": "n", "agrees": 1.0},
    }
    assert verdict("dp.01", Run(datasets=[dataset([column("x"), lengths])]))["conclusion"] == "problem"
    assert verdict("dp.01", Run(datasets=[dataset([column("x"), lengths], padding=[pad])]))["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("top", "code", "conclusion"),
    [
        (16 / 255, "x = data / 255.0\n", "problem"),
        (16 / 255, "SCALE = 255\n", "problem"),
        (16 / 255, "x = data / 16.0\n", "ok"),
        (0.0630, "x = data / 255.0\n", "ok"),  # no whole number before
        (200 / 255, "x = data / 255.0\n", "ok"),
    ],
)
def test_targets_that_were_divided_by_more_than_they_reach(verdict, top, code, conclusion):
    noisy = column("noisy", shape=[64], min=-1.2, max=1.2, mean=0.02, std=0.25)
    clean = column("clean", shape=[64], min=0.0, max=top, mean=top / 3, std=top / 4)
    made = fed(noisy, clean, code=code, label={"column": "clean", "kind": "regression"})
    entry = verdict("dp.01", made)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "ok" or "run to 16 only" in entry["summary"]


@pytest.mark.parametrize(
    ("operations", "top", "conclusion"),
    [
        (
            ["Rescale(rescale=0.00392156862745098, shift=0.0)", "Normalize(mean=[0.3], std=[0.4], is_hwc=True)"],
            16,
            "problem",
        ),
        (["ToTensor(output_type=float32)", "Normalize(mean=[0.3], std=[0.4], is_hwc=False)"], 16, "problem"),
        (
            ["Rescale(rescale=0.00392156862745098, shift=0.0)", "Normalize(mean=[0.3], std=[0.4], is_hwc=True)"],
            200,
            "ok",
        ),
        (["Rescale(rescale=0.00392156862745098, shift=0.0)", "<lambda>"], 16, "ok"),  # unknown what it does
    ],
)
def test_pictures_that_a_pipeline_divides_too_far(verdict, operations, top, conclusion):
    low, high = -0.3 / 0.4, (top / 255 - 0.3) / 0.4
    pictures = column("image", shape=[1, 8, 8], min=low, max=high, mean=low + (high - low) / 4, std=(high - low) / 3)
    where = {"file": "train.py", "line": 3}
    mapped = {"op": "map", "args": {"input_columns": ["image"], "operations": operations}, "place": where}
    run = Run(datasets=[dataset([pictures, column("label", dtype="int32", kind="int", shape=[])], pipeline=[mapped])])
    entry = verdict("dp.01", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "ok" or ("run to 16 only" in entry["summary"] and where in entry["locations"])


@pytest.mark.parametrize(("batched", "conclusion"), [(False, "ok"), (True, "problem")])
def test_one_number_of_a_step_is_no_input(verdict, batched, conclusion):
    """The rate that a step is called with; of each sample one, it would be a feature of a small scale."""
    rate = column("rate", shape=[], min=0.01, max=0.02, mean=0.015, std=0.003, batched=batched)
    pictures = column(min=0.0, max=1.0, mean=0.3, std=0.3)
    assert verdict("dp.01", fed(pictures, rate))["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("code", "spread", "conclusion"),
    [
        ("a = (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)\n", 0.02, "problem"),
        ("a = (a - np.mean(a, 1)[:, None]) / np.std(a, 1)[:, None]\n", 0.02, "problem"),
        ("a = (a - a.mean(axis=0)) / a.std(axis=0)\n", 0.02, "ok"),
        ("a = (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)\n", 0.9, "ok"),  # of one kind
    ],
)
def test_rows_that_were_standardised_in_the_place_of_columns(verdict, code, spread, conclusion):
    means = [-0.35] * 9 + [3.15]
    column = features([-1.0] * 9 + [2.9], [1.0] * 9 + [3.5], means, [spread] * 10)
    column.update(mean=0.0, std=1.0, min=-1.0, max=3.5)
    assert verdict("dp.01", fed(column, code=code))["conclusion"] == conclusion


def test_inputs_and_targets_are_both_told(verdict):
    noisy = column("noisy", shape=[64], min=0.0, max=255.0, mean=128.0, std=60.0)
    clean = column("clean", shape=[64], min=0.0, max=16 / 255, mean=6 / 255, std=4 / 255)
    made = fed(noisy, clean, code="x = data / 255.0\n", label={"column": "clean", "kind": "regression"})
    entry = verdict("dp.01", made)
    assert entry["conclusion"] == "problem" and "noisy" in entry["summary"] and "run to 16 only" in entry["summary"]


@pytest.mark.parametrize(
    ("elements", "optimizers", "conclusion"), [(96, [], "ok"), (5760, [], "problem"), (96, None, "problem")]
)
def test_weights_that_are_handed_to_the_step(verdict, elements, optimizers, conclusion):
    """In a run without optimizers what has no row for each sample is none of the inputs."""
    samples = column("x", shape=[4], elements=5760, min=-2.0, max=2.0, mean=0.0, std=1.0)
    weights = column("w", shape=[4], elements=elements, min=-1e-4, max=1e-4, mean=0.0, std=1e-5)
    run = fed(samples, weights)
    run.facts["datasets"]["datasets"][0]["scanned"] = {"samples": 1440, "share": 1.0, "why_not_all": None}
    if optimizers is not None:
        run.set("optimizer", optimizers)
    assert verdict("dp.01", run)["conclusion"] == conclusion
