"""ds.03 where each sample carries a class for each of its pixels."""

import pytest
from building import Run, dataset


def pixels(counts, loss="", **changes):
    made = dataset(label={"kind": "sequence", "counts": None})
    made["columns"][-1].update(
        {"shape": [16, 16], "min": 0, "max": 2, "values": None, "element_values": counts, **changes}
    )
    found = Run(datasets=[made])
    found.source["train.py"] += loss
    return found


@pytest.mark.parametrize(
    ("counts", "conclusion"),
    [
        ({"0": 900, "1": 300, "2": 200}, "ok"),
        ({"0": 9000, "1": 300, "2": 20}, "problem"),
        ({"0": 9000, "1": 300, "2": 200}, "undecided"),  # as backgrounds do
        ({"0": 30000, "1": 300, "2": 200}, "problem"),  # the background prevails, and nothing makes up for it
        ({"0": 900, "1": 300, "2": 200, "255": 5}, "ok"),  # places without a class
        ({"0": 900, "255": 5}, "undecided"),  # no numbers of classes
        ({"0": 900, "1": 800, "-100": 5}, "ok"),
        ({}, "undecided"),
    ],
)
def test_pixels_are_counted(verdict, counts, conclusion):
    entry = verdict("ds.03", pixels(counts))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_tags_of_words_stay_open(verdict):
    assert verdict("ds.03", pixels({"0": 900, "1": 300}, shape=[16]))["conclusion"] == "undecided"


def test_a_loss_that_goes_by_class_makes_up_for_the_background(verdict):
    line = "\ndef forward_fn(x, y):\n    return dice_loss(net(x), y)\n"
    assert verdict("ds.03", pixels({"0": 9000, "1": 300, "2": 200}, line))["conclusion"] == "ok"
    assert verdict("ds.03", pixels({"0": 9000, "1": 300, "2": 20}, line))["conclusion"] == "problem"
