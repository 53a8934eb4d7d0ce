"""Methods of callbacks that look like hooks."""

import pytest
from building import Run, run_data

from msprec.checklists.common.script.callback_methods import never_called


@pytest.mark.parametrize(
    ("base", "method", "rest", "lines"),
    [
        ("Callback", "on_step_end", "", [2]),
        ("ms.Callback", "on_train_batch_end", "", [2]),
        ("Callback", "on_train_step_end", "", []),
        ("Callback", "epoch_end", "", []),
        ("Callback", "average", "", []),  # a method of its own
        ("Callback", "on_step_end", "mine.on_step_end(None)\n", []),
        ("object", "on_step_end", "", []),
    ],
)
def test_names_that_nothing_calls(tmp_path, base, method, rest, lines):
    code = f"class Mine({base}):\n    def {method}(self, run_context):\n        pass\n{rest}"
    found = never_called(run_data(tmp_path, Run(source={"train.py": code})))
    assert [one.line for one in found] == lines
