"""wi.02: a moving average that still holds the first weights."""

import pytest
from building import Run, run_data

from msprec.checklists.common.weights.averaged_weights import holds_first_weights

AVERAGE = """
class Ema:
    def update(self, net):
        for p in net.trainable_params():
            old = self.shadow[p.name]
            self.shadow[p.name] = {}

for epoch in range(9):
    train(net)
    ema.update(net)
"""
FORMULA = "self.decay * old + (1 - self.decay) * p.asnumpy()"


@pytest.mark.parametrize(
    ("formula", "share", "alike", "wrong"),
    [
        (FORMULA, 0.15, 0.99, True),
        ("p.asnumpy() * (1.0 - d) + old * d", 0.0, 0.9, True),
        (FORMULA, 0.9, 0.99, False),
        (FORMULA, 0.15, 0.3, False),  # other weights, such as those of a checkpoint
        ("p.asnumpy()", 0.15, 0.99, False),  # the best weights so far, of an early epoch
    ],
)
def test_weights_of_the_end(tmp_path, formula, share, alike, wrong):
    run = Run(source={"train.py": AVERAGE.format(formula)})
    run.facts["probes"] = {"travelled": {"step": 512, "share": share, "alike": alike}}
    found = holds_first_weights(run_data(tmp_path, run))
    assert (found is not None) == wrong
    if wrong:
        assert [one["line"] for one in found.locations] == [10, 6]
