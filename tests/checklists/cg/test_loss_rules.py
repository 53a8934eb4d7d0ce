"""cg.04: the rules over what a loss is given, on facts of probes and of the whole column."""

import pytest
from building import Run

PLACE, END = {"file": "train.py", "line": 5}, {"file": "train.py", "line": 2}


def output(name="dense", low=None, high=None, **changes):
    base = {"operator": name, "name": name, "place": END, "low": low, "high": high, "plain": True, "linear": False}
    return {**base, "gradient": True, "shape": [32, 1], **changes}


def targets(low=0.0, high=1.0, below=0, above=0, **changes):
    base = {
        "shape": [32, 1],
        "min": low,
        "max": high,
        "input": 1,
        "inputs": 2,
        "factor": 1.0,
        "offset": 0.0,
        "learnt": False,
    }
    base["input_dtype"] = "float32"
    counts = {"batches": 16, "elements": 512, "below": below, "above": above, "distinct": 32, "whole": False}
    return {**base, **counts, **changes}


def loss(kind, out, aim, shape=(32, 1), **changes):
    predicted = {"shape": list(shape), "min": 0.1, "max": 0.9, "probabilities": None, "unit": True}
    return {
        "kind": kind,
        "name": "Loss",
        "place": PLACE,
        "predicted": {**predicted, **changes.pop("predicted", {})},
        "labels": {"shape": aim["shape"], "min": aim["min"], "max": aim["max"]},
        "output": out,
        "targets": aim,
        "shape": [],
        "value": 1.0,
        "equals": None,
        **changes,
    }


def column(values=None, low=0.0, high=1.0, **changes):
    base = {"name": "y", "dtype": "float32", "shape": [1], "min": low, "max": high, "values": values}
    return {
        "id": 0,
        "role": "train",
        "columns": [{"name": "x", "shape": [8], "min": -9.0, "max": 9.0}, {**base, **changes}],
        "passes": 2,
        "samples": 2000,
        "samples_per_pass": 1000,
        "scanned": {"samples": 2000},
    }


def judged(verdict, *losses, data=None, **probes):
    made = Run(**({"datasets": [data]} if data else {}))
    made.facts["probes"] = {"losses": list(losses), "skipped": {}, **probes}
    return verdict("cg.04", made)


SIGMOID, RELU, TANH = output("sigmoid", 0.0, 1.0), output("relu", 0.0, flat=True), output("tanh", -1.0, 1.0)
SOFTMAX = output("softmax", 0.0, 1.0, shape=[32, 4])
ROWS = {"shape": [32, 4], "rows": 512, "distinct": 2}
PIXELS = {**ROWS, "several": 0, "not_one": 512, "distinct": 17}
WHOLE = {"probabilities": True}


@pytest.mark.parametrize(
    ("one", "conclusion"),
    [
        (loss("mse", SIGMOID, targets()), "ok"),
        (loss("mse", SIGMOID, targets(high=3.0, above=40)), "problem"),
        (loss("mse", SIGMOID, targets(high=3.0, above=4)), "ok"),
        (loss("l1", RELU, targets(low=-2.0, below=200)), "problem"),
        (loss("mse", TANH, targets(low=-1.0)), "ok"),
        # what another network gives may come to lie within the range
        (loss("mse", SIGMOID, targets(high=3.0, above=400, learnt=True)), "ok"),
        (loss("mse", output("softmax", 0.0, 1.0, constant=1.0), targets()), "problem"),
        (loss("bce", output("softmax", 0.0, 1.0, constant=1.0), targets()), "problem"),
        (loss("mse", output("round", 0.0, 5.0, gradient=False), targets()), "problem"),
        (loss("bce", SIGMOID, targets()), "ok"),
        (loss("bce", TANH, targets()), "problem"),
        (loss("bce", output(linear=True), targets()), "problem"),
        # a formula of the script's own that gives probabilities
        (loss("bce", output("div"), targets()), "ok"),
        (loss("bce", SIGMOID, targets(high=2.0, above=40)), "problem"),
        (loss("bce_with_logits", output(linear=True), targets()), "ok"),
        (loss("bce_with_logits", output(linear=True), targets(), exchanged=True), "problem"),
        (loss("bce_with_logits", RELU, targets()), "problem"),
        (loss("softmax_cross_entropy", RELU, targets(), (32, 4)), "problem"),
        (loss("softmax_cross_entropy", {**RELU, "plain": False}, targets(), (32, 4)), "ok"),
        (loss("softmax_cross_entropy", SOFTMAX, targets(), (32, 4), predicted=WHOLE), "problem"),
        (loss("softmax_cross_entropy", output(linear=True), targets(several=300, **ROWS), (32, 4)), "problem"),
        (loss("softmax_cross_entropy", output(linear=True), targets(several=0, **ROWS), (32, 4)), "ok"),
        # pixels behind a sigmoid are no shares of a one; where one row is, or scores are held against them, it is left open
        (loss("softmax_cross_entropy", SIGMOID, targets(**PIXELS), (32, 4)), "problem"),
        (loss("softmax_cross_entropy", SIGMOID, targets(**{**PIXELS, "not_one": 511}), (32, 4)), "ok"),
        (loss("softmax_cross_entropy", output(linear=True), targets(**PIXELS), (32, 4)), "ok"),
        (loss("bce", SIGMOID, targets(**PIXELS), (32, 4)), "ok"),
        (loss("bce", SOFTMAX, targets(several=300, **ROWS), (32, 4), predicted=WHOLE), "problem"),
        (loss("bce", SOFTMAX, targets(several=0, **ROWS), (32, 4), predicted=WHOLE), "ok"),
        (loss("bce", SIGMOID, targets(several=300, **ROWS), (32, 4)), "ok"),
        # pixels, of which a softmax can reach one alone; probabilities; a few rows of another sum
        (loss("mse", SOFTMAX, targets(not_one=512, **ROWS), (32, 4), predicted=WHOLE), "problem"),
        (loss("mse", SOFTMAX, targets(not_one=0, **ROWS), (32, 4), predicted=WHOLE), "ok"),
        (loss("mse", SOFTMAX, targets(not_one=30, **ROWS), (32, 4), predicted=WHOLE), "ok"),
        (loss("mse", SIGMOID, targets(not_one=512, **ROWS), (32, 4)), "ok"),
        (loss("mse", output(linear=True), targets(shape=[32, 3])), "problem"),
        (loss("mse", output(linear=True), targets(shape=[32, 3], distinct=1)), "ok"),
        # a value for every sample of the batch
        (loss("mse", output(linear=True), targets(shape=[32]), (32, 32)), "problem"),
        (loss("mse", output(linear=True), targets(shape=[32]), (32, 8)), "ok"),
    ],
)
def test_rules(verdict, one, conclusion):
    found = judged(verdict, one)
    assert found["conclusion"] == conclusion, found["summary"]


def test_scores_that_are_cut_off_beside_several_classes(verdict):
    several = judged(verdict, loss("softmax_cross_entropy", RELU, targets(several=300, **ROWS), (32, 4)))
    assert "2 faults" in several["summary"] and "went through" in several["summary"]
    whole = judged(verdict, loss("softmax_cross_entropy", output(linear=True), targets(several=300, **ROWS), (32, 4)))
    assert "faults" not in whole["summary"]


CLASSES = targets(high=3.0, above=300, distinct=4)


@pytest.mark.parametrize(
    ("one", "faults"),
    [
        # the output's last operator, and what the loss takes its targets for
        (loss("bce", output("softmax", 0.0, 1.0, constant=1.0), CLASSES), 2),
        (loss("bce_with_logits", RELU, CLASSES), 2),
        # one of them alone
        (loss("bce", TANH, targets()), 1),
        (loss("bce", TANH, CLASSES), 1),  # both at the line of the loss
        (loss("bce_with_logits", output(linear=True), CLASSES), 1),
        (loss("mse", TANH, targets(high=3.0, above=300)), 1),
    ],
)
def test_faults_of_the_output_and_of_the_targets(verdict, one, faults):
    found = judged(verdict, one)
    assert found["conclusion"] == "problem"
    assert ("2 faults" in found["summary"]) == (faults == 2), found["summary"]


@pytest.mark.parametrize(
    ("whole", "distinct", "advice", "lines"), [(False, 17, "amounts", [5, 2]), (True, 4, "0 or 1", [5])]
)
def test_amounts_that_a_binary_loss_is_given(verdict, whole, distinct, advice, lines):
    """Standardised pixels behind a sigmoid are for another loss; marks of 1 and 2 are for other labels."""
    aim = targets(low=-0.8, high=1.8, below=200, above=70)
    labels = {"shape": [32, 1], "min": -0.8, "max": 1.8, "whole": whole, "distinct": distinct}
    found = judged(verdict, loss("bce", SIGMOID, aim, labels=labels))
    assert found["conclusion"] == "problem" and advice in found["advice"]
    assert [one["line"] for one in found["locations"]] == lines


@pytest.mark.parametrize(("inside", "conclusion"), [(0.74, "problem"), (0.01, "ok")])
def test_what_the_range_costs(verdict, inside, conclusion):
    reach = {"even": 1.39, "inside": inside, "outside": 0.0, "settles": True}
    assert (
        judged(verdict, loss("softmax_cross_entropy", SIGMOID, targets(), (32, 4), reach=reach))["conclusion"]
        == conclusion
    )


def test_the_whole_column_counts(verdict):
    """The held batches fit the range; 37 of the column's 1000 do not."""
    data = column({"0.5": 1926, "4": 74}, high=4.0)
    found = judged(verdict, loss("mse", SIGMOID, targets(high=0.9)), data=data)
    assert found["conclusion"] == "problem" and "37 of 1 000 targets lie above 1" in found["summary"]
    assert found["locations"][0] == END
    histogram = {"edges": [0.0, 1.0, 2.0, 4.0], "counts": [1900, 0, 100]}
    data = column(None, high=4.0, histogram=histogram)
    assert "50 of 1 000" in judged(verdict, loss("mse", SIGMOID, targets(high=0.9)), data=data)["summary"]
    # another type, another number of columns: not the column that it seems to be
    other = targets(high=0.9, input_dtype="float16")
    assert judged(verdict, loss("mse", SIGMOID, other), data=data)["conclusion"] == "ok"
    # pixels divided by 255
    data = column({"0": 1000, "255": 1000}, high=255.0)
    aim = targets(factor=1 / 255)
    assert judged(verdict, loss("mse", SIGMOID, aim), data=data)["conclusion"] == "ok"


def test_fewer_outputs_than_classes(verdict):
    ids = targets(high=3.0, shape=[32], whole=True)
    data = column({str(n): 100 for n in range(10)}, high=9.0, shape=[])
    one = loss("softmax_cross_entropy", output(linear=True), ids, (32, 4))
    assert judged(verdict, one, data=data)["conclusion"] == "problem"
    assert judged(verdict, {**one, "settings": {"ignore_index": 9}}, data=data)["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("high", "settings", "low", "conclusion"),
    [
        (0.9, {}, 0.0, "problem"),
        (-0.1, {}, 0.0, "ok"),
        (-0.1, {}, -4.0, "problem"),
        (-0.1, {"log_target": True}, -4.0, "ok"),
    ],
)
def test_divergences(verdict, high, settings, low, conclusion):
    one = loss("kl_div", output("logsoftmax", None, 0.0), targets(low), predicted={"max": high, "min": -3.0})
    cross_entropy = loss("softmax_cross_entropy", output(linear=True), targets(), (32, 4))
    found = judged(verdict, cross_entropy, other_losses=[{**one, "settings": settings}])
    assert found["conclusion"] == conclusion, found["summary"]


def test_a_difference_that_is_squared(verdict):
    one = loss("residual", RELU, targets(low=-2.0, below=200))
    found = judged(verdict, other_losses=[one])
    assert found["conclusion"] == "problem" and found["summary"].startswith(
        "The output goes through relu and lies in [0, ∞)"
    )
    assert "200 of 512 targets lie below 0" in found["summary"]
    # -100 where there is no target, and a mask
    padded = loss("residual", RELU, targets(low=-100.0, below=200, beyond_values=1))
    assert judged(verdict, other_losses=[padded])["conclusion"] != "problem"
    masked = {**loss("mse", RELU, targets(low=-100.0, below=200, beyond_values=1)), "shape": [32, 1]}
    assert judged(verdict, masked)["conclusion"] == "ok"
    assert judged(verdict, {**masked, "shape": []})["conclusion"] == "problem"


@pytest.mark.parametrize(
    ("weights", "conclusion"),
    [
        ([2.0, 1.0, 0.5], "problem"),
        ([1.45, 1.02, 0.73], "problem"),  # roots, of a part of the data
        ([0.5, 1.0, 2.0], "ok"),
        ([1.0, 1.0, 1.0], "ok"),
        ([3.0, 1.0, 2.0], "ok"),
        ([2.0, 1.0, 0.5, 0.3], "ok"),  # a class that the data do not have
        ([2.0, 1.0, 0.0], "ok"),
        ([2.0, None, 0.5], "ok"),
        (None, "ok"),
    ],
)
def test_weights_of_classes(verdict, weights, conclusion):
    one = loss("softmax_cross_entropy", output(linear=True), targets(shape=[32], whole=True, high=2.0), (32, 3))
    label = {"column": "y", "kind": "class", "counts": {"0": 400, "1": 200, "2": 100}}
    data = {**column({"0": 400, "1": 200, "2": 100}, high=2.0, shape=[], kind="int"), "label": label}
    found = judged(verdict, {**one, "weights": weights}, data=data)
    assert found["conclusion"] == conclusion, found["summary"]


@pytest.mark.parametrize(
    ("widths", "aim", "told"),
    [
        ([640, 1], {}, True),
        ([1, 640], {}, False),
        ([640, 1], {"low": 640.0, "high": 640.0}, False),
        ([640, 1], {"high": 1.0}, False),  # targets that differ
        ([640, 1], {"input": 1}, False),  # a batch that happens to hold one class
        ([3, 4], {}, False),  # two heads
        ([1, 1], {}, False),  # one negative
    ],
)
def test_targets_that_name_a_negative(verdict, widths, aim, told):
    aim = targets(**{"low": 0.0, "high": 0.0, "input": None, "shape": [32], **aim})
    out = output("div", shape=[32, sum(widths)])
    one = loss("softmax_cross_entropy", out, aim, (32, sum(widths)))
    one["joined_columns"] = {"widths": widths, "place": END}
    entry = judged(verdict, one)
    assert ("a negative is taken for the positive" in entry["summary"]) == told, entry["summary"]
    if told:
        assert entry["conclusion"] == "problem" and [at["line"] for at in entry["locations"]] == [2, 5]


@pytest.mark.parametrize(
    ("code", "counts", "conclusion"),
    [
        ("loss = nn.CrossEntropyLoss(ignore_index=PAD)\n", {"0": 250, "1": 250, "2": 250, "3": 250}, "problem"),
        ("loss = nn.CrossEntropyLoss(ignore_index=0)\n", {"0": 250, "1": 250, "2": 250, "3": 250}, "problem"),
        (
            "loss = nn.CrossEntropyLoss(ignore_index=0)\n",
            {"0": 900, "1": 250, "2": 250, "3": 250},
            "ok",
        ),  # the unlabelled
        ("loss = nn.CrossEntropyLoss(ignore_index=0)\n", {"0": 20, "1": 250, "2": 250, "3": 250}, "ok"),
        ("loss = nn.CrossEntropyLoss(ignore_index=PAD)\n", {"0": 2, "1": 250, "2": 250, "3": 498}, "ok"),
        (
            "table = nn.Embedding(90, 8, padding_idx=0)\nloss = nn.CrossEntropyLoss(ignore_index=0)\n",
            {"0": 250, "1": 250, "2": 250, "3": 250},
            "problem",
        ),
        (
            "table = nn.Embedding(90, 8, padding_idx=1)\nloss = nn.CrossEntropyLoss(ignore_index=0)\n",
            {"0": 900, "1": 250, "2": 250, "3": 250},
            "ok",
        ),
    ],
)
def test_the_padding_ignored_among_classes(verdict, code, counts, conclusion):
    aim = targets(high=3.0, shape=[32], whole=True, input_dtype="int32")
    one = loss("softmax_cross_entropy", output(linear=True), aim, (32, 4), settings={"ignore_index": 0})
    data = column(counts, high=3.0, shape=[], dtype="int32")
    data["label"] = {"column": "y", "kind": "class", "counts": counts}
    made = Run(datasets=[data], source={"train.py": code})
    made.facts["probes"] = {"losses": [one], "skipped": {}}
    found = verdict("cg.04", made)
    assert found["conclusion"] == conclusion, found["summary"]


_BLOCK = "def block(i, o, relu=True):\n    return [nn.Dense(i, o), nn.ReLU()]\n\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_BLOCK + "parts = block(8, 4)\n\nparts += block(4, 1)\n", [2, 5, 6]),
        (_BLOCK + "parts = block(8, 1)\n", [2, 5]),  # there is no other call
        (_BLOCK.replace("block", "_block") + "parts = _block(8, 4)\n\nparts += _block(4, 1)\n", [2, 5]),
    ],
)
def test_the_call_that_makes_the_last_layer(verdict, code, lines):
    out = {**RELU, "created": {"file": "train.py", "line": 2}}
    run = Run(source={"train.py": code}, datasets=[column()])
    run.facts["probes"] = {"skipped": {}, "losses": [loss("bce_with_logits", out, targets())]}
    found = verdict("cg.04", run)
    assert [one["line"] for one in found["locations"]] == lines


@pytest.mark.parametrize(
    ("counts", "not_one", "told"),
    [
        ({"1": 250, "2": 250, "3": 250, "4": 250}, 8, True),
        ({"0": 250, "1": 250, "2": 250, "3": 250}, 0, False),
        ({"-1": 250, "1": 250, "2": 250, "3": 250}, 8, False),  # samples without a label
    ],
)
def test_rows_of_one_hot_targets_that_are_empty(verdict, counts, not_one, told):
    aim = targets(low=0.0, high=1.0, shape=[32, 4], whole=True, distinct=2, rows=32, several=0, not_one=not_one)
    one = loss("softmax_cross_entropy", output(linear=True), aim, (32, 4))
    data = column(counts, high=4.0, shape=[], dtype="int32")
    data["label"] = {"column": "y", "kind": "class", "counts": counts}
    made = Run(datasets=[data], source={"train.py": "t = ops.one_hot(y, 4, one, zero)\n"})
    made.facts["probes"] = {"losses": [one], "skipped": {}}
    found = verdict("cg.04", made)
    assert ("no target and are never learnt" in found["summary"]) == told, found["summary"]
