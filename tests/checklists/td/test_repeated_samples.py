"""td.05: batches all of whose samples are the same."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.received_batches.repeated_samples import repeated_samples

_CODE = "kept = []\nfor _ in range(99):\n    kept.append(state)\nxs = np.stack(kept)\ntrain(xs, ys)\n"


@pytest.mark.parametrize(
    ("same", "of_label", "least", "batches", "found"),
    [
        (25, 0, -1.0, 25, True),
        (24, 0, -1.0, 25, True),
        (20, 0, -1.0, 25, False),  # some differ
        (0, 0, -1.0, 25, False),
        (25, 25, -1.0, 25, False),  # so do the labels: a batch of one sample is told by its order
        (25, None, -1.0, 25, False),  # recorded before this was counted
        (25, 0, 1.0, 25, False),  # one value throughout
        (3, 0, -1.0, 3, False),  # too few to tell
    ],
)
def test_columns(tmp_path, same, of_label, least, batches, found):
    inputs = column("x", shape=[6], min=least, max=1.0, mean=0.0, std=0.5, repeated_batches=same)
    made = dataset([inputs, column("y", min=-1.0, max=1.0, mean=0.0, std=0.5, repeated_batches=of_label)])
    made["label"] = {"column": "y", "kind": "regression"}
    made["batch_size"], made["scanned"] = 32, {"samples": 32 * batches}
    made["pipeline"] = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 5}}]
    told = repeated_samples(run_data(tmp_path, Run(source={"train.py": _CODE}, datasets=[made])))
    assert (told is not None) is found
    if told:
        assert "32" in str(told.summary) and 5 in [one["line"] for one in told.locations]
