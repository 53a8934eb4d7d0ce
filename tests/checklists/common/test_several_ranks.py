"""mp.01, wi.01, td.01 and td.09 on runs of two ranks, with the near misses."""

import copy
import json

import pytest
from building import DYNAMIC, ZERO, Run, parameter, train_step, write_steps

from msprec.engine import conclude

PARALLEL = {"mode": "data_parallel", "parameter_broadcast": False, "gradients_reduced": True}


def rows(flags, losses=None, scale=1024.0):
    table = []
    for step, over in enumerate(flags, 1):
        after = scale / 2 if over else scale
        loss = losses[step - 1] if losses else 2.0 / step
        table.append(
            {"step": step, "epoch": 1, "loss": loss, "overflow": int(over), "scale": scale, "next_scale": after}
        )
        scale = after
    return table


def two(tmp_path, item, first, second, parallel=PARALLEL, weights=None, exits=None):
    """The entry of ``item`` for a run of two ranks with these steps."""
    run = Run(
        steps=first, train_step=[train_step(DYNAMIC, overflow_flag=True)], run={"rank_size": 2, "parallel": parallel}
    )
    run.facts["parameters"]["parameters"] = weights[0] if weights else run.facts["parameters"]["parameters"]
    run.write(tmp_path)
    home = tmp_path / "rank_1"
    (home / "facts").mkdir(parents=True)
    write_steps(home / "steps.csv", second)
    own = {**copy.deepcopy(run.run), "rank": 1, **({"exit": exits} if exits else {})}
    (home / "run.json").write_text(json.dumps(own), encoding="utf-8")
    if weights:
        (home / "facts" / "parameters.json").write_text(json.dumps({"parameters": weights[1]}), encoding="utf-8")
    found = conclude(tmp_path)
    return next(entry for entry in [*found["items"], *found["beyond"]] if entry["id"] == item)


GOOD = [False] * 40
ONCE = [step == 20 for step in range(40)]


def told(entry):
    return " ".join(piece.get("text") or "" for piece in entry["evidence"])


def test_ranks_that_agree_are_ok(tmp_path):
    assert two(tmp_path, "mp.01", rows(ONCE), rows(ONCE))["conclusion"] == "ok"


def test_the_rank_that_went_nan_first_is_named(tmp_path):
    losses = [[float("nan") if step >= first else 1.0 for step in range(40)] for first in (21, 20)]
    entry = two(tmp_path, "mp.01", rows(GOOD, losses[0]), rows(GOOD, losses[1]))
    assert entry["conclusion"] == "problem"
    assert entry["summary"].startswith("Rank 1: The loss is NaN or infinite in 20 of 40 steps, first in step 21")
    assert "The first to go non-finite: the loss of rank 1, at step 21." in told(entry)


def test_ranks_that_skip_other_steps(tmp_path):
    entry = two(tmp_path, "mp.01", rows(GOOD), rows(ONCE))
    assert entry["conclusion"] == "problem"
    assert "From step 21 on the ranks disagree on the overflow flag (rank 0 0, rank 1 1)" in entry["summary"]
    assert "disagree on the loss scale (first at step 22): rank 0 1 024, rank 1 512" in told(entry)


@pytest.mark.parametrize(
    "parallel", [None, {**PARALLEL, "gradients_reduced": None}, {**PARALLEL, "mode": "hybrid_parallel"}]
)
def test_ranks_that_train_models_of_their_own_may_differ(tmp_path, parallel):
    entry = two(tmp_path, "mp.01", rows(GOOD), rows(ONCE), parallel)
    assert entry["conclusion"] == "ok"
    assert "disagree on the overflow flag" in told(entry)


def test_a_crash_of_another_rank(tmp_path):
    exits = {
        "kind": "exception",
        "code": 1,
        "exception": {"type": "ValueError", "message": "loss is nan, training stops"},
    }
    entry = two(tmp_path, "mp.01", rows(GOOD), rows(GOOD[:9]), exits=exits)
    assert entry["conclusion"] == "problem"
    assert entry["summary"].startswith("Rank 1: The training stopped on a non-finite value: ValueError")


def weights(initial, final, **changes):
    spread = parameter("fc.weight", [10, 128])["initial"]
    return [
        parameter(
            "fc.weight",
            [10, 128],
            **{"initial": {**spread, "digest": initial}, "final": {**spread, "digest": final}, **changes},
        )
    ]


def test_one_model_from_different_weights(tmp_path):
    entry = two(tmp_path, "wi.01", rows(GOOD), rows(GOOD), weights=[weights("a", "x"), weights("b", "y")])
    assert entry["conclusion"] == "problem"
    assert "start with different weights (such as fc.weight)" in entry["summary"]


@pytest.mark.parametrize(
    ("finals", "parallel"),
    [
        ("xx", PARALLEL),  # brought together before the first update
        ("xy", {**PARALLEL, "gradients_reduced": None}),  # an ensemble
        ("xy", {**PARALLEL, "mode": "semi_auto_parallel"}),  # slices
    ],
)
def test_different_weights_that_are_right(tmp_path, finals, parallel):
    given = [weights("a", finals[0]), weights("b", finals[1])]
    entry = two(tmp_path, "wi.01", rows(GOOD), rows(GOOD), parallel, given)
    assert entry["conclusion"] == "ok"
    assert "disagree on the initial weights (such as fc.weight)" in told(entry)


def test_same_weights_are_ok(tmp_path):
    entry = two(tmp_path, "wi.01", rows(GOOD), rows(GOOD), weights=[weights("a", "x"), weights("a", "x")])
    assert entry["conclusion"] == "ok"
    assert "disagree" not in told(entry)


def test_zeros_on_another_rank_only(tmp_path):
    conv = parameter("conv.weight", [8, 1, 3, 3])
    given = [
        [conv, *weights("a", "x")],
        [conv, parameter("fc.weight", [10, 128], initial={**ZERO, "digest": "b"}, final=None)],
    ]
    entry = two(tmp_path, "wi.01", rows(GOOD), rows(GOOD), weights=given)
    assert entry["conclusion"] == "problem"
    assert entry["summary"].startswith("Rank 1: 1 of 2 weights start at zero throughout: fc.weight")


def test_counts_of_steps_beside_the_shards(tmp_path):
    assert "disagree on the number of steps: rank 0 40, rank 1 30" in told(
        two(tmp_path, "dp.05", rows(GOOD), rows(GOOD[:30]))
    )


def falling(height=None):
    """Losses of 200 steps that fall, with one of this ``height`` in the 151st."""
    losses = [0.3 + 2 / (1 + step / 10) + 0.01 * (step % 7) for step in range(200)]
    return [height if height is not None and step == 150 else loss for step, loss in enumerate(losses)]


def test_the_rank_that_diverged_is_named(tmp_path):
    good, bad = rows([False] * 200, falling()), rows([False] * 200, [*falling()[:100], *[float("nan")] * 100])
    entry = two(tmp_path, "td.01", good, bad, weights=([parameter("w", [4])], [parameter("w", [4])]))
    assert entry["conclusion"] == "problem"
    assert entry["summary"].startswith("Rank 1: The training diverged")
    outcome = conclude(tmp_path)["outcome"]
    assert outcome["state"] == "diverged" and outcome["text"].startswith("Rank 1: ")


def test_the_batch_of_a_spike_is_named(tmp_path):
    spiked = rows([False] * 200, falling(30.0))
    two(tmp_path, "td.09", spiked, spiked, weights=([parameter("w", [4])], [parameter("w", [4])]))
    kept = {
        "time": 1.0,
        "event": "loss_spike",
        "step": 151,
        "value": 30.0,
        "usual": 0.4,
        "file": "rank_0/spikes/step_151.npz",
    }
    (tmp_path / "rank_0" / "events.jsonl").write_text(json.dumps(kept) + "\n", encoding="utf-8")
    entry = next(one for one in conclude(tmp_path)["beyond"] if one["id"] == "td.09")
    assert entry["conclusion"] == "ok"
    assert "the batch of step 151 is kept in rank_0/spikes/step_151.npz" in entry["summary"]
