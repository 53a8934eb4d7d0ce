"""hp.02 where each epoch begins with a new network."""

import pytest
from building import Run, optimizer, run_data

from msprec.checklists.hp.epochs.renewed_network import renewed_network

LOOP = "for {each} in range({count}):\n    net = make_net()\n    opt = nn.Adam(net.trainable_params(), 1e-3)\n    fit(net, opt)\n"
ONCE = "net = make_net()\n\nopt = nn.Adam(net.trainable_params(), 1e-3)\nfor epoch in range(9):\n    fit(net, opt)\n"
KEPT = "net = make_net()\nfor epoch in range(9):\n    opt = nn.Adam(net.trainable_params(), 1e-3)\n    fit(net, opt)\n"


@pytest.mark.parametrize(
    ("code", "count", "line"),
    [
        (LOOP.format(each="epoch", count="9"), 9, 2),
        (LOOP.format(each="_", count="cfg.epochs"), 9, 2),
        (LOOP.format(each="epochs", count="9").replace("range(9)", "(5, 10, 20)"), 3, None),  # how many are enough
        (LOOP.format(each="_", count="EPOCHS"), 9, 2),
        (LOOP.format(each="fold", count="9"), 9, None),
        (LOOP.format(each="epoch", count="9"), 1, None),
        (ONCE, 1, None),
        (KEPT, 9, None),  # the optimizer alone
    ],
)
def test_loops(tmp_path, code, count, line):
    run = Run(source={"train.py": code})
    place = {"file": "train.py", "line": 3}
    run.facts["optimizer"]["optimizers"] = [optimizer(place=place, used=True) for _ in range(count)]
    told = renewed_network(run_data(tmp_path, run))
    assert (told.locations[0]["line"] if told else None) == line
