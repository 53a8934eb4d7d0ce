"""The lines of the operations that a map is given under a name (dp.02)."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.preprocessing_consistency.listed_operations import listed_operations
from msprec.engine.run_data import place

CODE = """def made(data, training):
    if training:
        steps = [
            Rescale(1 / 16, 0),
            Normalize(m, s),
            HWC2CHW(),
        ]
    else:
        steps = [Normalize(m, s)]
    return data.map({0}, input_columns="image")
steps = [Other()]
"""


@pytest.mark.parametrize(
    ("given", "lines"),
    [("steps", [4, 5, 9]), ("operations=steps", [4, 5, 9]), ("[HWC2CHW()]", []), ("chosen(training)", [])],
)
def test_lines(tmp_path, given, lines):
    run = run_data(tmp_path, Run(source={"train.py": CODE.format(given)}))
    assert [one.line for one in listed_operations(run, place("train.py", 10))] == lines
