"""Which steps, and which rates, belong to the last of several trainings."""

import pytest
from building import Run, optimizer, run_data, train_step

from msprec.checklists.common.training.training_segments import last_evaluations, last_training_start, rates_of


@pytest.mark.parametrize(
    ("spans", "rates"),
    [
        ([[1, 6], [7, 10]], [0.1] * 4),  # one after the other
        ([[1, 10], [1, 10]], [0.01] * 6 + [0.1] * 4),  # together: of two networks in turn
        ([[1, 10]], [0.01] * 6 + [0.1] * 4),
    ],
)
def test_rates_of_the_last_training(tmp_path, spans, rates):
    steps = [{"step": n, "epoch": 1, "loss": 1.0, "lr": 0.01 if n <= 6 else 0.1} for n in range(1, 11)]
    used = [optimizer(id=at, steps=span) for at, span in enumerate(spans)]
    assert rates_of(run_data(tmp_path, Run(steps=steps, optimizer=used))).tolist() == pytest.approx(rates)


def test_a_training_without_an_optimizer_came_first(tmp_path):
    steps = [{"step": n, "epoch": 1, "loss": 1.0, "lr": 0.1} for n in range(1, 11)]
    used = [optimizer(steps=[7, 10])]
    for counts, start in (([6, 4], 6), ([10], 0), ([2, 8], 0)):
        run = Run(steps=steps, optimizer=used, train_step=[{**train_step(), "count": n} for n in counts])
        assert last_training_start(run_data(tmp_path / str(start), run)) == start


def test_no_rate_was_recorded(tmp_path):
    steps = [{"step": 1, "epoch": 1, "loss": 1.0}]
    assert rates_of(run_data(tmp_path, Run(steps=steps))).size == 0


@pytest.mark.parametrize(("spans", "found"), [([[1, 6], [7, 10]], [10]), ([[1, 10]], [6, 10])])
def test_evaluations_of_the_last_training(tmp_path, spans, found):
    steps = [{"step": n, "epoch": 1, "loss": 1.0, "lr": 0.1} for n in range(1, 11)]
    used = [optimizer(id=at, steps=span) for at, span in enumerate(spans)]
    run = Run(steps=steps, optimizer=used)
    run.set("evaluation", [{"step": step, "metrics": {"acc": 0.9}} for step in (6, 10)])
    assert [one.step for one in last_evaluations(run_data(tmp_path, run))] == found
