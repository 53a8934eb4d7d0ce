"""Evaluated samples that were trained on (td.05)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.received_batches.trained_samples import trained_samples

COPIES = "x = np.concatenate([x, np.repeat(x[rare], 8, axis=0)])\n"
TEST = "print(accuracy(net, x_test))\n"


def group(line=2, **values):
    known = {"samples": 200, "distinct": 200, "trained_on": 60, "training": 800, "bits": 90.0}
    return {"places": [{"file": "train.py", "line": line}], **known, **values}


@pytest.mark.parametrize(
    ("code", "values", "found"),
    [
        (TEST, {}, True),
        (TEST, {"trained_on": 4}, False),  # a set's own double samples
        (TEST, {"bits": 12.0}, False),  # few values: samples agree by chance
        (TEST, {"distinct": 20, "trained_on": 10}, False),
        (TEST, {"distinct": 1000, "trained_on": 800}, False),  # all data once more
        (TEST, {"distinct": 40, "trained_on": 32}, False),  # some of all data, to show them
        (TEST, {"trained_on": 200}, True),  # all of it, and called a test
        ("print(accuracy(net, x_train[:200]))\n", {"trained_on": 200}, False),
        ("unlabelled = x_test\nprint(accuracy(net, x_test))\n", {"trained_on": 200}, False),
    ],
)
def test_share_trained_on(tmp_path, code, values, found):
    made = Run(source={"train.py": COPIES + code}, datasets=[dataset()])
    made.facts["evaluation"]["trained_samples"] = [group(line=code.count("\n") + 1, **values)]
    told = trained_samples(run_data(tmp_path, made))
    assert (told is not None) is found
    if found:
        assert told.locations[0]["line"] == 1


@pytest.mark.parametrize(
    ("code", "samples", "found"),
    [
        (TEST, 320, False),  # rows of a few symbols, drawn again
        (TEST, 230, False),
        (TEST, 201, True),
        (COPIES + TEST, 320, True),
        ("y = resample(y)\n" + TEST, 320, True),
    ],
)
def test_samples_of_which_there_are_few(tmp_path, code, samples, found):
    made = Run(source={"train.py": code}, datasets=[dataset()])
    made.facts["evaluation"]["trained_samples"] = [group(line=code.count("\n"), samples=samples)]
    assert (trained_samples(run_data(tmp_path, made)) is not None) is found


@pytest.mark.parametrize(("pairs", "trained_on", "found"), [(8, 37, False), (8, 160, True), (1, 37, True)])
def test_samples_that_agree_by_chance(tmp_path, pairs, trained_on, found):
    """Documents of a few words: 8 pairs of 480 are 64 to be expected among 1 913 training samples."""
    made = Run(source={"train.py": TEST}, datasets=[dataset()])
    counts = {"samples": 480, "distinct": 480 - pairs, "trained_on": trained_on, "training": 1913}
    made.facts["evaluation"]["trained_samples"] = [group(line=1, **counts)]
    assert (trained_samples(run_data(tmp_path, made)) is not None) is found


@pytest.mark.parametrize(("nodes", "again"), [(200, 200), (200, None), (150, None)])
def test_nodes_of_a_graph_that_is_given_whole(tmp_path, nodes, again):
    steps = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 1}}]
    graph = dataset([column("adj", shape=[200])], pipeline=steps, batch_size=nodes, samples_per_pass=again)
    made = Run(source={"train.py": TEST}, datasets=[graph])
    made.facts["evaluation"]["trained_samples"] = [group(line=1)]
    assert (trained_samples(run_data(tmp_path, made)) is None) is (again is not None)
