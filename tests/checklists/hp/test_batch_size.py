"""hp.03 on facts, with the near misses."""

import math

import pytest
from building import Run, column, dataset, train_step


def settled(step):
    """Learns and levels off."""
    return 0.2 + 2 * math.exp(-step / 12) + 0.01 * (-1) ** step


def steep(step):
    """Falls to its last step."""
    return 2.4 - step / 70


def stuck(step):
    """Stays at ln 10, the level of a constant prediction."""
    return 2.3026 + 0.01 * (-1) ** step


def batched(batch, samples, ranks=1, accumulation=1, loss=settled, steps=135):
    run = Run(
        datasets=[dataset(batch_size=batch, samples_per_pass=samples)],
        train_step=[train_step(accumulation=accumulation, count=steps)],
        steps=[{"step": n, "loss": loss(n), "lr": 0.1, "batch": batch} for n in range(1, steps + 1)],
    )
    return run.set("run", {"rank_size": ranks, "training_steps": steps})


@pytest.mark.parametrize(
    ("run", "conclusion"),
    [
        (batched(32, 1440), "ok"),
        (batched(1, 1440, loss=stuck), "problem"),  # one sample an update, and nothing was learnt
        (batched(1, 1440), "ok"),
        (batched(4, 1440, loss=stuck), "ok"),
        (batched(1, 20, loss=stuck), "ok"),
        (batched(256, 60000), "ok"),
        (batched(64, 128), "ok"),
        (batched(150, 150, loss=stuck), "ok"),  # all of iris at once is still a small batch
        (batched(150, 150, loss=stuck, steps=20), "problem"),  # twenty updates in all
        (batched(150, 150, steps=20, loss=lambda step: 2.3 * math.exp(-step / 3)), "ok"),
        (batched(32, 32, loss=stuck, steps=20), "ok"),
        (batched(1437, 1437, loss=steep), "problem"),
        (batched(1437, 1437, loss=stuck), "problem"),
        (batched(1437, 1437), "ok"),  # one update an epoch, and nothing suffered
        (batched(512, 1437, loss=steep), "problem"),
        (
            batched(512, 1437, loss=lambda step: 2.3 * math.exp(-step / 40)),
            "undecided",
        ),  # most is learnt, though it falls
        (batched(512, 50000), "ok"),
        (batched(512, 10000, loss=steep), "undecided"),
        (batched(512, 10000), "ok"),
        (batched(4096, 50000, loss=steep), "problem"),
        (batched(8192, 1281167), "ok"),
        (batched(8192, 1281167, loss=steep), "ok"),  # hundreds of updates an epoch, cut short while it falls
        (batched(8192, 1281167, loss=stuck), "undecided"),
        (batched(32, 5005, ranks=256), "ok"),
        (batched(256, 6250, ranks=8, loss=stuck), "problem"),
        (batched(32, 180000, ranks=8), "ok"),
        (batched(64, 5000, accumulation=32, loss=steep), "problem"),
        (batched(16, 5000, accumulation=4), "ok"),
        (batched(2048, 4096, steps=8, loss=steep), "problem"),
        (batched(2048, 500000, steps=8, loss=steep), "problem"),  # eight updates in all
        (batched(2048, 500000, steps=20, loss=steep), "undecided"),
        (batched(32, None), "ok"),
        (batched(100000, None, steps=12), "undecided"),
    ],
)
def test_batch(verdict, run, conclusion):
    entry = verdict("hp.03", run)
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("source", "loss", "conclusion"),
    [
        ("", lambda step: 0.87 + 0.01 * (-1) ** step, "problem"),
        (
            "env = gym.make('CartPole-v1')\nreward = env.step(action)\n",
            lambda step: 0.87 + 0.01 * (-1) ** step,
            "undecided",
        ),
        ("", settled, "undecided"),
    ],
)
def test_a_loss_without_a_constant_that_stays(verdict, source, loss, conclusion):
    run = batched(2250, 4500, loss=loss, steps=60)
    run.facts["datasets"]["datasets"][0]["label"] = {"column": None, "kind": "unknown", "counts": None}
    run.source["net.py"] = source
    assert verdict("hp.03", run)["conclusion"] == conclusion


def test_numbers_of_a_large_batch(verdict):
    entry = verdict("hp.03", batched(512, 1437, loss=steep))
    assert "512" in entry["summary"] and "3 updates" in entry["summary"]
    assert entry["locations"] == [{"file": "train.py", "line": 4}]


def test_batch_without_a_data_set_comes_from_the_steps(verdict):
    assert verdict("hp.03", Run(datasets=[]))["conclusion"] == "ok"
    assert verdict("hp.03", Run(datasets=[], steps=[]))["conclusion"] == "undecided"


def test_one_whole_graph_is_no_batch(verdict):
    pipeline = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 9}}]
    given = [column("a", shape=[1437]), column("x", shape=[16])]
    run = Run(datasets=[dataset(given, batch_size=1437, samples_per_pass=1437, pipeline=pipeline)])
    assert verdict("hp.03", run)["conclusion"] == "not_applicable"
    # pictures of as many pixels as a batch has, none of which came again
    drawn = Run(datasets=[dataset(given, batch_size=1437, samples_per_pass=None, batches=300, pipeline=pipeline)])
    assert verdict("hp.03", drawn)["conclusion"] != "not_applicable"
    rows = batched(1437, 1437, loss=steep)
    rows.set("datasets", [dataset(given[1:], batch_size=1437, samples_per_pass=1437, pipeline=pipeline)])
    assert verdict("hp.03", rows)["conclusion"] == "problem"
    # the edges are held by the network, which was seen to carry what is computed of one node to others
    rows.facts["probes"] = {"mixed_samples": {"operator": "matmul", "name": "matmul", "rows": 1437, "matrix": True}}
    assert verdict("hp.03", rows)["conclusion"] == "not_applicable"
    rows.facts["probes"]["mixed_samples"]["matrix"] = False
    assert verdict("hp.03", rows)["conclusion"] == "problem"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("hp = {\n    'n': 1437}\nfor s in range(0, 1437, hp['n']):\n    step(x[s:s + hp['n']])\n", [4, 2]),
        ("n = 1437\nfor s in range(0, 1437, n):\n    pass\n    step(x[s:s + n])\n", [4, 1]),
        ("n = 1437\nfor s in range(0, n, n):\n    pass\n    step(x[s:s + n])\n", [4, 1, 2]),
        ("for s in range(0, 1437, 1437):\n    pass\n\n    step(x)\n", [4, 1]),
        ("for s in range(3):\n    pass\n\n    step(x)\nbatch = 1437\n", [4, 5]),
        ('p.add_argument("--batch", type=int, default=1437)\nfor s in order:\n    pass\n    step(x[s])\n', [4, 1]),
    ],
)
def test_where_a_batch_that_is_cut_by_hand_has_its_size(verdict, code, lines):
    run = batched(1437, 1437, loss=stuck)
    run.facts["datasets"]["datasets"][0]["pipeline"] = [
        {"op": "arguments", "args": {}, "place": {"file": "train.py", "line": 4}}
    ]
    run.source = {"train.py": code}
    found = verdict("hp.03", run)
    assert [one["line"] for one in found["locations"]] == lines, found["locations"]


@pytest.mark.parametrize(
    ("steps", "after", "conclusion"),
    [(135, 2.3026, "undecided"), (40, 2.3026, "problem"), (135, 1.2, "problem")],
)
def test_as_many_updates_again(verdict, steps, after, conclusion):
    run = batched(1437, 1437, loss=stuck)
    before = [2.3026, 2.3026, 2.3026]
    trials = [{"rate": 0.1, "losses": [2.3026] * steps, "after": [after] * 3}]
    further = {"rate": 0.1, "batches": 3, "apart": False, "before": before, "trials": trials}
    run.facts["probes"] = {"skipped": {}, "further": further}
    assert verdict("hp.03", run)["conclusion"] == conclusion
