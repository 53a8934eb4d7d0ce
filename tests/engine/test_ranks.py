"""The ranks of one run, read together, on tables small enough to read by eye."""

import json

import pytest

from msprec.engine import ranks
from msprec.record.reader import RunFolder


@pytest.fixture
def folder(tmp_path):
    """``folder(rank_0_rows, rank_1_rows, …)``; a row is (step, loss, overflow, scale)."""

    def make(*tables, events=(), kinds=("ok", "ok"), weights=()):
        for rank, rows in enumerate(tables):
            home = tmp_path / f"rank_{rank}"
            home.mkdir()
            lines = [",".join(str(cell) for cell in row) for row in rows]
            (home / "steps.csv").write_text("\n".join(["step,loss,overflow,scale", *lines]) + "\n")
            own = home if rank else tmp_path
            (own / "run.json").write_text(json.dumps({"schema": 1, "exit": {"kind": kinds[rank]}}))
            listed = [event for at, event in events if at == rank]
            (home / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in listed))
            if weights:
                (own / "facts").mkdir()
                (own / "facts" / "parameters.json").write_text(json.dumps({"parameters": weights[rank]}))
        return RunFolder(tmp_path)

    return make


def weight(name, initial, final=None, shape=(2, 2), trained=True):
    return {
        "name": name,
        "shape": list(shape),
        "requires_grad": trained,
        "initial": {"digest": initial},
        "final": {"digest": final or initial},
    }


ALIKE = [(1, 2.0, 0, 8), (2, 1.9, 1, 8), (3, 1.8, 0, 4)]


def test_ranks_that_agree(folder):
    run = folder(ALIKE, ALIKE, weights=[[weight("w", "a", "b")]] * 2)
    assert ranks.first_nonfinite(run) is None
    assert ranks.disagreements(run) == []
    assert ranks.weights_differ(run, [0, 1], "final") is False


def test_overflow_on_any_rank(folder):
    run = folder(ALIKE, [(1, 2.0, 1, 8), (2, 1.9, 0, 4), (3, 1.8, 0, 4)])
    assert [one[:3] for one in ranks.disagreements(run)] == [("overflow", 1, {0: 0, 1: 1}), ("scale", 2, {0: 8, 1: 4})]


def test_the_first_rank_to_go_non_finite(folder):
    event = {"event": "first_nonfinite", "step": 1, "what": "parameter"}
    late, early = (
        [(1, 2.0, 0, 8), (2, "nan", 1, 8), (3, "nan", 0, 4)],
        [(1, 2.0, 0, 8), (2, "inf", 0, 8), (3, "nan", 0, 8)],
    )
    run = folder(late, early, events=[(0, event)])
    # the loss of a skipped step does not count, nor a parameter that is only known to be bad at some step or before
    assert ranks.first_nonfinite(run) == (2, "loss", [1])


def test_both_ranks_at_once_and_by_an_event(folder):
    event = {"event": "first_nonfinite", "step": 3, "what": "gradient"}
    run = folder(ALIKE, ALIKE, events=[(0, event), (1, event)])
    assert ranks.first_nonfinite(run) == (3, "gradient", [0, 1])


def test_counts_of_steps(folder, tmp_path):
    run = folder(ALIKE, ALIKE[:2])
    assert [tuple(one) for one in ranks.disagreements(run)] == [("steps", None, {0: 3, 1: 2}, None)]


@pytest.mark.parametrize("kind", ["running", "exception"])
def test_counts_where_a_rank_was_cut_off_say_nothing(folder, kind):
    assert ranks.disagreements(folder(ALIKE, ALIKE[:2], kinds=("ok", kind))) == []


def test_initial_weights(folder):
    first = [weight("w", "a", "x"), weight("frozen", "f", trained=False), weight("slice", "s", shape=(4, 2))]
    second = [weight("w", "b", "y"), weight("frozen", "g", trained=False), weight("slice", "t", shape=(2, 2))]
    run = folder(ALIKE, ALIKE, weights=[first, second])
    assert [tuple(one) for one in ranks.disagreements(run)] == [("weights", None, {0: "a", 1: "b"}, "w")]
    assert ranks.weights_differ(run, [0, 1], "final") is True


def test_nothing_to_compare(folder):
    run = folder(ALIKE)
    assert ranks.disagreements(run) == []
    assert ranks.weights_differ(run, [0], "final") is None


def test_two_networks_of_the_same_names_may_come_in_another_order(folder):
    one, other = [weight("w", "a"), weight("w", "b")], [weight("w", "b"), weight("w", "a")]
    run = folder(ALIKE, ALIKE, weights=[one, other])
    assert ranks.disagreements(run) == []
    assert ranks.weights_differ(run, [0, 1], "final") is False


def test_two_networks_of_the_same_names_that_differ(folder):
    run = folder(ALIKE, ALIKE, weights=[[weight("w", "a"), weight("w", "b")], [weight("w", "b"), weight("w", "c")]])
    assert [one.what for one in ranks.disagreements(run)] == ["weights"]
