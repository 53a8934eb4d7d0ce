"""dp.04: the last step of a recurrent layer that was told the lengths of its sequences."""

import pytest
from building import Run, column, dataset, pad, run_data

from msprec.checklists.dp.padding.beyond_lengths import reads_beyond_lengths

_CODE = """
class Net(nn.Cell):
    def __init__(self):
        self.rnn = nn.GRU(3, 8, batch_first=True)

    def construct(self, x, ln):
        seq, last = self.rnn({given})
        {between}
        return self.out({taken})
"""


@pytest.mark.parametrize(
    ("given", "between", "taken", "share", "found"),
    [
        ("x, None, ln", "pass", "seq[:, -1]", 0.3, True),
        ("x, seq_length=ln", "pass", "seq[:, x.shape[1] - 1, :]", 0.3, True),
        ("x", "pass", "seq[:, -1]", 0.3, False),  # reads on through the padding
        ("x, None, ln", "pass", "last[-1]", 0.3, False),
        ("x, None, ln", "pass", "seq[ops.arange(4), ln - 1]", 0.3, False),
        ("x, None, ln", "seq = pooled(seq)", "seq[:, -1]", 0.3, False),
        ("x, None, ln", "pass", "seq[:, -1]", 0.0, False),  # nothing is padded
    ],
)
def test_steps(tmp_path, given, between, taken, share, found):
    code = _CODE.format(given=given, between=between, taken=taken)
    data = dataset([column("x", shape=[9, 3])], padding=[{**pad(), "share": share}])
    told = reads_beyond_lengths(run_data(tmp_path, Run(source={"train.py": code}, datasets=[data])))
    assert ([one["line"] for one in told.locations] if told else None) == ([9, 7] if found else None)
