"""A label that is only guessed: what the loss and the network were given decides (ds.02, ds.03, dp.03)."""

import pytest
from building import Run, column, dataset, one_pass

COUNTS = {"4": 70, "5": 70, "6": 7}
SORTED = {"label_changes": 2, "expected_changes": 80.0, "label_segment_dependence": 0.95}


def argument(low, high, shape=()):
    return {"position": 0, "name": "a", "dtype": "Int32", "shape": list(shape), "min": low, "max": high}


def guessed(*arguments, guess=True, columns=3):
    """Features, tags and a last column of whole numbers, which are unbalanced and in order."""
    tags = column("tags", shape=[6], kind="int", dtype="int32", min=0, max=30)
    first = [column("x", shape=[12], min=-2.0, max=2.0)] + [tags] * (columns - 2)
    made = dataset(first, counts=COUNTS, passes=[one_pass(1, **SORTED), one_pass(2, **SORTED)])
    made["columns"][-1].update({"name": "last", "min": 4, "max": 6, "values": COUNTS})
    made["label"].update({"column": "last", "guess": guess})
    run = Run(datasets=[made])
    if arguments:
        call = {"phase": "train", "via": "call", "level": "network", "network": "Net", "arguments": list(arguments)}
        run.facts["inputs"] = {"inputs": [call]}
    return run


X, LAST = argument(-1.9, 1.9, [12]), argument(4, 6)


@pytest.mark.parametrize("item", ["ds.03", "dp.03"])
@pytest.mark.parametrize(
    "run, is_problem",
    [
        (guessed(guess=False), True),
        (guessed(guess=None), True),  # recorded before this was asked
        (guessed(), False),  # one of three, and nothing tells
        (guessed(columns=2), True),  # an input and a target
        (guessed(X), True),  # the network takes x alone
        (guessed(X, columns=2), True),
        (guessed(X, LAST), False),  # lengths that the network takes
        (guessed(X, LAST, guess=False), True),
        (guessed(argument(-9.0, 9.0, [12]), LAST, columns=2), True),  # x changed on its way: LAST may be of it
    ],
)
def test_a_guess_carries_no_verdict(verdict, item, run, is_problem):
    assert (verdict(item, run)["conclusion"] == "problem") is is_problem


def test_a_network_that_takes_all_tells_nothing(verdict):
    found = verdict("ds.03", guessed(X, LAST, columns=2))
    assert found["conclusion"] == "problem"
    assert any("by its place" in str(piece) for piece in found["evidence"])


def test_the_words_of_an_input(verdict):
    assert "in training it enters the network" in verdict("ds.03", guessed(X, LAST))["summary"]


def test_the_words_of_a_guess(verdict):
    assert "last is a guess by its place." in verdict("ds.03", guessed())["summary"]


def test_what_enters_the_network_is_no_label_though_the_rest_was_changed_on_its_way(verdict):
    """Pictures that the loop rescales, and the noise of a generator."""
    noise = column("noise", shape=[100], min=-5.0, max=5.0)
    made = dataset([column("image", shape=[28, 28, 1], min=0.0, max=255.0)])
    made["columns"][-1:] = [noise]
    made["label"].update({"column": "noise", "kind": "regression", "guess": True})
    run = Run(datasets=[made])
    calls = [argument(-1.0, 1.0, [1, 28, 28]), argument(-4.0, 4.0, [100])]
    call = {"phase": "train", "via": "call", "level": "network", "network": "Net"}
    run.facts["inputs"] = {"inputs": [{**call, "arguments": [one]} for one in calls]}
    assert "enters the network" in verdict("ds.03", run)["summary"]
