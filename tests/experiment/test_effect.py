"""When one set of runs counts as better than another."""

import pytest

from msprec.experiment.effect import Measured, Score, choose_score, common_steps, compare, measure
from msprec.experiment.runner import printed_metrics

ACCURACY = Score("accuracy", True)


def scores(*values):
    return Measured(values, (), 0)


@pytest.mark.parametrize(
    ("base", "tried", "verdict"),
    [
        ((0.30, 0.32, 0.31), (0.91,), "helps"),
        ((0.30, 0.32, 0.31), (0.10,), "harms"),
        ((0.30, 0.32, 0.31), (0.315,), "none"),  # less than a hundredth
        ((0.286, 0.282, 0.292), (0.354,), "open"),  # three runs that lie close together by chance, and one
        ((0.286, 0.282, 0.292), (0.242, 0.255), "open"),
        ((0.286, 0.282, 0.292), (0.354, 0.293, 0.381), "open"),
        ((0.30, 0.50, 0.40), (0.55,), "open"),  # within what three runs scatter by
        ((0.30, 0.50, 0.40), (0.90, 0.93, 0.91), "helps"),
        ((0.30, 0.50, 0.40), (0.55, 0.45, 0.40), "open"),
        ((0.9, None, 0.9), (0.5,), "helps"),  # a failing run is worse than any score
        ((0.9, 0.9, 0.9), (None,), "harms"),
        ((None, None, None), (None,), "none"),
        # a training that fails with some seeds: all of one side better, though the t-test cannot tell
        ((0.0, 0.92, -0.01, 0.9), (0.97, 0.98, 0.97, 0.98), "helps"),
        ((0.0, 0.92, -0.01), (0.97, 0.98, 0.97), "open"),
        ((0.97, 0.97, 0.98, 0.97, 0.98), (0.0, 0.92, -0.01), "harms"),
    ],
)
def test_verdict_by_score(base, tried, verdict):
    assert compare(scores(*base), scores(*tried), ACCURACY).verdict == verdict


def test_seeds_are_compared_with_themselves():
    """Runs of one seed begin alike: what each of them gains counts, however far the seeds lie apart."""
    found = compare(scores(0.3, 0.5, 0.7, 0.9), scores(0.34, 0.55, 0.74, 0.94), ACCURACY)
    assert found.verdict == "helps" and found.steady
    assert compare(scores(0.3, 0.5, 0.7, 0.9), scores(0.9, 0.55, 0.3, 0.74), ACCURACY).verdict in ("none", "open")


def test_less_of_an_error_is_better():
    found = compare(scores(2.0, 2.1, 2.05), scores(1.0), Score("mae", False))
    assert found.verdict == "helps" and found.gain == pytest.approx(1.05)


def test_the_loss_counts_where_there_is_no_score():
    base, tried = Measured((), (2.0, 2.1, 2.05), 0), Measured((), (0.5,), 0)
    assert compare(base, tried, Score(None, False)).verdict == "helps"
    assert compare(base, tried, Score(None, False), loss_counts=False).verdict == "none"


def result(losses, status=0, **metrics):
    steps = list(range(1, len(losses) + 1))
    series = {name: [[steps[-1], value]] for name, value in metrics.items()}
    return {"steps": steps, "losses": losses, "metrics": series, "status": status}


def test_the_score_is_one_that_all_runs_have():
    runs = [result([1.0], accuracy=0.5, loss=1.0, zeal=3.0), result([1.0], accuracy=0.6, loss=1.1, top_5=0.9)]
    assert choose_score(runs) == ACCURACY
    assert choose_score([result([1.0], loss=1.0)]) == Score("loss", False)
    assert choose_score([result([1.0])]) == Score(None, False)
    rare = [result([1.0], accuracy=0.98, recall=0.1)]
    assert choose_score(rare) == ACCURACY and choose_score(rare, unbalanced=True) == Score("recall", True)
    assert choose_score(runs, unbalanced=True) == ACCURACY


def test_losses_are_held_against_each_other_at_equal_steps():
    short, long = result([4.0, 3.0, 2.0, 2.0]), result([4.0, 3.0, 2.0, 2.0, 1.0, 0.5])
    steps = common_steps([[short], [long]])
    assert steps == 4
    assert measure([short, long], Score(None, False), steps).losses == (2.0, 2.0)


def test_a_failed_run_has_no_result():
    found = measure([result([1.0], status=1, accuracy=0.9)], ACCURACY)
    assert found == Measured((None,), (None,), 1)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("result: accuracy 0.9100", {"accuracy": 0.91}),
        ("accuracy on the test set: 91.2 %", {"accuracy": 0.912}),
        ("Test: R2 0.9711, RMSE=1.5e-2", {"R2": 0.9711, "RMSE": 0.015}),
        ("epoch 5/5 train acc 0.99 val_acc 0.91", {"val_acc": 0.91}),
        ("Epoch: 0150 train_loss=0.60710 train_acc=0.91250 time=0.01418", {}),
        ("test loss 0.3, 42 of 64 correct", {}),
        ("accuracy took 3s", {}),
        ("saved acc0.91.ckpt", {}),
    ],
)
def test_metrics_that_are_printed_at_the_end(line, found):
    assert printed_metrics([line]) == found
