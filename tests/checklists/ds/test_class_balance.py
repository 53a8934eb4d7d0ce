"""ds.03 on facts: what must be found and what must be left in peace."""

import pytest
from building import Run, column, dataset, one_pass


def counted(counts, **changes):
    return Run(datasets=[dataset(counts=counts, **changes)])


def test_balanced_and_slightly_unbalanced_are_ok(verdict):
    assert verdict("ds.03", counted({"0": 144, "1": 144}))["conclusion"] == "ok"
    entry = verdict("ds.03", counted({"0": 130, "1": 100, "2": 117}))
    assert entry["conclusion"] == "ok" and "1.3" in entry["summary"]


def test_ten_to_one_is_a_problem_with_figure(verdict):
    entry = verdict("ds.03", counted({"0": 1000, "1": 100}))
    assert entry["conclusion"] == "problem"
    assert "1 000" in entry["summary"] and "100" in entry["summary"] and "ratio 10" in entry["summary"]
    assert entry["evidence"][0]["data"] == {"counts": {"0": 1000, "1": 100}}
    assert any("ds.03.ratio" in row for piece in entry["evidence"] for row in piece.get("rows", []))


def test_thresholds_can_be_set(verdict):
    assert verdict("ds.03", counted({"0": 1000, "1": 100}), thresholds={"ds.03.ratio": 20})["conclusion"] == "ok"


def test_few_samples_of_a_class(verdict):
    assert verdict("ds.03", counted({"0": 20, "1": 18, "2": 3}))["conclusion"] == "problem"


def test_a_class_without_samples(verdict):
    gap = {str(digit): 144 for digit in range(10) if digit != 4}
    entry = verdict("ds.03", counted(gap))
    assert entry["conclusion"] == "problem" and "class 4" in entry["summary"]
    head = {str(digit): 144 for digit in range(9)}
    entry = verdict("ds.03", counted(head))
    assert entry["conclusion"] == "problem" and "class 9" in entry["summary"]


@pytest.mark.parametrize(
    "counts",
    [
        {"-1": 100, "1": 120},
        {str(number): 50 for number in range(1, 11)},  # numbered from one
        {"0": 100, "7": 110, "30": 105},  # codes of another numbering
        {"cat": 100, "dog": 90},
    ],
)
def test_other_numberings_are_no_missing_classes(verdict, counts):
    assert verdict("ds.03", counted(counts))["conclusion"] == "ok"


def test_a_wide_head_of_another_network_is_no_missing_class(verdict):
    run = counted({"0": 144, "1": 144})
    assert verdict("ds.03", run)["conclusion"] == "ok"  # ten outputs, two classes: not this head's labels


@pytest.mark.parametrize(
    ("loss", "guess", "counts", "conclusion"),
    [
        ("MSELoss", True, {"-41": 1, "0": 9, "5": 90}, "not_applicable"),  # targets cut to whole numbers
        ("L1Loss", True, {"1": 3, "2": 10, "3": 90}, "not_applicable"),
        ("MSELoss", True, {"0": 5, "1": 95}, "problem"),  # two classes may be told by squares
        ("MSELoss", False, {"0": 4, "1": 9, "2": 90}, "problem"),
        ("CrossEntropyLoss", True, {"0": 4, "1": 9, "2": 90}, "problem"),
    ],
)
def test_whole_numbers_under_a_regression_loss_are_no_classes(verdict, loss, guess, counts, conclusion):
    run = counted(counts)
    run.facts["datasets"]["datasets"][0]["label"]["guess"] = guess
    run.set("loss", [{"class": loss, "builtin": True, "args": ""}])
    assert verdict("ds.03", run)["conclusion"] == conclusion


def test_regression_and_no_label_are_not_applicable(verdict):
    assert verdict("ds.03", Run(datasets=[dataset(label={"kind": "regression"})]))["conclusion"] == "not_applicable"
    assert verdict("ds.03", Run(datasets=[dataset(label=None)]))["conclusion"] == "not_applicable"


def test_segmentation_is_left_open_and_token_labels_are_not_applicable(verdict):
    data = dataset(label={"kind": "sequence", "counts": None})
    assert verdict("ds.03", Run(datasets=[data]))["conclusion"] == "undecided"
    data["columns"][-1]["max"] = 3000.0
    assert verdict("ds.03", Run(datasets=[data]))["conclusion"] == "not_applicable"


@pytest.mark.parametrize(("last", "conclusion"), [(39, "not_applicable"), (8, "undecided")])
def test_tokens_predicted_from_tokens_have_no_classes(verdict, last, conclusion):
    tokens = column("ids", dtype="int32", kind="int", shape=[16], min=0, max=39)
    data = dataset([tokens], label={"kind": "sequence", "counts": None})
    data["columns"][-1].update({"shape": [16], "max": last})
    assert verdict("ds.03", Run(datasets=[data]))["conclusion"] == conclusion


def test_a_part_of_a_sorted_pass_is_undecided_and_a_large_mixed_part_is_judged(verdict):
    part = {"label": {"complete_pass": False}, "counts": {"0": 500, "1": 20}}
    dependent = [one_pass(1, complete=False, label_segment_dependence=0.9)]
    assert verdict("ds.03", Run(datasets=[dataset(passes=dependent, **part)]))["conclusion"] == "undecided"
    assert (
        verdict("ds.03", Run(datasets=[dataset(passes=[one_pass(1, complete=False)], **part)]))["conclusion"]
        == "problem"
    )


def test_weights_that_were_not_seen_are_shown_and_do_not_excuse(verdict):
    run = counted({"0": 1000, "1": 50}).set("loss", [{"class": "CrossEntropyLoss", "args": "weight=Tensor"}])
    entry = verdict("ds.03", run)
    assert entry["conclusion"] == "problem" and any(
        "weights the classes" in piece.get("text", "") for piece in entry["evidence"]
    )


def test_labels_of_training_that_never_was(verdict):
    run = Run(run={"training_steps": 0}, steps=[], train_step=None, modes=[], optimizer=None)
    assert verdict("ds.03", run)["conclusion"] == "not_applicable"


def test_no_label_is_not_applicable_for_wrong_labels(verdict):
    assert verdict("ds.02", Run(datasets=[dataset(label=None)]))["conclusion"] == "not_applicable"
    assert verdict("ds.02", Run())["conclusion"] == "undecided"


@pytest.mark.parametrize(
    "counts, says",
    [
        ({"0": 80, "1": 80}, "160 samples in 2 classes, 80 in each."),
        ({"3": 160}, "160 samples, all of one class (3)."),
        ({"0": 90, "1": 80}, "90 in the largest (0), 80 in the smallest (1)"),
    ],
)
def test_equal_counts_have_no_largest_class(verdict, counts, says):
    assert says in verdict("ds.03", Run(datasets=[dataset(counts=counts)]))["summary"]


@pytest.mark.parametrize(
    ("of", "classes", "conclusion"),
    [(1050, {"0": 40, "1": 50}, "ok"), (1050, {"0": 900, "1": 50}, "problem"), (64, {"0": 30, "1": 2}, "undecided")],
)
def test_samples_that_the_loss_multiplies_by_zero_do_not_count(verdict, of, classes, conclusion):
    run = counted({"0": 1000, "1": 50}, samples_per_pass=1050)
    loss = {"counted": {"samples": sum(classes.values()), "of": of, "classes": classes}}
    run.facts["probes"] = {"losses": [loss], "own_losses": [], "broadcasts": [], "skipped": {}}
    assert verdict("ds.03", run)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("weights", "conclusion"),
    [
        ([1.0, 20.0], "ok"),
        ([1.0, 0.05], "problem"),
        ([1.0, 0.0], "problem"),
        ([1.0, 1.0], "problem"),
        ([1.0, None], "problem"),
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_weights_that_were_seen(verdict, weights, conclusion, own):
    run = counted({"0": 1000, "1": 50})
    loss = {"name": "weighted", "behaviour": {"kind": "binary", "class_weights": weights}}
    lists = {"losses": [], "own_losses": [loss]} if own else {"losses": [{"weights": weights}], "own_losses": []}
    run.facts["probes"] = {**lists, "broadcasts": [], "skipped": {}}
    entry = verdict("ds.03", run)
    assert entry["conclusion"] == conclusion
    assert ("makes the imbalance worse" in entry["summary"]) == (weights[1] in (0.05, 0.0))


@pytest.mark.parametrize(
    ("counts", "changes", "conclusion"),
    [
        ({"0": 50, "1": 50, "2": 10}, 2, "problem"),
        ({"0": 20, "1": 50, "2": 48, "3": 50}, 3, "problem"),  # what was cut off came first
        ({"0": 50, "1": 50, "2": 10}, 3, "ok"),  # not one run for each class
        ({"0": 50, "1": 10, "2": 50}, 2, "ok"),  # the class in the middle is no part of a cut
        ({"0": 59, "1": 71, "2": 48}, 2, "ok"),
        ({"0": 100, "1": 20}, 1, "ok"),
    ],
)
def test_a_sorted_table_that_was_cut_by_position(verdict, counts, changes, conclusion):
    entry = verdict("ds.03", counted(counts, passes=[one_pass(label_changes=changes)]))
    assert entry["conclusion"] == conclusion
    assert (conclusion == "ok") == ("cut by position" not in entry["summary"])


@pytest.mark.parametrize(
    ("code", "cut"),
    [
        ("y_train = y[:n]", True),
        ("y_train, y_test = y[:n], y[n:]", True),
        ("y_train = y[rows]", False),
        ("y_train = y[::2]", False),
    ],
)
def test_a_cut_that_the_code_shows(verdict, code, cut):
    """And no class that is only rarer than the others."""
    rarer = counted({"0": 50, "1": 50, "2": 20}, passes=[one_pass(label_changes=60)])
    rarer.source = {"train.py": f"{code}\n\ndata = GeneratorDataset((x, y_train), ['image', 'label'])\n"}
    assert verdict("ds.03", rarer)["conclusion"] == "ok"
    run = counted({"0": 50, "1": 50, "2": 5}, passes=[one_pass(label_changes=60)])
    run.source = {"train.py": f"{code}\n\ndata = GeneratorDataset((x, y_train), ['image', 'label'])\n"}
    entry = verdict("ds.03", run)
    assert ("cut by position" in entry["summary"]) == cut, entry["summary"]


@pytest.mark.parametrize(
    ("counts", "conclusion"),
    [
        ({"-1": 900, "0": 12, "1": 10, "2": 9}, "undecided"),  # semi-supervised: most carry no label
        ({"-1": 900, "1": 30}, "problem"),  # two classes, numbered as a hinge loss wants them
        ({"-1": 900, "1": 30, "2": 40}, "problem"),  # numbered from -1, without a 0
        ({"0": 900, "-1": 30, "1": 40}, "problem"),  # the usual number is not that of samples without a label
    ],
)
def test_samples_without_a_label_are_no_class(verdict, counts, conclusion):
    entry = verdict("ds.03", counted(counts))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("no label" in entry["summary"]) == (conclusion == "undecided")


@pytest.mark.parametrize(
    ("kind", "mean", "conclusion"), [("one_hot", 8.8, "not_applicable"), ("one_hot", 14.5, "problem")]
)
def test_the_next_word_as_a_row_of_zeros_and_a_one(verdict, kind, mean, conclusion):
    counts = {str(n): round(10000 / (n + 1)) for n in range(30)}
    total = sum(counts.values())
    found = sum(int(key) * n for key, n in counts.items()) / total
    std = (sum((int(key) - found) ** 2 * n for key, n in counts.items()) / total) ** 0.5
    mean = found if conclusion == "not_applicable" else mean
    places = {"axis": 1, "mean": [mean] * 2, "std": [std] * 2, "min": [0.0] * 2, "max": [29.0] * 2}
    words = column("words", dtype="int32", kind="int", shape=[2], min=0, max=29, channels=places)
    data = dataset([words], label={"kind": kind, "counts": counts})
    assert verdict("ds.03", Run(datasets=[data]))["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("held", "trained_on", "std", "conclusion"),
    [
        (60, 0, 0.37, "problem"),
        (60, 0, 0.5, "undecided"),  # 0 and 1 alone, as in a truth table
        (60, 60, 0.37, "undecided"),
        (9, 0, 0.37, "undecided"),
    ],
)
def test_fewer_to_train_with_than_are_held_out(verdict, held, trained_on, std, conclusion):
    run = counted({"0": 3, "1": 3, "2": 3}, samples=9, samples_per_pass=9)
    run.facts["datasets"]["datasets"][0]["columns"][0].update(std=std)
    seen = {"places": [{"file": "train.py", "line": 3}], "samples": held, "distinct": held, "training": 9, "bits": 70.0}
    run.facts["evaluation"]["trained_samples"] = [{**seen, "trained_on": trained_on}]
    entry = verdict("ds.03", run)
    assert entry["conclusion"] == conclusion
    assert ("60 other samples" in entry["summary"]) is (conclusion == "problem")
