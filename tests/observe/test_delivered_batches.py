"""Looking at what a pipeline delivers reads no tensor: in PyNative mode that would wait for all that was launched."""

from types import SimpleNamespace

import mindspore as ms
import numpy as np
from mindspore import dataset

from msprec.observe.data.datasets import DatasetObserver
from msprec.runtime.patching import Patches


def test_delivered_tensors_are_known_by_the_arrays_that_they_are_made_of(monkeypatch):
    def refuse(tensor):
        raise AssertionError("a tensor was read")

    steps = SimpleNamespace(data_arrived=lambda: None)
    observer = DatasetObserver(SimpleNamespace(steps=steps, rank_size=1, guarded_call=lambda call, *args: call(*args)))
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
