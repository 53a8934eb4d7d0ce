"""td.08: a squared error of targets that are not scaled, among several terms of a loss."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.scales import drowned_terms as module
from msprec.checklists.td.scales.drowned_terms import drowned_terms, unscaled_term


def term(line, **fit):
    base = {"place": {"file": "train.py", "line": line}, "no_gradient": [], "of_weights": False}
    return {**base, "start": 1.0, "end": 1.0, "fits": [{"start": 9.0, "samples": 64, **fit}]}


@pytest.mark.parametrize(
    ("spread", "times", "found"),
    [
        (309, 6.4, True),  # not even their mean is reached
        (309, 1.2, False),
        (1200, 1.2, True),
        (1200, 0.9, False),
        (2, 6.4, False),  # on a scale of their own, and badly learnt
    ],
)
def test_raw_targets_beside_classes(tmp_path, spread, times, found):
    classes = term(4, kind="softmax_cross_entropy", end=0.3, constant=1.08)
    amounts = term(5, kind="mse", end=times * spread**2, constant=float(spread**2))
    run = Run()
    run.facts["probes"] = {"skipped": {}, "terms": [classes, amounts]}
    told = unscaled_term(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([5] if found else None)


def test_where_the_targets_come_from(tmp_path):
    raw = "amounts = table.price\nrows = NumpySlicesDataset((x, amounts), ['x', 'price'])\n"
    columns = [column("x", std=1.0), column("price", shape=[], std=300.0)]
    steps = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 2}}]
    run = Run(source={"train.py": raw}, datasets=[dataset(columns, pipeline=steps)])
    run.facts["probes"] = {"skipped": {}, "terms": [term(9, kind="mse", end=6.4 * 309**2, constant=309.0**2)]}
    told = unscaled_term(run_data(tmp_path, run))
    assert [one["line"] for one in told.locations] == [9, 1]


_SUM = "ce = nn.CrossEntropyLoss()\nmse = nn.MSELoss(reduction='sum')\na, b = ce(p, c), mse(q, v)\nloss = a + 0.5 * b\n"


@pytest.mark.parametrize(
    ("classes", "amounts", "rest", "found"),
    [
        (0.93, 0.18, 120.0, True),
        (0.93, 0.18, 50.0, False),  # that much is balanced by what is left to learn
        (0.60, 0.18, 120.0, False),
        (0.93, 0.80, 120.0, False),  # neither was learnt: something else
        (1.02, 0.80, 50.0, True),  # not learnt at all
    ],
)
def test_a_term_that_is_left_behind(tmp_path, monkeypatch, classes, amounts, rest, found):
    monkeypatch.setattr(module, "long_enough", lambda _: True)
    steps = {"gradient_start": 1.0, "rest_start": rest, "gradient_end": 1.0, "rest_end": rest / 2}
    other = {"gradient_start": rest, "rest_start": 1.0, "gradient_end": rest / 2, "rest_end": 1.0}
    terms = [
        {**term(3, kind="softmax_cross_entropy", end=1.6 * classes, constant=1.6), **steps},
        {**term(4, kind="mse", end=amounts, constant=1.0), **other},
    ]
    run = Run(source={"train.py": _SUM})
    run.facts["probes"] = {"skipped": {}, "terms": terms}
    told = drowned_terms(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([3, 4, 2] if found else None)
