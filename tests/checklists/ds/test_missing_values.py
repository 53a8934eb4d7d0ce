"""ds.01 on facts: what must be found and what must be left in peace."""

import pytest
from building import Run, column, dataset

NAN = {"nan": 52, "inf": 0, "nonfinite_samples": 37, "first_nonfinite": [17, 203], "elements": 92160}


def with_columns(*columns, **changes):
    return Run(datasets=[dataset(list(columns), **changes)])


def suspect(value, count, others, distinct, feature=None, samples=1440):
    low, high = others
    return {
        "feature": feature,
        "value": value,
        "count": count,
        "share": count / samples,
        "nearest_other": min(others, key=lambda other: abs(other - value)),
        "others_low": low,
        "others_high": high,
        "others_distinct": distinct,
        "first_samples": [4, 31],
    }


def test_nan_in_a_feature_is_a_problem_with_its_numbers_and_place(verdict):
    entry = verdict("ds.01", with_columns(column("x", **NAN)))
    assert entry["conclusion"] == "problem"
    assert "37 of 4 320 samples" in entry["summary"] and "52" in entry["summary"] and "column x" in entry["summary"]
    assert entry["locations"] == [{"file": "train.py", "line": 3}]
    assert any(piece["kind"] == "code" and 3 in piece["highlight"] for piece in entry["evidence"])
    assert ["training set", "x", "NaN/Inf", 52, 52 / 92160, "17, 203"] in entry["evidence"][0]["rows"]


def test_infinity_alone_is_a_problem(verdict):
    assert verdict("ds.01", with_columns(column(inf=1, nonfinite_samples=1)))["conclusion"] == "problem"


def test_nan_in_the_evaluation_set_is_a_problem(verdict):
    run = Run(datasets=[dataset(), dataset([column(**NAN)], role="eval")])
    entry = verdict("ds.01", run)
    assert entry["conclusion"] == "problem" and "evaluation set" in entry["summary"]


def test_nan_in_a_regression_target_is_a_problem(verdict):
    data = dataset(label={"kind": "regression", "counts": None})
    data["columns"][-1] = column("label", shape=[], **NAN)
    assert verdict("ds.01", Run(datasets=[data]))["conclusion"] == "problem"


def test_nan_in_a_raw_set_that_fed_nothing_beside_a_clean_training_set_is_ok(verdict):
    run = Run(datasets=[dataset([column(**NAN)], role="unknown"), dataset()])
    assert verdict("ds.01", run)["conclusion"] == "ok"


def test_nan_in_a_set_of_unknown_use_alone_is_undecided(verdict):
    assert verdict("ds.01", Run(datasets=[dataset([column(**NAN)], role="unknown")]))["conclusion"] == "undecided"


MASKED = """
class Net(nn.Cell):
    def construct(self, x):
        known = ops.logical_not(ops.isnan(x))
        x = ops.where(known, x, ops.zeros_like(x))
        return self.fc(x)
"""


@pytest.mark.parametrize(
    "code",
    [
        MASKED,
        "class Net(nn.Cell):\n    def construct(self, x):\n        return self.fc(ops.nan_to_num(x, 0.0))\n",
        "def forward_fn(data, label):\n    data = mint.nan_to_num(data)\n    return loss_fn(net(data), label)\n",
        "for x, y in train.create_tuple_iterator(output_numpy=True):\n"
        "    x[np.isnan(x)] = 0\n    train_step(Tensor(x), y)\n",
        "for x, y in train.create_tuple_iterator():\n    x = x.nan_to_num()\n    train_step(x, y)\n",
    ],
)
def test_nan_that_the_network_or_the_loop_masks_is_ok(verdict, code):
    run = with_columns(column(**NAN)).set("source", {"train.py": code})
    assert verdict("ds.01", run)["conclusion"] == "ok"


@pytest.mark.parametrize(
    "code",
    [
        "for x, y in train:\n    loss = step(x, y)\n    if np.isnan(loss.asnumpy()):\n        break\n",
        "for x, y in train:\n    loss = step(x, y)\n    bad = ops.isnan(loss).any()\n",
        "def load():\n    ages[np.isnan(ages)] = 30\n    return ages, incomes\n",
        "class Net(nn.Cell):\n    def construct(self, x):\n"
        "        if ops.isnan(x).any():\n            print('nan')\n        return x\n",
        "# x = ops.nan_to_num(x)\n",
    ],
)
def test_a_test_for_nan_treats_nothing(verdict, code):
    run = with_columns(column(**NAN)).set("source", {"train.py": code})
    assert verdict("ds.01", run)["conclusion"] == "problem"


def test_a_treatment_that_leaves_losses_nan_does_not_excuse(verdict):
    run = with_columns(column(**NAN)).set("source", {"train.py": MASKED}).set("steps", [{"step": 1, "loss": "nan"}])
    assert verdict("ds.01", run)["conclusion"] == "problem"


@pytest.mark.parametrize(
    "mark",
    [
        suspect(-999.0, 52, (12.0, 90.0), 812, feature=3),
        suspect(9999.0, 30, (-3.0, 900.0), 400),
        suspect(999.0, 1300, (0.0, 27.0), 26),
        suspect(-1.0, 80, (0.0, 846.0), 300, feature=0),
        suspect(-1.0, 400, (1.0, 10.0), 10),
        suspect(-14.7, 52, (-1.1, 2.3), 700, feature=2),
        suspect(0.0, 11, (1800.0, 2500.0), 300),
        suspect(1e20, 15, (0.0, 4.0), 900),
    ],
)
def test_marks_for_missing_values(verdict, mark):
    entry = verdict("ds.01", with_columns(column("x", shape=[8], suspects=[mark])))
    assert entry["conclusion"] == "problem"
    assert str(mark["count"]) in entry["summary"].replace(" ", "")


@pytest.mark.parametrize(
    "harmless",
    [
        suspect(0.0, 1100, (0.5, 900.0), 250),  # a sparse feature
        suspect(0.0, 700, (210.0, 230.0), 90),  # off half of the time
        suspect(-1.0, 700, (1.0, 1.0), 1),  # a binary feature
        suspect(-1.0, 900, (-0.99, 1.0), 500),  # pixels scaled to [-1, 1]
        suspect(-1.0, 1400, (0.1, 1.0), 25),  # a pixel of the rim, scaled to [-1, 1]
        suspect(-1.0, 30, (0.0, 2.0), 3),  # a small code
        suspect(5.0, 65, (0.15, 4.99), 1200),  # clipped near the rest
        suspect(255.0, 4000, (0.0, 254.0), 255),
        suspect(-10000.0, 700, (0.0, 0.0), 1),  # an additive attention mask
        suspect(16.0, 3, (0.0, 8.0), 8),
        suspect(42.0, 2, (-0.1, 3.0), 200),  # an outlier seen twice
        suspect(42.0, 3, (-0.1, 3.0), 200, samples=4320),  # one outlier, three passes
        suspect(99.0, 20, (0.0, 98.0), 99),  # an age
    ],
)
def test_ordinary_extremes_are_left_in_peace(verdict, harmless):
    entry = verdict("ds.01", with_columns(column("x", suspects=[harmless])))
    assert entry["conclusion"] == "ok"
    assert any(row[1] == harmless["value"] for piece in entry["evidence"] for row in piece.get("rows", []))


def test_a_rare_value_apart_from_the_rest_is_left_to_a_person(verdict):
    found = suspect(-2.4, 58, (-1.5, 2.0), 73, feature=0)
    entry = verdict("ds.01", with_columns(column("x", shape=[3], suspects=[{**found, "nearest_other": -1.5}])))
    assert entry["conclusion"] == "undecided" and "x[0]" in entry["summary"] and "58" in entry["summary"]
    clipped = {
        **found,
        "value": 6.0,
        "others_low": 0.2,
        "others_high": 4.0,
        "nearest_other": 5.6,
        "others_distinct": 400,
    }
    assert verdict("ds.01", with_columns(column("x", shape=[3], suspects=[clipped])))["conclusion"] == "ok"
    often = suspect(-2.4, 400, (-1.5, 2.0), 73, feature=0)
    assert verdict("ds.01", with_columns(column("x", shape=[3], suspects=[often])))["conclusion"] == "ok"


def test_sentinels_in_a_class_label_are_no_missing_values(verdict):
    data = dataset()
    data["columns"][-1]["suspects"] = [suspect(-999.0, 30, (0.0, 9.0), 10)]
    assert verdict("ds.01", Run(datasets=[data]))["conclusion"] == "ok"


def test_a_code_in_an_integer_column(verdict):
    ages = {str(age): 30 for age in range(18, 60)}
    age = column(
        "age", kind="int", dtype="int32", shape=[], min=-999, max=59, mean=20.0, std=100.0, values={**ages, "-999": 40}
    )
    assert verdict("ds.01", with_columns(age))["conclusion"] == "problem"
    fine = column(
        "age", kind="int", dtype="int32", shape=[], min=18, max=99, mean=40.0, std=9.0, values={**ages, "99": 4}
    )
    assert verdict("ds.01", with_columns(fine))["conclusion"] == "ok"


def test_empty_strings(verdict):
    assert verdict("ds.01", with_columns(column("text", kind="string", empty_strings=40)))["conclusion"] == "problem"
    assert verdict("ds.01", with_columns(column("text", kind="string", empty_strings=1)))["conclusion"] == "ok"


def test_few_samples_of_an_unfinished_pass_decide_nothing(verdict):
    few = {"samples_per_pass": None, "samples": 8, "scanned": {"samples": 8, "share": 1.0}}
    assert verdict("ds.01", with_columns(column(), **few))["conclusion"] == "undecided"


def test_nothing_iterated_is_undecided(verdict):
    assert verdict("ds.01", Run(datasets=None))["conclusion"] == "undecided"


@pytest.mark.parametrize(
    ("line", "high", "conclusion"),
    [
        ("x = np.clip(scaler.transform(x), -5, 5)", 5.0, "ok"),
        ("x = np.minimum(x, 5.0)", 5.0, "ok"),
        ("x = np.clip(x, -5, 5)", 9.0, "problem"),  # others lie beyond it
        ("x = np.clip(x, -4, 4)", 5.0, "problem"),
    ],
)
def test_the_bound_of_a_clip(verdict, line, high, conclusion):
    mark = suspect(5.0, 64, (-0.2, 0.3), 20, feature=63)
    run = with_columns(column("x", shape=[64], min=-5.0, max=high, suspects=[mark]))
    run.source = {"train.py": line + "\n"}
    assert verdict("ds.01", run)["conclusion"] == conclusion
