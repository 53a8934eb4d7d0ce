"""Looking at what a pipeline delivers reads no tensor: in PyNative mode that would wait for all that was launched."""

import time
from types import SimpleNamespace

import mindspore as ms
import numpy as np
from mindspore import dataset

from msprec.observe.data.datasets import DatasetObserver
from msprec.runtime.patching import Patches


def _observer() -> DatasetObserver:
    steps = SimpleNamespace(data_arrived=lambda: None)
    return DatasetObserver(SimpleNamespace(steps=steps, rank_size=1, guarded_call=lambda call, *args: call(*args)))


def test_delivered_tensors_are_known_by_the_arrays_that_they_are_made_of(monkeypatch):
    def refuse(tensor):
        raise AssertionError("a tensor was read")

    observer = _observer()
    rows, labels = np.arange(24, dtype=np.float32).reshape(8, 3), np.arange(8, dtype=np.int32) % 2
    before, patches = vars(ms.Tensor)["from_numpy"], Patches()
    observer.install(patches)
    try:
        batches = dataset.NumpySlicesDataset({"row": rows, "label": labels}, shuffle=False).batch(4)
        monkeypatch.setattr(ms.Tensor, "asnumpy", refuse)
        for _ in batches.create_tuple_iterator(num_epochs=1):
            assert sorted(observer.last_columns()) == ["label", "row"]
        assert observer.last.last_labels.tolist() == labels[4:].tolist()
    finally:
        patches.undo()
        monkeypatch.undo()
    assert vars(ms.Tensor)["from_numpy"] is before
    assert np.array_equal(ms.Tensor.from_numpy(rows).asnumpy(), rows)
    (facts,) = observer.facts("")["datasets"]
    assert facts["samples"] == 8
    assert {column["name"]: (column["min"], column["max"]) for column in facts["columns"]} == {
        "row": (0.0, 23.0),
        "label": (0.0, 1.0),
    }


def test_a_data_set_that_another_one_reads_from_is_not_what_is_delivered():
    """Its rows are read by a thread of the other's pipeline, as far ahead as it likes."""
    observer, patches = _observer(), Patches()
    observer.install(patches)
    try:
        raw = dataset.NumpySlicesDataset({"row": np.arange(640, dtype=np.float32).reshape(320, 2)}, shuffle=False)
        raw = raw.map(lambda row: row + 1, ["row"])
        batches = dataset.GeneratorDataset(raw, ["row"], shuffle=False).map(lambda row: row / 640, ["row"]).batch(4)
        for _ in batches.create_tuple_iterator(num_epochs=1):
            time.sleep(0.01)
            assert observer.last_columns()["row"].shape == (4, 2)
            observer.feeds_step()
    finally:
        patches.undo()
    (facts,) = observer.facts("")["datasets"]
    assert (facts["role"], facts["fed"], facts["samples"]) == ("train", 80, 320)


def test_parameters_that_a_gradient_function_is_given_are_no_data():
    observer = _observer()
    row, weight = ms.Tensor(np.ones((3, 2), np.float32)), ms.Parameter(np.ones((2, 1), np.float32))
    observer.step_inputs(["row", "weight"], [row, weight])
    (facts,) = observer.facts("")["datasets"]
    assert [column["name"] for column in facts["columns"]] == ["row"]


def test_a_second_training_by_the_same_function_on_features_is_another_data_set():
    observer = _observer()
    pictures, features = np.zeros((6, 1, 8, 8), np.float32), np.ones((6, 5), np.float32)
    for inputs, labels in ((pictures, 3), (pictures, 3), (features, 9), (features, 9)):
        observer.step_inputs(["a", "b"], [inputs, np.full(6, labels, np.int32)])
        observer.feeds_step()
    found = [
        {one["name"]: (one["shape"], one["max"]) for one in facts["columns"]}
        for facts in observer.facts("")["datasets"]
    ]
    assert found == [{"a": ([1, 8, 8], 0.0), "b": ([], 3.0)}, {"a": ([5], 1.0), "b": ([], 9.0)}]


def test_sequences_of_other_lengths_and_steps_of_other_names_are_one_data_set():
    observer = _observer()
    for name, length in (("tokens", 5), ("tokens", 7), ("noise", 5)):
        observer.step_inputs([name], [np.zeros((4, length), np.float32)])
        observer.feeds_step()
    assert len(observer.facts("")["datasets"]) == 1
