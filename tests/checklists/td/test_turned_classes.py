"""td.05: pictures turned at random whose class the turning changes."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.received_batches.turned_classes import at_random, turned_classes
from msprec.checklists.td.received_batches.turned_targets import TURNS

FLIP = "def augment(im):\n    return np.flip(im) if rng.rand() < 0.5 else im\n"


@pytest.mark.parametrize(
    ("code", "alike", "agreement", "end", "found"),
    [
        (FLIP, [["0", "2"], ["1", "3"]], 0.5, 0.7, True),
        (
            FLIP,
            [["0", "2"], ["1", "3"]],
            0.5,
            0.5,
            False,
        ),  # neighbours do not tell them apart, and the network does in part
        (FLIP, [], 0.26, 1.386, True),  # neighbours tell nothing, and nothing was learnt
        (FLIP, [], 0.26, 0.7, False),
        (FLIP, [], 0.9, 0.7, False),
        (FLIP, [["0", "2"]], 0.5, 0.35, True),
        (FLIP, [["0", "2"]], 0.5, 0.05, False),
        ("x = load()\n", [["0", "2"]], 0.5, 0.7, False),
    ],
)
def test_what_turns_and_what_it_changes(tmp_path, code, alike, agreement, end, found):
    rows = [
        {"step": n, "epoch": 1 + n // 46, "loss": max(end, 1.4 - n / 40), "lr": 0.1, "batch": 32} for n in range(1, 206)
    ]
    counts = {str(n): 300 for n in range(4)}
    run = Run(steps=rows, source={"train.py": code}, datasets=[dataset([column(shape=[16, 16])], counts=counts)])
    control = {
        "samples": 1200,
        "agreement": agreement,
        "shuffled": 0.25,
        "spread": 0.01,
        "shifted": 0.0,
        "alike": alike,
    }
    run.facts["probes"] = {"label_control": control, "skipped": {}}
    seen = turned_classes(run_data(tmp_path, run))
    assert (seen is not None) == found
    if found:
        assert seen.locations[0]["line"] == 2


@pytest.mark.parametrize(("alike", "found"), [([["0", "2"]], True), ([], False)])
def test_classes_that_the_network_cannot_tell_apart(tmp_path, alike, found):
    rows = [{"step": n, "epoch": 1, "loss": max(0.7, 1.4 - n / 40), "lr": 0.1, "batch": 32} for n in range(1, 206)]
    images = dataset([column(shape=[16, 16])], counts={str(n): 300 for n in range(4)})
    run = Run(steps=rows, source={"train.py": FLIP}, datasets=[images])
    control = {"samples": 1200, "agreement": 0.5, "shuffled": 0.25, "spread": 0.01, "shifted": 0.0, "alike": []}
    run.facts["probes"] = {"label_control": control, "labels": {"alike": alike}, "skipped": {}}
    assert (turned_classes(run_data(tmp_path, run)) is not None) is found


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("def draw(d):\n    return a[::-1] if d == 'up' else a\n\nif rng.random() < 0.5:\n    a = a[:, ::-1]\n", [5]),
        (FLIP, [2]),
        ("a = a[:, ::-1]\n", [1]),  # under which condition is not known
    ],
)
def test_lines_that_turn_at_random(tmp_path, code, lines):
    data = run_data(tmp_path, Run(source={"train.py": code}))
    assert [one.line for one in at_random(data, data.find_lines(TURNS, 9))] == lines
