"""td.07: copies of parameters that a loop gives its own variable."""

import pytest
from building import Run, run_data

from msprec.checklists.td.replicas.lost_copies import lost_copies

_LOOP = "for old, new in zip({over}):\n    {body}\n"
_BOTH = "target.get_parameters(), net.get_parameters()"


@pytest.mark.parametrize(
    ("over", "body", "found"),
    [
        (_BOTH, "old = new.clone()", True),
        (_BOTH, "old = Tensor(new.asnumpy())", True),
        (_BOTH, "old.set_data(new.clone())", False),
        (_BOTH, "ops.assign(old, new.clone())", False),
        (_BOTH, "old = new.clone(); found.append(old)", False),  # it is used
        (_BOTH, "kept = new.clone()", False),
        ("targets, rows", "old = new.copy()", False),  # no parameters
    ],
)
def test_copies(tmp_path, over, body, found):
    code = _LOOP.format(over=over, body=body)
    assert (lost_copies(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found
