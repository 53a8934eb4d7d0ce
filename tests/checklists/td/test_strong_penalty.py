"""td.08: a penalty on the weights that is written into the loss."""

import pytest
from building import Run, run_data

from msprec.checklists.td.scales import strong_penalty
from msprec.checklists.td.scales.strong_penalty import strong_penalty as found_in

_CODE = "LAMBDA = 0.01\nloss = nll(x, y)\nloss = loss + LAMBDA * squares(weights)\n"
_TASK = {"start": 3.49, "end": 3.04, "gradient_start": 0.4, "gradient_end": 0.23, "of_weights": False}
_PENALTY = {"start": 1.4, "end": 0.28, "gradient_start": 0.24, "gradient_end": 0.11, "of_weights": True}


def _fit(end, constant=3.4):
    return {"fits": [{"kind": "nll", "start": 3.5, "end": end, "constant": constant, "samples": 64}]}


@pytest.mark.parametrize(
    ("task", "penalty", "long", "told"),
    [
        ({}, {}, True, True),
        (_fit(3.0), {}, True, True),
        (_fit(1.2), {}, True, False),  # more than half is learnt
        ({"end": 1.5}, {}, True, False),
        ({}, {"end": 1.3}, True, False),  # the weights did not shrink
        ({}, {"gradient_end": 0.02}, True, False),  # it hardly pulls
        ({}, {"end": 0.01}, True, False),  # nothing was to be learnt, and the weights went to nothing
        ({}, {"of_weights": False}, True, False),
        ({}, {}, False, False),
    ],
)
def test_a_penalty_that_shrinks_the_weights(tmp_path, monkeypatch, task, penalty, long, told):
    monkeypatch.setattr(strong_penalty, "long_enough", lambda _: long)
    terms = [
        {"place": {"file": "train.py", "line": line}, "no_gradient": [], "fits": [], **one}
        for line, one in ((2, {**_TASK, **task}), (3, {**_PENALTY, **penalty}))
    ]
    run = Run(source={"train.py": _CODE})
    run.facts["probes"] = {"terms": terms}
    finding = found_in(run_data(tmp_path, run))
    assert (finding is not None) is told
    if told:
        assert [one["line"] for one in finding.locations] == [3, 1]


def test_a_factor_that_stands_behind_the_penalty(tmp_path, monkeypatch):
    monkeypatch.setattr(strong_penalty, "long_enough", lambda _: True)
    code = "REG = 0.6\nloss = nll(x, y)\npenalty = squares(weights)\nloss = loss + REG * penalty\n"
    terms = [
        {"place": {"file": "train.py", "line": 2}, **_TASK},
        {"place": {"file": "train.py", "line": 3}, **_PENALTY},
    ]
    run = Run(source={"train.py": code})
    run.facts["probes"] = {"terms": terms}
    finding = found_in(run_data(tmp_path, run))
    assert finding is not None and [one["line"] for one in finding.locations] == [3, 1]


@pytest.mark.parametrize(
    ("task", "rows", "told"),
    [
        ({}, {}, True),
        ({"end": 0.3}, {}, False),  # more than half is learnt
        ({}, {"end": 0.05}, False),  # it only came down
        ({}, {"gradient_start": 0.02}, False),  # it hardly pulled: there was nothing to learn
        ({}, {"fits": _fit(0.1)["fits"]}, False),  # it compares with a target
    ],
)
def test_a_term_that_takes_the_rows_of_a_table_to_nothing(tmp_path, monkeypatch, task, rows, told):
    monkeypatch.setattr(strong_penalty, "long_enough", lambda _: True)
    pairs = {"start": 0.69, "end": 0.6, "gradient_start": 0.07, "gradient_end": 0.05, "of_weights": False, "fits": []}
    squares = {"start": 0.7, "end": 4e-5, "gradient_start": 0.12, "gradient_end": 1e-3, "of_weights": False, "fits": []}
    code = "REG = 0.01\nl2 = (user(u) ** 2).sum(-1)\nloss = softplus(-gap).mean() + REG * l2.sum()\n"
    terms = [
        {"place": {"file": "train.py", "line": line}, "no_gradient": [], **one}
        for line, one in ((3, {**pairs, **task}), (2, {**squares, **rows}))
    ]
    run = Run(source={"train.py": code})
    run.facts["probes"] = {"terms": terms}
    finding = strong_penalty.collapsed_term(run_data(tmp_path, run))
    assert (finding is not None) is told
    assert finding is None or [one["line"] for one in finding.locations][:2] == [3, 2]
