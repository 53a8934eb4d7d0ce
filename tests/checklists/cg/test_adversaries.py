"""cg.02: two opponents of which one's optimizer has the other's weights as well."""

import pytest
from building import Run, optimizer, run_data

from msprec.checklists.cg.frozen_weights.adversaries import updated_by_opponent

_PICKS = "d = [p for p in params if {}]\n"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (["gen.w"], ["gen.w", "disc.w"], True),  # the discriminator's step trains the generator
        (["disc.w"], ["disc.w", "gen.w"], True),
        (["gen.w"], ["disc.w"], False),
        (["enc.w"], ["enc.w", "disc.w"], False),  # shared on purpose, as in an adversarial autoencoder
        (["gen.w"], ["gen.w", "enc.w"], False),
    ],
)
def test_whose_weights_an_optimizer_has(tmp_path, first, second, told):
    made = [optimizer(steps=[1, 119], parameter_names=first, updates=60)]
    made.append(optimizer(id=1, steps=[2, 120], parameter_names=second, updates=60))
    assert (updated_by_opponent(run_data(tmp_path, Run(optimizer=made))) is not None) is told


@pytest.mark.parametrize(
    ("condition", "named"),
    [('"disc" or "critic" in p.name', True), ('"disc" in p.name or "critic" in p.name', False)],
)
def test_a_condition_that_is_none_is_named(tmp_path, condition, named):
    made = [optimizer(steps=[1, 119], parameter_names=["gen.w"], updates=60)]
    made.append(optimizer(id=1, steps=[2, 120], parameter_names=["gen.w", "disc.w"], updates=60))
    run = Run(optimizer=made, source={"train.py": _PICKS.format(condition)})
    found = updated_by_opponent(run_data(tmp_path, run))
    assert ({"file": "train.py", "line": 1} in found.locations) is named
