"""cg.02 where the optimizer has the weights of the network that rests."""

import pytest
from building import PLACE, Run, optimizer, phase, run_data

from msprec.checklists.cg.frozen_weights.other_network import other_network


@pytest.mark.parametrize(
    ("student", "teacher", "steps", "found"),
    [
        ((True, False), (False, True), [517, 1118], True),
        ((True, True), (False, False), [517, 1118], False),  # as it should be
        ((True, True), (False, True), [517, 1118], False),  # both learn
        ((True, False), (True, True), [517, 1118], False),  # an opponent, whose turn it is
        ((False, False), (False, True), [517, 1118], False),
        ((True, False), (False, True), [1, 516], False),  # used before
    ],
)
def test_who_is_updated(tmp_path, student, teacher, steps, found):
    rest = {"first_step": 516, "last_step": 1117, "calls": 602, "gradient": True}
    phases = [
        phase(network=number, root_training=training, updated=updated, **rest)
        for number, (training, updated) in enumerate((teacher, student))
    ]
    run = Run(modes=phases)
    run.facts["optimizer"]["optimizers"] = [optimizer(steps=steps, place=PLACE, used=True)]
    told = other_network(run_data(tmp_path, run))
    assert (told is not None) is found and (not found or told.locations[0] == PLACE)
