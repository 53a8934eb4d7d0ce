"""Items that each rank of a distributed run decides by its own facts: the finding names the ranks it rests on."""

import copy
import json

from building import STILL, Run, column, dataset, one_pass, parameter, phase, write_steps

from msprec.engine import conclude

PARALLEL = {"mode": "data_parallel", "parameter_broadcast": False, "gradients_reduced": True}
NAN = {"nan": 52, "nonfinite_samples": 37, "first_nonfinite": [17, 203]}


def entries(folder, *ranks, lang="en"):
    """The findings on a run of several ranks: for each the facts that differ from a healthy run's (None: no record)."""
    first = Run(**ranks[0], run={"rank_size": len(ranks), "parallel": PARALLEL})
    first.write(folder)
    for rank, changes in enumerate(ranks[1:], 1):
        home = folder / f"rank_{rank}"
        home.mkdir()
        own = Run(**(changes or {}))
        write_steps(home / "steps.csv", own.steps)
        if changes is None:
            continue
        (home / "facts").mkdir()
        for name, facts in own.facts.items():
            (home / "facts" / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")
        (home / "run.json").write_text(json.dumps({**first.run, "rank": rank}), encoding="utf-8")
    return {entry["id"]: entry for entry in conclude(folder, lang)["items"]}


def by_rank(entry):
    return next(
        (e["rows"] for e in entry["evidence"] if e["title"] in ("What each rank shows", "各 rank 的结论")), None
    )


def test_nan_in_the_shard_of_one_rank(tmp_path):
    entry = entries(tmp_path, {}, {"datasets": [dataset([column(**NAN)])]})["ds.01"]
    assert entry["conclusion"] == "problem"
    assert entry["summary"].startswith("Rank 1: ") and "37 of 4 320 samples" in entry["summary"]
    assert [row[:2] for row in by_rank(entry)] == [["1", "problem"], ["0", "no problem"]]


def test_in_chinese(tmp_path):
    entry = entries(tmp_path, {}, {"datasets": [dataset([column(**NAN)])]}, lang="zh")["ds.01"]
    assert entry["summary"].startswith("rank 1：") and by_rank(entry)[0][1] == "发现问题"


def test_several_of_many_ranks(tmp_path):
    bad = {"datasets": [dataset([column(**NAN)])]}
    entry = entries(tmp_path, {}, bad, {}, bad)["ds.01"]
    assert entry["summary"].startswith("Ranks 1, 3: ")
    assert [row[0] for row in by_rank(entry)] == ["1, 3", "0, 2"]


def test_ranks_that_agree_say_so_once(tmp_path):
    found = entries(tmp_path, {}, {})
    for name in ("ds.01", "dp.01", "dp.03", "cg.02"):
        assert found[name]["conclusion"] == "ok", found[name]
        assert found[name]["summary"].startswith("Each of the 2 ranks: ")
        assert by_rank(found[name]) is None


def test_ranks_that_agree_in_other_words(tmp_path):
    """The numbers differ from shard to shard, the conclusion does not."""
    entry = entries(tmp_path, {}, {"datasets": [dataset([column(max=0.9)])]})["dp.01"]
    assert entry["conclusion"] == "ok" and entry["summary"].startswith("All 2 ranks conclude the same; rank 0: ")
    assert [row[0] for row in by_rank(entry)] == ["0", "1"]


def test_raw_pixels_on_one_rank(tmp_path):
    raw = column(min=0.0, max=255.0, mean=33.0, std=79.0)
    entry = entries(tmp_path, {}, {"datasets": [dataset([raw])]})["dp.01"]
    assert entry["conclusion"] == "problem" and entry["summary"].startswith("Rank 1: ")


def test_the_same_order_every_epoch_on_one_rank(tmp_path):
    same = {"same_order_as_first": True, "equal_samples": 1440, "common_share": 1.0}
    passes = [one_pass(1), one_pass(2, **same), one_pass(3, **same)]
    entry = entries(tmp_path, {}, {"datasets": [dataset(passes=passes)]})["dp.03"]
    assert entry["conclusion"] == "problem" and entry["summary"].startswith("Rank 1: ")


def test_a_weight_that_stands_still_on_one_rank(tmp_path):
    frozen = copy.deepcopy(Run().facts["parameters"]["parameters"])
    frozen[1] = parameter("fc.weight", [10, 128], moved=STILL, in_optimizer=False)
    entry = entries(tmp_path, {}, {"parameters": frozen})["cg.02"]
    assert entry["conclusion"] == "problem" and entry["summary"].startswith("Rank 1: ")
    assert "fc.weight" in entry["summary"]


def test_a_rank_that_left_nothing_is_not_passed_over(tmp_path):
    found = entries(tmp_path, {}, None)
    assert found["ds.01"]["conclusion"] == "undecided" and found["ds.01"]["summary"].startswith(
        "Rank 1: it left no record"
    )
    assert found["ds.01"]["would_decide"]
    # a problem on the rank that is known stays one
    other = entries(tmp_path / "other", {"datasets": [dataset([column(**NAN)])]}, None)
    assert other["ds.01"]["conclusion"] == "problem" and other["ds.01"]["summary"].startswith("Rank 0: ")


def test_labels_and_modes_of_the_others_count_only_where_they_are_wrong(tmp_path):
    """Rank 0 alone evaluates, as is usual: what it knows is not lost to what the others do not know."""
    alone, two = {"modes": [phase(), phase("eval", (("drop", False),))]}, {}
    assert entries(tmp_path / "a", alone, two)["api.02"]["conclusion"] == "ok"
    wrong = {"modes": [phase(dependent=(("drop", False),), root_training=False)]}
    entry = entries(tmp_path / "b", alone, wrong)["api.02"]
    assert entry["conclusion"] == "problem" and entry["summary"].startswith("Rank 1: ")
    constant = dataset(counts={"0": 1440})
    entry = entries(tmp_path / "c", {}, {"datasets": [constant]})["ds.02"]
    assert entry["conclusion"] == "problem" and entry["summary"].startswith("Rank 1: ")


def shard(counts, identity, keys):
    made = dataset(counts=counts)
    made["sharding"] = {"num_shards": 2, "shard_id": identity}
    made["order"]["sketch"] = {"pass": 1, "samples": len(keys), "distinct": len(keys), "whole": True, "keys": keys}
    return made


def test_classes_are_counted_over_all_shards(tmp_path):
    """A shard may hold few of a class; the data set does not."""
    keys = [[f"{n:016x}" for n in range(first, first + 20)] for first in (0, 100)]
    counts = [{str(i): 5 if i % 2 == odd else 100 for i in range(10)} for odd in (0, 1)]
    given = [{"datasets": [shard(one, i, keys[i])]} for i, one in enumerate(counts)]
    found = entries(tmp_path / "a", *given)["ds.03"]
    assert found["conclusion"] == "ok" and "1 050 samples in 10 classes" in found["summary"]
    same = [{"datasets": [shard(counts[0], i, keys[0])]} for i in (0, 1)]
    found = entries(tmp_path / "b", *same)["ds.03"]
    assert found["conclusion"] == "problem" and "525 samples in 10 classes" in found["summary"]


def test_figures_are_those_of_the_rank(tmp_path):
    steps = {"steps": [{"step": i, "loss": 1.0 / i, "lr": 0.1 * i} for i in range(1, 9)]}
    still = copy.deepcopy(Run().facts["parameters"]["parameters"])
    still[1] = parameter("fc.weight", [10, 128], moved=STILL, in_optimizer=False)
    entry = entries(tmp_path, steps, {"parameters": still})["cg.02"]
    for piece in entry["evidence"]:
        if piece["kind"] == "figure" and piece["data"].get("steps"):
            assert piece["data"]["rank"] == 1
