"""dp.02 on recorded facts: pipelines side by side, delivered values, and the inputs of the network."""

import json

import pytest
from building import Run, column, dataset, features, judge, one_pass, optimizer

RESCALE = "Rescale(rescale=0.00392156862745098, shift=0.0)"
NORMALIZE = "Normalize(mean=[0.5], std=[0.25], is_hwc=True)"
FLIP = "RandomHorizontalFlip(prob=0.5)"
LAYOUT = "HWC2CHW()"


def mapped(operations, role="train", name="image", **changes):
    line = 5 if role == "train" else 6
    pipeline = [
        {
            "op": "GeneratorDataset",
            "args": {"column_names": ["image", "label"]},
            "place": {"file": "train.py", "line": 3},
        },
        {
            "op": "map",
            "args": {"input_columns": [name], "output_columns": [name], "operations": operations},
            "place": {"file": "train.py", "line": line},
        },
        {"op": "batch", "args": {"batch_size": 32}, "place": {"file": "train.py", "line": 4}},
    ]
    return dataset(role=role, pipeline=pipeline, **changes)


def both(mine, theirs, **changes):
    return Run(datasets=[mapped(mine), mapped(theirs, "eval", **changes)])


def entry_of(phase, level="network", samples=500, **changes):
    argument = {"position": 0, **column("x", **changes)}
    place = {"file": "train.py", "line": 9 if phase == "train" else 10}
    return {
        "phase": phase,
        "via": "call",
        "level": level,
        "network": "Net",
        "place": place,
        "calls": 40,
        "sampled": 20,
        "samples": samples,
        "arguments": [argument],
    }


@pytest.mark.parametrize(
    "mine, theirs",
    [
        ([RESCALE, NORMALIZE, LAYOUT], [RESCALE, NORMALIZE, LAYOUT]),
        ([FLIP, RESCALE, LAYOUT], [RESCALE, LAYOUT]),
        (
            ["RandomResizedCrop(size=224)", FLIP, RESCALE, LAYOUT],
            ["Resize(c_size=256)", "CenterCrop(size=224)", RESCALE, LAYOUT],
        ),
        ([RESCALE, LAYOUT], ["ToTensor(output_type='float32')"]),
        ([RESCALE, NORMALIZE], ["Normalize(mean=[127.5], std=[63.75], is_hwc=True)"]),
        ([RESCALE, "Normalize(mean=[0.5, 0.5, 0.5], std=[0.25, 0.25, 0.25])"], [RESCALE, NORMALIZE]),
        (["RandomHorizontalFlip(prob=0.0)", RESCALE], ["RandomHorizontalFlip(prob=0.0)", RESCALE]),
        (["Decode()", RESCALE, "TypeCast(data_type='float32')"], [RESCALE]),
        (["augment_and_scale"], ["scale"]),
    ],
)
def test_pipelines_that_amount_to_the_same(verdict, mine, theirs):
    assert verdict("dp.02", both(mine, theirs))["conclusion"] == "ok"


@pytest.mark.parametrize(
    "mine, theirs, says",
    [
        ([RESCALE, NORMALIZE], [RESCALE], "scaled by"),
        ([RESCALE, NORMALIZE], [NORMALIZE, RESCALE], "scaled by"),
        ([RESCALE, NORMALIZE], [RESCALE, "Normalize(mean=[0.4], std=[0.25])"], "scaled by"),
        ([FLIP, RESCALE], [FLIP, RESCALE], "RandomHorizontalFlip"),
        ([RESCALE], ["ConvertColor(convert_mode=ConvertMode.COLOR_BGR2RGB)", RESCALE], "ConvertColor"),
        (["Resize(c_size=(8, 8))", RESCALE], ["CenterCrop(size=(8, 8))", RESCALE], "CenterCrop"),
    ],
)
def test_a_deterministic_step_that_differs_or_a_random_one_that_stays(verdict, mine, theirs, says):
    entry = verdict("dp.02", both(mine, theirs))
    assert entry["conclusion"] == "problem" and says in entry["summary"], entry["summary"]
    assert {"file": "train.py", "line": 6} in entry["locations"]


def test_a_function_that_only_the_evaluation_goes_through_is_left_to_a_person(verdict):
    entry = verdict("dp.02", both([FLIP, RESCALE, LAYOUT], ["pipeline.<locals>.<lambda>#64", RESCALE, LAYOUT]))
    assert entry["conclusion"] == "undecided" and "<lambda> as well" in entry["summary"]
    for mine, theirs in (
        ([RESCALE, LAYOUT], ["load", LAYOUT]),
        (["augment", RESCALE], [RESCALE]),
        (["augment"], ["plain"]),
    ):
        assert verdict("dp.02", both(mine, theirs))["conclusion"] == "ok"


def test_labels_may_be_treated_as_they_need(verdict):
    run = both([RESCALE], [RESCALE])
    run.facts["datasets"]["datasets"][0]["pipeline"].insert(
        2, {"op": "map", "args": {"input_columns": ["label"], "operations": ["OneHot(num_classes=10)"]}, "place": None}
    )
    assert verdict("dp.02", run)["conclusion"] == "ok"


def test_test_time_augmentation_is_left_to_a_person(verdict):
    run = both([FLIP, RESCALE], [FLIP, RESCALE])
    run.source["train.py"] += "votes = [model.predict(batch) for _ in range(8)]  # the rest\nrun_tta(votes)\n"
    assert verdict("dp.02", run)["conclusion"] == "undecided"


RAW = {"min": 0.0, "max": 255.0, "mean": 76.5, "std": 94.0}


def test_values_decide_where_steps_cannot_be_read(verdict):
    apart = verdict("dp.02", both(["load"], ["load_test"], columns=[column(**RAW)]))
    assert apart["conclusion"] == "problem" and "255" in apart["summary"]
    doubtful = {"min": -1.0, "max": 2.2, "mean": 0.6, "std": 0.6}
    assert verdict("dp.02", both(["load"], ["load_test"], columns=[column(**doubtful)]))["conclusion"] == "undecided"


def test_pictures_moved_to_another_range(verdict):
    moved = {"min": -1.0, "max": 1.0, "mean": -0.4, "std": 0.74}
    assert verdict("dp.02", both(["load"], ["load_test"], columns=[column(**moved)]))["conclusion"] == "problem"


def test_a_test_set_from_another_month_is_no_problem(verdict):
    train = features([0.0, -3.0], [1.0, 3.0], [0.5, 0.0], [0.3, 1.0])
    later = features([0.1, -2.5], [1.0, 3.5], [0.6, 0.4], [0.28, 1.1])
    run = Run(datasets=[dataset([train]), dataset([later], role="eval")])
    assert verdict("dp.02", run)["conclusion"] == "ok"


def test_channels_in_reverse(verdict):
    def picture(means):
        channels = {"axis": 1, "mean": means, "std": [0.2] * 3, "min": [0.0] * 3, "max": [1.0] * 3}
        return column(shape=[3, 8, 8], mean=0.5, std=0.25, channels=channels)

    def run(means):
        return Run(datasets=[dataset([picture([0.7, 0.5, 0.3])]), dataset([picture(means)], role="eval")])

    assert verdict("dp.02", run([0.3, 0.5, 0.7]))["conclusion"] == "problem"
    assert verdict("dp.02", run([0.68, 0.51, 0.33]))["conclusion"] == "ok"


def test_layouts(verdict):
    hwc = column(shape=[8, 8, 1])
    assert verdict("dp.02", Run(datasets=[dataset(), dataset([hwc], role="eval")]))["conclusion"] == "problem"
    larger = column(shape=[1, 16, 16])
    assert verdict("dp.02", Run(datasets=[dataset(), dataset([larger], role="eval")]))["conclusion"] == "undecided"


def test_standardised_by_its_own_statistics(verdict):
    train = features([-2.0, -3.0], [2.0, 3.0], [1e-8, -2e-8], [1.0, 1.0])
    own = features([-1.9, -2.5], [2.1, 2.7], [2e-8, 1e-8], [1.0, 1.0000004])
    run = Run(datasets=[dataset([train]), dataset([own], role="eval")])
    same = Run(datasets=[dataset([train]), dataset([train], role="eval")])
    near = Run(
        datasets=[
            dataset([train]),
            dataset([features([-2.0, -3.0], [2.0, 3.0], [0.02, -0.01], [1.0, 0.98])], role="eval"),
        ]
    )
    assert "own statistics" in verdict("dp.02", run)["summary"]
    assert verdict("dp.02", same)["conclusion"] == "ok"
    assert verdict("dp.02", near)["conclusion"] == "ok"


def test_data_that_change_while_labels_stay(verdict):
    again = one_pass(2, same_order_as_first=True, compared_samples=360, common_share=0.02)
    assert verdict("dp.02", both(["load"], ["load"], passes=[one_pass(1), again]))["conclusion"] == "problem"
    steady = one_pass(2, same_order_as_first=True, compared_samples=360, common_share=1.0)
    assert verdict("dp.02", both(["load"], ["load"], passes=[one_pass(1), steady]))["conclusion"] == "ok"
    # a generator of fresh samples has fresh labels too
    fresh = one_pass(2, same_order_as_first=False, compared_samples=360, common_share=0.0)
    assert verdict("dp.02", both(["load"], ["load"], passes=[one_pass(1), fresh]))["conclusion"] == "ok"


def test_inputs_of_the_network_settle_what_the_data_sets_leave_open(verdict):
    run = both(["load"], ["load_test"], columns=[column(**RAW)])
    run.facts["inputs"] = {"inputs": [entry_of("train"), entry_of("forward")]}
    entry = verdict("dp.02", run)
    assert entry["conclusion"] == "ok" and "enters the network" in entry["summary"]


def test_inputs_given_by_hand(verdict):
    run = Run()
    run.facts["inputs"] = {"inputs": [entry_of("train"), entry_of("forward", **RAW)]}
    entry = verdict("dp.02", run)
    assert entry["conclusion"] == "problem" and [one["line"] for one in entry["locations"]] == [10, 9]
    run.facts["inputs"] = {"inputs": [entry_of("train"), entry_of("forward", samples=1, **RAW)]}
    assert verdict("dp.02", run)["conclusion"] == "undecided"
    run.facts["inputs"] = {"inputs": [entry_of("train"), entry_of("forward")]}
    assert verdict("dp.02", run)["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("code", "ends", "conclusion"),
    [
        ("def prep(p):\n    return p / 3.0\n", (-3.0, 2.97), "problem"),
        ("K = 3.0\ndef prep(p):\n    return p / K\n", (-3.0, 2.97), "problem"),
        ("def prep(p):\n    return p / 8.0\n", (-3.0, 2.97), "undecided"),
        ("z = noise * 3.0\n", (-3.0, 2.97), "undecided"),
        ("def prep(p):\n    return p / 3.0\n", (-3.0, 2.0), "undecided"),  # no factor of all
    ],
)
def test_inputs_that_one_number_was_forgotten_of(verdict, code, ends, conclusion):
    run = Run(source={"train.py": code})
    ours, theirs = {"min": -1.0, "max": 0.98, "mean": 0.06, "std": 0.56}, dict(zip(("min", "max"), ends))
    run.facts["inputs"] = {"inputs": [entry_of("train", **ours), entry_of("forward", **theirs, mean=-0.1, std=1.7)]}
    assert verdict("dp.02", run)["conclusion"] == conclusion


@pytest.mark.parametrize(("given", "conclusion"), [("anomalous", "undecided"), ("x_test", "problem")])
def test_samples_of_another_kind(verdict, given, conclusion):
    run = Run(source={"train.py": "\n" * 9 + f"bad = critic(Tensor({given}))\n"})
    run.facts["inputs"] = {"inputs": [entry_of("train"), entry_of("forward", **RAW)]}
    assert verdict("dp.02", run)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("trained", "theirs", "conclusion"),
    [(1, [1.0, -1.0], "problem"), (2, [1.0, -1.0], "undecided"), (2, [60.0, 70.0], "problem")],
)
def test_two_trainings_of_one_class(verdict, trained, theirs, conclusion):
    """A task with many samples and another with few: the inputs of both are counted together."""
    run, each = Run(), {"parameters": 4, "parameter_names": []}
    made = [optimizer(id=n, steps=[1 + 30 * n, 30 + 30 * n], **each) for n in range(trained)]
    run.set("optimizer", made)
    run.set("network", [{**run.facts["network"]["networks"][0], "id": n} for n in range(trained)])
    both = [features([-3.0, -3.0], [3.0, 3.0], mean, [0.3, 0.3]) for mean in ([-1.0, 1.0], theirs)]
    entries = [entry_of("train"), entry_of("forward")]
    for entry, one in zip(entries, both):
        entry["arguments"] = [{"position": 0, **one}]
    run.facts["inputs"] = {"inputs": entries}
    assert verdict("dp.02", run)["conclusion"] == conclusion


@pytest.mark.parametrize(("theirs", "conclusion"), [({}, "problem"), (RAW, "undecided")])
def test_the_part_of_one_rank_beside_the_test_set(tmp_path, theirs, conclusion):
    """Where another rank trains on other inputs, those of the evaluation may be like all of them together."""
    run = Run(run={"rank_size": 2, "parallel": {"mode": "stand_alone"}})
    run.facts["inputs"] = {"inputs": [entry_of("train"), entry_of("forward", **RAW)]}
    home = tmp_path / "run" / "rank_1"
    (home / "facts").mkdir(parents=True)
    (home / "run.json").write_text(json.dumps({**run.run, "rank": 1}), encoding="utf-8")
    (home / "facts" / "inputs.json").write_text(json.dumps({"inputs": [entry_of("train", **theirs)]}), encoding="utf-8")
    assert judge(tmp_path / "run", "dp.02", run)["conclusion"] == conclusion


def test_a_scale_inside_the_forward_function_makes_inputs_incomparable(verdict):
    run = Run()
    run.source["train.py"] += "\n\ndef forward_fn(x, y):\n    return loss(net(x / 255.0), y)\n"
    run.facts["inputs"] = {"inputs": [entry_of("train", level="step", **RAW), entry_of("forward")]}
    assert verdict("dp.02", run)["conclusion"] == "undecided"


HOLDER = """

class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, box):
        return loss(self.net({given}), box)
"""


@pytest.mark.parametrize("given, conclusion", [("x", "problem"), ("x / 255", "undecided"), ("box", "undecided")])
def test_the_network_inside_a_loss_cell_is_the_one_that_is_evaluated(verdict, given, conclusion):
    run = Run()
    run.source["train.py"] += HOLDER.format(given=given)
    cells = [{"path": "", "class": "WithLoss", "builtin": False}, {"path": "net", "class": "Net", "builtin": False}]
    run.set(
        "network", [*run.facts["network"]["networks"], {"id": 1, "class": "WithLoss", "role": "train", "cells": cells}]
    )
    inside = {**entry_of("train", level="step"), "network": "WithLoss"}
    run.facts["inputs"] = {"inputs": [inside, entry_of("forward", **RAW)]}
    assert verdict("dp.02", run)["conclusion"] == conclusion
    if conclusion == "problem":
        run.facts["inputs"] = {"inputs": [inside, entry_of("forward")]}
        assert verdict("dp.02", run)["conclusion"] == "ok"


def test_nothing_evaluated_and_nothing_trained(verdict):
    assert verdict("dp.02", Run())["conclusion"] == "undecided"
    nothing = Run(run={"training_steps": 0}, datasets=[], train_step=[], modes=[], optimizer=[], steps=[])
    assert verdict("dp.02", nothing)["conclusion"] == "not_applicable"


_PREPARED = """def prepare(values):
    scaler = StandardScaler().fit(values)
    return scaler.transform(values), scaler
train_z, scaler = prepare(train)
test_z = {}
"""


@pytest.mark.parametrize(
    ("prepared", "lines"), [("prepare(test)[0]", [5, 4]), ("scaler.transform(test)", None), ("prepare(known)[0]", None)]
)
def test_a_function_that_fits_a_scaler_to_whatever_it_is_given(verdict, prepared, lines):
    near = [features([-2.0, -3.0], [2.0, 3.0], [0.02, -0.01], [1.0, 0.98])]
    sets = [dataset(near), dataset(near, role="eval")]
    entry = verdict("dp.02", Run(datasets=sets, source={"train.py": _PREPARED.format(prepared)}))
    assert entry["conclusion"] == ("problem" if lines else "ok")
    assert not lines or [place["line"] for place in entry["locations"]] == lines


_WINDOWS = """scaler = Scaler().fit(series[:a])
train = Windows(series[:a], scaler)
test = Windows(series[a:], {})
"""


@pytest.mark.parametrize(("of_test", "lines"), [("Scaler().fit(series[a:])", [3, 1]), ("scaler", None)])
def test_parts_of_one_series_with_scalers_of_their_own(verdict, of_test, lines):
    near = [features([-2.0, -3.0], [2.0, 3.0], [0.02, -0.01], [1.0, 0.98])]
    sets = [dataset(near), dataset(near, role="eval")]
    entry = verdict("dp.02", Run(datasets=sets, source={"train.py": _WINDOWS.format(of_test)}))
    assert entry["conclusion"] == ("problem" if lines else "ok")
    assert not lines or [place["line"] for place in entry["locations"]] == lines


_ONE_AFTER = """scaler = Scaler().fit(series)
x = scaler.transform(series)
for batch in batches(x):
    step(batch)
y = {}
"""


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        ("Scaler().fit(recent).transform(recent)", [5, 1]),
        ("Scaler().fit(series).transform(series)", None),
        ("scaler.transform(recent)", None),
        ("Other().fit(recent).transform(recent)", None),
    ],
)
def test_a_scaler_fitted_after_the_training(verdict, after, lines):
    near = [features([-2.0, -3.0], [2.0, 3.0], [0.02, -0.01], [1.0, 0.98])]
    step = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 4}}]
    sets = [dataset(near, pipeline=step), dataset(near, role="eval")]
    entry = verdict("dp.02", Run(datasets=sets, source={"train.py": _ONE_AFTER.format(after)}))
    assert entry["conclusion"] == ("problem" if lines else "ok")
    assert not lines or [place["line"] for place in entry["locations"]] == lines


@pytest.mark.parametrize(
    ("shape", "low", "high", "mean", "std", "conclusion"),
    [
        ([48], -0.37, 3.81, 1.34, 0.89, "undecided"),  # a series that goes up
        ([48], 0.0, 255.0, 107.0, 47.7, "problem"),
        ([1, 8, 8], -0.37, 3.81, 1.34, 0.89, "problem"),  # pictures do not drift
    ],
)
def test_values_that_moved(verdict, shape, low, high, mean, std, conclusion):
    def of(low, high, mean, std, **changes):
        channels = {"min": [low], "max": [high], "mean": [mean], "std": [std]}
        made = column("past", shape=shape, min=low, max=high, mean=mean, std=std, elements=9600, channels=channels)
        return dataset([made], **changes)

    train = of(-2.22, 3.08, 0.007, 0.99)
    assert verdict("dp.02", Run(datasets=[train, of(low, high, mean, std, role="eval")]))["conclusion"] == conclusion


_SCALED_ALIKE = """mean, std = fit.mean(0), fit.std(0)
def scale(a, {parameter}):
    return (a - {mean}) / std
data = ds.GeneratorDataset(Pairs(scale(fit, 1)), ["x"])
for batch in data:
    step(batch)
def score(a):
    a = scale(a, {given})
    return net(Tensor(a))
"""


_PAIRED = """def known(a): return a / 16.0
def other(a): return a / 255.0
xa, xb = {}

data = ds.GeneratorDataset(Pairs(xa), ["x"])
pred = net(Tensor(xb))
"""


@pytest.mark.parametrize(
    ("made", "conclusion"), [("known(xa), other(xb)", "problem"), ("known(xa), known(xb)", "undecided")]
)
def test_two_arrays_that_one_statement_scales(verdict, made, conclusion):
    train = [column("x", shape=[3], min=0.0, max=1.0, mean=0.3, std=0.3)]
    step = [{"op": "GeneratorDataset", "args": {}, "place": {"file": "train.py", "line": 5}}]
    run = Run(datasets=[dataset(train, pipeline=step)], source={"train.py": _PAIRED.format(made)})
    apart = {"shape": [3], "min": 0.0, "max": 0.06, "mean": 0.019, "std": 0.02}
    entries = [entry_of("train", shape=[3], min=0.0, max=1.0, mean=0.3, std=0.3), entry_of("forward", **apart)]
    entries[0]["place"]["line"], entries[1]["place"]["line"] = 5, 6
    run.facts["inputs"] = {"inputs": entries}
    assert verdict("dp.02", run)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("given", "mean", "conclusion"),
    [
        ("1", "mean", "undecided"),  # one function with numbers of its own: the data may differ
        ("2", "mean", "problem"),  # it may do otherwise
        ("1", "a.mean()", "problem"),  # it works the numbers out of what it is given
    ],
)
def test_anomalies_that_went_through_the_function_of_training(verdict, given, mean, conclusion):
    source = _SCALED_ALIKE.format(given=given, mean=mean, parameter="k")
    train = [column("x", shape=[3], min=-3.0, max=3.0, mean=0.0, std=1.0)]
    step = [{"op": "GeneratorDataset", "args": {}, "place": {"file": "train.py", "line": 4}}]
    run = Run(datasets=[dataset(train, pipeline=step)], source={"train.py": source})
    apart = {"shape": [3], "min": -2.0, "max": 40.0, "mean": 6.0, "std": 6.0}
    entries = [entry_of("train", shape=[3], min=-3.0, max=3.0, mean=0.0, std=1.0), entry_of("forward", **apart)]
    entries[0]["place"]["line"], entries[1]["place"]["line"] = 6, 9
    run.facts["inputs"] = {"inputs": entries}
    assert verdict("dp.02", run)["conclusion"] == conclusion


@pytest.mark.parametrize(("high", "std", "conclusion"), [(447.0, 17.4, "ok"), (60.0, 17.4, "problem")])
def test_a_feature_with_single_values_far_out(verdict, high, std, conclusion):
    even = {"min": [-3.0] * 8, "max": [3.0] * 8, "mean": [0.0] * 8, "std": [1.0] * 8, "axis": 1}
    other = {
        name: [*values[:7], {"max": high, "std": std, "mean": 1.1}.get(name, values[7])]
        for name, values in even.items()
        if name != "axis"
    }
    whole = {"shape": [8], "min": -3.0, "max": 3.0, "mean": 0.0, "std": 1.0, "elements": 4000}
    run = Run()
    theirs = {**whole, "max": high, "mean": 0.1, "std": 1.3}
    run.facts["inputs"] = {
        "inputs": [
            entry_of("train", channels=even, **whole),
            entry_of("forward", samples=5000, channels={**other, "axis": 1}, **theirs),
        ]
    }
    assert verdict("dp.02", run)["conclusion"] == conclusion


def table(means, stds):
    lows, highs = [m - 1.8 * s for m, s in zip(means, stds)], [m + 1.8 * s for m, s in zip(means, stds)]
    return features(lows, highs, means, stds, elements=4000)


@pytest.mark.parametrize(
    ("means", "stds", "wrong"),
    [
        ([0.5, 0.49, 0.51, 0.5], [0.29, 0.28, 0.3, 0.29], True),
        ([0.1, -0.05, 0.02, 0.08], [1.8, 0.5, 1.9, 0.55], True),  # two wider and two narrower
        ([0.5, 0.49, 0.51, 0.1], [0.29, 0.28, 0.3, 0.95], False),  # one of them is as in training
        ([0.1, -0.05, 0.02, 0.08], [1.1, 0.9, 1.05, 0.95], False),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_table_that_is_standardised_on_one_side_alone(verdict, means, stds, wrong, turned):
    columns = [table([0.0, 0.02, -0.01, 0.0], [1.0, 0.99, 1.01, 1.0]), table(means, stds)]
    mine, theirs = reversed(columns) if turned else columns
    run = Run()
    run.facts["inputs"] = {
        "inputs": [
            {**entry_of(phase), "arguments": [{"position": 0, **one}]}
            for phase, one in zip(("train", "forward"), (mine, theirs))
        ]
    }
    assert (verdict("dp.02", run)["conclusion"] == "problem") == wrong


@pytest.mark.parametrize(
    ("low", "high", "mean", "std", "conclusion"),
    [
        (0.0, 0.00275, 0.0005, 0.0004, "problem"),  # divided once more on the way to the step
        (0.0, 0.2, 0.05, 0.04, "ok"),  # batches of a set that comes sorted
    ],
)
def test_delivered_data_that_are_like_the_evaluations(verdict, low, high, mean, std, conclusion):
    whole = {"shape": [3, 16, 16], "min": 0.0, "max": 0.7, "mean": 0.13, "std": 0.1}
    run = Run(datasets=[dataset([column("image", **whole)])])
    part = {"shape": [3, 16, 16], "min": low, "max": high, "mean": mean, "std": std}
    run.facts["inputs"] = {"inputs": [entry_of("train", **part), entry_of("forward", **whole)]}
    assert verdict("dp.02", run)["conclusion"] == conclusion
