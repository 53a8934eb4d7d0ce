"""Ids that a type of one or two bytes wrapped round (td.05)."""

import pytest
from building import Run, dataset, features, parameter, run_data

from msprec.checklists.td.received_batches.wrapped_ids import wrapped_ids

CAST = "codes = table[names].to_numpy().astype(np.uint8)\n"


@pytest.mark.parametrize(
    ("code", "highs", "rows", "found"),
    [
        (CAST, [255, 855], 1600, True),
        (CAST, [600, 855], 1600, True),  # the second field lies behind the first
        ("ids = np.asarray(codes, dtype='int16')\n", [32767, 99], 80000, True),
        (CAST, [254, 850], 1600, False),  # as many as there are
        (CAST, [255, 855], 300, False),  # a table of bytes and a few marks
        ("codes = table.to_numpy().astype(np.int32)\n", [255, 855], 1600, False),
        ("ids = c.astype(np.uint8)\n\nd = GeneratorDataset((ids, y), ['ids', 'label'])\n", [255, 99], 400, True),
        ("pictures = pictures.astype(np.uint8)\n", [255, 800], 400, False),
    ],
)
def test_span_of_ids(tmp_path, code, highs, rows, found):
    ids = features([0, 600], highs, [100, 700], [50, 50], name="ids", kind="int", dtype="int32")
    made = Run(
        source={"train.py": code},
        datasets=[dataset([ids], scanned={"samples": 5000})],
        parameters=[parameter("factor.embedding_table", [rows, 8], cell_class="Embedding")],
    )
    told = wrapped_ids(run_data(tmp_path, made))
    assert (told is not None) is found
    if found:
        assert told.locations[0]["line"] == 1
