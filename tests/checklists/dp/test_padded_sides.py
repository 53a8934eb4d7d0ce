"""dp.04: sequences that are padded in front for the training and behind for the evaluation."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.padding.padded_sides import padded_sides


@pytest.mark.parametrize(
    ("train", "test", "lines"),
    [
        ("[s.rjust(W, '_') for s in names_train]", "[s.ljust(W, '_') for s in names_test]", [2, 1]),
        ("[[0] * (W - len(s)) + s for s in train]", "[s + [0] * (W - len(s)) for s in valid]", [2, 1]),
        ("[s.ljust(W, '_') for s in names_train]", "[s.ljust(W, '_') for s in names_test]", None),
        ("[s.rjust(W) for s in sources]", "[s.ljust(W) for s in targets]", None),  # an encoder and its decoder
        ("[s + [1] for s in train]", "[[1] + s for s in test]", None),  # marks
    ],
)
def test_sides(tmp_path, train, test, lines):
    given, held = ("a", "b") if "sources" in train else ("x_train", "x_test")
    found = padded_sides(run_data(tmp_path, Run(source={"train.py": f"{given} = {train}\n{held} = {test}\n"})))
    assert ([one["line"] for one in found.locations] if found else None) == lines
