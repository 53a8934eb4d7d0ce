"""Data for evaluation that the code scales by statistics of its own (dp.02)."""

import pytest
from building import Run, column, dataset, phase, run_data

from msprec.checklists.dp.preprocessing_consistency.own_statistics import own_statistics

SCALED = column(min=-3.0, max=3.0, mean=0.0, std=1.0)


@pytest.mark.parametrize(
    ("train", "test", "lines"),
    [
        ("x = (x_train - x_train.mean(0)) / x_train.std(0)", "v = (x_test - x_test.mean(0)) / x_test.std(0)", [3, 2]),
        ("x = (x_train - mean) / std", "v = (test_df - test_df.mean()) / test_df.std()", [3, 2]),
        ("x = (x_train - mean) / (std + 1e-8)", "v = (test_x - np.mean(test_x, 0)) / np.std(test_x, 0)", [3, 2]),
        ("x = (x_train - mean) / std", "v = (x_test - xp.mean(x_test)) / xp.std(x_test)", [3, 2]),
        ("x = (x_train - mean) / std", "v = (x_test - mean) / std", None),
        (
            "x = (x_train - mean) / std",
            "mean = x_test.mean(0)\nv = (x_test - mean) / std",
            None,
        ),  # which one is not known
        ("x = (x_train - mean) / other.std(0)", "v = (x_test - x_test.mean(0)) / x_test.std(0)", None),
        ("x = x_train - mean", "v = (x_test - x_test.mean(0)) / x_test.std(0)", None),
    ],
)
def test_where_statistics_are_taken(tmp_path, train, test, lines):
    code = f"mean, std = x_train.mean(0), x_train.std(0)\n{train}\n{test}\n"
    made = Run(source={"train.py": code}, datasets=[dataset(), dataset([SCALED], role="eval")])
    told = own_statistics(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == lines
    assert told is None or told.conclusion == "problem"


@pytest.mark.parametrize(
    ("after", "lines"),
    [("scaler.fit_transform(x_c)", [5, 2]), ("scaler.transform(x_c)", None)],
)
def test_fitted_again_behind_a_call_of_train(tmp_path, after, lines):
    """Of trainings in a row, as of stages, the last one parts the fits."""
    code = "net = Net()\nscaler = StandardScaler().fit(rows)\nmodel.train(5, data)\nlast.train(3, data)\n"
    code += f"x_c = {after}\nscores = net(x_c)\n"
    made = Run(source={"train.py": code}, datasets=[dataset(), dataset([SCALED], role="eval")])
    places = [{"file": "train.py", "line": line} for line in (3, 4)]
    made.set("modes", [phase(via="Model.train", first_step=n, place=one) for n, one in enumerate(places)])
    told = own_statistics(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == lines
