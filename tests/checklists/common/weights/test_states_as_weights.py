"""States of an optimizer that were loaded in the place of weights (wi.02)."""

import pytest
from building import Run, run_data

from msprec.checklists.common.weights.states_as_weights import states_as_weights

PLACE = {"file": "train.py", "line": 3}
_MOMENTS = ["moments.conv.weight", "moments.fc.weight"]


@pytest.mark.parametrize(
    ("given", "loaded", "others", "told"),
    [
        (
            4,
            2,
            ["global_step", *_MOMENTS],
            True,
        ),  # conv.weight and three others given, fc.weight loaded from its moments
        (5, 2, ["global_step", *_MOMENTS], False),
        (4, 1, ["global_step", *_MOMENTS], False),  # fc.weight is missing, and that is told as such
        (3, 2, ["net.fc.weight", "epoch_num"], False),  # a prefix left out of a weight's own name
    ],
)
def test_loads(tmp_path, given, loaded, others, told):
    run = Run(source={"train.py": "a\nb\nload()\n"})
    load = {"function": "load_param_into_net", "file": "a.ckpt", "network": "Net", "optimizer": False, "place": PLACE}
    run.set("weights_loaded", [{**load, "parameters": given, "loaded": loaded, "not_in_network": others}])
    found = states_as_weights(run_data(tmp_path, run))
    assert (found.locations[:1] if found is not None else None) == ([PLACE] if told else None)
