"""Contradictions and the sheet of samples, from delivered batches."""

import numpy as np
import pytest

from msprec.observe.data.column_statistics import ColumnStatistics
from msprec.observe.data.conflicting_labels import Contradictions
from msprec.observe.data.datasets import DatasetRecord
from msprec.observe.data.label_columns import label_facts
from msprec.observe.data.label_samples import LabelSheet
from msprec.observe.data.sample_order import PassOrder


def test_identical_inputs_with_other_labels():
    rng = np.random.default_rng(0)
    pictures = rng.random((60, 1, 28, 28)).astype(np.float32)
    labels = rng.integers(0, 10, 60)
    pictures[50], labels[50] = pictures[7], (labels[7] + 1) % 10
    pictures[51], labels[51] = pictures[8], labels[8]
    seen = Contradictions()
    for start in range(0, 60, 20):
        part = slice(start, start + 20)
        seen.add({"image": pictures[part], "label": labels[part]}, "label", labels[part])
    facts = seen.facts()
    assert (facts["groups"], facts["contradicting"], facts["distinct"], facts["elements"]) == (1, 2, 58, 784)
    assert facts["examples"][0]["positions"] == [7, 50]


@pytest.mark.parametrize("apart", [False, True])
def test_labels_that_change_from_pass_to_pass(apart):
    rng = np.random.default_rng(1)
    record = DatasetRecord(0, [], [], None)
    one = record.begin_pass(record.begin_iterator())
    pictures, labels = rng.random((40, 4, 4)), (np.arange(40) % 10).astype(np.int32)
    for number in range(3):
        order = rng.permutation(40)
        given = labels[(order + number) % 40 if apart else order]
        for start in (0, 16):  # the last eight of each pass are dropped
            part = slice(start, start + 16)
            one = record.add({"x": pictures[order[part]], "y": given[part]}, one, True)
    again = record.facts("CrossEntropyLoss")["contradictions"]["again"]
    assert len(record.passes) == 3 and again["samples"] >= 40
    assert again["relabelled"] == (again["samples"] if apart else 0)


def test_one_differing_value_makes_another_sample():
    rows = np.zeros((3, 5001), np.int16)
    rows[1, 5000], rows[2, 17] = 1, 1
    seen = Contradictions()
    seen.add({"x": rows, "text": np.array(["a", "b", "c"]), "y": np.arange(3)}, "y", np.arange(3))
    assert seen.facts()["distinct"] == 3 and seen.facts()["groups"] == 0


def test_of_several_targets_the_class_goes_with_a_cross_entropy():
    columns = []
    for name, values in (
        ("x", np.random.default_rng(0).random((40, 3))),
        ("kind", np.arange(40) % 3),
        ("size", np.linspace(0, 1, 40)),
    ):
        one = ColumnStatistics(name)
        one.add(values, True, 0)
        columns.append(one.facts())
    assert label_facts(columns, [], "function cross_entropy")["column"] == "kind"
    assert label_facts(columns, [], "function cross_entropy")["guess"] is True
    assert label_facts(columns, [], "MSELoss")["column"] == "size"


def test_tags_are_counted_over_one_pass():
    tags = np.zeros((60, 3))
    tags[:30, 0] = tags[::2, 1] = tags[:2, 2] = 1
    one, passes = ColumnStatistics("tags"), []
    for number in (1, 2):
        one.add(tags, True, 0)
        passes.append(PassOrder(1, number))
        passes[-1].add(np.arange(60, dtype=np.uint64), None)
        passes[-1].complete = True
    facts = label_facts([{**one.facts(), "name": "x"}, one.facts()], passes, "BCEWithLogitsLoss")
    assert facts["kind"] == "multi_hot" and facts["counts"] == {"0": 30, "1": 30, "2": 2}
    assert facts["complete_pass"] and facts["counted_samples"] == 60


def test_nothing_but_labels():
    seen = Contradictions()
    seen.add({"y": np.arange(3)}, "y", np.arange(3))
    assert seen.facts() is None


def test_the_sheet_draws_class_by_class(tmp_path):
    rng = np.random.default_rng(1)
    sheet = LabelSheet()
    for start in range(0, 400, 40):
        labels = np.sort(rng.integers(0, 8, 40))
        sheet.add({"image": rng.random((40, 3, 9, 9)), "label": labels}, "label", labels, start)
    rows = sheet.write(tmp_path / "samples")
    assert len(rows) == 48 and {row["label"] for row in rows} == set(range(8))
    assert (tmp_path / rows[0]["file"]).is_file() and len(list((tmp_path / "samples").iterdir())) == 48


def test_many_labels_and_other_kinds(tmp_path):
    sheet = LabelSheet()
    labels = np.arange(100)
    sheet.add({"text": np.array([f"line {n}" for n in labels]), "label": labels}, "label", labels, 0)
    rows = sheet.write(tmp_path / "samples")
    assert len(rows) == 20 and rows[3]["text"] == "line 3" and not (tmp_path / "samples").exists()
    numbers = LabelSheet()
    numbers.add({"x": np.eye(4, 12), "y": np.zeros(4)}, "y", np.zeros(4, int), 0)
    assert numbers.write(tmp_path)[1]["values"][1] == 1.0


@pytest.mark.parametrize(
    "names, loss, label",
    [
        (("view1", "view2"), "MSELoss", None),  # BYOL and its kin
        (("a", "b"), "CrossEntropyLoss", None),  # of similarities
        (("x1", "x2"), "", None),
        (("anchor", "positive", "negative"), "", None),
        (("first", "other", "third"), "", None),
        (("noisy", "clean"), "MSELoss", "clean"),
        (("noisy", "clean"), "", "clean"),
        (("x1", "x2"), "function mse_loss", "x2"),
        (("before", "after"), "BCEWithLogitsLoss", "after"),
        (("a", "target"), "CrossEntropyLoss", "target"),
    ],
)
def test_views_of_one_sample_are_no_labels(names, loss, label):
    columns = []
    for name in names:
        one = ColumnStatistics(name)
        one.add(np.random.default_rng(0).normal(size=(40, 16)).astype(np.float32), True, 0)
        columns.append(one.facts())
    facts = label_facts(columns, [], loss)
    assert (facts and facts["column"]) == label


def test_a_distribution_as_wide_as_the_input_is_a_label():
    columns = []
    for name in ("scores", "soft"):
        one = ColumnStatistics(name)
        one.add(np.random.default_rng(0).dirichlet(np.ones(10), 40).astype(np.float32), True, 0)
        columns.append(one.facts())
    assert label_facts(columns, [], "CrossEntropyLoss")["column"] == "soft"


def recorded(**columns):
    record = DatasetRecord(0, [], [], None)
    one = record.begin_pass(record.begin_iterator())
    record.add(columns, one, True)
    one.complete = True
    return record, one


def test_a_weight_after_the_label_is_no_label():
    y, w = np.arange(60, dtype=np.int32) % 3, (np.arange(60) < 30).astype(np.float32)
    x = np.random.default_rng(0).random((60, 4)).astype(np.float32)
    for named in ({"x": x, "y": y, "w": w}, {"x": x, "kind": y, "w": w}):
        record, one = recorded(**named)
        columns = [column.facts() for column in record.columns.values()]
        facts = label_facts(columns, [one], "CrossEntropyLoss", record.label_column)
        wanted = {"0": 20, "1": 20, "2": 20} if "y" in named else {"0": 30, "1": 30}
        assert facts["counts"] == wanted and facts["column"] == ("y" if "y" in named else "w")
    # the passes hold another column than the one that the loss takes
    assert label_facts(columns[:2], [one], "CrossEntropyLoss", "w")["counts"] == {"0": 20, "1": 20, "2": 20}
