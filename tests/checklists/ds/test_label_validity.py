"""ds.02 on recorded facts."""

import shutil

import pytest
from building import Run, column, dataset

from msprec.checklists.ds.label_validity.label_validity import _sheet
from msprec.engine import default_thresholds
from msprec.engine.run_data import RunData
from msprec.record.reader import RunFolder

CODES = {"0": 90, "1": 90, "2": 90}


def run(counts=None, loss="CrossEntropyLoss", args="", label=(), outputs=10, contradictions=None, **column_changes):
    counts = CODES if counts is None else counts
    made = dataset(counts=counts, label=label)
    numbers = [float(value) for value in counts] or [0.0]
    made["columns"][1].update({"min": min(numbers), "max": max(numbers), "values": counts, **column_changes})
    made["contradictions"] = contradictions
    found = Run(datasets=[made])
    found.facts["loss"]["losses"][0].update({"class": loss, "args": args})
    found.facts["network"]["networks"][0]["cells"][2]["args"] = f"in_channels=128, out_channels={outputs}"
    return found


def clash(samples=1000, contradicting=20, groups=10, elements=64, distinct=990, again=None):
    return {
        "samples": samples,
        "contradicting": contradicting,
        "groups": groups,
        "elements": elements,
        "distinct": distinct,
        "examples": [{"positions": [3, 90], "labels": [0, 4]}],
        "again": again,
    }


def anew(relabelled, **changes):
    """No contradictions in the first pass; ``relabelled`` of 2000 samples of later ones have other labels there."""
    again = {"samples": 2000, "relabelled": relabelled}
    return run(contradictions=clash(contradicting=0, groups=0, elements=4, again=again, **changes))


@pytest.mark.parametrize(
    "made, says",
    [
        (run({"1": 90, "2": 90, "3": 90}, outputs=3), "Labels 3 (30 of them) lie beyond the 3 classes"),
        (run({"-1": 5, "0": 90, "1": 90}), "Labels -1"),
        (run({"-100": 5, "0": 90, "12": 90}), "Labels 12"),
        (run({"1": 90, "2": 90}, loss="BCEWithLogitsLoss"), "between 0 and 1"),
        (
            run({}, label={"kind": "regression"}, min=-0.3, max=2.7, kind="float", dtype="float32", values=None),
            "real numbers",
        ),
        (run({"4": 270}), "All 270 samples bear the label 4"),
        (run({"4": 270, "5": 0}, label={"kind": "one_hot"}), "bear the label 4"),
        (
            run({}, loss="MSELoss", label={"kind": "regression", "counted_samples": 0}, min=1.5, max=1.5, kind="float"),
            "label 1.5",
        ),
        (run(contradictions=clash()), "under another label"),
        (anew(1800), "of later passes"),
    ],
)
def test_wrong_labels(verdict, made, says):
    entry = verdict("ds.02", made)
    assert entry["conclusion"] == "problem" and says in entry["summary"], entry["summary"]
    assert entry["locations"]


@pytest.mark.parametrize(
    "made",
    [
        run(),
        run({"-100": 5, "0": 90, "1": 90}),
        run({"255": 5, "0": 90, "1": 90}, args="ignore_index=255"),
        run({"0": 90, "1": 90}, loss="BCEWithLogitsLoss"),
        run({}, loss="BCELoss", label={"kind": "regression"}, min=0.0, max=1.0, kind="float"),  # soft targets
        run({}, loss="MSELoss", label={"kind": "regression"}, min=-3.0, max=9.0, kind="float"),
        run({"0": 270}, loss="MSELoss"),  # a column that no loss looks at
        run({"0": 20}),
        run(contradictions=clash(contradicting=4, groups=2)),
        run(contradictions=clash(elements=3)),  # few values: they coincide by chance
        run(contradictions=clash(contradicting=900, distinct=40)),  # labels random by nature
        anew(1800, distinct=40),
        anew(300),  # pseudo-labels that are renewed
        run({"0": 90, "1": 90, "2": 90}, label={"kind": "multi_hot"}),
    ],
)
def test_labels_that_only_a_person_can_judge(verdict, made):
    entry = verdict("ds.02", made)
    assert entry["conclusion"] == "undecided", entry["summary"]


SOFT = {"kind": "regression", "column": "label"}


def soft(rows, one, zero=0, low=0.1, high=1.9, loss="CrossEntropyLoss"):
    sums = {"rows": rows, "one": one, "zero": zero, "min": low, "max": high}
    return run({}, loss=loss, label=SOFT, kind="float", shape=[10], min=0.0, max=1.0, row_sums=sums)


def test_soft_labels_that_do_not_add_up(verdict):
    entry = verdict("ds.02", soft(640, 40))
    assert entry["conclusion"] == "problem" and "200 of 213" in entry["summary"]


@pytest.mark.parametrize(
    "made",
    [
        soft(640, 640, low=1.0, high=1.0),
        soft(640, 600, zero=40, low=0.0, high=1.0),  # rows that the loss leaves out
        soft(640, 12, low=0.0, high=6.0, loss="BCEWithLogitsLoss"),
        soft(640, 12, low=-3.0, high=6.0, loss="MSELoss"),
    ],
)
def test_soft_labels_that_do(verdict, made):
    assert verdict("ds.02", made)["conclusion"] == "undecided"


def hot(counts, rows, zero, loss="CrossEntropyLoss", high=1.0):
    sums = {"rows": rows, "one": rows - zero, "zero": zero, "min": 0.0, "max": high}
    label = {"kind": "multi_hot", "counts": counts}
    return run({}, loss=loss, label=label, kind="float", shape=[4], min=0.0, max=1.0, row_sums=sums)


def test_rows_that_name_no_class_beside_a_column_that_none_uses(verdict):
    entry = verdict("ds.02", hot({"0": 0, "1": 200, "2": 210, "3": 190}, 800, 200))
    assert entry["conclusion"] == "problem" and "column 0 is never one" in entry["summary"]


@pytest.mark.parametrize(
    "made",
    [
        hot({"0": 180, "1": 200, "2": 210, "3": 190}, 980, 200),  # samples that are left out
        hot({"0": 0, "1": 200, "2": 210, "3": 190}, 620, 20),
        hot({"0": 0, "1": 200, "2": 210, "3": 190}, 800, 200, high=2.0),
        hot({"0": 0, "1": 200, "2": 210, "3": 190}, 800, 200, loss="BCEWithLogitsLoss"),
    ],
)
def test_rows_of_zeros_that_may_be_meant(verdict, made):
    assert verdict("ds.02", made)["conclusion"] == "undecided"


@pytest.mark.parametrize(
    ("shape", "low", "high", "conclusion"),
    [
        ([160, 6], -1.0, 3.0, "undecided"),  # boxes padded with -1, of which the loss's targets are made
        ([160, 6], 0.0, 255.0, "problem"),  # a mask of pixels
        ([6], -1.0, 3.0, "problem"),
    ],
)
def test_rows_of_boxes_are_no_targets_of_a_binary_loss(verdict, shape, low, high, conclusion):
    made = run({}, loss="BCEWithLogitsLoss", label=SOFT, kind="float", shape=shape, min=low, max=high)
    assert verdict("ds.02", made)["conclusion"] == conclusion


@pytest.mark.parametrize(("whole", "conclusion"), [(False, "undecided"), (True, "problem")])
def test_amounts_are_no_wrong_labels_of_a_binary_loss(verdict, whole, conclusion):
    """The loss is wrong for them, which cg.04 tells."""
    made = run({}, loss="BCELoss", label=SOFT, kind="float", shape=[64], min=-0.8, max=1.8)
    seen = {"kind": "bce", "name": "BCELoss", "labels": {"min": -0.8, "max": 1.8, "whole": whole, "distinct": 17}}
    made.facts["probes"] = {"losses": [seen], "skipped": {}}
    assert verdict("ds.02", made)["conclusion"] == conclusion


def folders(train, val, operations=None):
    def one(classes, **changes):
        source = {"op": "ImageFolderDataset", "args": {"classes": classes}, "place": {"file": "train.py", "line": 3}}
        mapped = {"op": "map", "args": {"input_columns": ["label"], "operations": operations or ["TypeCast()"]}}
        return dataset(counts=CODES, pipeline=[source, mapped], **changes)

    return Run(datasets=[one(train), one(val, id=1, role="eval")])


def test_folders_that_number_classes_otherwise(verdict):
    train = {"apple": 0, "banana": 1, "cherry": 2}
    entry = verdict("ds.02", folders(train, {"apple": 0, "cherry": 1}))
    assert entry["conclusion"] == "problem" and "cherry: 2 in training, 1 there" in entry["summary"]
    for val in (train, {"apple": 0, "banana": 1}, {"cats": 0, "dogs": 1, "apple": 2}):
        assert verdict("ds.02", folders(train, val))["conclusion"] == "undecided"
    assert verdict("ds.02", folders(train, {"apple": 0, "cherry": 1}, ["renumber"]))["conclusion"] == "undecided"


def test_a_real_number_beside_a_class_is_a_target_of_its_own(verdict):
    made = run({}, label={"kind": "regression"}, min=-0.3, max=2.7, kind="float", dtype="float32", values=None)
    made.facts["datasets"]["datasets"][0]["columns"].append(column("kind", dtype="int32", kind="int", shape=[]))
    assert verdict("ds.02", made)["conclusion"] == "undecided"


def test_several_heads_are_not_judged_by_the_last(verdict):
    made = run({"0": 90, "30": 90}, outputs=5)
    made.facts["datasets"]["datasets"][0]["columns"].append(column("kind", dtype="int32", kind="int", shape=[]))
    assert verdict("ds.02", made)["conclusion"] == "undecided"


@pytest.mark.parametrize(
    "code",
    [
        "loss = ops.cross_entropy(net(x), y, ignore_index=-1)\n",
        "IGNORE = -1\nloss = ops.cross_entropy(net(x), y, ignore_index=IGNORE)\n",
        "class C:\n    def __init__(self):\n        self.none = -1\n        self.f = F(ignore_index=self.none)\n",
    ],
)
def test_labels_that_a_function_leaves_out(verdict, code):
    made = run({"-1": 500, "0": 90, "1": 90}).set("source", {"train.py": code})
    assert verdict("ds.02", made)["conclusion"] == "undecided"
    entry = verdict("ds.03", made)
    assert entry["conclusion"] == "ok" or "-1" not in entry["summary"]


def learned(accuracy, last_loss):
    made = run()
    made.facts["evaluation"] = {
        "evaluations": [{"step": 135, "epoch": 3, "metrics": {"accuracy": accuracy}, "via": "Model.fit"}]
    }
    made.steps = [{**row, "loss": 2.0 if row["step"] < 60 else last_loss} for row in made.steps]
    return made


@pytest.mark.parametrize(
    "accuracy, loss, conclusion",
    [
        (0.99, 0.05, "ok"),
        (99.0, 0.05, "ok"),
        (0.99, 0.7, "undecided"),
        (0.9, 0.02, "undecided"),
        (0.99, "nan", "undecided"),
    ],
)
def test_labels_that_a_network_learned_well(verdict, accuracy, loss, conclusion):
    assert verdict("ds.02", learned(accuracy, loss))["conclusion"] == conclusion


def test_no_labels(verdict):
    assert verdict("ds.02", Run(datasets=[dataset(label=None)]))["conclusion"] == "not_applicable"


def test_the_sheet(verdict):
    made = run()
    made.facts["label_sheet"] = {
        "dataset": 0,
        "samples": [
            {"position": 3, "label": 0, "column": "image", "file": "samples/00_label_0.png"},
            {"position": 5, "label": 1, "column": "x", "values": [0.5, 1.0], "elements": 2},
            {"position": 7, "label": 2, "column": "t", "text": "good"},
        ],
    }
    sheet = next(e for e in verdict("ds.02", made)["evidence"] if "class by class" in e["title"])
    assert sheet["kind"] == "figure" and sheet["figure"] == "label_sheet"
    samples = sheet["data"]["samples"]
    assert [one.get("file") or one["text"] for one in samples] == ["samples/00_label_0.png", "0.5, 1", "good"]
    assert [one["label"] for one in samples] == ["0", "1", "2"]
    # without pictures it is a table
    made.facts["label_sheet"]["samples"] = made.facts["label_sheet"]["samples"][1:]
    sheet = next(e for e in verdict("ds.02", made)["evidence"] if "class by class" in e["title"])
    assert [row[2] for row in sheet["rows"]] == ["0.5, 1", "good"]


def test_the_sheet_of_another_rank_shows_the_files_of_that_rank(tmp_path):
    made = run()
    made.facts["label_sheet"] = {"dataset": 0, "samples": [{"position": 3, "label": 0, "file": "samples/00.png"}]}
    made.write(tmp_path)
    shutil.copytree(tmp_path / "facts", tmp_path / "rank_1" / "facts")
    whole = RunData(RunFolder(tmp_path), default_thresholds())
    seen = [whole.of_rank(rank) for rank in (0, 1)]
    files = [_sheet(one, one.datasets[0]).body["data"]["samples"][0]["file"] for one in seen]
    assert files == ["samples/00.png", "rank_1/samples/00.png"]


def in_loss(low, high, kind="bce"):
    targets = {"dtype": "Float32", "shape": [32, 64], "min": low, "max": high}
    return {"losses": [{"kind": kind, "name": "Loss", "labels": targets, "predicted": targets}], "skipped": {}}


def enters(*shapes):
    arguments = [{"position": n, "name": f"input_{n}", "shape": shape} for n, shape in enumerate(shapes)]
    return {"inputs": [{"phase": "train", "level": "step", "network": "Net", "calls": 9, "arguments": arguments}]}


@pytest.mark.parametrize(
    ("facts", "conclusion"),
    [
        ({"probes": in_loss(0.0, 1.0)}, "undecided"),  # an autoencoder: its targets are the pictures
        ({"probes": in_loss(0.0, 9.0)}, "problem"),
        ({"probes": in_loss(0.0, 1.0, "mse")}, "problem"),  # the binary loss itself was not captured
        ({"inputs": enters([64])}, "undecided"),  # the labels never enter the step
        ({"inputs": enters([64], [])}, "problem"),
        ({"inputs": enters([64], [None])}, "problem"),
    ],
)
def test_labels_that_a_binary_loss_is_not_given(verdict, facts, conclusion):
    made = run({"0": 90, "1": 90, "9": 90}, loss="function binary_cross_entropy")
    made.facts.update(facts)
    assert verdict("ds.02", made)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("index", "label", "says"),
    [
        ("GatherD", "3", "The script ended at label 3, which lies beyond the 3 classes"),
        ("GatherD", "7", None),  # an index that is no label
        ("Gather", "3", None),
    ],
)
def test_a_label_that_the_kernel_refused(verdict, index, label, says):
    made = run({"1": 90, "2": 90, "3": 90}, outputs=30)
    message = f"For '{index}', the value of 'index' must be in [-3, 3), but got: {label}"
    made.run["exit"] = {"kind": "exception", "code": 1, "exception": {"type": "RuntimeError", "message": message}}
    entry = verdict("ds.02", made)
    assert (entry["conclusion"] == "problem") == bool(says)
    assert (says or "") in entry["summary"]


def heads(*outputs, labels=10, before=64, shape=None):
    """A training with parallel heads behind one layer, and 0 to labels-1 as classes."""
    found = run({str(number): 90 for number in range(labels)})
    cells = [
        {
            "path": "neck",
            "class": "Dense",
            "args": f"in_channels=128, out_channels={before}",
            "parameters": ["neck.weight"],
        }
    ]
    cells += [
        {
            "path": f"head{i}",
            "class": "Dense",
            "args": f"in_channels=64, out_channels={n}",
            "parameters": [f"head{i}.weight"],
        }
        for i, n in enumerate(outputs)
    ]
    found.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells}])
    if shape is not None:
        seen = {
            "kind": "softmax_cross_entropy",
            "predicted": {"shape": shape},
            "labels": {"shape": shape[:1], "min": 0, "max": shape[1] - 1},
        }
        found.facts["probes"] = {"losses": [seen, {"kind": "smooth_l1", "predicted": {"shape": [32, 4]}}]}
    return found


def test_the_last_of_several_heads_is_not_that_of_the_classes(verdict):
    beside = heads(10, 4)
    assert verdict("ds.02", beside)["conclusion"] != "problem"
    assert verdict("ds.03", heads(3, 4, labels=3))["conclusion"] == "ok"
    assert verdict("ds.02", heads(4))["conclusion"] == "problem"  # one head of four outputs for ten classes
    assert verdict("ds.02", heads(10, 4, shape=[32, 10]))["conclusion"] != "problem"
    assert verdict("ds.02", heads(8, 4, shape=[32, 8]))["conclusion"] == "undecided"  # the loss took them, counted anew
    entry = verdict("ds.03", heads(6, 4, labels=5, shape=[32, 6]))
    assert entry["conclusion"] == "problem" and "class 5" in entry["summary"]


def contradicted(**changes):
    """A network that contradicts 40 of 500 labels, its surest predictions as often as the others."""
    seen = {"samples": 500, "classes": 3, "suspects": 40, "accuracy": 0.9, "majority": 0.34}
    made = run()
    made.facts["probes"] = {
        "labels": {**seen, "surest": 250, "surest_wrong": 22, "saturated": 0.2, "examples": [], **changes}
    }
    return made


def test_a_network_that_learned_the_rest_contradicts_labels(verdict):
    entry = verdict("ds.02", contradicted())
    assert entry["conclusion"] == "problem" and "40 of 500" in entry["summary"]


@pytest.mark.parametrize(
    "changes",
    [
        {"accuracy": 0.55, "surest_wrong": 100},  # little better than the most frequent label
        {"surest_wrong": 4},  # it is wrong where it is unsure
        {"accuracy": 0.7, "surest_wrong": 20},  # the classes overlap
        {"saturated": 0.97},  # every probability is 1
        {"surest_wrong": None},  # recorded before this was asked
        {"majority": None},
        {"suspects": 12},
    ],
)
def test_a_network_that_may_be_wrong_itself_leaves_it_open(verdict, changes):
    assert verdict("ds.02", contradicted(**changes))["conclusion"] == "undecided"


@pytest.mark.parametrize(
    ("score", "changes", "conclusion"),
    [
        (0.93, {}, "problem"),  # right for others, contradicted by every fourth label that it is surest of
        (0.7, {}, "undecided"),  # as wrong on the validation data
        (0.93, {"surest_wrong": 20}, "undecided"),  # dropout makes the unsure ones wrong
        (0.4, {"accuracy": 0.25, "surest_wrong": 250}, "undecided"),  # it knows the class that came last
    ],
)
def test_labels_that_a_network_contradicts_in_training_only(verdict, score, changes, conclusion):
    noisy = {"suspects": 0, "accuracy": 0.64, "majority": 0.13, "surest_wrong": 68}
    made = contradicted(**{**noisy, **changes})
    made.facts["evaluation"] = {
        "evaluations": [{"step": 135, "epoch": 3, "metrics": {"accuracy": score}, "via": "Model.fit"}]
    }
    assert verdict("ds.02", made)["conclusion"] == conclusion


CUT = {"-2": 20, "-1": 60, "0": 130, "1": 62, "2": 22}


@pytest.mark.parametrize(
    ("code", "changes", "conclusion"),
    [
        ("y = scaler.transform(y).astype(np.int32)\n", {}, "problem"),
        ("y = np.asarray(y, dtype=np.int64)\n", {}, "problem"),
        ("y = scaler.transform(y).astype(np.float32)\n", {}, "undecided"),  # ratings about a middle
        ("y = y.astype(np.int32)\n", {"mean": 1.2}, "undecided"),
        ("y = y.astype(np.int32)\n", {"std": 9.0}, "undecided"),
        ("y = y.astype(np.int32)\n", {"values": {"-1": 50, "0": 100, "1": 50}}, "undecided"),  # signs
    ],
)
def test_standardised_targets_that_a_cast_cut(verdict, code, changes, conclusion):
    held = {
        "kind": "float",
        "dtype": "float32",
        "min": -2.0,
        "max": 2.0,
        "mean": 0.02,
        "std": 0.9,
        "values": CUT,
        **changes,
    }
    made = run(CUT, loss="MSELoss", label=SOFT, **held)
    made.source["train.py"] += code
    targets = {"min": -2.0, "max": 2.0, "input": 1, "inputs": 2, "whole": True, "shape": [32]}
    targets.update(factor=1.0, offset=0.0, input_dtype="float32", elements=32)
    one = {"name": "MSELoss", "kind": "mse", "targets": targets, "value": 1.0, "shape": []}
    made.facts["probes"] = {"losses": [one], "skipped": {}}
    entry = verdict("ds.02", made)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "undecided" or "cut off" in entry["summary"]
