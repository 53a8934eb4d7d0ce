"""td.05: labels that have nothing to do with the inputs."""

import pytest
from building import Run, column, dataset

from msprec.engine import conclude

CONTROL = {"samples": 1000, "agreement": 0.11, "shuffled": 0.1, "spread": 0.01, "shifted": 0.0}


@pytest.mark.parametrize(
    ("end", "accuracy", "agreement", "conclusion"),
    [
        (1.4, 0.1, 0.11, "problem"),  # by heart: what was learnt is no better than a constant on validation
        (1.4, 0.1, 0.5, "ok"),
        (1.4, 0.6, 0.11, "ok"),
        (2.3, 0.1, 0.11, "undecided"),  # nothing was learnt, and it may have another cause
    ],
)
def test_learnt_by_heart(tmp_path, end, accuracy, agreement, conclusion):
    scores = [{"step": 135, "epoch": 3, "metrics": {"acc": accuracy}, "samples": 300, "via": "Model.eval"}]
    rows = [
        {"step": n, "epoch": 1 + n // 46, "loss": max(end, 2.3 - n / 40), "lr": 0.1, "batch": 32} for n in range(1, 136)
    ]
    run = Run(steps=rows, evaluation=scores)
    received = {"batches": 16, "columns": [], "same": 16}
    run.facts["probes"] = {"label_control": {**CONTROL, "agreement": agreement}, "received": received, "skipped": {}}
    beyond = conclude(run.write(tmp_path), "en")["beyond"]
    entry = next(one for one in beyond if one["id"] == "td.05")
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("agreement", "end", "conclusion"), [(0.11, 2.2, "problem"), (0.5, 2.2, "ok"), (0.11, 0.1, "ok")]
)
def test_an_order_of_one_array_alone(tmp_path, agreement, end, conclusion):
    rows = [{"step": n, "epoch": 1, "loss": max(end, 2.3 - n / 40), "lr": 0.1, "batch": 32} for n in range(1, 136)]
    run = Run(
        steps=rows,
        source={"train.py": "X, y = load()\nX = X[rng.permutation(len(X))]\nd = NumpySlicesDataset((X, y))\n"},
    )
    received = {"batches": 16, "columns": [], "same": 16}
    run.facts["probes"] = {"label_control": {**CONTROL, "agreement": agreement}, "received": received, "skipped": {}}
    beyond = conclude(run.write(tmp_path), "en")["beyond"]
    entry = next(one for one in beyond if one["id"] == "td.05")
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "ok" or entry["locations"][0]["line"] == 2


@pytest.mark.parametrize(
    ("made", "agreement", "conclusion"),
    [
        ("y = np.tile(np.arange(10), 144)", 0.11, "problem"),
        ("labels = np.arange(len(x)) % 10", 0.11, "problem"),
        ("classes = np.array([i % len(KINDS) for i in range(total)], np.int32)", 0.11, "problem"),
        ("classes = np.array([i // 144 for i in range(total)], np.int32)", 0.11, "undecided"),
        ("y = np.tile(np.arange(10), 144)", 0.9, "ok"),
        ("train_y, test_y = rng.permutation(y[perm[:cut]]), y[perm[cut:]]", 0.11, "problem"),
        ("order = rng.permutation(len(y))", 0.11, "undecided"),
        ("hours = np.arange(len(x)) % 24", 0.11, "undecided"),
    ],
)
def test_labels_that_go_through_the_classes_in_turn(tmp_path, made, agreement, conclusion):
    rows = [{"step": n, "epoch": 1 + n // 46, "loss": 2.31, "lr": 0.1, "batch": 32} for n in range(1, 206)]
    run = Run(steps=rows, source={"train.py": f"x = signals()\n{made}\n"})
    received = {"batches": 16, "columns": [], "same": 16}
    run.facts["probes"] = {"label_control": {**CONTROL, "agreement": agreement}, "received": received, "skipped": {}}
    beyond = conclude(run.write(tmp_path), "en")["beyond"]
    entry = next(one for one in beyond if one["id"] == "td.05")
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion != "problem" or entry["locations"][0]["line"] == 2


@pytest.mark.parametrize(("explained", "conclusion"), [(-0.02, "undecided"), (0.4, "ok")])
def test_targets_of_a_regression_that_learnt_nothing(tmp_path, explained, conclusion):
    rows = [
        {"step": n, "epoch": 1 + n // 46, "loss": 1.0 + 0.01 * (n % 3), "lr": 0.1, "batch": 32} for n in range(1, 206)
    ]
    targets = dataset(columns=[column("x"), column("y", shape=[1], min=-3.0, max=3.0, mean=0.0, std=1.0)])
    targets["label"] = {"column": "y", "kind": "continuous"}
    loss = {"kind": "mse", "targets": {"input": 1}, "place": None}
    run = Run(steps=rows, datasets=[targets])
    received = {"batches": 16, "columns": [], "same": 16}
    control = {"samples": 1000, "explained": explained, "by": "linear"}
    run.facts["probes"] = {"losses": [loss], "target_control": control, "received": received, "skipped": {}}
    beyond = conclude(run.write(tmp_path), "en")["beyond"]
    entry = next(one for one in beyond if one["id"] == "td.05")
    assert entry["conclusion"] == conclusion, entry["summary"]
