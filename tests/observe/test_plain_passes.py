"""Passes over plain arrays, told by the samples that come again."""

import numpy as np

from msprec.observe.data.datasets import DatasetObserver, DatasetRecord
from msprec.observe.data.sample_order import NewPass, PassOrder, order_facts, sample_keys


def _passes(batches) -> list:
    """Samples in each pass of the batches' fingerprints."""
    seen, sizes = NewPass(), [0]
    for keys in batches:
        if seen.begins(np.asarray(keys, np.uint64)):
            sizes.append(0)
        sizes[-1] += len(keys)
    return sizes


def test_the_same_order_again_and_another_one():
    rng = np.random.default_rng(0)
    whole = np.arange(100)
    assert _passes(np.split(np.r_[whole, whole, rng.permutation(whole)], 15)) == [100, 100, 100]


def test_a_part_left_out_of_each_pass():
    rng = np.random.default_rng(1)
    assert _passes([part for _ in range(4) for part in np.split(rng.permutation(205)[:200], 10)]) == [200] * 4


def test_the_whole_set_in_each_step():
    assert _passes([np.arange(30)] * 5) == [30] * 5


def test_the_whole_set_of_few_distinct_samples_in_another_order_in_each_step():
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 9, 40)
    assert _passes([rng.permutation(rows) for _ in range(5)]) == [40] * 5
    assert _passes([rows, *(rng.integers(0, 9, 40) for _ in range(4))]) == [200]


def _rounds(batches) -> int:
    one = PassOrder(1)
    for keys in batches:
        one.add(np.asarray(keys, np.uint64), None)
    return one.rounds()


def test_samples_that_come_several_times_in_a_pass():
    rng = np.random.default_rng(6)
    rows = sample_keys(rng.integers(0, 9, 60)[:, None])
    assert _rounds([part for _ in range(5) for part in np.array_split(rng.permutation(rows), 7)]) == 5
    assert _rounds([part for _ in range(5) for part in np.array_split(rng.permutation(rows), 7)][:-1]) == 1
    assert _rounds([rng.choice(rows, 8) for _ in range(40)]) == 1
    assert _rounds(np.array_split(rows, 7)) == 1


def test_drawn_with_replacement_or_hardly_distinct():
    rng = np.random.default_rng(2)
    assert len(_passes(rng.integers(0, 300, (200, 20)))) == 1
    assert len(_passes(rng.integers(0, 8, (40, 16)))) == 1


def test_drawn_anew_each_time():
    assert _passes(np.arange(4000).reshape(100, 40)) == [4000]


def test_a_source_that_delivers_whole_batches():
    def record(**columns):
        made = DatasetRecord(0, [], [], None)
        made.batched = False  # as where the pipeline has no batch
        made.add(columns, made.begin_pass(made.begin_iterator()), True)
        return made.batched, made.samples

    rows = np.zeros((16, 7, 6), np.float32)
    assert record(x=rows, y=np.zeros(16, np.int32)) == (True, 16)
    assert record(x=rows, y=np.int32(3)) == (False, 1)
    assert record(ids=np.arange(9), tags=np.arange(9)) == (False, 1)
    assert record(x=rows[:, 0], y=np.zeros((16, 1), np.float32)) == (False, 1)


def test_runs_in_random_order_depend_on_the_position_as_runs_do():
    rng = np.random.default_rng(4)
    classes = np.repeat(np.arange(20), 24)
    groups = np.repeat(rng.permutation(np.repeat(np.arange(20), 3)), 8)
    facts = []
    for labels in (groups, classes, rng.permutation(classes)):
        one = PassOrder(1)
        one.add(np.arange(480, dtype=np.uint64), labels)
        facts.append(order_facts([one])[0])
    apart = [(f["label_segment_dependence"], f["random_runs_dependence"]) for f in facts]
    assert apart[0][0] > 0.3 and abs(apart[0][0] - apart[0][1]) < 0.1
    assert apart[1][0] > 0.7 and apart[2][1] is None


def test_a_loop_over_arrays_has_an_order():
    record = DatasetRecord(0, [], [], None)
    one = record.begin_pass(record.begin_iterator())
    x, y = np.random.default_rng(3).normal(size=(90, 4)), np.sort(np.arange(90) % 3)
    for start in [0, 30, 60] * 3:
        one = record.add({"x": x[start : start + 30], "y": y[start : start + 30]}, one, True)
        one.trained, record.steps = True, 1
    facts = record.facts("CrossEntropyLoss")
    assert facts["samples_per_pass"] == 90 and facts["batch_size"] == 30 and facts["passes"] == 3
    assert [entry["same_order_as_first"] for entry in facts["order"]["passes"]] == [None, True, True]
    assert facts["label"]["complete_pass"] and facts["label"]["counts"] == {"0": 30, "1": 30, "2": 30}


def test_a_pass_whose_order_is_not_looked_at_is_counted_and_read_by_nobody():
    class Unreadable:
        shape = (16, 3)

        def asnumpy(self):
            raise AssertionError("it was read")

    rows, labels = np.random.default_rng(6).standard_normal((16, 3)), np.arange(16, dtype=np.int32) % 4
    record = DatasetRecord(0, [{}], [], None)
    record.again = None
    iterator = record.begin_iterator()
    for number in range(1, 6):
        one = record.begin_pass(iterator, affordable=False)
        assert record.needs(one) == (number <= 3)
        for _ in range(2):
            if record.needs(one):
                record.add({"x": rows, "label": labels}, one, False)
            else:
                record.pass_by([("x", Unreadable()), ("label", labels)], one)
        one.complete = one.trained = True
    facts = record.facts("")
    assert (facts["samples"], facts["batches"], facts["passes"], facts["samples_per_pass"]) == (160, 10, 5, 32)
    assert [one["pass"] for one in facts["order"]["passes"]] == [1, 2, 3]
    assert not record.inputs_cut
    record.pass_by([("x", rows), ("label", labels)], one)
    assert record.last_labels.tolist() == labels.tolist()


def test_samples_that_a_long_pass_leaves_out_may_have_been_trained_on(monkeypatch):
    monkeypatch.setattr("msprec.observe.data.sample_order.MAX_SAMPLES", 16)
    rows = np.random.default_rng(7).standard_normal((32, 3))
    observer = DatasetObserver(None)
    record = DatasetRecord(0, [{}], [], None)
    record.again, record.steps = None, 1
    observer.records.append(record)
    one = record.begin_pass(record.begin_iterator())
    record.add({"x": rows[:16]}, one, False)
    assert observer.is_trained_on(sample_keys(rows[:16])) is True
    assert observer.is_trained_on(sample_keys(rows[16:])) is False
    assert not record.needs(one)
    record.pass_by([("x", rows[16:])], one)
    assert observer.is_trained_on(sample_keys(rows[:16])) is True
    assert observer.is_trained_on(sample_keys(rows[16:])) is None
