"""ds.02: outputs that were collected over a shuffled set."""

import pytest
from building import Run, dataset, run_data

from msprec.checklists.ds.label_validity.cached_outputs import cached_out_of_order

_CODE = """
def collect(net, loader):
    return np.concatenate([net(batch[0]).asnumpy() for batch in loader])


def score(net, loader):
    return float(np.mean([net(batch[0]).asnumpy().mean() for batch in loader]))


loader = Loader((x, y), 32, shuffle={shuffle})
kept = {kept}
student = Loader({used}, 32, shuffle=True)
"""


@pytest.mark.parametrize(
    ("shuffle", "kept", "used", "found"),
    [
        ("True", "collect(net, loader)", "(x, y, kept)", True),
        ("True", "np.concatenate([net(b).asnumpy() for b, _ in loader])", "(x, kept)", True),
        ("False", "collect(net, loader)", "(x, y, kept)", False),
        ("True", "score(net, loader)", "(x, y, kept)", False),
        ("True", "collect(net, loader)", "(other, kept)", False),
    ],
)
def test_what_is_collected(tmp_path, shuffle, kept, used, found):
    run = Run(datasets=[dataset()], source={"train.py": _CODE.format(shuffle=shuffle, kept=kept, used=used)})
    told = run_data(tmp_path, run)
    wrong = cached_out_of_order(told, told.datasets[0], told.datasets[0].columns[0])
    assert (wrong is not None) is found
    if found:
        assert [one.line for one in wrong[2:]] == [11, 10, 12]
