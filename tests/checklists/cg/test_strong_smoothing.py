"""How strong a label smoothing is (cg.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function.strong_smoothing import check_smoothing


@pytest.mark.parametrize(("share", "lines"), [(0.9, [2, 1]), (0.1, None), (0.0, None)])
def test_shares(tmp_path, share, lines):
    place = {"file": "train.py", "line": 2}
    args = f"reduction='mean', label_smoothing={share}"
    run = Run(source={"train.py": f"SMOOTHING = {share}\nloss = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)\n"})
    run.set("loss", [{"class": "CrossEntropyLoss", "builtin": True, "args": args, "place": place}])
    wrong = check_smoothing(run_data(tmp_path, run))
    assert ([one.line for one in wrong.places] if wrong else None) == lines
