"""dp.05 on recorded facts of two ranks, with the near misses."""

import json

import pytest
from building import Run, dataset, one_pass

from msprec.engine import conclude

PARALLEL = {"mode": "data_parallel", "parameter_broadcast": False, "gradients_reduced": True}
AUGMENTED = {
    "op": "map",
    "args": {"input_columns": ["image"], "operations": ["RandomHorizontalFlip(prob=0.5)"]},
    "place": None,
}


def keys(first, count=400, salt=0x9E3779B97F4A7C15):
    """Fingerprints of the samples from ``first`` on."""
    return sorted(f"{(n * salt) % 2**64:016x}" for n in range(first, first + count))


def shard(samples, number=None, identity=None, distinct=None, steps=(), source_len=800, **changes):
    found = {"pass": 1, "samples": len(samples), "distinct": distinct or len(samples), "whole": True, "keys": samples}
    made = dataset(**changes)
    made["pipeline"][0]["args"] = {"source_len": source_len}
    made["pipeline"][1:1] = list(steps)
    made["sharding"] = {"num_shards": number, "shard_id": identity}
    made["order"] = {
        "passes": [one_pass(1), one_pass(2, common_share=0.0 if AUGMENTED in steps else 1.0)],
        "sketch": found,
    }
    return made


def entry(tmp_path, first, second, parallel=PARALLEL, source=None, size=2):
    run = Run(datasets=[first], run={"rank_size": size, "parallel": parallel})
    if source:
        run.source["train.py"] += source
    run.write(tmp_path)
    if second is not None:
        home = tmp_path / "rank_1" / "facts"
        home.mkdir(parents=True)
        (home / "datasets.json").write_text(json.dumps({"datasets": [second]}), encoding="utf-8")
        (home.parent / "steps.csv").write_text("step,loss\n1,1.0\n", encoding="utf-8")
        (home.parent / "run.json").write_text(json.dumps({**run.run, "rank": 1}), encoding="utf-8")
    return next(item for item in conclude(tmp_path)["items"] if item["id"] == "dp.05")


def test_disjoint_parts(tmp_path):
    found = entry(tmp_path, shard(keys(0), 2, 0), shard(keys(400), 2, 1))
    assert found["conclusion"] == "ok" and "800 in all" in found["summary"]


def test_disjoint_parts_cut_by_hand(tmp_path):
    assert entry(tmp_path, shard(keys(0)), shard(keys(400)))["conclusion"] == "ok"


def test_a_sample_dealt_out_twice_to_fill_the_last_batch(tmp_path):
    assert entry(tmp_path, shard(keys(0, 401), 2, 0), shard(keys(400, 401), 2, 1))["conclusion"] == "ok"


@pytest.mark.parametrize("second", [shard(keys(0)), shard(keys(200))])
def test_the_same_samples_on_both(tmp_path, second):
    found = entry(tmp_path, shard(keys(0)), second)
    assert found["conclusion"] == "problem" and "not divided" in found["summary"]


def test_a_cut_sketch_still_tells_the_share(tmp_path):
    both = [shard(keys(0, 400)), shard(keys(0, 400))]
    for one in both:
        one["order"]["sketch"].update(whole=False, keys=one["order"]["sketch"]["keys"][:100], distinct=400)
    assert entry(tmp_path, *both)["conclusion"] == "problem"


@pytest.mark.parametrize(
    "first, second, says",
    [
        (shard(keys(0), 2, 0), shard(keys(400), 2, 0), "not distinct"),
        (shard(keys(0), 2, 0), shard(keys(400), 4, 1), "disagree on num_shards"),
        (shard(keys(0), 2, 0), shard(keys(0, 800)), "disagree on num_shards"),
        (shard(keys(0), 8, 0), shard(keys(400), 8, 1), "6 of the shards"),
    ],
)
def test_numbers_that_do_not_fit(tmp_path, first, second, says):
    found = entry(tmp_path, first, second)
    assert found["conclusion"] == "problem" and says in found["summary"], found["summary"]


@pytest.mark.parametrize(
    "parallel", [{**PARALLEL, "mode": "semi_auto_parallel"}, {**PARALLEL, "gradients_reduced": None}]
)
def test_the_same_data_may_be_meant(tmp_path, parallel):
    assert entry(tmp_path, shard(keys(0)), shard(keys(0)), parallel)["conclusion"] == "undecided"


def test_many_equal_samples_prove_nothing(tmp_path):
    few = keys(0, 50)
    found = entry(tmp_path, shard(few, distinct=20), shard([*few[:30], *keys(900, 20)], distinct=20))
    assert found["conclusion"] == "undecided" and "alike anyway" in found["summary"]


def test_augmented_samples_cannot_be_told_apart(tmp_path):
    alone = entry(tmp_path / "a", shard(keys(0), steps=[AUGMENTED]), shard(keys(400), steps=[AUGMENTED]))
    assert alone["conclusion"] == "undecided"
    declared = entry(tmp_path / "b", shard(keys(0), 2, 0, steps=[AUGMENTED]), shard(keys(400), 2, 1, steps=[AUGMENTED]))
    assert declared["conclusion"] == "ok"


CUT = "\npart = files[rank::size]\n"


@pytest.mark.parametrize(
    "source, conclusion",
    [
        ("import os, glob\nfiles = os.listdir(folder)" + CUT, "problem"),
        ("files = [f for f in glob.glob('d/*.npy')]" + CUT, "problem"),
        ("files = []\nfor f in Path(d).rglob('*.npy'):\n    files.append(f)" + CUT, "problem"),
        (
            "files = list(Path(d).iterdir())\nmine = [f for i, f in enumerate(files) if i % size == rank_id]\n",
            "problem",
        ),
        ("files = sorted(os.listdir(folder))" + CUT, "ok"),
        ("files = os.listdir(folder)\nfiles.sort()" + CUT, "ok"),
        ("files = []\nfor f in os.listdir(d):\n    files.append(f)\nfiles = sorted(files)" + CUT, "ok"),
        ("n = len(os.listdir(folder))" + CUT, "ok"),
        ("if name in os.listdir(folder):\n    pass" + CUT, "ok"),
        ("for f in glob.glob('ckpt/*.ckpt'):\n    os.remove(f)" + CUT, "ok"),
        ("files = os.listdir(folder)\n", "ok"),  # nothing is cut by rank
    ],
)
def test_listings(tmp_path, source, conclusion):
    found = entry(tmp_path, shard(keys(0)), shard(keys(400)), source=source)
    assert found["conclusion"] == conclusion, found["summary"]


def test_one_device_and_unknown_ones(tmp_path, verdict):
    assert verdict("dp.05", Run())["conclusion"] == "not_applicable"
    assert entry(tmp_path / "one", shard(keys(0)), None)["conclusion"] == "undecided"
    for bare in (shard([]), {**shard(keys(0)), "order": {}}):
        assert entry(tmp_path / str(len(str(bare))), bare, bare)["conclusion"] == "undecided"


ASKED = "\nrank, size = get_rank(), get_group_size()\n"


@pytest.mark.parametrize(
    "source, conclusion",
    [
        ("files = os.listdir(folder)" + ASKED + CUT, "problem"),
        ("names = os.listdir(folder)\nfiles = [os.path.join(folder, n) for n in names]" + ASKED + CUT, "problem"),
        (
            "def found(d):\n    return [n for n in os.listdir(d) if n[-4:] == '.png']\nfiles = found(d)" + ASKED + CUT,
            "problem",
        ),
        (
            # each rank evaluates some checkpoints
            "def found(d):\n    return [n for n in os.listdir(d) if n.endswith('.ckpt')]\nfiles = found(d)"
            + ASKED
            + CUT,
            "not_applicable",
        ),
        ("files = []\nfor f in Path(d).rglob('*.npy'):\n    files.append(f)" + ASKED + CUT, "problem"),
        ("def found(d):\n    return glob.glob(d)\nfiles = found('x')" + ASKED + CUT, "problem"),
        (
            "rank = int(os.environ['RANK_ID'])\nmine = [f for i, f in enumerate(os.listdir(d)) if i % 8 == rank]\n",
            "problem",
        ),
        ("files = os.listdir(folder)\nrank, size = args.rank, args.size" + CUT, "undecided"),
        ("files = sorted(os.listdir(folder))" + ASKED + CUT, "not_applicable"),
        ("names = os.listdir(d)\nfiles = [d + n for n in names]\nfiles.sort()" + ASKED + CUT, "not_applicable"),
        ("files = os.listdir(folder)\npart = numbers[rank::size]" + ASKED, "not_applicable"),  # another list is cut
        ("files = os.listdir(folder)\npart = files[1::2]" + ASKED, "not_applicable"),  # not by the rank
        ("files = os.listdir(folder)" + ASKED, "not_applicable"),
    ],
)
def test_listings_where_one_device_ran(verdict, source, conclusion):
    run = Run()
    run.source["train.py"] += source
    found = verdict("dp.05", run)
    assert found["conclusion"] == conclusion, found["summary"]
    assert conclusion == "not_applicable" or found["locations"]


def with_batches(tmp_path, sizes, source=""):
    """dp.05 of two ranks with batches of these sizes in 20 steps each."""
    entry(tmp_path, shard(keys(0)), shard(keys(400)), source=source)
    for rank, size in enumerate(sizes):
        rows = "".join(f"{n},1.0,{size if n % 10 else 8}\n" for n in range(1, 21))
        (tmp_path / f"rank_{rank}" / "steps.csv").write_text("step,loss,batch\n" + rows, encoding="utf-8")
    return next(item for item in conclude(tmp_path)["items"] if item["id"] == "dp.05")


@pytest.mark.parametrize(
    "sizes, source, conclusion",
    [
        ((48, 16), "", "problem"),
        ((32, 32), "", "ok"),  # the last of a pass is smaller
        ((32, 28), "", "ok"),
        ((48, 16), "\ntotal = ops.AllReduce()(grad * len(x))\n", "undecided"),
    ],
)
def test_batches_of_other_sizes(tmp_path, sizes, source, conclusion):
    found = with_batches(tmp_path, sizes, source)
    assert found["conclusion"] == conclusion, found["summary"]


def standardised(first, counts, mean=1e-7):
    made = shard(keys(first), counts=counts)
    made["columns"][0].update(
        mean=mean, std=1.0, shape=[2], channels={"axis": 1, "mean": [mean, -mean], "std": [1.0, 1.0]}
    )
    return made


@pytest.mark.parametrize(
    "counts, mean, conclusion",
    [
        (({"0": 300, "1": 100}, {"0": 100, "1": 300}), 1e-7, "problem"),
        (({"0": 200, "1": 200}, {"0": 210, "1": 190}), 1e-7, "undecided"),  # parts of one kind
        (({"0": 300, "1": 100}, {"0": 100, "1": 300}), 0.03, "ok"),  # standardised together, then divided
    ],
)
def test_inputs_that_each_rank_standardised(tmp_path, counts, mean, conclusion):
    found = entry(tmp_path, standardised(0, counts[0], mean), standardised(400, counts[1], mean))
    assert found["conclusion"] == conclusion, found["summary"]
