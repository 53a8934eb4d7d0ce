"""td.05: tokens that are predicted while the network is given them."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.seen_targets import seen_targets

_STEP = (
    "mask = np.triu(ones, 1)\ndef step(tokens):\n    given = tokens[:, {}]\n    wanted = tokens[:, 1:]\n"
    "    return ce(net(given), wanted)\nrest = other[:, 1:]\n"
)


@pytest.mark.parametrize(
    ("earlier", "operator", "given", "told", "lines"),
    [
        (0.0, "Embedding", "1:", "not shifted", [3, 4, 5]),
        (0.0, "conv1d", ":-1", "first operation", [1, 9, 5]),  # padded on both sides: it looks one place ahead
        (0.8, "softmax", ":-1", "first operation", [1, 9, 5]),  # no mask
        (None, "softmax", ":-1", "first operation", [1, 9, 5]),  # recorded before this was looked at
    ],
)
def test_what_lets_a_place_see_its_target(tmp_path, earlier, operator, given, told, lines):
    run = Run(source={"train.py": _STEP.format(given)})
    run.facts["probes"] = {
        "seen_targets": {
            "input": 0,
            "shift": 1,
            "before": 1.0,
            "after": 0.5,
            "earlier": earlier,
            "loss_place": {"file": "train.py", "line": 5},
            "place": {"file": "train.py", "line": 9},
            "operator": operator,
        }
    }
    found = seen_targets(run_data(tmp_path, run))
    assert found.conclusion == "problem" and told in found.summary.en
    assert [one["line"] for one in found.locations] == lines


@pytest.mark.parametrize(("own", "told"), [(0.7, True), (0.0, False), (None, True)])
def test_a_decoder_that_shifts_by_itself(tmp_path, own, told):
    """Where the prediction of a place does not change with the token given there, it is not copied."""
    run = Run(source={"train.py": _STEP.format(":-1")})
    facts = {"input": 0, "shift": 0, "before": 0.0, "after": 1.0, "earlier": 0.0, "own": own}
    run.facts["probes"] = {"seen_targets": {**facts, "loss_place": {"file": "train.py", "line": 5}}}
    assert (seen_targets(run_data(tmp_path, run)) is not None) is told
