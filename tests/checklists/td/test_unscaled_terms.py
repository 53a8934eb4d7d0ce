"""td.08: a squared error of targets that are not scaled, among several terms of a loss."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.scales.drowned_terms import unscaled_term


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
