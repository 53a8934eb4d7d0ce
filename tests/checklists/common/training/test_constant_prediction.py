"""The loss of the best constant prediction, beside formulas worked out by hand, and what it makes of a training."""

import math

import numpy as np
import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.common.training.constant_prediction import constant_loss, learning_outcome

PLACE = {"file": "train.py", "line": 6}


def read(folder, run):
    return run_data(folder, run)


def lost(name, args=""):
    return [{"class": name, "builtin": True, "args": args, "place": PLACE}]


def target(**changes):
    """A column ``label`` of real numbers."""
    base = {"kind": "float", "dtype": "float32", "shape": [], "channels": None, "histogram": None, "values": None}
    return {**column("label"), **base, **changes}


def regression(found, **label):
    data = dataset()
    data["columns"] = [column(), found]
    data["label"] = {**data["label"], "kind": "regression", "counts": None, **label}
    return [data]


def test_cross_entropy_is_the_entropy_of_the_classes(tmp_path):
    constant = constant_loss(read(tmp_path, Run(datasets=[dataset(counts={"0": 300, "1": 100})])))
    assert constant.value == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    assert constant.majority == 0.75


def test_a_class_left_out_of_the_loss_does_not_count(tmp_path):
    run = Run(
        datasets=[dataset(counts={"-1": 900, "0": 50, "1": 50})], loss=lost("CrossEntropyLoss", "ignore_index=-1")
    )
    assert constant_loss(read(tmp_path, run)).value == pytest.approx(math.log(2))


def test_label_smoothing(tmp_path):
    run = Run(datasets=[dataset(counts={"0": 90, "1": 10})], loss=lost("CrossEntropyLoss", "label_smoothing=0.2"))
    p = 0.8 * 0.9 + 0.1
    assert constant_loss(read(tmp_path, run)).value == pytest.approx(-p * math.log(p) - (1 - p) * math.log(1 - p))


def test_binary_cross_entropy_and_tags_by_output(tmp_path):
    one = target(kind="float", min=0, max=1, mean=0.1, std=0.3)
    value = constant_loss(read(tmp_path, Run(datasets=regression(one), loss=lost("BCEWithLogitsLoss")))).value
    assert value == pytest.approx(-0.1 * math.log(0.1) - 0.9 * math.log(0.9))
    channels = {"axis": 1, "mean": [0.5, 0.0], "std": [0.5, 0.0], "min": [0, 0], "max": [1, 0]}
    tags = target(min=0, max=1, mean=0.25, std=0.4, shape=[2], channels=channels)
    value = constant_loss(read(tmp_path, Run(datasets=regression(tags), loss=lost("BCELoss")))).value
    assert value == pytest.approx(math.log(2) / 2)


def test_variance_of_each_output_and_of_a_sum(tmp_path):
    channels = {"axis": 1, "mean": [0, 100], "std": [1.0, 3.0], "min": [-3, 90], "max": [3, 110]}
    two = target(min=-3, max=110, mean=50, std=50.0, shape=[2], channels=channels)
    run = Run(datasets=regression(two), loss=lost("MSELoss"))
    assert constant_loss(read(tmp_path, run)).value == pytest.approx(5.0)
    run.set("loss", lost("MSELoss", "reduction='sum'"))
    assert constant_loss(read(tmp_path, run)).value == pytest.approx(5.0 * 2 * 32)
    run.set("loss", lost("RMSELoss"))
    assert constant_loss(read(tmp_path, run)).value == pytest.approx(math.sqrt(5.0))


def test_absolute_error_about_the_median_from_counts_and_from_bins(tmp_path):
    counted = target(min=0, max=10, mean=3, std=4, values={"0": 2, "1": 2, "10": 1})
    run = Run(datasets=regression(counted), loss=lost("L1Loss"))
    assert constant_loss(read(tmp_path, run)).value == pytest.approx((2 * 1 + 9) / 5)
    rng = np.random.default_rng(0)
    counts, edges = np.histogram(rng.normal(size=20000), 64)
    binned = target(min=-4, max=4, mean=0, std=1, histogram={"edges": edges.tolist(), "counts": counts.tolist()})
    run = Run(datasets=regression(binned), loss=lost("L1Loss"))
    assert constant_loss(read(tmp_path, run)).value == pytest.approx(math.sqrt(2 / math.pi), rel=0.02)


@pytest.mark.parametrize(
    ("name", "args", "scale"), [("HuberLoss", "delta=2.0", 1.0), ("SmoothL1Loss", "beta=2.0", 2.0)]
)
def test_huber_is_searched(tmp_path, name, args, scale):
    values = {"0": 3, "1": 1, "20": 1}
    found = target(min=0, max=20, mean=4.2, std=8, values=values)
    got = constant_loss(read(tmp_path, Run(datasets=regression(found), loss=lost(name, args)))).value

    def huber(away):
        return 0.5 * away**2 if away <= 2 else 2 * (away - 1)

    least = min(sum(n * huber(abs(float(v) - c)) for v, n in values.items()) / 5 for c in np.linspace(0, 20, 20001))
    assert got == pytest.approx(least / scale, rel=1e-4)


@pytest.mark.parametrize(
    "run",
    [
        Run(loss=[{"class": "MyLoss", "builtin": False, "args": "", "place": PLACE}]),
        Run(loss=[*lost("CrossEntropyLoss"), *lost("MSELoss")]),
        Run(loss=lost("CrossEntropyLoss", "reduction='none'")),
        Run(datasets=[dataset(label=None)]),
        Run(source={"train.py": "loss = nn.CrossEntropyLoss(weight=w)\n"}),
        Run(datasets=[dataset(counts={"0": 50, "1": 50}), dataset(counts={"0": 99, "1": 1})]),
        Run(
            source={"train.py": "def forward(x, y):\n    return loss_fn(net(x), y) + 0.1 * penalty(net)\n"},
            train_step=[{"style": "functional", "count": 135}],
        ),
        Run(
            source={
                "train.py": "ce = nn.CrossEntropyLoss()\ndef forward(x, y):\n    return ce(net(x), y) - extra(x)\n"
            },
            train_step=[{"style": "cell", "count": 135}],
        ),
    ],
)
def test_cannot_tell(tmp_path, run):
    data = read(tmp_path, run)
    assert constant_loss(data) is None
    assert learning_outcome(data).verdict == "unknown"


def test_losses_added_up_to_be_printed_change_nothing(tmp_path):
    code = "def run():\n    for x, y in data:\n        total += loss_fn(net(x), y) / n\n"
    run = Run(source={"train.py": code}, train_step=[{"style": "functional", "count": 135}])
    assert constant_loss(read(tmp_path, run)) is not None


@pytest.mark.parametrize(
    ("losses", "verdict"),
    [
        (lambda n: 2.3026 + 0.02 * (-1) ** n, "nothing"),
        (lambda n: 2.6 - 0.3 * n / 135, "nothing"),  # it falls, down to the constant's level
        (lambda n: 2.3 - 0.15 * n / 135, "hardly"),
        (lambda n: 2.3 * math.exp(-n / 40), "learnt"),
        (lambda n: 0.05, "learnt"),  # weights that are good from the start
        (lambda n: 2.3 * 1.05**n, "diverged"),
        (lambda n: 2.3 if n < 20 else math.nan, "diverged"),
        (lambda n: 2.4 + 1.5 * math.sin(n), "nothing"),
    ],
)
def test_outcome(tmp_path, losses, verdict):
    run = Run(steps=[{"step": n, "loss": losses(n), "lr": 0.1, "batch": 32} for n in range(1, 136)])
    assert learning_outcome(read(tmp_path, run)).verdict == verdict


def test_few_steps_tell_nothing(tmp_path):
    run = Run(steps=[{"step": n, "loss": 2.3, "lr": 0.1, "batch": 32} for n in range(1, 13)])
    assert learning_outcome(read(tmp_path, run)).verdict == "unknown"


def test_right_answers_outdo_a_loss_raised_by_dropout(tmp_path):
    run = Run(
        steps=[{"step": n, "loss": 2.3, "lr": 0.1, "batch": 32} for n in range(1, 136)],
        evaluation=[{"step": 135, "epoch": 3, "metrics": {"acc": 0.6}, "samples": 300, "via": "Model.eval"}],
    )
    assert learning_outcome(read(tmp_path, run)).verdict == "learnt"


@pytest.mark.parametrize(
    ("styles", "known"), [(["model"], True), (["cell", "model"], True), (["model", "cell"], False)]
)
def test_a_loss_that_was_declared_may_be_that_of_an_earlier_training(tmp_path, styles, known):
    run = Run(train_step=[{"style": style, "count": 50} for style in styles], loss=lost("CrossEntropyLoss"))
    assert (constant_loss(read(tmp_path, run)) is not None) == known


@pytest.mark.parametrize(("why", "known"), [("several", False), ("labels", False), ("unseen", True)])
def test_a_step_that_writes_its_loss_out_has_not_the_one_that_is_declared(tmp_path, why, known):
    run = Run(loss=lost("CrossEntropyLoss"))
    run.facts["probes"] = {"written_loss": {"why": why, "purpose": False, "place": PLACE}, "skipped": {}}
    assert (constant_loss(read(tmp_path, run)) is not None) == known


@pytest.mark.parametrize(
    ("kind", "weights", "value"),
    [
        ("softmax_cross_entropy", [1.0, 9.0], math.log(2)),  # 900 and 100 samples weigh the same
        ("softmax_cross_entropy", [1.0, 1.0], 0.325),
        ("bce_with_logits", [1.0, 9.0], 1.8 * math.log(2)),  # the mean is over the samples, not over their weights
        ("softmax_cross_entropy", [1.0, None], None),
        ("mse", [1.0, 9.0], None),
    ],
)
def test_weights_of_classes_that_were_seen(tmp_path, kind, weights, value):
    run = Run(datasets=[dataset(counts={"0": 900, "1": 100})])
    loss = {"kind": kind, "settings": {"reduction": "mean"}, "weights": weights, "predicted": {"shape": [32, 2]}}
    run.facts["probes"] = {"losses": [loss], "own_losses": [], "broadcasts": [], "skipped": {}}
    found = constant_loss(run_data(tmp_path, run))
    assert (found and found.value) == (value and pytest.approx(value, abs=1e-3))
