"""dp.03 on facts, with the near misses."""

import types

import pytest
from building import PLACE, Run, dataset, one_pass

from msprec.checklists.dp.shuffling import sample_order

SORTED = {"label_changes": 9, "expected_changes": 1296.0, "label_segment_dependence": 0.93}
OFF = {"declared": False, "means": [], "buffer_size": None, "seekable_source": True}


@pytest.fixture(autouse=True)
def gain(monkeypatch):
    """A training that left something to learn."""
    outcome = types.SimpleNamespace(gain=0.5)

    def learnt_by(run_data, share):
        return outcome.gain is not None and outcome.gain >= run_data.limit(share)

    monkeypatch.setattr(sample_order, "learnt_by", learnt_by)
    return outcome


def ordered(*passes, **changes):
    return Run(datasets=[dataset(passes=list(passes), **changes)])


def buffered(size, **changes):
    pipeline = [
        {"op": "GeneratorDataset", "args": {"shuffle": False}, "place": {"file": "train.py", "line": 3}},
        {"op": "shuffle", "args": {"buffer_size": size}, "place": {"file": "train.py", "line": 4}},
        {"op": "batch", "args": {"batch_size": 32}, "place": {"file": "train.py", "line": 4}},
    ]
    shuffle = {
        "declared": True,
        "means": [f"shuffle(buffer_size={size})"],
        "buffer_size": size,
        "seekable_source": True,
    }
    return {"pipeline": pipeline, "shuffle": shuffle, **changes}


SAME = {"same_order_as_first": True, "equal_samples": 1440}


def test_repeated_order_is_a_problem_whatever_is_declared(verdict):
    entry = verdict("dp.03", ordered(one_pass(1), one_pass(2, **SAME), one_pass(3, **SAME)))
    assert entry["conclusion"] == "problem" and "2 of 2" in entry["summary"]


@pytest.mark.parametrize(("given", "lines"), [("mix", [3, 7]), ("False", [3])])
def test_where_shuffle_is_handed_in(verdict, given, lines):
    pipeline = [{"op": "GeneratorDataset", "args": {}, "place": PLACE, "callers": [{"file": "train.py", "line": 7}]}]
    shuffle = {"declared": False, "means": [], "buffer_size": None, "seekable_source": True}
    made = ordered(one_pass(1, **SORTED), one_pass(2, **SAME, **SORTED), pipeline=pipeline, shuffle=shuffle)
    made.source = {"train.py": f"\n\ndata = ds.GeneratorDataset(source, shuffle={given})\n"}
    entry = verdict("dp.03", made)
    assert entry["conclusion"] == "problem" and [one["line"] for one in entry["locations"]][-len(lines) :] == lines


def test_a_data_set_whose_columns_were_not_seen(verdict):
    unseen = {"label_changes": None, "expected_changes": None, "label_segment_dependence": None}
    made = ordered(one_pass(1, **unseen), one_pass(2, **SAME, **unseen), shuffle=OFF)
    made.facts["datasets"]["datasets"][0]["columns"] = []
    assert "failed" not in verdict("dp.03", made)["summary"]


def test_an_order_that_a_caller_makes(verdict):
    step = [
        {
            "op": "arguments of the training step",
            "args": {},
            "place": {"file": "train.py", "line": 2},
            "callers": [{"file": "train.py", "line": 5}],
        }
    ]
    made = ordered(
        one_pass(1, **SORTED), one_pass(2, **SAME, **SORTED), pipeline=step, shuffle={**OFF, "declared": None}
    )
    made.source = {"train.py": "def step(a):\n    train(a)\n\norder = np.arange(n)\nstep(x[order[:8]])\n"}
    entry = verdict("dp.03", made)
    assert entry["conclusion"] == "problem" and 4 in [one["line"] for one in entry["locations"]]


def renewed(*changes):
    run = ordered(one_pass(1), one_pass(2, iterator=2, **SAME), *changes)
    run.facts["datasets"]["datasets"][0]["order"]["new_iterator_each_pass"] = True
    return run


def test_one_random_order_of_new_iterators_is_told_and_harmless(verdict):
    entry = verdict("dp.03", renewed())
    assert entry["conclusion"] == "ok" and "new iterator" in entry["summary"] and "num_epochs" in entry["summary"]
    assert entry["locations"][0] == {"file": "train.py", "line": 9}


@pytest.mark.parametrize(("draws", "conclusion"), [("numpy.random.rand", "ok"), (None, "problem")])
def test_the_same_of_samples_that_are_changed_at_random(verdict, draws, conclusion):
    part = {**SAME, "same_order_as_first": False, "compared_samples": 400, "equal_samples": 250, "expected_equal": 0.6}
    steps = [{"op": "GeneratorDataset", "args": {}, "place": {"file": "train.py", "line": 9}, "draws": draws}]
    run = ordered(one_pass(1), one_pass(2, iterator=2, **part), pipeline=steps)
    run.facts["datasets"]["datasets"][0]["order"]["new_iterator_each_pass"] = True
    assert verdict("dp.03", run)["conclusion"] == conclusion


def test_one_random_order_of_new_iterators_is_a_problem_beside_overfitting(verdict, monkeypatch):
    monkeypatch.setattr(sample_order, "overfits", lambda run_data: True)
    entry = verdict("dp.03", renewed())
    assert entry["conclusion"] == "problem" and "overfits" in entry["summary"] and "num_epochs" in entry["advice"]
    assert entry["locations"][0] == {"file": "train.py", "line": 9}
    kept = renewed()
    kept.source["train.py"] += "\nif score < best:\n    best = score\n    ms.save_checkpoint(net, 'best.ckpt')\n"
    assert "keeps its best weights" in verdict("dp.03", kept)["summary"]


@pytest.mark.parametrize(("common", "conclusion"), [(0.82, "ok"), (1.0, "problem")])
def test_one_random_order_of_samples_that_are_changed_at_random(verdict, common, conclusion):
    """Where those that come again all stand where they stood, the rest was changed; a shuffle of little reach moves them."""
    changed = {"same_order_as_first": False, "compared_samples": 1440, "equal_samples": 1181, "expected_equal": 1.0}
    run = renewed()
    for one in run.facts["datasets"]["datasets"][0]["order"]["passes"][1:]:
        one.update(changed, common_share=common)
    assert verdict("dp.03", run)["conclusion"] == conclusion


@pytest.mark.parametrize(("iterators", "conclusion"), [((1, 1, 2, 2, 3), "ok"), ((1, 1, 1, 1, 1), "problem")])
def test_two_orders_in_turn_as_two_calls_of_a_training_make_them(verdict, iterators, conclusion):
    other = {"same_order_as_first": False, "compared_samples": 1440, "equal_samples": 1, "expected_equal": 1.0}
    passes = [
        one_pass(n + 1, iterator=iterator, **({}, other, SAME, other, SAME)[n]) for n, iterator in enumerate(iterators)
    ]
    run = ordered(*passes)
    run.facts["datasets"]["datasets"][0]["order"]["new_iterator_each_pass"] = False
    entry = verdict("dp.03", run)
    assert entry["conclusion"] == conclusion
    assert conclusion == "problem" or "each call of Model.train makes a new iterator" in entry["summary"]


def test_sorted_samples_of_new_iterators_are_a_problem(verdict):
    run = ordered(one_pass(1, **SORTED), one_pass(2, iterator=2, **SAME, **SORTED))
    run.facts["datasets"]["datasets"][0]["order"]["new_iterator_each_pass"] = True
    entry = verdict("dp.03", run)
    assert (
        entry["conclusion"] == "problem"
        and "grouped by label" in entry["summary"]
        and "overfits" not in entry["summary"]
    )


def test_sorted_by_label_is_a_problem_even_once_and_even_shuffled(verdict):
    assert verdict("dp.03", ordered(one_pass(1, **SORTED)))["conclusion"] == "problem"
    tiny = ordered(one_pass(1, **SORTED), one_pass(2, **SORTED, equal_samples=500), **buffered(2))
    entry = verdict("dp.03", tiny)
    assert entry["conclusion"] == "problem" and "buffer holds 2" in entry["summary"]


@pytest.mark.parametrize(
    "entry",
    [
        one_pass(1, label_changes=900, label_segment_dependence=0.45),  # sorted, with a buffer of a third
        one_pass(1, label_changes=900, label_segment_dependence=0.2),
        one_pass(1, label_changes=40, label_segment_dependence=0.05, samples=60000),  # one class a batch
    ],
)
def test_half_mixed_labels_are_a_problem(verdict, entry):
    second = {**entry, "pass": 2, "same_order_as_first": False}
    assert verdict("dp.03", ordered(entry, second))["conclusion"] == "problem"


def test_classes_in_turn_are_mixed(verdict):
    turn = {"label_changes": 1439, "label_segment_dependence": 0.0}
    assert verdict("dp.03", ordered(one_pass(1, **turn), one_pass(2, **turn)))["conclusion"] == "ok"


def test_classes_kept_together_by_a_pk_sampler_are_meant(verdict):
    shuffle = {"declared": True, "means": ["PKSampler"], "buffer_size": None, "seekable_source": True}
    near = {"label_changes": 200, "label_segment_dependence": 0.02}
    assert verdict("dp.03", ordered(one_pass(1, **near), one_pass(2, **near), shuffle=shuffle))["conclusion"] == "ok"


def test_groups_smaller_than_a_batch_are_meant(verdict):
    near = {"label_changes": 200, "label_segment_dependence": 0.42, "random_runs_dependence": 0.4}
    assert verdict("dp.03", ordered(one_pass(1, **near), one_pass(2, **near)))["conclusion"] == "ok"
    near["random_runs_dependence"] = 0.1
    assert verdict("dp.03", ordered(one_pass(1, **near), one_pass(2, **near)))["conclusion"] == "problem"
    whole = {
        "label_changes": 45,
        "label_segment_dependence": 0.1,
        "random_runs_dependence": 0.1,
    }  # a class fills a batch
    assert verdict("dp.03", ordered(one_pass(1, **whole), one_pass(2, **whole)))["conclusion"] == "problem"


@pytest.mark.parametrize(("firsts", "conclusion"), [("abcd", "ok"), ("aaaa", "problem")])
def test_an_order_that_is_drawn_anew_within_blocks_alone(verdict, firsts, conclusion):
    """Passes that begin with the same few samples are no draws of groups."""
    near = {"label_changes": 200, "label_segment_dependence": 0.42, "random_runs_dependence": 0.4}
    passes = [
        one_pass(n + 1, **near, first_keys=[f"{part}{(k * (n + 3)) % 11}" for k in range(8)])
        for n, part in enumerate(firsts)
    ]
    assert verdict("dp.03", ordered(*passes))["conclusion"] == conclusion


def test_a_loop_over_arrays_is_told_to_permute(verdict):
    pipeline = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 9}}]
    unknown = {"declared": None, "means": [], "buffer_size": None, "seekable_source": None}
    run = ordered(one_pass(1), one_pass(2, **SAME), pipeline=pipeline, shuffle=unknown)
    entry = verdict("dp.03", run)
    assert entry["conclusion"] == "undecided" and "permutation" in entry["would_decide"]


def test_one_mixed_order_is_a_problem_beside_overfitting_or_where_it_is_sorted(verdict, monkeypatch):
    entry = verdict("dp.03", ordered(one_pass(1), one_pass(2, **SAME), shuffle=OFF))
    assert entry["conclusion"] == "undecided" and "exactly the order of the first" in entry["summary"]
    sorted_runs = ordered(one_pass(1, **SORTED), one_pass(2, **SAME, **SORTED), shuffle=OFF)
    assert verdict("dp.03", sorted_runs)["conclusion"] == "problem"
    monkeypatch.setattr(sample_order, "overfits", lambda run_data: True)
    assert verdict("dp.03", ordered(one_pass(1), one_pass(2, **SAME), shuffle=OFF))["conclusion"] == "problem"


def test_different_orders_are_ok_even_when_nothing_declares_a_shuffle(verdict):
    assert verdict("dp.03", ordered(one_pass(1), one_pass(2), shuffle=OFF))["conclusion"] == "ok"


def test_a_small_set_mixed_by_chance_is_not_called_sorted(verdict):
    small = {"samples": 40, "label_changes": 14, "expected_changes": 19.5, "label_segment_dependence": 0.35}
    assert verdict("dp.03", ordered(one_pass(1, **small), one_pass(2, **small)))["conclusion"] == "ok"


def test_a_buffer_below_a_batch_is_a_problem_and_an_ample_one_is_ok(verdict):
    mixed = [one_pass(1), one_pass(2)]
    assert verdict("dp.03", ordered(*mixed, **buffered(4)))["conclusion"] == "problem"
    assert verdict("dp.03", ordered(*mixed, **buffered(1000)))["conclusion"] == "ok"


def test_most_samples_in_place_is_a_problem(verdict):
    entry = verdict("dp.03", ordered(one_pass(1), one_pass(2, equal_samples=1100)))
    assert entry["conclusion"] == "problem" and "1 100" in entry["summary"]


def test_copies_stay_in_place_in_any_order(verdict):
    copies = {"equal_samples": 1100, "expected_equal": 1090.0}
    assert verdict("dp.03", ordered(one_pass(1), one_pass(2, **copies)))["conclusion"] == "ok"
    entry = verdict("dp.03", ordered(one_pass(1), one_pass(2, **{**copies, "equal_samples": 1400})))
    assert entry["conclusion"] == "problem" and "about 1 090 in a random order" in entry["summary"]


def test_one_mixed_pass_goes_by_what_is_declared(verdict):
    assert verdict("dp.03", ordered(one_pass(1)))["conclusion"] == "ok"
    assert verdict("dp.03", ordered(one_pass(1), shuffle=OFF))["conclusion"] == "undecided"


def test_a_full_batch_has_no_order(verdict):
    whole = {"batch_size": 1440, "batches": 3, "shuffle": OFF}
    assert (
        verdict("dp.03", ordered(one_pass(1), one_pass(2, same_order_as_first=None), **whole))["conclusion"]
        == "not_applicable"
    )


def test_evaluation_data_need_no_shuffling(verdict):
    run = Run(
        datasets=[dataset(), dataset(role="eval", shuffle=OFF, passes=[one_pass(1, **SORTED), one_pass(2, **SAME)])]
    )
    assert verdict("dp.03", run)["conclusion"] == "ok"


def test_nothing_iterated_is_undecided(verdict):
    assert verdict("dp.03", Run(datasets=[]))["conclusion"] == "undecided"


def test_the_others_of_the_family(verdict):
    assert verdict("dp.02", Run())["conclusion"] == "undecided"
    assert verdict("dp.04", Run())["conclusion"] == "not_applicable"
    assert verdict("dp.05", Run())["conclusion"] == "not_applicable"
    assert verdict("dp.05", Run(run={"rank_size": 2}))["conclusion"] == "undecided"


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        (
            "o = np.random.permutation(n)\nx = a[o]\nfor k in range(0, n, 8):\n    step(x[k:k + 8], y[k:k + 8])\n",
            "undecided",
        ),
        ("x = rng.normal(size=(n, 3))\n\nfor k in range(0, n, 8):\n    step(x[k:k + 8], y[k:k + 8])\n", "undecided"),
        ("x = 3 * t + rng.normal(size=n)\n\nfor k in range(0, n, 8):\n    step(x[k:k + 8], y[k:k + 8])\n", "problem"),
        ("x = load()\n\nfor k in range(0, n, 8):\n    step(x[k:k + 8], y[k:k + 8])\n", "problem"),
    ],
)
def test_without_classes_the_code_tells_whether_one_order_is_mixed(verdict, code, conclusion):
    pipeline = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 4}}]
    unknown = {"declared": None, "means": [], "buffer_size": None, "seekable_source": None}
    silent = {"label_changes": None, "expected_changes": None, "label_segment_dependence": None}
    run = ordered(one_pass(1, **silent), one_pass(2, **SAME, **silent), pipeline=pipeline, shuffle=unknown)
    run.source["train.py"] = code
    assert verdict("dp.03", run)["conclusion"] == conclusion


@pytest.mark.parametrize(("learnt", "conclusion"), [(0.98, "undecided"), (0.8, "problem"), (None, "problem")])
def test_one_order_from_which_nearly_all_was_learnt(verdict, gain, learnt, conclusion):
    gain.gain = learnt
    unknown = {"label_changes": None, "expected_changes": None, "label_segment_dependence": None}
    entry = verdict("dp.03", ordered(one_pass(1, **unknown), one_pass(2, **SAME, **unknown), shuffle=OFF))
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('cfg = dict(mix=False)\n\ndata = NumpySlicesDataset(x, shuffle=cfg["mix"])\n', [3, 1]),
        ("data = [1]\n\ndata = NumpySlicesDataset(x, shuffle=False)\n", [3]),
    ],
)
def test_where_shuffle_is_given_its_value(verdict, code, lines):
    pipeline = [{"op": "NumpySlicesDataset", "args": {"shuffle": False}, "place": {"file": "train.py", "line": 3}}]
    run = ordered(one_pass(1, **SORTED), one_pass(2, **SAME, **SORTED), shuffle=OFF, pipeline=pipeline)
    run.source = {"train.py": code}
    entry = verdict("dp.03", run)
    assert [place["line"] for place in entry["locations"]] == lines, entry["locations"]
